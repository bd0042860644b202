/// The values of a statement, as far as they are printed as literals in its text.
///
/// A literal has the type of the column that it is compared with, or assigned to, as a bound value has. A database may
/// keep the name of an entity where the framework has its number.
package struct SQLLiterals {
    /// The types of columns, by table and column.
    package var types: [String: [String: SQLColumnType]] = [:]
    /// The names of entities by their numbers, for columns of the type `label`.
    package var labels: [Int64: String] = [:]
    /// The values of the parameters, in their order.
    package var parameters: [SlotValue] = []
    /// The type of the column to which the next values belong; nil if it is not known.
    var expected: SQLColumnType?
    /// The types of the results of the next SELECT.
    var expectedResults: [SQLColumnType?] = []
    /// The table of the statement.
    var table: String?

    package init() {}

    func parameter(_ number: Int) -> SlotValue? { number <= parameters.count ? parameters[number - 1] : nil }

    func type(of column: String) -> SQLColumnType? {
        if let table, let columns = types[table] { return columns[column] }
        return nil
    }

    /// Follows a change of tables, so that later statements find their columns.
    package mutating func follow(_ definition: SQLDefinition) {
        switch definition {
        case .createTable(let table, _):
            if !table.isBookkeeping { types[table.name] = Self.types(of: table) }
        case .dropTable(let name): types[name] = nil
        case .renameTable(let old, let new): types[new] = types.removeValue(forKey: old)
        case .addColumn(let column, let table), .changeType(let column, let table, _):
            types[table]?[column.name] = column.type
        case .renameColumn(let old, let new, let table):
            let type = types[table]?.removeValue(forKey: old)
            types[table]?[new] = type
        case .dropColumn(let name, let table): types[table]?[name] = nil
        case .createIndex, .dropIndex, .createTrigger, .dropTrigger, .dropView, .asFound: break
        }
    }

    package static func types(of table: SQLTable) -> [String: SQLColumnType] {
        Dictionary(table.columns.map { ($0.name, $0.type) }) { first, _ in first }
    }
}

extension SQLPrinter {
    /// The text of a statement with all its values, as an administrator can run it.
    package static func text(
        of statement: SQLStatement, with literals: SQLLiterals, in dialect: any SQLDialect
    ) -> String {
        var printer = SQLPrinter(dialect: dialect)
        printer.literals = literals
        printer.literals?.table =
            switch statement {
            case .select: nil
            case .insert(let insert): insert.table
            case .update(let update): update.table
            case .delete(let delete): delete.table
            case .define: nil
            }
        printer.print(dialect.adapted(statement))
        return printer.text
    }

    mutating func printLiteral(_ value: SlotValue) {
        let type = literals?.expected
        if type == .label, case .int(let number) = value, let label = literals?.labels[number] {
            text += dialect.literal(.string(label), as: type)
        } else {
            text += dialect.literal(value, as: type)
        }
    }

    /// Begins a SELECT: its conditions name the columns of its own table.
    ///
    /// - Returns: The table of the statement around it, and the types of the columns that take its results.
    mutating func enter(_ select: SQLSelect) -> (table: String?, types: [SQLColumnType?]) {
        guard let outer = literals else { return (nil, []) }
        literals?.expectedResults = []
        if case .table(let name) = select.source { literals?.table = name }
        return (outer.table, outer.expectedResults)
    }

    /// Sets the type of the values in a comparison: that of the column among its sides. Returns the type before.
    mutating func expect(_ sides: SQLExpression...) -> SQLColumnType? {
        let outer = literals?.expected
        guard literals != nil else { return nil }
        for case .column(_, let name) in sides { expect(literals?.type(of: name)) }
        return outer
    }

    /// Sets the type of the values for a column. Returns the type before.
    mutating func expect(column: String?) -> SQLColumnType? {
        let outer = literals?.expected
        if let column { expect(literals?.type(of: column)) }
        return outer
    }

    private mutating func expect(_ type: SQLColumnType?) { literals?.expected = type }

    mutating func print(row values: [SQLExpression], of insert: SQLInsert) {
        text += "("
        if literals == nil {
            printList(values)
        } else {
            for (place, value) in values.enumerated() {
                if place > 0 { text += ", " }
                let outer = expect(column: insert.columns[place])
                print(value)
                literals?.expected = outer
            }
        }
        text += ")"
    }
}
