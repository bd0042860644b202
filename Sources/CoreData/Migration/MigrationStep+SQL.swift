import Foundation

/// A statement with the values to bind.
struct MigrationCommand: Equatable {
    var sql: String
    var values: [SlotValue] = []
}

extension MigrationStep {
    /// The statements that do the step; none for what the runner does itself.
    func commands() -> [MigrationCommand] {
        switch self {
        case .check, .replaceKeys, .replaceModelCache, .writeMetadata:
            []
        case .dropTrigger(let name):
            [.init(sql: "DROP TRIGGER \(quoted(name))")]
        case .createTrigger(let trigger):
            [.init(sql: trigger.sql)]
        case .dropView(let name):
            [.init(sql: "DROP VIEW \(quoted(name))")]
        case .createView(let view):
            [.init(sql: view.sql)]
        case .dropIndex(let name):
            [.init(sql: "DROP INDEX \(quoted(name))")]
        case .createIndex(let index):
            [.init(sql: SQLDefinition.createIndex(index).text)]
        case .createTable(let table):
            [.init(sql: SQLDefinition.createTable(table).text)]
        case .dropTable(let name):
            [.init(sql: "DROP TABLE \(quoted(name))")]
        case .renameTable(let from, let to):
            [.init(sql: "ALTER TABLE \(quoted(from)) RENAME TO \(quoted(to))")]
        case .addColumn(let table, let column):
            [.init(sql: "ALTER TABLE \(quoted(table)) ADD COLUMN \(quoted(column.name)) \(column.type.rawValue)")]
        case .renameColumn(let table, let from, let to):
            [.init(sql: "ALTER TABLE \(quoted(table)) RENAME COLUMN \(quoted(from)) TO \(quoted(to))")]
        case .dropColumn(let table, let name):
            [.init(sql: "ALTER TABLE \(quoted(table)) DROP COLUMN \(quoted(name))")]
        case .deleteRows(let table, let numbers):
            [.init(sql: "DELETE FROM \(quoted(table)) WHERE Z_ENT IN (\(list(numbers)))")]
        case .clearKeys(let table, let columns, let key, let target, let numbers):
            [
                .init(
                    sql: "UPDATE \(quoted(table)) SET "
                        + columns.map { "\(quoted($0)) = NULL" }.joined(separator: ", ")
                        + " WHERE \(quoted(key)) IN (\(keys(target, numbers)))")
            ]
        case .deletePairs(let table, let column, let target, let numbers):
            [.init(sql: "DELETE FROM \(quoted(table)) WHERE \(quoted(column)) IN (\(keys(target, numbers)))")]
        case .update(let table, let assignments):
            [update(table, assignments)]
        case .copyRows(let from, let into, let assignments, let numbers):
            [copyRows(from, into, assignments, numbers)]
        case .copyPairs(let pairs):
            copyPairs(pairs)
        case .tagValues(let table, let column, let numbers, let tagged, _):
            [
                .init(
                    sql: "UPDATE \(quoted(table)) SET \(quoted(column)) = "
                        + (tagged
                            ? "\(MigrationFunctions.tag)(\(quoted(column))) "
                            : "\(MigrationFunctions.untag)(\(quoted(column)), Z_PK) ")
                        + "WHERE \(quoted(column)) IS NOT NULL"
                        + (numbers.map { " AND Z_ENT IN (\(list($0)))" } ?? ""))
            ]
        case .fillEntity(let table, let column, let key, let target):
            [
                .init(
                    sql: "UPDATE \(quoted(table)) SET \(quoted(column)) = (SELECT target.Z_ENT FROM \(quoted(target)) "
                        + "target WHERE target.Z_PK = \(quoted(table)).\(quoted(key))) "
                        + "WHERE \(quoted(key)) IS NOT NULL")
            ]
        case .fillPositions(let table, let column, let owner):
            [
                .init(
                    sql: "UPDATE \(quoted(table)) SET \(quoted(column)) = counted.position FROM (SELECT Z_PK AS pk, "
                        + "\(position(owner: quoted(owner), order: "\(quoted(column)) NULLS LAST, Z_PK")) AS position FROM \(quoted(table)) "
                        + "WHERE \(quoted(owner)) IS NOT NULL) AS counted WHERE counted.pk = \(quoted(table)).Z_PK")
            ]
        case .fillDerived(_, _, let command):
            [command]
        case .fillInverse(let table, let column, let numbers, let from, let key):
            [
                .init(
                    sql:
                        "UPDATE \(quoted(table)) SET \(quoted(column)) = owner.Z_PK FROM \(quoted(from)) AS owner "
                        + "WHERE owner.\(quoted(key)) = \(quoted(table)).Z_PK "
                        + "AND \(quoted(table)).\(quoted(column)) IS NULL"
                        + (numbers.map { " AND \(quoted(table)).Z_ENT IN (\(list($0)))" } ?? ""))
            ]
        case .renumberHistory(let moves, let removed, let reordered):
            history(moves, removed, reordered)
        }
    }

    // MARK: Pieces

    private func quoted(_ name: String) -> String { SQLiteDialect().quoted(name) }

    private func list(_ numbers: [Int]) -> String { numbers.map(String.init).joined(separator: ", ") }

