import Foundation

/// Decimals in a SQLite file. The column is DECIMAL (numeric affinity), so SQLite keeps an integer or a double and
/// nothing more precise. Apple's files have the same limit. NaN is the text `NaN` in them.
package enum DecimalStorage {
    package enum Number {
        case notANumber
        case integer(Int64)
        case real(Double)
    }

    /// The text that stands for a decimal that is not a number.
    package static let notANumber = "NaN"

    /// The stored number of a decimal.
    package static func number(_ decimal: Decimal) -> Number {
        if decimal.isNaN { return .notANumber }
        let text = decimal.description
        if let integer = Int64(text) { return .integer(integer) }
        return .real(Double(text) ?? NSDecimalNumber(decimal: decimal).doubleValue)
    }

    /// The decimal that a text is; nil when it is none. The whole text must be one: Foundation takes a beginning.
    package static func decimal(_ text: String) -> Decimal? {
        if text == notANumber { return Decimal.nan }
        guard let parts = DecimalText(text) else { return nil }
        return Decimal(string: text, locale: locale) ?? parts.decimal
    }

    /// The decimal with the fewest digits that is stored as this double: 10.11 comes back as 10.11. Nil where no
    /// decimal is so large.
    package static func decimal(_ double: Double) -> Decimal? {
        // The text of an infinite number begins like one that is finite.
        guard isDecimal(double) else { return nil }
        let text = double.description
        return Decimal(string: text, locale: locale) ?? DecimalText(text)?.decimal
            ?? (double < 0 ? -Decimal.greatestFiniteMagnitude : Decimal.greatestFiniteMagnitude)
    }

    /// Whether a decimal is stored as this double.
    package static func isDecimal(_ double: Double) -> Bool { abs(double) <= largest }

    /// The double that the largest decimal is stored as.
    package static let largest = Double(Decimal.greatestFiniteMagnitude.description) ?? 3.4e165

    /// In which a number has no group separators, and a point before its fraction.
    static let locale = Locale(identifier: "en_US_POSIX")
}
