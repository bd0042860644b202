import Foundation

/// SHA-256 and SHA-512 as FIPS 180-4 defines them.
///
/// Version hashes are SHA-256, the digest of a store's hashes is SHA-512. CryptoKit does not exist on Linux and the
/// package has no dependencies, so both are implemented here.
enum SHA2 {
    /// The 32-byte SHA-256 of the bytes.
    ///
    /// Unlike SHA-512 it keeps the state in local variables: a model hashes each of its properties twice, and debug
    /// builds run without the optimiser.
    static func sha256(_ bytes: some Sequence<UInt8>) -> Data {
        var state = initial256
        let message = padded(Array(bytes), blockSize: 64, lengthSize: 8)
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
            constants256.withUnsafeBufferPointer { constants in
                message.withUnsafeBytes { bytes in
                    for start in stride(from: 0, to: bytes.count, by: 64) {
                        var index = 0
                        while index < 16 {
                            let word = bytes.loadUnaligned(fromByteOffset: start &+ index &* 4, as: UInt32.self)
                            schedule[index] = UInt32(bigEndian: word)
                            index &+= 1
                        }
                        compress256(&state, schedule, constants)
                    }
                }
            }
        }
        return bigEndianData(state)
    }

    /// Adds one block to the state. The block's 16 words are at the beginning of the schedule.
    private static func compress256(
        _ state: inout [UInt32], _ schedule: UnsafeMutableBufferPointer<UInt32>,
        _ constants: UnsafeBufferPointer<UInt32>
    ) {
        var index = 16
        while index < 64 {
            let early = schedule[index &- 15]
            let late = schedule[index &- 2]
            let sigma0 = (early &>> 7 | early &<< 25) ^ (early &>> 18 | early &<< 14) ^ early &>> 3
            let sigma1 = (late &>> 17 | late &<< 15) ^ (late &>> 19 | late &<< 13) ^ late &>> 10
            schedule[index] = schedule[index &- 16] &+ sigma0 &+ schedule[index &- 7] &+ sigma1
            index &+= 1
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        index = 0
        while index < 64 {
            let sum1 = (e &>> 6 | e &<< 26) ^ (e &>> 11 | e &<< 21) ^ (e &>> 25 | e &<< 7)
            let sum0 = (a &>> 2 | a &<< 30) ^ (a &>> 13 | a &<< 19) ^ (a &>> 22 | a &<< 10)
            let choice = (e & f) ^ (~e & g)
            let majority = (a & b) ^ (a & c) ^ (b & c)
            let first = h &+ sum1 &+ choice &+ constants[index] &+ schedule[index]
            h = g
            g = f
            f = e
            e = d &+ first
            d = c
            c = b
            b = a
            a = first &+ sum0 &+ majority
            index &+= 1
        }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
        state[4] &+= e
        state[5] &+= f
        state[6] &+= g
        state[7] &+= h
    }

    /// The 64-byte SHA-512 of the bytes.
    static func sha512(_ bytes: some Sequence<UInt8>) -> Data {
        var state = initial512
        let message = padded(Array(bytes), blockSize: 128, lengthSize: 16)
        var schedule = [UInt64](repeating: 0, count: 80)
        for block in stride(from: 0, to: message.count, by: 128) {
            for index in 0..<16 {
                schedule[index] = (0..<8).reduce(0) { $0 << 8 | UInt64(message[block + index * 8 + $1]) }
            }
            for index in 16..<80 {
                let early = schedule[index - 15]
                let late = schedule[index - 2]
                let sigma0 = early.rotated(1) ^ early.rotated(8) ^ early >> 7
                let sigma1 = late.rotated(19) ^ late.rotated(61) ^ late >> 6
                schedule[index] = schedule[index - 16] &+ sigma0 &+ schedule[index - 7] &+ sigma1
            }
            var work = state
            for index in 0..<80 {
                let sum1 = work[4].rotated(14) ^ work[4].rotated(18) ^ work[4].rotated(41)
                let sum0 = work[0].rotated(28) ^ work[0].rotated(34) ^ work[0].rotated(39)
                round(&work, sum0: sum0, sum1: sum1, input: constants512[index] &+ schedule[index])
            }
            for index in 0..<8 { state[index] &+= work[index] }
        }
        return bigEndianData(state)
    }

    /// One round over the eight working variables a … h; `input` is the round constant plus the schedule's word.
    private static func round(_ work: inout [UInt64], sum0: UInt64, sum1: UInt64, input: UInt64) {
        let choice = (work[4] & work[5]) ^ (~work[4] & work[6])
        let majority = (work[0] & work[1]) ^ (work[0] & work[2]) ^ (work[1] & work[2])
        let first = work[7] &+ sum1 &+ choice &+ input
        let second = sum0 &+ majority
        work[7] = work[6]
        work[6] = work[5]
        work[5] = work[4]
        work[4] = work[3] &+ first
        work[3] = work[2]
        work[2] = work[1]
        work[1] = work[0]
        work[0] = first &+ second
    }

    /// The message, a 1 bit, zeros, and the length in bits as a big-endian number, in whole blocks.
    private static func padded(_ message: [UInt8], blockSize: Int, lengthSize: Int) -> [UInt8] {
        let count = (message.count + 1 + lengthSize + blockSize - 1) / blockSize * blockSize
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            message.withUnsafeBytes { bytes.copyMemory(from: $0) }
            memset(buffer.baseAddress! + message.count, 0, count - message.count)
            bytes[message.count] = 0x80
            bytes.storeBytes(of: UInt64(message.count * 8).bigEndian, toByteOffset: count - 8, as: UInt64.self)
            initialized = count
        }
    }

    private static func bigEndianData<Word: FixedWidthInteger>(_ words: [Word]) -> Data {
        words.map(\.bigEndian).withUnsafeBytes { Data($0) }
    }

    private static let initial256: [UInt32] = [
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
    ]

    private static let initial512: [UInt64] = [
        0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
        0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
    ]

    private static let constants256: [UInt32] = [
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
    ]

    private static let constants512: [UInt64] = [
        0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
        0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
        0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
        0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
        0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
        0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
        0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
        0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
        0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
        0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
        0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
        0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
        0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
        0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
        0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
        0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
        0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
        0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
        0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
        0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
    ]
}

extension UInt64 {
    fileprivate func rotated(_ count: UInt64) -> UInt64 { self &>> count | self &<< (64 - count) }
}