    private func keys(_ table: String, _ numbers: [Int]) -> String {
        "SELECT Z_PK FROM \(quoted(table)) WHERE Z_ENT IN (\(list(numbers)))"
    }

    /// Apple's positions: 2048 first, then in steps of 1024.
    private func position(owner: String, order: String) -> String {
        "1024 + 1024 * ROW_NUMBER() OVER (PARTITION BY \(owner) ORDER BY \(order))"
    }

    private func update(_ table: String, _ assignments: [MigrationAssignment]) -> MigrationCommand {
        var values: [SlotValue] = []
        var sql = "UPDATE \(quoted(table)) SET "
        sql += assignments.map { "\(quoted($0.column)) = \($0.value.text(binding: &values))" }.joined(separator: ", ")
        let conditions = assignments.compactMap(\.condition)
        if conditions.count == assignments.count {
            var distinct: [SQLExpression] = []
            for condition in conditions where !distinct.contains(condition) { distinct.append(condition) }
            sql += " WHERE " + (distinct.count == 1 ? distinct[0] : .or(distinct)).text(binding: &values)
        }
        return MigrationCommand(sql: sql, values: values)
    }

    private func copyRows(
        _ from: String, _ into: String, _ assignments: [MigrationAssignment], _ numbers: [Int]?
    ) -> MigrationCommand {
        var values: [SlotValue] = []
        let expressions = assignments.map { $0.value.text(binding: &values) }
        // In the order of the keys rows are only appended, and the highest key so far tells how far the copy is.
        return MigrationCommand(
            sql:
                "INSERT INTO \(quoted(into)) (\(assignments.map { quoted($0.column) }.joined(separator: ", "))) SELECT "
                + "\(expressions.joined(separator: ", ")) FROM \(quoted(from))"
                + (numbers.map { " WHERE Z_ENT IN (\(list($0)))" } ?? "") + " ORDER BY Z_PK",
            values: values)
    }

    private func copyPairs(_ pairs: MigrationPairs) -> [MigrationCommand] {
        let (owner, member) = (quoted(pairs.owner), quoted(pairs.member))
        var columns = [quoted(pairs.ownerColumn), quoted(pairs.memberColumn)]
        var results = [owner, member]
        func add(_ order: MigrationPairs.Positions?, partition: String, by other: String) {
            guard let order else { return }
            columns.append(quoted(order.column))
            results.append(order.source.map(quoted) ?? position(owner: partition, order: other))
        }
        add(pairs.memberOrder, partition: owner, by: member)
        add(pairs.ownerOrder, partition: member, by: owner)
        let conflict = pairs.isMirrored || pairs.isAddition ? "INSERT OR IGNORE" : "INSERT"
        var commands = [
            MigrationCommand(
                sql: "\(conflict) INTO \(quoted(pairs.into)) (\(columns.joined(separator: ", "))) "
                    + "SELECT \(results.joined(separator: ", ")) FROM \(quoted(pairs.from)) "
                    + "WHERE \(owner) IS NOT NULL AND \(member) IS NOT NULL ORDER BY \(owner), \(member)")
        ]
        if pairs.isMirrored {
            let into = quoted(pairs.into)
            commands.append(
                MigrationCommand(
                    sql: "INSERT OR IGNORE INTO \(into) (\(columns[0]), \(columns[1])) "
                        + "SELECT \(columns[1]), \(columns[0]) FROM \(into)"))
        }
        return commands
    }

    private func history(_ moves: [Int: Int], _ removed: [Int], _ reordered: [Int]) -> [MigrationCommand] {
        var commands: [MigrationCommand] = []
        if !removed.isEmpty {
            commands.append(.init(sql: "DELETE FROM ACHANGE WHERE ZENTITY IN (\(list(removed.sorted())))"))
        }
        if !reordered.isEmpty {
            // Which bit stands for which property depends on all properties of the entity.
            commands.append(
                .init(
                    sql: "UPDATE ACHANGE SET ZCOLUMNS = NULL WHERE ZCOLUMNS IS NOT NULL "
                        + "AND ZENTITY IN (\(list(reordered.sorted())))"))
        }
        if !moves.isEmpty {
            commands.append(
                MigrationStep.update(
                    table: "ACHANGE",
                    [
                        MigrationAssignment(
                            column: "ZENTITY", value: .renumbered(.column(alias: nil, name: "ZENTITY"), moves),
                            condition: .isIn(
                                .column(alias: nil, name: "ZENTITY"), moves.keys.sorted().map { .number($0) }))
                    ]
                ).commands()[0])
        }
        return commands
    }
}

extension SQLExpression {
    /// The expression as text; what it binds comes behind the values there are.
    func text(binding values: inout [SlotValue]) -> String {
        var printer = SQLPrinter(dialect: SQLiteDialect())
        printer.print(self)
        values.append(contentsOf: printer.values)
        return printer.text
    }

    /// An entity's number after the migration; numbers that do not move stay as they are.
    static func renumbered(_ expression: SQLExpression, _ moves: [Int: Int]) -> SQLExpression {
        // Adding an entity moves a run of numbers by one: one branch per distance keeps the expression flat.
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
