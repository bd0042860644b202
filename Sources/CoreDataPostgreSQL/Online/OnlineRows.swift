#if PostgreSQL
import CoreData
import Foundation

/// The present rows that keep an online migration from succeeding, for a forecast: values that do not fit, and
/// duplicates. Each search has a short time limit in the server.
struct OnlineRows {
    private let migration: OnlineMigration
    private let connection: PostgreSQLConnection
    /// The errors of the migration.
    private(set) var problems: [NSError] = []
    /// Shadow columns and indexes whose rows only the migration itself checks, because the search takes longer.
    private(set) var unknownShadowColumns: [OnlinePlan.ShadowColumn] = []
    private(set) var unknownIndexes: [SQLIndex] = []

    init(_ plan: OnlinePlan, on connection: PostgreSQLConnection) throws {
        migration = plan.migration
        self.connection = connection
        for shadow in plan.shadowColumns {
            guard let select = PostgreSQLStep.unfitValue(of: shadow) else { continue }
            let isKnown = try inspect(select) {
                var error = PostgreSQLError(
                    state: "22003", message: PostgreSQLStep.message(ofUnfit: $0),
                    address: connection.address.description)
                error.table = shadow.table
                error.column = PostgreSQLDialect.asGiven(shadow.old.name)
                return error
            }
            if !isKnown { unknownShadowColumns.append(shadow) }
        }
        let present = Dictionary(plan.old.allTables.map { ($0.name, Set($0.columns.map(\.name))) }) { first, _ in
            first
        }
        for index in plan.newIndexes where index.isUnique && index.condition == nil {
            let columns = index.columns.map(\.name)
            // A new column has no values.
            guard present[index.table]?.isSuperset(of: columns) ?? false else { continue }
            let isKnown = try inspect(PostgreSQLStep.duplicates(of: index)) {
                var error = PostgreSQLError(
                    state: PostgreSQLError.uniqueViolation,
                    message: "could not create unique index \"\(index.name)\"",
                    address: connection.address.description)
                let names = columns.map(PostgreSQLDialect.asGiven).joined(separator: ", ")
                error.detail = "Key (\(names))=(\($0)) is duplicated."
                return error
            }
            if !isKnown { unknownIndexes.append(index) }
        }
    }

    /// Searches for a row that keeps the migration from succeeding.
    ///
    /// - Parameter error: the server's error of its values.
    /// - Returns: whether the search has ended within its time limit.
    private mutating func inspect(_ select: String, _ error: (String) -> PostgreSQLError) throws -> Bool {
        do {
            guard let rows = try connection.readBriefly(steps: 1, { try connection.rows(select) }) else {
                return false
            }
            if let row = rows.first { problems.append(migration.unfit(error(row[0] ?? ""))) }
        } catch let error as PostgreSQLError where error.kind == .refusedRow {
            problems.append(migration.unfit(error))
        }
        return true
    }
}
#endif
