#if PostgreSQL
import CoreData
import Foundation

// Why the server refuses a row. It names the column for some failures only. For all other failures the values are
// compared with the types of the columns.
extension PostgreSQLConnection {
    func refusal(
        of failure: any SQLFailure, in table: String, _ values: [String: SlotValue]
    ) throws -> SQLRefusal? {
        guard let error = failure as? PostgreSQLError, error.isRefusal else { return nil }
        let view = views[table]
        let quoted = view?.table.quoted ?? PostgreSQLDialect().quoted(table)
        /// The store's name of a column of the table.
        func own(_ column: String) -> String {
            view?.columns.first { $0.of == column }?.name ?? PostgreSQLDialect.logical(column, in: table)
        }
        let limits = try limits(ofTable: quoted).map { (column: own($0[0] ?? ""), type: $0[1] ?? "") }
        for (column, type) in limits.sorted(by: { $0.column < $1.column }) where error.state.hasPrefix("22") {
            guard let value = values[column], let (code, reason) = Self.problem(value, type) else { continue }
            return SQLRefusal(columns: [column], code: code, reason: reason)
        }
        let names = try columns(of: error, in: quoted)
        let place = error.constraint.map { " (“\($0)”)" } ?? ""
        let detail = error.state == PostgreSQLError.foreignKeyViolation ? error.detail.map { " \($0)" } ?? "" : ""
        return SQLRefusal(
            columns: names.map(own), code: Self.code(of: error, isDeletion: values.isEmpty),
            reason: error.state == PostgreSQLError.limitExceeded ? error.reason : error.message + place + detail)
    }

    /// The columns that the server names, or those of the constraint, the index or the type that it names. A
    /// failure of another table, as a trigger makes it, has none.
    private func columns(of error: PostgreSQLError, in table: String) throws -> [String] {
        if let column = error.column {
            let isOwn = error.table.map { table.hasSuffix(PostgreSQLDialect.inQuotes($0)) } ?? true
            return isOwn ? [column] : []
        }
        if let type = error.type, error.table == nil { return try columns(ofType: type, inTable: table) }
        guard let constraint = error.constraint else { return [] }
        return try columns(ofConstraint: constraint, ofTable: table)
    }

    /// Core Data's code for a state of the server. A deleted row breaks a foreign key of the rows that lead to it.
    private static func code(of error: PostgreSQLError, isDeletion: Bool) -> Int {
        switch error.state {
        case "22001": NSValidationStringTooLongError
        case "22003": NSValidationNumberTooLargeError
        case "22008": NSValidationInvalidDateError
        case PostgreSQLError.limitExceeded: NSValidationStringTooLongError
        case PostgreSQLError.notNullViolation: NSValidationMissingMandatoryPropertyError
        case PostgreSQLError.foreignKeyViolation:
            isDeletion ? NSValidationRelationshipDeniedDeleteError : NSManagedObjectReferentialIntegrityError
        default: NSManagedObjectValidationError
        }
    }

    // MARK: What columns take

    /// Why a column of a type does not accept a value; nil where it does, or where the type has no check here.
    static func problem(_ value: SlotValue, _ type: String) -> (code: Int, reason: String)? {
        let name = type.prefix { $0 != "(" }
        let limits = type.matches(of: /-?\d+/).compactMap { Int($0.0) }
        switch (name, value) {
        case ("character varying", .string(let text)), ("character", .string(let text)):
            // Characters beyond the limit may be blanks, which the server cuts.
            guard let limit = limits.first, text.unicodeScalars.count > limit,
                !text.unicodeScalars.dropFirst(limit).allSatisfy({ $0 == " " })
            else { return nil }
            return (
                NSValidationStringTooLongError,
                "The text has \(text.unicodeScalars.count) characters, and the column is of the type \(type)."
            )
        case ("real", .double(let number)):
            let single = Float(number)
            return number.isFinite && (single.isInfinite || single == 0 && number != 0)
                ? beyond("\(number)", number < 0, type) : nil
        case ("smallint", _), ("integer", _), ("bigint", _), ("numeric", _):
            if name == "numeric", limits.isEmpty { return nil }
            if case .double(let number) = value, abs(number) > 1e38, number.isFinite {
                return beyond("\(number)", number < 0, type)
            }
            guard let number = number(value), !takes(number, String(name), limits) else { return nil }
            return beyond("\(number)", number < 0, type)
        default: return nil
        }
    }

    private static func beyond(_ number: String, _ isNegative: Bool, _ type: String) -> (Int, String) {
        (
            isNegative ? NSValidationNumberTooSmallError : NSValidationNumberTooLargeError,
            "The number \(number) is beyond what a column of the type \(type) takes."
        )
    }

    private static func number(_ value: SlotValue) -> Decimal? {
        switch value {
        case .int(let number): Decimal(number)
        case .double(let number):
            number.isFinite ? Optional(Decimal(number)).flatMap { $0.isNaN ? nil : $0 } : nil
        case .decimal(let number): number.isNaN ? nil : number
        default: nil
        }
    }

    private static func takes(_ number: Decimal, _ type: String, _ limits: [Int]) -> Bool {
        switch type {
        case "smallint": return (Decimal(Int(Int16.min))...Decimal(Int(Int16.max))).contains(number)
        case "integer": return (Decimal(Int(Int32.min))...Decimal(Int(Int32.max))).contains(number)
        case "bigint": return (Decimal(Int64.min)...Decimal(Int64.max)).contains(number)
        default:
            guard let digits = limits.first else { return true }
            let scale = limits.count > 1 ? limits[1] : 0
            var (exact, rounded) = (number, Decimal())
            NSDecimalRound(&rounded, &exact, scale, .plain)
            return abs(rounded) < pow(10, digits - scale)
        }
    }
}
#endif
