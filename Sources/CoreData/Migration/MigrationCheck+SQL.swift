import CSQLite
import Foundation

extension MigrationCheck {
    /// Finds the first row that must not exist: its value, its key.
    var query: (sql: String, values: [SlotValue]) { query(limit: 1) }

    private func query(limit: Int?) -> (sql: String, values: [SlotValue]) {
        let select = SQLSelect(
            results: [
                .init(expression: .column(alias: nil, name: column), name: nil),
                .init(expression: .column(alias: nil, name: SQLSchema.keyColumn), name: nil),
            ], table: table, alias: "checked", condition: condition, limit: limit)
        var printer = SQLPrinter(dialect: SQLiteDialect())
        printer.print(select)
        return (printer.text, printer.values)
    }

    /// The error about the first row that must not exist; nil when there is none.
    func failure(
        on connection: SQLiteConnection, _ sql: String, _ values: [SlotValue], url: URL
    ) throws -> NSError? {
        let statement = try connection.prepare(sql)
        for (place, value) in values.enumerated() { statement.bind(place + 1, value) }
        guard try statement.step() else { return nil }
        if case .otherConfiguration = reason {
            let all = query(limit: nil)
            let count = try connection.prepare("SELECT COUNT(*) FROM (\(all.sql))")
            for (place, value) in all.values.enumerated() { count.bind(place + 1, value) }
            let found = try count.step() ? count.string(0) : ""
            return MigrationErrors.invalidRows(self, value: found, row: statement.int64(1), url: url)
        }
        return MigrationErrors.invalidRows(self, value: statement.string(0), row: statement.int64(1), url: url)
    }

    /// Throws what stands in the way of a hop whose tables are not there yet, where any row at all does.
    static func look(forAnyRowsIn plan: MigrationPlan, _ facts: StoreFacts, url: URL) throws {
        let problems = plan.steps.compactMap { step -> NSError? in
            guard case .check(let check) = step, check.condition == .alwaysTrue,
                facts.tables[check.table]?.rows ?? 0 > 0
            else { return nil }
            return MigrationErrors.invalidRows(check, value: "", row: nil, url: url)
        }
        if !problems.isEmpty { throw MigrationErrors.combined(problems) }
    }

    /// Whether what it looks for is in its own table alone.
    private var readsOneTable: Bool {
        switch reason {
        case .missingAttribute, .unfitValue, .abstractEntity: true
        default: false
        }
    }

    /// How many instructions of SQLite's virtual machine a forecast gives to all checks together: some milliseconds.
    private static let budget = 400_000

    /// Throws one error for every check of a plan that finds a row soon. One that would have to go on searching is left to
    /// the migration.
    ///
    /// - Parameter tables: the tables that are as the plan finds them but for some columns; nil for all.
    static func look(
        for plan: MigrationPlan, on connection: SQLiteConnection, in tables: Set<String>? = nil, url: URL
    ) throws {
        let checks = plan.steps.compactMap { step -> MigrationCheck? in
            guard case .check(let check) = step else { return nil }
            return tables.map { check.readsOneTable && $0.contains(check.table) } ?? true ? check : nil
        }
        let uniquenessChecks = plan.uniquenessChecks.filter { tables?.contains($0.table) ?? true }
        var problems: [NSError] = []
        for check in checks {
            do {
                let (sql, values) = check.query
                let failure = try connection.interruptible(every: max(1000, budget / checks.count), by: { true }) {
                    try check.failure(on: connection, sql, values, url: url)
                }
                if let failure { problems.append(failure) }
            } catch let error as SQLiteError where error.primaryCode == SQLITE_INTERRUPT || tables != nil {
                continue
            }
        }
        for check in uniquenessChecks {
            do {
                let failure = try connection.interruptible(
                    every: max(1000, budget / uniquenessChecks.count), by: { true }
                ) { try check.failure(on: connection, url: url) }
                if let failure { problems.append(failure) }
            } catch let error as SQLiteError where error.primaryCode == SQLITE_INTERRUPT || tables != nil {
                continue
            }
        }
        if !problems.isEmpty { throw MigrationErrors.combined(problems) }
    }
}
