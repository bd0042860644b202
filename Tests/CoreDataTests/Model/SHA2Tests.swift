import Foundation
import Testing

@testable import CoreData

/// The published test vectors of FIPS 180.
@Suite
struct SHA2Tests {
    private static let twoBlocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
    private static let twoLongBlocks =
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"

    private func hex(_ data: Data) -> String {
        data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    @Test(
        "SHA-256 of the published messages is the published one",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (twoBlocks, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
        ])
    func sha256(message: String, digest: String) {
        #expect(hex(SHA2.sha256(Array(message.utf8))) == digest)
    }

    @Test(
        "SHA-512 of the published messages is the published one",
        arguments: [
            (
                "abc",
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            ),
            (
                twoLongBlocks,
                "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
                    + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
            ),
        ])
    func sha512(message: String, digest: String) {
        #expect(hex(SHA2.sha512(Array(message.utf8))) == digest)
    }

    @Test("SHA-256 of a million letters a is the published one")
    func longMessage() {
        let digest = hex(SHA2.sha256(repeatElement(UInt8(ascii: "a"), count: 1_000_000)))
        #expect(digest == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }
}
