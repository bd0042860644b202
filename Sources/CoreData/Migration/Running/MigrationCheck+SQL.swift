import Foundation

extension MigrationCheck {
    /// Finds the first row that must not exist: its value, its key.
    var query: SQLSelect { query(limit: 1) }

    private func query(limit: Int?) -> SQLSelect {
        SQLSelect(
            [.column(column), .column(SQLSchema.keyColumn)], of: table, as: "checked", where: condition, limit: limit)
    }

    /// The error about the first row that must not exist; nil when there is none.
    func failure(on connection: any SQLConnection, url: URL) throws -> NSError? {
        let found = try connection.prepare(.select(query)).first { (value: $0.string(0), key: $0.int64(1)) }
        guard let found else { return nil }
        if case .otherConfiguration = reason {
            let all = SQLSelect(results: [.init(expression: .countAll)], from: .select(query(limit: nil)))
            let count = try connection.integer(all)
            return MigrationErrors.invalidRows(self, value: count.map { "\($0)" } ?? "", row: found.key, url: url)
        }
        return MigrationErrors.invalidRows(self, value: found.value, row: found.key, url: url)
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

    /// How many of the database's steps a forecast gives to all checks together: some milliseconds.
    private static let budget = 400_000

    /// Throws one error for every check of a plan that finds a row soon. One that would have to go on searching is left
    /// to the migration.
    ///
    /// - Parameter tables: the tables that are as the plan finds them but for some columns; nil for all.
    static func look(
        for plan: MigrationPlan, on connection: any SQLConnection, in tables: Set<String>? = nil, url: URL
    ) throws {
        let checks = plan.steps.compactMap { step -> MigrationCheck? in
            guard case .check(let check) = step else { return nil }
            return tables.map { check.readsOneTable && $0.contains(check.table) } ?? true ? check : nil
        }
        let uniquenessChecks = plan.uniquenessChecks.filter { tables?.contains($0.table) ?? true }
        var problems: [NSError] = []
        for check in checks {
            do {
                let failure = try connection.interruptible(every: max(1000, budget / checks.count), by: { true }) {
                    try check.failure(on: connection, url: url)
                }
                if let failure { problems.append(failure) }
            } catch let error as any SQLFailure where error.isOfStopping || tables != nil {
                continue
            }
        }
        for check in uniquenessChecks {
            do {
                let failure = try connection.interruptible(
                    every: max(1000, budget / uniquenessChecks.count), by: { true }
                ) { try check.failure(on: connection, url: url) }
                if let failure { problems.append(failure) }
            } catch let error as any SQLFailure where error.isOfStopping || tables != nil {
                continue
            }
        }
        if !problems.isEmpty { throw MigrationErrors.combined(problems) }
    }
}

extension UniquenessCheck {
    /// The error about the first rows that will have the same values; nil when there are none.
    func failure(on connection: any SQLConnection, url: URL) throws -> NSError? {
        let key = SQLSelect.Result(expression: .column(SQLSchema.keyColumn), name: "pk")
        let results = values.enumerated().map { SQLSelect.Result(expression: $1, name: "v\($0)") }
        let names = values.indices.map { SQLExpression.column("v\($0)") }
        var repeated = SQLSelect(
            results: [.min, .max].map { .init(expression: .function($0, [.column("pk")])) },
            from: .select(SQLSelect(results: [key] + results, table: table)),
            condition: .and(names.map { .isNotNull($0) }), limit: 1)
        repeated.groupBy = names
        repeated.having = .binary(.greater, .countAll, .number(1))
        let rows = try connection.prepare(.select(repeated)).first { [$0.int64(0), $0.int64(1)] }
        guard let rows else { return nil }
        return MigrationErrors.duplicates(of: index, entity: entity, rows: rows, url: url)
    }
}
