// Prints statements that change rows or tables.
extension SQLPrinter {
    package mutating func print(_ statement: SQLStatement) {
        switch statement {
        case .select(let select): print(select)
        case .insert(let insert): print(insert)
        case .update(let update): print(update)
        case .delete(let delete):
            text += "DELETE FROM \(dialect.quoted(delete.table))"
            print(alias: delete.alias)
            print(where: delete.condition)
        case .define(let definition): print(definition)
        }
    }

    private mutating func print(alias: String?) {
        guard let alias else { return }
        text += " AS "
        appendAlias(alias)
    }

    private mutating func print(where condition: SQLExpression?) {
        guard let condition, condition != .alwaysTrue else { return }
        text += " WHERE "
        print(condition)
    }

    private mutating func print(_ insert: SQLInsert) {
        let (verb, tail) = dialect.insertion(insert.conflict)
        let columns = insert.columns.map(dialect.quoted).joined(separator: ", ")
        text += "\(verb) INTO \(dialect.quoted(insert.table)) (\(columns)) "
        switch insert.source {
        case .values(let values):
            text += "VALUES "
            print(row: values, of: insert)
        case .rows(let rows):
            text += "VALUES "
            for (number, values) in rows.enumerated() {
                if number > 0 { text += ", " }
                print(row: values, of: insert)
            }
        case .select(let select):
            if let known = literals { literals?.expectedResults = insert.columns.map { known.type(of: $0) } }
            print(select)
        }
        text += tail
        if case .updates(let key, let assignments) = insert.conflict {
            text += " ON CONFLICT (\(key.map(dialect.quoted).joined(separator: ", "))) DO UPDATE SET "
            print(assignments)
        }
    }

    private mutating func print(_ assignments: [SQLUpdate.Assignment]) {
        for (number, assignment) in assignments.enumerated() {
            if number > 0 { text += ", " }
            text += "\(dialect.quoted(assignment.column)) = "
            let outer = expect(column: assignment.column)
            print(assignment.value)
            literals?.expected = outer
        }
    }

    private mutating func print(_ update: SQLUpdate) {
        text += "UPDATE \(dialect.quoted(update.table))"
        print(alias: update.alias)
        text += " SET "
        print(update.assignments)
        if let from = update.from {
            text += " FROM "
            print(from.source, as: from.alias)
        }
        print(where: update.condition)
    }

    // MARK: Tables and indexes

    private mutating func print(_ definition: SQLDefinition) {
        switch definition {
        case .createTable(let table, let unlessThere):
            text += Self.text(table, unlessThere, dialect)
        case .createIndex(let index, let unlessThere):
            text += Self.text(index, unlessThere, dialect)
        case .dropTable(let name):
            text += "DROP TABLE \(dialect.quoted(name))"
        case .dropIndex(let name):
            text += "DROP INDEX \(dialect.quoted(name))"
        case .renameTable(let name, let new):
            text += "ALTER TABLE \(dialect.quoted(name)) RENAME TO \(dialect.quoted(new))"
        case .addColumn(let column, let table):
            text +=
                "ALTER TABLE \(dialect.quoted(table)) ADD COLUMN \(dialect.quoted(column.name)) "
                + dialect.name(of: column.type)
        case .renameColumn(let name, let new, let table):
            text +=
                "ALTER TABLE \(dialect.quoted(table)) RENAME COLUMN \(dialect.quoted(name)) TO "
                + dialect.quoted(new)
        case .dropColumn(let name, let table):
            text += "ALTER TABLE \(dialect.quoted(table)) DROP COLUMN \(dialect.quoted(name))"
        case .changeType(let column, let table, let from):
            text +=
                "ALTER TABLE \(dialect.quoted(table)) ALTER COLUMN \(dialect.quoted(column.name)) TYPE "
                + dialect.name(of: column.type)
            let value = dialect.conversion(of: column.name, from: from, to: column.type)
            if !value.isEmpty { text += " USING \(value)" }
        case .createTrigger(let trigger):
            print(trigger)
        case .dropTrigger(let name):
            text += "DROP TRIGGER \(dialect.quoted(name))"
        case .dropView(let name):
            text += "DROP VIEW \(dialect.quoted(name))"
        case .asFound(let definition):
            text += definition
        }
    }

    private mutating func print(_ trigger: SQLTrigger) {
        text += "CREATE TEMP TRIGGER \(dialect.quoted(trigger.name)) AFTER "
        switch trigger.event {
        case .insertion: text += "INSERT"
        case .update(let columns):
            text += "UPDATE OF \(columns.map(dialect.quoted).joined(separator: ", "))"
        case .deletion: text += "DELETE"
        }
        // A temporary table of the connection could have the same name.
        text += " ON main.\(dialect.quoted(trigger.table)) BEGIN "
        var body = SQLPrinter(definitionsOf: dialect)
        for statement in trigger.statements {
            body.print(statement)
            body.text += "; "
        }
        text += body.text + "END"
    }

    /// `CREATE TABLE`, word for word as in Apple's files.
    private static func text(_ table: SQLTable, _ unlessThere: Bool, _ dialect: any SQLDialect) -> String {
        var parts = table.columns.map { column in
            "\(dialect.defined(column.name)) \(dialect.name(of: column.type))"
                + (column.isPrimaryKey ? " PRIMARY KEY" : "")
        }
        if !table.compositeKey.isEmpty {
            parts.append("PRIMARY KEY (\(table.compositeKey.map(dialect.defined).joined(separator: ", ")))")
        }
        let list = parts.joined(separator: ", ")
        return "CREATE TABLE \(unlessThere ? "IF NOT EXISTS " : "")\(dialect.defined(table.name)) "
            + (table.isBookkeeping ? "(\(list))" : "( \(list) )")
            + (table.liesInKeyOrder ? dialect.keyOrder : "")
    }

    /// `CREATE INDEX` as in Apple's files. The condition of a partial index has its values in the text.
    private static func text(_ index: SQLIndex, _ unlessThere: Bool, _ dialect: any SQLDialect) -> String {
        let columns = index.columns.map { column in
            let name = dialect.defined(column.name)
            return name + (column.direction.map(dialect.suffix) ?? "")
        }
        let kind = index.isUnique ? "CREATE UNIQUE INDEX" : "CREATE INDEX"
        return "\(kind) \(unlessThere ? "IF NOT EXISTS " : "")\(dialect.defined(index.name)) "
            + "ON \(dialect.defined(index.table)) (\(columns.joined(separator: ", ")))"
            + (index.condition.map { " WHERE " + text($0, in: dialect) } ?? "")
    }

    /// A condition with its values in the text, as in the definition of an index.
    package static func text(_ condition: SQLExpression, in dialect: any SQLDialect) -> String {
        var printer = SQLPrinter(definitionsOf: dialect)
        printer.print(condition)
        return printer.text
    }
}
