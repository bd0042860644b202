/// What differs between databases when SQL is printed.
protocol SQLDialect: Sendable {
    /// The name of a function, and how a collation is written behind an ORDER BY term (empty for none).
    func name(of function: SQLExpression.Function) -> String
    func suffix(for collation: SQLSelect.Order.Collation) -> String
    /// The text of the placeholder with the given number, from 1.
    func placeholder(_ number: Int) -> String
    func quoted(_ identifier: String) -> String
    /// A SELECT of the elements of a JSON array that is bound to a placeholder.
    func elements(ofArrayIn placeholder: String) -> String
}

/// Prints values of SQL to text and gathers the values to bind, in the order of their placeholders.
struct SQLPrinter {
    let dialect: any SQLDialect
    /// Whether values stand in the text: only in definitions, which cannot have bound ones.
    private let printsValues: Bool
    private(set) var text = ""
    private(set) var values: [SlotValue] = []

    init(dialect: any SQLDialect) {
        self.dialect = dialect
        printsValues = false
    }

    private init(definitionsOf dialect: any SQLDialect) {
        self.dialect = dialect
        printsValues = true
    }

    // MARK: SELECT

    mutating func print(_ select: SQLSelect) {
        text += select.isDistinct ? "SELECT DISTINCT " : "SELECT "
        for (number, result) in select.results.enumerated() {
            if number > 0 { text += ", " }
            print(result.expression)
            if let name = result.name { text += " AS " + dialect.quoted(name) }
        }
        text += " FROM \(dialect.quoted(select.table)) \(select.alias)"
        for join in select.joins {
            text += join.isLeft ? " LEFT OUTER JOIN " : " JOIN "
            text += "\(dialect.quoted(join.table)) \(join.alias) ON "
            print(join.on)
        }
        if let condition = select.condition, condition != .alwaysTrue {
            text += " WHERE "
            print(condition)
        }
        if !select.groupBy.isEmpty {
            text += " GROUP BY "
            printList(select.groupBy)
        }
        if let having = select.having {
            text += " HAVING "
            print(having)
        }
        if !select.order.isEmpty {
            text += " ORDER BY "
            for (number, order) in select.order.enumerated() {
                if number > 0 { text += ", " }
                print(order.expression)
                text += dialect.suffix(for: order.collation)
                if !order.isAscending { text += " DESC" }
            }
        }
        if select.limit != nil || select.offset != nil {
            text += " LIMIT "
            print(.value(.int(Int64(select.limit ?? -1))))
            if let offset = select.offset, offset > 0 {
                text += " OFFSET "
                print(.value(.int(Int64(offset))))
            }
        }
    }

    // MARK: Expressions

    private mutating func printList(_ list: [SQLExpression]) {
        for (number, expression) in list.enumerated() {
            if number > 0 { text += ", " }
            print(expression)
        }
    }

    /// So many conditions stand in one parenthesis; more are groups of so many, in groups again where they have to be. A
    /// database reads a flat list as one condition within the other, and takes no more than some hundreds.
    private static let groupSize = 32

    private mutating func printJoined(_ list: some RandomAccessCollection<SQLExpression>, _ separator: String) {
        text += "("
        var size = 1
        while size * Self.groupSize < list.count { size *= Self.groupSize }
        var rest = list[...]
        while !rest.isEmpty {
            if rest.count < list.count { text += separator }
            let group = rest.prefix(size)
            rest = rest.dropFirst(size)
            if group.count > 1 {
                printJoined(group, separator)
            } else if let expression = group.first {
                print(expression)
            }
        }
        text += ")"
    }

    /// `a + b + c`, which is read from the left, needs no parentheses within.
    private mutating func printBinary(
        _ op: SQLExpression.Operator, _ left: SQLExpression, _ right: SQLExpression
    ) {
        var operands = [right]
        var first = left
        if [.add, .subtract, .multiply, .divide].contains(op) {
            while case .binary(op, let left, let right) = first {
                operands.append(right)
                first = left
            }
        }
        text += "("
        print(first)
        for operand in operands.reversed() {
            text += " \(op.rawValue) "
            print(operand)
        }
        text += ")"
    }

