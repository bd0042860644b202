#if PostgreSQL
    import Foundation

    /// The binary form of `numeric`: digits to the base of 10,000, the weight of the first, the sign, and how many decimal
    /// places are shown.
    enum PostgreSQLNumeric {
        private static let negative: UInt16 = 0x4000
        private static let notANumber: UInt16 = 0xC000

        /// The number that some bytes stand for; nil when they are no number that `Decimal` can hold.
        static func decimal(_ bytes: UnsafeRawBufferPointer) -> Decimal? {
            guard bytes.count >= 8 else { return nil }
            func word(_ place: Int) -> UInt16 {
                UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: place * 2, as: UInt16.self))
            }
            let (count, weight, sign) = (Int(word(0)), Int(Int16(bitPattern: word(1))), word(2))
            if sign == notANumber { return .nan }
            guard sign == 0 || sign == negative, bytes.count >= 8 + 2 * count else { return nil }
            var result = Decimal(0)
            for place in 0..<count {
                let digit = Decimal(
                    sign: .plus, exponent: 4 * (weight - place), significand: Decimal(Int(word(4 + place))))
                result += digit
                if result.isNaN { return nil }
            }
            return sign == negative ? -result : result
        }

        /// Whether `Decimal` holds all digits of a number: it has 38.
        static func isExact(_ bytes: UnsafeRawBufferPointer) -> Bool {
            // The digits to the base of 10,000 that there can be at most.
            if bytes.count <= 8 + 2 * 9 { return true }
            var digits: [UInt8] = []
            for place in stride(from: 8, to: bytes.count - 1, by: 2) {
                let word = UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt16.self))
                digits += [word / 1_000, word / 100 % 10, word / 10 % 10, word % 10].map { UInt8($0) }
            }
            let first = digits.firstIndex { $0 != 0 } ?? 0
            let last = digits.lastIndex { $0 != 0 } ?? 0
            return last - first < 38
        }

        /// Appends a number in its binary form.
        static func append(_ number: Decimal, to bytes: inout [UInt8]) {
            func append(_ word: UInt16) {
                bytes.append(UInt8(word >> 8))
                bytes.append(UInt8(word & 0xFF))
            }
            if number.isNaN {
                for word in [0, 0, notANumber, 0] { append(word) }
                return
            }
            // The digits without a point, and how many of them stand behind it.
            let text = NSDecimalNumber(decimal: number.magnitude).description(withLocale: nil)
            let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Array($0.utf8) }
            var (whole, fraction) = (parts[0], parts.count > 1 ? parts[1] : [])
            let scale = fraction.count
            while whole.count % 4 != 0 { whole.insert(UInt8(ascii: "0"), at: 0) }
            while fraction.count % 4 != 0 { fraction.append(UInt8(ascii: "0")) }
            let digits = whole + fraction
            var groups: [UInt16] = []
            for start in stride(from: 0, to: digits.count, by: 4) {
                var group: UInt16 = 0
                for digit in digits[start..<start + 4] { group = group * 10 + UInt16(digit - UInt8(ascii: "0")) }
                groups.append(group)
            }
            var weight = whole.count / 4 - 1
            while groups.first == 0 {
                groups.removeFirst()
                weight -= 1
            }
            while groups.last == 0 { groups.removeLast() }
            append(UInt16(groups.count))
            append(UInt16(bitPattern: Int16(groups.isEmpty ? 0 : weight)))
            append(number.isSignMinus && !groups.isEmpty ? negative : 0)
            append(UInt16(scale))
            groups.forEach(append)
        }
    }
#endif
