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

    /// The decimal that a text is; nil when it is none.
    package static func decimal(_ text: String) -> Decimal? {
        text == notANumber ? Decimal.nan : Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    }

    /// The decimal with the fewest digits that is stored as this double: 10.11 comes back as 10.11.
    package static func decimal(_ double: Double) -> Decimal {
        Decimal(string: double.description, locale: Locale(identifier: "en_US_POSIX")) ?? Decimal(double)
    }
}
