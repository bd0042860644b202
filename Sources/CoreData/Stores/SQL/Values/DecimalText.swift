import Foundation

/// The parsed text of a decimal number. Foundation refuses a number whose exponent is out of its range, even if fewer
/// or more digits would bring the exponent into the range.
struct DecimalText {
    private let isNegative: Bool
    /// The digits without zeros at the beginning and at the end.
    private let digits: String
    private let exponent: Int

    private static let exponents = -128...127
    private static let mostDigits = 39

    /// Nil for a text that is not a number from its first character to its last.
    init?(_ text: String) {
        var rest = text.utf8[...]
        func takeDigits() -> [UInt8] {
            let taken = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            rest = rest.dropFirst(taken.count)
            return Array(taken)
        }
        func take(_ characters: UInt8...) -> UInt8? {
            guard let first = rest.first, characters.contains(first) else { return nil }
            rest = rest.dropFirst()
            return first
        }
        let (plus, minus) = (UInt8(ascii: "+"), UInt8(ascii: "-"))
        isNegative = take(plus, minus) == minus
        let whole = takeDigits()
        let fraction = take(UInt8(ascii: ".")) == nil ? [] : takeDigits()
        if whole.isEmpty, fraction.isEmpty { return nil }
        var power = 0
        if take(UInt8(ascii: "e"), UInt8(ascii: "E")) != nil {
            let isSmall = take(plus, minus) == minus
            let digits = takeDigits()
            if digits.isEmpty { return nil }
            // An exponent of more digits than an integer has is treated as a large number.
            let size = Int(String(decoding: digits, as: UTF8.self)).map { min($0, 1 << 32) } ?? 1 << 32
            power = isSmall ? -size : size
        }
        guard rest.isEmpty else { return nil }
        let zero = UInt8(ascii: "0")
        let all = (whole + fraction).drop { $0 == zero }
        let last = all.lastIndex { $0 != zero }
        let kept = last.map { all[...$0] } ?? []
        digits = String(decoding: kept, as: UTF8.self)
        exponent = kept.isEmpty ? 0 : power - fraction.count + all.count - kept.count
    }

    /// The decimal. Small digits that do not fit are left out. Nil if the number is too large.
    var decimal: Decimal? {
        if digits.isEmpty { return 0 }
        var (kept, power) = (digits, exponent)
        if power < Self.exponents.lowerBound {
            let lost = Self.exponents.lowerBound - power
            if lost >= kept.count { return 0 }
            kept.removeLast(lost)
            power += lost
        }
        if power > Self.exponents.upperBound {
            let missing = power - Self.exponents.upperBound
            if kept.count + missing > Self.mostDigits { return nil }
            kept += String(repeating: "0", count: missing)
            power -= missing
        }
        let text = "\(isNegative ? "-" : "")\(kept)e\(power)"
        return Decimal(string: text, locale: DecimalStorage.locale)
    }
}
