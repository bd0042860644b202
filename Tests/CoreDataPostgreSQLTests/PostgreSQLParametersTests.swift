#if PostgreSQL
import CoreData
import Foundation
import Testing

@testable import CoreDataPostgreSQL

@Suite("Values in the binary forms of their types")
struct PostgreSQLParametersTests {
    /// The bytes of the only values; nil for NULL.
    private func bytes(_ parameters: PostgreSQLParameters) -> [[UInt8]?] {
        bytes(parameters.values())
    }

    private func bytes(_ values: PostgreSQLValues) -> [[UInt8]?] {
        values.passed { count, pointers, lengths, _ in
            (0..<Int(count)).map { place in
                guard let pointer = pointers?[place], let length = lengths?[place] else { return nil }
                return Array(UnsafeRawBufferPointer(start: pointer, count: Int(length)))
            }
        }
    }

    @Test("A list of any length is no NULL", arguments: [0, 1, 9, 15, 100, 5_000])
    func lists(count: Int) throws {
        let parameters = PostgreSQLParameters(types: [1016], labels: EntityLabels())
        parameters.bind(1, list: Array(repeating: -2, count: count))
        let list = try #require(bytes(parameters)[0])
        #expect(list.count == 20 + 12 * count)
        #expect(Array(list[16..<20]) == [0, 0, 0, 1])
        let last: [UInt8] = [0, 0, 0, 8, 255, 255, 255, 255, 255, 255, 255, 254]
        #expect(count == 0 || Array(list.suffix(12)) == last)
    }

    @Test("Texts and NULL come back as they were bound, and an empty text is no NULL")
    func texts() {
        let parameters = PostgreSQLParameters(
            types: [PostgreSQLType.text, PostgreSQLType.text, PostgreSQLType.text], labels: EntityLabels())
        parameters.bind(1, "")
        parameters.bindNull(2)
        parameters.bind(3, String(repeating: "ü", count: 500))
        #expect(bytes(parameters) == [[], nil, Array(String(repeating: "ü", count: 500).utf8)])
    }

    @Test("A parameter that is not bound for a row has the value of the row before")
    func rows() {
        let parameters = PostgreSQLParameters(
            types: [PostgreSQLType.int4, PostgreSQLType.int2, PostgreSQLType.bool], labels: EntityLabels())
        for row in 0..<3 {
            parameters.bind(1, Int64(row))
            if row == 0 { parameters.bind(2, Int64(-1)) }
            if row == 1 { parameters.bind(3, Int64(1)) }
            parameters.endRow(row)
        }
        let arrays = bytes(parameters.arrays(3))
        func header(_ type: UInt8, hasNull: UInt8) -> [UInt8] {
            [0, 0, 0, 1, 0, 0, 0, hasNull, 0, 0, 0, type, 0, 0, 0, 3, 0, 0, 0, 1]
        }
        let four: [UInt8] = [0, 0, 0, 4]
        #expect(
            arrays[0] == header(23, hasNull: 0) + four + [0, 0, 0, 0] + four + [0, 0, 0, 1] + four + [0, 0, 0, 2])
        let two: [UInt8] = [0, 0, 0, 2, 255, 255]
        #expect(arrays[1] == header(21, hasNull: 0) + two + two + two)
        let one: [UInt8] = [0, 0, 0, 1, 1]
        #expect(arrays[2] == header(16, hasNull: 1) + [255, 255, 255, 255] + one + one)
    }

    @Test("A value that is too large for the server is refused before anything is sent")
    func large() {
        let parameters = PostgreSQLParameters(
            types: [PostgreSQLType.bytea, PostgreSQLType.text], labels: EntityLabels())
        // The bytes are not read.
        let byte = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
        defer { byte.deallocate() }
        let bytes = UnsafeRawBufferPointer(start: byte, count: 1_100_000_000)
        #expect(!parameters.bindBlob(1, at: bytes))
        #expect(parameters.refusal?.localizedDescription.contains("1100000000 bytes") == true)
        #expect(throws: NSError.self) { try parameters.requireFit() }
        #expect(!parameters.bindText(2, at: bytes))
    }

    @Test("A number for bytes is a misfit, which the server refuses")
    func misfits() {
        let parameters = PostgreSQLParameters(
            types: [PostgreSQLType.bytea, PostgreSQLType.bytea], labels: EntityLabels())
        parameters.bind(1, Int64(5))
        parameters.bind(2, 5.0)
        #expect(parameters.misfits == [1: PostgreSQLType.int8, 2: PostgreSQLType.float8])
    }

    @Test(
        "A decimal is read with as many digits as it holds, and is none where it is too large",
        arguments: [
            ([9_999, 9_999, 9_999, 9_999, 9_999, 9_999, 9_999, 9_999, 9_999, 9_999, 9_999], 10, "1e44", false),
            ([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 0, "1", false),
            ([1, 2_300], 0, "1.23", true), ([50], -50, "0", false), ([9_000], 41, "9000e164", true),
            ([1], 50, nil, true),
        ] as [([UInt16], Int16, String?, Bool)])
    func decimals(groups: [UInt16], weight: Int16, text: String?, isExact: Bool) {
        let words = [UInt16(groups.count), UInt16(bitPattern: weight), 0, 0] + groups
        let found = words.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }.withUnsafeBytes {
            PostgreSQLNumeric.decimal($0)
        }
        #expect(found?.value == text.flatMap { Decimal(string: $0) })
        if let found { #expect(found.isExact == isExact) }
    }
}
#endif
