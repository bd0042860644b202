import Foundation

/// The storage of decimals in a SQLite file. The column is DECIMAL (numeric affinity), so SQLite stores an integer or a
/// double and nothing more precise. Apple's files have the same limit. They store NaN as the text `NaN`.
package enum DecimalStorage {
    package enum Number {
        case notANumber
        case integer(Int64)
        case real(Double)
    }

    /// The text for a decimal that is not a number.
    package static let notANumber = "NaN"

    /// The stored number of a decimal.
    package static func number(_ decimal: Decimal) -> Number {
        if decimal.isNaN { return .notANumber }
        let text = decimal.description
        if let integer = Int64(text) { return .integer(integer) }
        return .real(Double(text) ?? NSDecimalNumber(decimal: decimal).doubleValue)
    }

    /// The decimal in a text; nil if the text is none. The whole text must be a number, but Foundation accepts a
    /// prefix.
    package static func decimal(_ text: String) -> Decimal? {
        if text == notANumber { return Decimal.nan }
        guard let parts = DecimalText(text) else { return nil }
        return Decimal(string: text, locale: locale) ?? parts.decimal
    }

    /// The decimal with the fewest digits that is stored as this double: 10.11 is read as 10.11. Nil if the double is
    /// too large for a decimal.
    package static func decimal(_ double: Double) -> Decimal? {
        // The text of an infinite number has a finite number as its prefix.
        guard isDecimal(double) else { return nil }
        let text = double.description
        return Decimal(string: text, locale: locale) ?? DecimalText(text)?.decimal
            ?? (double < 0 ? -Decimal.greatestFiniteMagnitude : Decimal.greatestFiniteMagnitude)
    }

    /// Whether a decimal is stored as this double.
    package static func isDecimal(_ double: Double) -> Bool { abs(double) <= largest }

    /// The double as which the largest decimal is stored.
    package static let largest = Double(Decimal.greatestFiniteMagnitude.description) ?? 3.4e165

    /// The locale of stored numbers, without group separators and with a decimal point.
    static let locale = Locale(identifier: "en_US_POSIX")
}
