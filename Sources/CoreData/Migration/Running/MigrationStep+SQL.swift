extension MigrationStep {
    /// The statements of the step; none for steps that the runner does itself.
    func commands() -> [SQLStatement] {
        switch self {
        case .check, .replaceModelCache, .writeMetadata, .deriveOnClient: []
        case .dropTrigger(let name): [.define(.dropTrigger(name))]
        case .createTrigger(let trigger): [.define(.asFound(trigger.sql))]
        case .dropView(let name): [.define(.dropView(name))]
        case .createView(let view): [.define(.asFound(view.sql))]
        case .dropIndex(let name): [.define(.dropIndex(name))]
        case .createIndex(let index): [.define(.createIndex(index))]
        case .createTable(let table): [.define(.createTable(table))]
        case .dropTable(let name): [.define(.dropTable(name))]
        case .renameTable(let from, let to): [.define(.renameTable(from, to: to))]
        case .addColumn(let table, let column): [.define(.addColumn(column, table: table))]
        case .renameColumn(let table, let from, let to): [.define(.renameColumn(from, to: to, table: table))]
        case .dropColumn(let table, let name): [.define(.dropColumn(name, table: table))]
        case .changeType(let table, let column, let from): [.define(.changeType(column, table: table, from: from))]
        case .renameEntities(let updates, _): updates.map { .update($0) }
        case .deleteRows(let table, let numbers):
            [.delete(SQLDelete(from: table, where: .isEntity(numbers)))]
        case .clearKeys(let table, let columns, let key, let target, let numbers):
            [
                .update(
                    SQLUpdate(
                        table, columns.map { .init($0, .null) },
                        where: .isInSelect(.column(key), keys(target, numbers))))
            ]
        case .deletePairs(let table, let column, let target, let numbers):
            [.delete(SQLDelete(from: table, where: .isInSelect(.column(column), keys(target, numbers))))]
        case .update(let table, let assignments):
            [update(table, assignments)]
        case .copyRows(let from, let into, let assignments, let numbers):
            [copyRows(from: from, into: into, assignments: assignments, numbers: numbers)]
        case .copyPairs(let pairs):
            copyPairs(pairs)
        case .tagValues(let table, let column, let numbers, let tagged, _):
            [tagValues(table, column, numbers, tagged: tagged)]
        case .fillEntity(let table, let column, let key, let target):
            [fillEntity(in: table, column: column, key: key, target: target)]
        case .fillPositions(let table, let column, let owner):
            [fillPositions(table, column, owner)]
        case .fillDerived(_, _, let command):
            [command]
        case .fillInverse(let table, let column, let numbers, let from, let key):
            [fillInverse(in: table, column: column, numbers: numbers, from: from, key: key)]
        case .replaceKeys(let numbers, let keys): replaceKeys(numbers, keys)
        case .renumberHistory(let moves, let removed, let reordered):
            history(moves, removed, reordered)
        }
    }

    // MARK: Pieces

    private func keys(_ table: String, _ numbers: [Int]) -> SQLSelect {
        SQLSelect([.column(SQLSchema.keyColumn)], of: table, where: .isEntity(numbers))
    }

    /// Apple's positions: 2048 first, then in steps of 1024.
    private func position(owner: SQLExpression, order: [SQLSelect.Order]) -> SQLExpression {
        .binary(
            .add, .number(1024),
            .binary(.multiply, .number(1024), .rowNumber(partition: [owner], order: order)))
    }

    private func update(_ table: String, _ assignments: [MigrationAssignment]) -> SQLStatement {
        var update = SQLUpdate(table, assignments.map { .init($0.column, $0.value) })
        let conditions = assignments.compactMap(\.condition)
        if conditions.count == assignments.count {
            var distinct: [SQLExpression] = []
            for condition in conditions where !distinct.contains(condition) { distinct.append(condition) }
            update.condition = distinct.count == 1 ? distinct[0] : .or(distinct)
        }
        return .update(update)
    }

    private func copyRows(
        from: String, into: String, assignments: [MigrationAssignment], numbers: [Int]?
    ) -> SQLStatement {
        // In the order of the keys rows are only appended, and the highest key so far shows how much of the copy is
        // done.
        let select = SQLSelect(
            assignments.map(\.value), of: from, where: numbers.map { .isEntity($0) },
            orderedBy: [.column(SQLSchema.keyColumn)])
        return .insert(SQLInsert(into: into, assignments.map(\.column), .select(select)))
    }

    private func tagValues(_ table: String, _ column: String, _ numbers: [Int]?, tagged: Bool) -> SQLStatement {
        let value = SQLExpression.column(column)
        let changed: SQLExpression =
            tagged
            ? .function(.tagExternal, [value])
            : .function(.untagExternal, [value, .column(SQLSchema.keyColumn)])
        var conditions = [SQLExpression.isNotNull(value)]
        if let numbers { conditions.append(.isEntity(numbers)) }
        return .update(SQLUpdate(table, [.init(column, changed)], where: .and(conditions)))
    }

    private func fillEntity(in table: String, column: String, key: String, target: String) -> SQLStatement {
        func ofTarget(_ name: String) -> SQLExpression { .column(alias: "target", name: name) }
        let entity = SQLSelect(
            [ofTarget(SQLSchema.entityColumn)], of: target, as: "target",
            where: .binary(.equal, ofTarget(SQLSchema.keyColumn), .column(alias: table, name: key)))
        return .update(SQLUpdate(table, [.init(column, .scalar(entity))], where: .isNotNull(.column(key))))
    }

    private func fillPositions(_ table: String, _ column: String, _ owner: String) -> SQLStatement {
        let key = SQLExpression.column(SQLSchema.keyColumn)
        let order = [
            SQLSelect.Order(expression: .column(column), putsNullsLast: true), SQLSelect.Order(expression: key),
        ]
        let counted = SQLSelect(
            results: [
                .init(expression: key, name: "pk"),
                .init(expression: position(owner: .column(owner), order: order), name: "position"),
            ], table: table, condition: .isNotNull(.column(owner)))
        return .update(
            SQLUpdate(
                table, [.init(column, .column(alias: "counted", name: "position"))],
                from: .init(source: .select(counted), alias: "counted"),
                where: .binary(
                    .equal, .column(alias: "counted", name: "pk"), .column(alias: table, name: SQLSchema.keyColumn))))
    }

    private func fillInverse(
        in table: String, column: String, numbers: [Int]?, from: String, key: String
    ) -> SQLStatement {
        func own(_ name: String) -> SQLExpression { .column(alias: table, name: name) }
        func ofOwner(_ name: String) -> SQLExpression { .column(alias: "owner", name: name) }
        var conditions = [
            SQLExpression.binary(.equal, ofOwner(key), own(SQLSchema.keyColumn)), .isNull(own(column)),
        ]
        if let numbers { conditions.append(.isIn(own(SQLSchema.entityColumn), numbers.map { .number($0) })) }
        return .update(
            SQLUpdate(
                table, [.init(column, ofOwner(SQLSchema.keyColumn))], from: .init(source: .table(from), alias: "owner"),
                where: .and(conditions)))
    }

    private func copyPairs(_ pairs: MigrationPairs) -> [SQLStatement] {
        let (owner, member) = (SQLExpression.column(pairs.owner), SQLExpression.column(pairs.member))
        var columns = [pairs.ownerColumn, pairs.memberColumn]
        var results = [owner, member]
        func add(_ order: MigrationPairs.Positions?, partition: SQLExpression, by other: SQLExpression) {
            guard let order else { return }
            columns.append(order.column)
            results.append(
                order.source.map { .column($0) } ?? position(owner: partition, order: [.init(expression: other)]))
        }
        add(pairs.memberOrder, partition: owner, by: member)
        add(pairs.ownerOrder, partition: member, by: owner)
        let select = SQLSelect(
            results, of: pairs.from, where: .and([.isNotNull(owner), .isNotNull(member)]), orderedBy: [owner, member])
        var commands: [SQLStatement] = [
            .insert(
                SQLInsert(
                    into: pairs.into, columns, .select(select),
                    conflict: pairs.isMirrored || pairs.isAddition ? .keepsStored : .fails))
        ]
        if pairs.isMirrored {
            let mirrored = SQLSelect([.column(columns[1]), .column(columns[0])], of: pairs.into)
            commands.append(
                .insert(
                    SQLInsert(
                        into: pairs.into, Array(columns.prefix(2)), .select(mirrored), conflict: .keepsStored)))
        }
        return commands
    }

    /// Writes the rows of keys. Each continues at the highest key of the tables from which its entities come, so the
    /// new rows are written beside the old ones, under negative numbers.
    private func replaceKeys(_ numbers: [Int], _ keys: [MigrationKeyRow]) -> [SQLStatement] {
        typealias Keys = SQLBookkeeping.Keys
        let number = SQLExpression.column(Keys.number)
        let rows = keys.map { key -> [SQLExpression] in
            let highest = SQLSelect(
                [.function(.max, [.column(Keys.highest)])], of: Keys.table,
                where: .isIn(number, key.continues.map { .number($0) }))
            return [
                .number(-key.number), .value(.string(key.name)), .number(key.parent),
                key.continues.isEmpty ? .number(0) : .function(.coalesce, [.scalar(highest), .number(0)]),
            ]
        }
        let replaced = Set(numbers + keys.map(\.number)).sorted().map { SlotValue.int(Int64($0)) }
        let inserts = stride(from: 0, to: rows.count, by: Self.rowsTogether).map { start in
            let part = Array(rows[start...].prefix(Self.rowsTogether))
            return SQLStatement.insert(SQLInsert(into: Keys.table, Keys.columns, .rows(part)))
        }
        return inserts + [
            .delete(SQLDelete(from: Keys.table, where: .isInArray(number, replaced))),
            .update(
                SQLUpdate(
                    Keys.table, [.init(Keys.number, .binary(.subtract, .number(0), number))],
                    where: .binary(.less, number, .number(0)))),
        ]
    }

    /// Rows of one INSERT, so that its values stay below the databases' limits.
    private static let rowsTogether = 500

    private func history(_ moves: [Int: Int], _ removed: [Int], _ reordered: [Int]) -> [SQLStatement] {
        let changes = HistoryTables.changes
        let entity = SQLExpression.column(HistoryTables.entityColumn)
        func isOne(of numbers: [Int]) -> SQLExpression { .isIn(entity, numbers.sorted().map { .number($0) }) }
        var commands: [SQLStatement] = []
        if !removed.isEmpty { commands.append(.delete(SQLDelete(from: changes, where: isOne(of: removed)))) }
        if !reordered.isEmpty {
            // The bit of each property depends on all properties of the entity.
            let bits = HistoryTables.bitsColumn
            commands.append(
                .update(
                    SQLUpdate(
                        changes, [.init(bits, .null)], where: .and([.isNotNull(.column(bits)), isOne(of: reordered)]))))
        }
        if !moves.isEmpty {
            commands.append(
                .update(
                    SQLUpdate(
                        changes, [.init(HistoryTables.entityColumn, .renumbered(entity, moves))],
                        where: isOne(of: Array(moves.keys)))))
        }
        return commands
    }
}

extension SQLExpression {
    /// An entity's number after the migration; numbers that do not move stay as they are.
    static func renumbered(_ expression: SQLExpression, _ moves: [Int: Int]) -> SQLExpression {
        // Adding an entity moves consecutive numbers by one: one branch for each distance keeps the expression flat.
        var byDistance: [Int: [Int]] = [:]
        for (old, new) in moves where old != new { byDistance[new - old, default: []].append(old) }
        var result = expression
        for (distance, numbers) in byDistance.sorted(by: { $0.key < $1.key }) {
            result = .choice(
                .isIn(expression, numbers.sorted().map { .number($0) }),
                .binary(.add, expression, .number(distance)), result)
        }
        return result
    }
}
