#if PostgreSQL
import CPostgreSQL
import CoreData

/// A statement that changes rows, for many rows at a time: its parameters are columns of a table that arrays
/// become.
struct PostgreSQLSetStatement {
    private let statement: SQLStatement
    /// Whether it gives the places of the rows that it changed, from 1.
    let givesPlaces: Bool

    /// Nil for statements that can only be run row by row.
    init?(_ statement: SQLStatement) {
        switch statement {
        case .insert(let insert):
            guard case .values(let values) = insert.source, values.allSatisfy(\.takesColumns) else { return nil }
            // Two rows of one statement may not change the same row.
            guard insert.conflict == .fails || insert.conflict == .keepsStored else { return nil }
            givesPlaces = false
        case .update(let update):
            guard update.from == nil, update.alias == nil, update.condition?.takesColumns ?? true,
                update.assignments.allSatisfy({ $0.value.takesColumns })
            else { return nil }
            givesPlaces = true
        case .delete(let delete):
            guard delete.alias == nil, delete.condition?.takesColumns ?? true else { return nil }
            givesPlaces = true
        case .select, .define: return nil
        }
        self.statement = statement
    }

    /// The statement, for parameters of some types.
    func print(types: [Oid]) -> SQLPrinter {
        let dialect = PostgreSQLDialect()
        var printer = SQLPrinter(dialect: dialect, parameterCount: types.count)
        let arrays = types.enumerated().map { place, type in
            "$\(place + 1)::\(PostgreSQLType.name(of: type) ?? "text")[]"
        }.joined(separator: ", ")
        let names = (1...max(1, types.count)).map { "\"p\($0)\"" }.joined(separator: ", ")
        let source = "unnest(\(arrays)) WITH ORDINALITY AS \(Self.alias) (\(names), \"place\")"
        switch statement {
        case .insert(let insert):
            guard case .values(let values) = insert.source else { break }
            let columns = insert.columns.map(dialect.quoted).joined(separator: ", ")
            printer.text += "INSERT INTO \(dialect.quoted(insert.table)) (\(columns)) SELECT "
            printer.printList(values.map(\.withColumns))
            printer.text += " FROM \(source)" + dialect.insertion(insert.conflict).tail
        case .update(let update):
            printer.text += "UPDATE \(dialect.quoted(update.table)) SET "
            for (place, assignment) in update.assignments.enumerated() {
                if place > 0 { printer.text += ", " }
                printer.text += "\(dialect.quoted(assignment.column)) = "
                printer.print(assignment.value.withColumns)
            }
            printer.text += " FROM \(source)"
            end(&printer, update.condition)
        case .delete(let delete):
            printer.text += "DELETE FROM \(dialect.quoted(delete.table)) USING \(source)"
            end(&printer, delete.condition)
        case .select, .define: break
        }
        return printer
    }

    private func end(_ printer: inout SQLPrinter, _ condition: SQLExpression?) {
        if let condition {
            printer.text += " WHERE "
            printer.print(condition.withColumns)
        }
        printer.text += " RETURNING \(Self.alias).\"place\""
    }

    static let alias = "coredata_given"
}

extension SQLExpression {
    /// Whether columns of a table can replace the parameters.
    fileprivate var takesColumns: Bool {
        switch self {
        case .column, .value, .parameter, .null: true
        case .binary(_, let left, let right): left.takesColumns && right.takesColumns
        case .and(let list), .or(let list): list.allSatisfy(\.takesColumns)
        case .not(let inner), .isNull(let inner), .isNotNull(let inner): inner.takesColumns
        case .isIn(let value, let list): value.takesColumns && list.allSatisfy(\.takesColumns)
        case .function(_, let arguments, _): arguments.allSatisfy(\.takesColumns)
        case .choice(let condition, let first, let second):
            condition.takesColumns && first.takesColumns && second.takesColumns
        default: false
        }
    }

    /// The expression with the columns of the table in the place of the parameters.
    fileprivate var withColumns: SQLExpression {
        switch self {
        case .parameter(let number): .column(alias: PostgreSQLSetStatement.alias, name: "p\(number)")
        case .binary(let op, let left, let right): .binary(op, left.withColumns, right.withColumns)
        case .and(let list): .and(list.map(\.withColumns))
        case .or(let list): .or(list.map(\.withColumns))
        case .not(let inner): .not(inner.withColumns)
        case .isNull(let inner): .isNull(inner.withColumns)
        case .isNotNull(let inner): .isNotNull(inner.withColumns)
        case .isIn(let value, let list): .isIn(value.withColumns, list.map(\.withColumns))
        case .function(let function, let arguments, let distinct):
            .function(function, arguments.map(\.withColumns), distinct: distinct)
        case .choice(let condition, let first, let second):
            .choice(condition.withColumns, first.withColumns, second.withColumns)
        default: self
        }
    }
}

extension SQLStatement {
    /// The statement in PostgreSQL's syntax, where that differs.
    var inWordsOfPostgreSQL: SQLStatement {
        if case .select(let select) = self { return .select(select.inWordsOfPostgreSQL) }
        if case .define(.dropTable(let table)) = self { return .define(.asFound(Self.drop(table))) }
        guard case .insert(var insert) = self, case .replaces(let key) = insert.conflict else { return self }
        let others = insert.columns.filter { !key.contains($0) }
        insert.conflict = .updates(
            key: key, others.map { .init($0, .column(alias: "excluded", name: $0)) })
        return .insert(insert)
    }
}

extension SQLStatement {
    /// Drops a table with the foreign keys of ours that lead to it. If a foreign key of another program leads to
    /// it, the table stays.
    private static func drop(_ table: String) -> String {
        let dialect = PostgreSQLDialect()
        let name = dialect.quoted(table)
        let body = """
             DECLARE key record; BEGIN \
            FOR key IN SELECT c.conname, c.conrelid::regclass AS owner FROM pg_constraint c \
            WHERE c.contype = 'f' AND c.condeferred AND c.conname LIKE '%\\_fkey' \
            AND c.confrelid = \(dialect.literal(.string(name)))::regclass LOOP \
            EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', key.owner, key.conname); END LOOP; \
            DROP TABLE \(name); END
            """
        return "DO " + PostgreSQLDialect.inDollars(body)
    }
}

extension SQLSelect {
    fileprivate var inWordsOfPostgreSQL: SQLSelect {
        mapped {
            $0.inWordsOfPostgreSQL
        } _: {
            $0.inWordsOfPostgreSQL
        }
    }
}

extension SQLExpression {
    /// An operation on bits takes whole numbers alone: the whole part of any number is a function here.
    fileprivate var inWordsOfPostgreSQL: SQLExpression {
        if case .binary(.bitOr, let value, .value(.int(0))) = self {
            return .function(.truncate, [value.inWordsOfPostgreSQL])
        }
        return mapped {
            $0.inWordsOfPostgreSQL
        } _: {
            $0.inWordsOfPostgreSQL
        }
    }
}
#endif
