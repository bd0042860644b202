import Foundation

/// SQLite's names for functions and collations; those that begin with `OCD` are registered by `SQLiteFunctions`.
struct SQLiteDialect: SQLDialect {
    func name(of function: SQLExpression.Function) -> String {
        switch function {
        case .count: "COUNT"
        case .sum: "SUM"
        case .min: "MIN"
        case .max: "MAX"
        case .average: "AVG"
        case .lower: "OCD_LOWER"
        case .upper: "OCD_UPPER"
        case .length: "LENGTH"
        case .abs: "ABS"
        case .contains: "OCD_CONTAINS"
        case .beginsWith: "OCD_BEGINS"
        case .endsWith: "OCD_ENDS"
        case .like: "OCD_LIKE"
        case .matches: "OCD_MATCHES"
        case .equalText: "OCD_EQUAL"
        case .canonical: "OCD_CANONICAL"
        case .fold: "OCD_FOLD"
        case .power: "OCD_POWER"
        case .squareRoot: "OCD_SQRT"
        case .floor: "OCD_FLOOR"
        case .ceiling: "OCD_CEILING"
        case .truncate: "OCD_TRUNC"
        case .naturalLog: "OCD_LN"
        case .log: "OCD_LOG"
        case .exponential: "OCD_EXP"
        case .random: "OCD_RANDOM"
        case .now: "OCD_NOW"
        case .coalesce: "COALESCE"
        }
    }

    func suffix(for collation: SQLSelect.Order.Collation) -> String {
        switch collation {
        case .binary: ""
        case .caseInsensitive: " COLLATE OCD_NOCASE"
        case .localized: " COLLATE OCD_LOCALIZED"
        case .localizedCaseInsensitive: " COLLATE OCD_LOCALIZED_NOCASE"
        case .localizedStandard: " COLLATE OCD_LOCALIZED_STANDARD"
        }
    }

    func placeholder(_ number: Int) -> String { "?" }

    func elements(ofArrayIn placeholder: String) -> String { "SELECT value FROM json_each(\(placeholder))" }

    func quoted(_ identifier: String) -> String {
        // Names of Core Data's tables are plain words; quotes are for names that are not.
        let isPlain = identifier.utf8.allSatisfy {
            $0 == UInt8(ascii: "_") || (0x30...0x39).contains($0) || (0x41...0x5A).contains($0)
                || (0x61...0x7A).contains($0)
        }
        if isPlain { return identifier }
        return "\"" + identifier.replacingOccurrences(of: "\"", with: "\"\"") + "\""
    }
}

extension SQLPrinter {
    /// `CREATE INDEX` for SQLite.
    static func createIndex(_ index: SQLIndex) -> String { createIndex(index, dialect: SQLiteDialect()) }
}