    mutating func print(_ expression: SQLExpression) {
        switch expression {
        case .column(let alias, let name):
            if let alias { text += alias + "." }
            text += dialect.quoted(name)
        case .value(let value) where printsValues:
            text += Self.literal(value)
        case .value(let value):
            values.append(value)
            text += dialect.placeholder(values.count)
        case .null:
            text += "NULL"
        case .binary(let op, let left, let right):
            printBinary(op, left, right)
        case .and(let list):
            if list.isEmpty { text += "1" } else { printJoined(list, " AND ") }
        case .or(let list):
            if list.isEmpty { text += "0" } else { printJoined(list, " OR ") }
        case .not(let inner):
            text += "NOT ("
            print(inner)
            text += ")"
        case .isNull(let inner):
            print(inner)
            text += " IS NULL"
        case .isNotNull(let inner):
            print(inner)
            text += " IS NOT NULL"
        case .between(let value, let lower, let upper):
            text += "("
            print(value)
            text += " BETWEEN "
            print(lower)
            text += " AND "
            print(upper)
            text += ")"
        case .isIn(let value, let list):
            print(value)
            text += " IN ("
            printList(list)
            text += ")"
        case .isInArray(let value, let array):
            print(value)
            values.append(.string(array))
            text += " IN (\(dialect.elements(ofArrayIn: dialect.placeholder(values.count))))"
        case .complement(let value):
            text += "~("
            print(value)
            text += ")"
        case .exists(let select):
            text += "EXISTS ("
            print(select)
            text += ")"
        case .scalar(let select):
            text += "("
            print(select)
            text += ")"
        case .function(let function, let arguments, let distinct):
            text += dialect.name(of: function)
            text += distinct ? "(DISTINCT " : "("
            printList(arguments)
            text += ")"
        case .countAll:
            text += "COUNT(*)"
        case .choice(let condition, let first, let second):
            text += "CASE WHEN "
            print(condition)
            text += " THEN "
            print(first)
            text += " ELSE "
            print(second)
            text += " END"
        }
    }

    // MARK: Data definition

    /// `CREATE TABLE` as Core Data's own files have it, word for word.
    static func createTable(_ table: SQLTable) -> String {
        var parts = table.columns.map { column in
            "\(column.name) \(column.type.rawValue)" + (column.isPrimaryKey ? " PRIMARY KEY" : "")
        }
        if !table.compositeKey.isEmpty { parts.append("PRIMARY KEY (\(table.compositeKey.joined(separator: ", ")))") }
        return "CREATE TABLE \(table.name) ( \(parts.joined(separator: ", ")) )"
    }

    /// `CREATE INDEX` as Core Data's own files have it. The condition of a partial index has its values in the text.
    static func createIndex(_ index: SQLIndex, dialect: any SQLDialect) -> String {
        let columns = index.columns.map { column in
            switch column.direction {
            case nil: column.name
            case .ascending: "\(column.name) COLLATE BINARY ASC"
            case .descending: "\(column.name) COLLATE BINARY DESC"
            }
        }
        let kind = index.isUnique ? "CREATE UNIQUE INDEX" : "CREATE INDEX"
        let definition = "\(kind) \(index.name) ON \(index.table) (\(columns.joined(separator: ", ")))"
        guard let condition = index.condition else { return definition }
        var printer = SQLPrinter(definitionsOf: dialect)
        printer.print(condition)
        return "\(definition) WHERE \(printer.text)"
    }

    /// A value as text; strings with their quotes doubled.
    private static func literal(_ value: SlotValue) -> String {
        func hex(_ bytes: some Sequence<UInt8>) -> String {
            "X'" + bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + "'"
        }
        switch value {
        case .null: return "NULL"
        case .int(let number): return String(number)
        case .double(let number): return number.isFinite ? number.description : "NULL"
        case .string(let text):
            return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
        case .data(let data): return hex(data)
        case .uuid(let uuid): return withUnsafeBytes(of: uuid.uuid) { hex($0) }
        case .decimal(let number): return number.description
        }
    }
}
