#if PostgreSQL
import Foundation

/// The binary form of `numeric`: digits to the base of 10,000, the weight of the first, the sign, and how many
/// decimal places are shown.
enum PostgreSQLNumeric {
    private static let negative: UInt16 = 0x4000
    private static let notANumber: UInt16 = 0xC000

    /// Converts the bytes of a `numeric` to the nearest `Decimal`. `isExact` is true if that has all the digits.
    /// Nil for bytes without a number that `Decimal` can hold.
    static func decimal(_ bytes: UnsafeRawBufferPointer) -> (value: Decimal, isExact: Bool)? {
        guard bytes.count >= 8 else { return nil }
        func word(_ place: Int) -> UInt16 {
            UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: place * 2, as: UInt16.self))
        }
        let (count, weight, sign) = (Int(word(0)), Int(Int16(bitPattern: word(1))), word(2))
        if sign == notANumber { return (.nan, true) }
        guard sign == 0 || sign == negative, bytes.count >= 8 + 2 * count else { return nil }
        if count == 0 { return (0, true) }
        // The digits as one whole number, without the zeros after the last one, and the power of ten for its scale.
        var digits = Digits(exponent: 4 * (weight - count + 1))
        for place in 0..<count - 1 { digits.append(word(4 + place), from: 1_000) }
        var (last, unit) = (word(3 + count), UInt16(1_000))
        while unit > 1, last % 10 == 0 {
            (last, unit) = (last / 10, unit / 10)
            digits.exponent += 1
        }
        digits.append(last, from: unit)
        return digits.decimal(isNegative: sign == negative).map { ($0, !digits.isRounded) }
    }

    /// The digits of a number and the power of ten of the last one. There are 38 digits at most, as in `Decimal`;
    /// further digits are rounded.
    private struct Digits {
        private var mantissa: UInt128 = 0
        var exponent: Int
        private(set) var isRounded = false
        private var isFull = false

        /// One more than the greatest number of 64 bits.
        private static let word = Decimal(UInt64.max) + 1

        init(exponent: Int) { self.exponent = exponent }

        /// Appends the digits of a number from the one of some unit on.
        mutating func append(_ number: UInt16, from first: UInt16) {
            var unit = first
            while unit > 0 {
                append(number / unit % 10)
                unit /= 10
            }
        }

        private mutating func append(_ digit: UInt16) {
            let (tens, isTooLarge) = mantissa.multipliedReportingOverflow(by: 10)
            let (next, hasCarry) = tens.addingReportingOverflow(UInt128(digit))
            if !isFull, !isTooLarge, !hasCarry {
                mantissa = next
                return
            }
            if !isFull, digit >= 5, mantissa < .max { mantissa += 1 }
            isFull = true
            exponent += 1
            if digit != 0 { isRounded = true }
        }

        /// The number; nil where it is too large. A number that is too small loses digits.
        mutating func decimal(isNegative: Bool) -> Decimal? {
            while exponent > Int(Int8.max) {
                let (tens, isTooLarge) = mantissa.multipliedReportingOverflow(by: 10)
                if isTooLarge { return nil }
                (mantissa, exponent) = (tens, exponent - 1)
            }
            while exponent < Int(Int8.min), mantissa > 0 {
                let (rest, digit) = mantissa.quotientAndRemainder(dividingBy: 10)
                if digit != 0 { isRounded = true }
                (mantissa, exponent) = (rest + (digit >= 5 ? 1 : 0), exponent + 1)
            }
            if mantissa == 0 { return 0 }
            // An operation may move zeros from the digits into the exponent, which must not overflow then.
            if exponent > Int(Int8.max) - 39 {
                return Decimal(string: "\(isNegative ? "-" : "")\(mantissa)e\(exponent)")
            }
            var digits = Decimal(UInt64(truncatingIfNeeded: mantissa))
            if mantissa > UInt128(UInt64.max) { digits += Decimal(UInt64(mantissa >> 64)) * Self.word }
            return Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: digits)
        }
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
        // The digits without a point, and the number of digits after the point.
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
