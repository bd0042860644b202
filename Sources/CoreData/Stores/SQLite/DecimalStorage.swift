import Foundation

/// How decimals lie in a SQLite file: the column is DECIMAL (numeric affinity), so SQLite keeps an integer or a double and
/// nothing more precise. Apple's files have the same limit.
enum DecimalStorage {
    enum Number {
        case null
        case integer(Int64)
        case real(Double)
    }

    /// The number that is stored for a decimal; `NaN` has none and becomes NULL.
    static func number(_ decimal: Decimal) -> Number {
        if decimal.isNaN { return .null }
        let text = decimal.description
        if let integer = Int64(text) { return .integer(integer) }
        return .real(Double(text) ?? NSDecimalNumber(decimal: decimal).doubleValue)
    }

    /// The decimal with the fewest digits that is stored as this double: 10.11 comes back as 10.11.
    static func decimal(_ double: Double) -> Decimal {
        Decimal(string: double.description, locale: Locale(identifier: "en_US_POSIX")) ?? Decimal(double)
    }
}
