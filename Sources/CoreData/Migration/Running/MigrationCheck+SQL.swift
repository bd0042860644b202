import Foundation

extension MigrationCheck {
    /// The query for the first row that must not exist: its value and its key.
    var query: SQLSelect { query(limit: 1) }

    private func query(limit: Int?) -> SQLSelect {
        SQLSelect(
            [.column(column), .column(SQLSchema.keyColumn)], of: table, as: "checked", where: condition, limit: limit)
    }

    /// The error about the first row that must not exist; nil if there is none.
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

    /// Throws the obstacles of a hop whose tables do not exist yet, if any row at all is an obstacle.
    static func inspect(forAnyRowsIn plan: MigrationPlan, _ catalog: StoreCatalog, url: URL) throws {
        let problems = plan.steps.compactMap { step -> NSError? in
            guard case .check(let check) = step, check.condition == .alwaysTrue,
                catalog.tables[check.table]?.rows ?? 0 > 0
            else { return nil }
            return MigrationErrors.invalidRows(check, value: "", row: nil, url: url)
        }
        if !problems.isEmpty { throw MigrationErrors.combined(problems) }
    }

    /// Whether the check reads its own table alone.
    private var readsOneTable: Bool {
        switch reason {
        case .missingAttribute, .unfitValue, .abstractEntity: true
        default: false
        }
    }

    /// The number of the database's steps that a forecast spends on all checks: some milliseconds.
    private static let budget = 400_000

    /// Throws one error for every check of a plan that finds a row soon. The migration itself makes the checks that
    /// would have to search longer.
    ///
    /// - Parameter tables: The tables that are already as the plan expects them, except for some columns; nil for all.
    static func search(
        for plan: MigrationPlan, on connection: any SQLConnection, in tables: Set<String>? = nil, url: URL
    ) throws {
        let checks = plan.steps.compactMap { step -> MigrationCheck? in
            guard case .check(let check) = step else { return nil }
            return tables.map { check.readsOneTable && $0.contains(check.table) } ?? true ? check : nil
        }
        let indexChecks = plan.indexChecks.filter { tables?.contains($0.table) ?? true }
        let sizeLimit = connection.dialect.largestIndexed
        let questions =
            checks.map { check in { try check.failure(on: connection, url: url) } }
            + indexChecks.filter(\.index.isUnique).map { check in { try check.duplicates(on: connection, url: url) } }
            + indexChecks.compactMap { check in
                sizeLimit.map { limit in { try check.tooLarge(limit, on: connection, url: url) } }
            }
        var problems: [NSError] = []
        for question in questions {
            do {
                let failure = try connection.readBriefly(steps: max(1000, budget / questions.count), question)
                if let failure = failure ?? nil { problems.append(failure) }
            } catch is any SQLFailure where tables != nil {
                continue
            }
        }
        if !problems.isEmpty { throw MigrationErrors.combined(problems) }
    }
}

extension IndexCheck {
    /// The error about the first row whose values are larger than an index of the database takes; nil if there is none.
    func tooLarge(_ limit: Int, on connection: any SQLConnection, url: URL) throws -> NSError? {
        if index.condition != nil { return nil }
        // Values that are the same for all rows are small.
        let sizes = values.compactMap { value -> SQLExpression? in
            if case .value = value { return nil }
            return .function(.coalesce, [.function(.storedSize, [value]), .number(0)])
        }
        guard let first = sizes.first else { return nil }
        let sum = sizes.dropFirst().reduce(first) { .binary(.add, $0, $1) }
        let key = SQLExpression.column(SQLSchema.keyColumn)
        let select = SQLSelect([key], of: table, where: .binary(.greater, sum, .number(limit)), limit: 1)
        return try connection.integer(select).map {
            MigrationErrors.tooLarge(for: index, entity: entity, row: $0, url: url)
        }
    }

    /// The error about the first rows that will have the same values; nil if there are none.
    func duplicates(on connection: any SQLConnection, url: URL) throws -> NSError? {
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
