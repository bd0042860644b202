/// Prints statements to text and collects the values to bind, in the order of their placeholders.
package struct SQLPrinter {
    package let dialect: any SQLDialect
    /// Whether values are printed in the text. This is only for definitions, which cannot have bound values.
    private let printsValues: Bool
    package var text = ""
    /// The values that are bound once, to the placeholders after those of the parameters.
    package private(set) var values: [SlotValue] = []
    /// The number of parameters of the statement.
    package private(set) var parameterCount = 0
    private var highestParameter = 0
    /// The values of parameters, and the types of columns, for a text with literals; nil for one with placeholders.
    var literals: SQLLiterals?

    package init(dialect: any SQLDialect) {
        self.dialect = dialect
        printsValues = false
    }

    package init(definitionsOf dialect: any SQLDialect) {
        self.dialect = dialect
        printsValues = true
    }

    /// Creates a printer for a statement whose values come after a number of parameters.
    package init(dialect: any SQLDialect, parameterCount: Int) {
        self.dialect = dialect
        self.parameterCount = parameterCount
        printsValues = false
    }

    /// Prints a statement. Parameters have the first numbers, and values have the numbers after them.
    package static func print(_ statement: SQLStatement, in dialect: any SQLDialect) -> SQLPrinter {
        var printer = SQLPrinter(dialect: dialect)
        printer.print(statement)
        if printer.highestParameter == 0 { return printer }
        if printer.values.isEmpty {
            printer.parameterCount = printer.highestParameter
            return printer
        }
        var numbered = SQLPrinter(dialect: dialect, parameterCount: printer.highestParameter)
        numbered.print(statement)
        return numbered
    }

    // MARK: SELECT

    private static let usualLength = 400

    package mutating func print(_ select: SQLSelect) {
        // Reserved memory avoids that a growing text is copied again and again.
        if text.isEmpty { text.reserveCapacity(Self.usualLength) }
        let (outer, types) = enter(select)
        defer { literals?.table = outer }
        text += select.isDistinct ? "SELECT DISTINCT " : "SELECT "
        for (number, result) in select.results.enumerated() {
            if number > 0 { text += ", " }
            if !types.isEmpty { literals?.expected = types[number] }
            print(result.expression)
            if let name = result.name { text += " AS " + dialect.quoted(name) }
        }
        if select.source != .nothing {
            text += " FROM "
            print(select.source, as: select.alias)
        }
        for join in select.joins {
            text += join.isLeft ? " LEFT OUTER JOIN " : " JOIN "
            text += dialect.quoted(join.table) + " "
            appendAlias(join.alias)
            text += " ON "
            print(join.on)
        }
        if let condition = select.condition, condition != .alwaysTrue {
            text += " WHERE "
            print(condition)
        }
        if !select.groupBy.isEmpty {
            text += " GROUP BY "
            let prefix = select.groupsWholeRows ? dialect.groupingWithoutIndex : ""
            for (number, expression) in select.groupBy.enumerated() {
                if number > 0 { text += ", " }
                text += prefix
                print(expression)
            }
        }
        if let having = select.having {
            text += " HAVING "
            print(having)
        }
        if !select.order.isEmpty {
            text += " ORDER BY "
            print(select.order)
        }
        if select.limit != nil || select.offset != nil {
            if let limit = select.limit ?? dialect.noLimit {
                text += " LIMIT "
                if literals != nil { text += "\(limit)" } else { print(.value(.int(Int64(limit)))) }
            }
            if let offset = select.offset, offset > 0 {
                text += " OFFSET "
                print(.value(.int(Int64(offset))))
            }
        }
    }

    package mutating func print(_ source: SQLSource, as alias: String?) {
        switch source {
        case .nothing: break
        case .table(let name):
            text += dialect.quoted(name)
        case .select(let select):
            text += "("
            print(select)
            text += ")"
        case .unionAll(let selects):
            text += "("
            for (number, select) in selects.enumerated() {
                if number > 0 { text += " UNION ALL " }
                print(select)
            }
            text += ")"
        }
        if let alias {
            text += " "
            appendAlias(alias)
        } else if source.isSelect {
            text += dialect.sourceAlias
        }
    }

    /// A letter with a number is no keyword of any dialect. Other aliases may be, because a table's own name can be the
    /// alias.
    mutating func appendAlias(_ alias: String) {
        let isNumbered =
            alias.utf8.first.map { (0x61...0x7A).contains($0) } == true
            && alias.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
        text += isNumbered ? alias : dialect.quoted(alias)
    }

    private mutating func print(_ order: [SQLSelect.Order]) {
        for (number, order) in order.enumerated() {
            if number > 0 { text += ", " }
            print(order.expression)
            text += dialect.suffix(for: order.collation)
            if !order.isAscending { text += " DESC" }
            if order.isNeverMissing { continue }
            text += dialect.suffix(isAscending: order.isAscending, putsNullsLast: order.putsNullsLast)
        }
    }

    // MARK: Expressions

    private mutating func placeholder(for value: SlotValue) -> String {
        values.append(value)
        return parameterCount == 0
            ? dialect.nextPlaceholder(values.count) : dialect.placeholder(parameterCount + values.count)
    }

    package mutating func printList(_ list: [SQLExpression]) {
        for (number, expression) in list.enumerated() {
            if number > 0 { text += ", " }
            print(expression)
        }
    }

    /// Prints a list of parameters with consecutive new numbers, without the numbers: SQLite takes three times as long
    /// to parse 500 placeholders with numbers.
    ///
    /// - Returns: whether the list is such a list.
    private mutating func printNewParameters(_ list: [SQLExpression]) -> Bool {
        guard values.isEmpty else { return false }
        for (place, expression) in list.enumerated() {
            guard case .parameter(highestParameter + place + 1) = expression else { return false }
        }
        for place in list.indices {
            if place > 0 { text += ", " }
            text += dialect.nextPlaceholder(highestParameter + place + 1)
        }
        highestParameter += list.count
        return true
    }

    /// The number of conditions in one parenthesis. More conditions become nested groups of this size. A database
    /// parses a flat list as nested conditions, and accepts a depth of only some hundreds.
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

    /// Prints `a + b + c` without parentheses, because it is evaluated from the left.
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
            text += " "
            text += dialect.name(of: op)
            text += " "
            print(operand)
        }
        text += ")"
    }

    package mutating func print(_ expression: SQLExpression) {
        switch expression {
        case .column(let alias, let name):
            if let alias {
                appendAlias(alias)
                text += "."
            }
            text += dialect.quoted(name)
        case .columns(let list):
            text += list.text(in: dialect) {
                var printer = SQLPrinter(dialect: dialect)
                printer.printList(list.names.map { .column(alias: list.alias, name: $0) })
                return printer.text
            }
        case .value(let value) where literals != nil:
            printLiteral(value)
        case .parameter(let number) where literals != nil:
            printLiteral(literals?.parameter(number) ?? .null)
        case .value(let value) where printsValues:
            text += dialect.literal(value)
        case .value(let value):
            text += placeholder(for: value)
        case .parameter(let number):
            highestParameter = max(highestParameter, number)
            text += dialect.placeholder(number)
        case .null:
            text += "NULL"
        case .binary(let op, let left, let right):
            let outer = expect(left, right)
            printBinary(op, left, right)
            literals?.expected = outer
        case .and(let list):
            if list.isEmpty { text += dialect.truth(true) } else { printJoined(list, " AND ") }
        case .or(let list):
            if list.isEmpty { text += dialect.truth(false) } else { printJoined(list, " OR ") }
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
            let outer = expect(value)
            text += "("
            print(value)
            text += " BETWEEN "
            print(lower)
            text += " AND "
            print(upper)
            text += ")"
            literals?.expected = outer
        case .isIn(let value, let list):
            let outer = expect(value)
            print(value)
            text += " IN ("
            if literals != nil || !printNewParameters(list) { printList(list) }
            text += ")"
            literals?.expected = outer
        case .isInArray(let value, let list) where list.contains(where: \.hasZero):
            print(.isIn(value, list.map { .value($0) }))
        case .isInArray(let value, let list):
            print(value)
            let bound = dialect.list(list)
            text += dialect.isIn(
                listAt: literals == nil ? placeholder(for: bound) : dialect.literal(bound, as: nil), like: list)
        case .isInParameter(let value, let number):
            print(value)
            highestParameter = max(highestParameter, number)
            text += dialect.isIn(listAt: dialect.placeholder(number), like: [.int(0)])
        case .isInSelect(let value, let select):
            print(value)
            text += " IN ("
            print(select)
            text += ")"
        case .hasPrefix(let value, let prefix):
            print(
                .and([
                    .binary(.greaterOrEqual, value, .value(.string(prefix))),
                    .binary(.less, value, .value(.string(dialect.end(ofPrefix: prefix)))),
                ]))
        case .row(let list):
            text += "("
            printList(list)
            text += ")"
        case .rowNumber(let partition, let order):
            text += "ROW_NUMBER() OVER (PARTITION BY "
            printList(partition)
            text += " ORDER BY "
            print(order)
            text += ")"
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
        case .cast(let value, let type):
            text += "CAST("
            print(value)
            text += " AS " + dialect.name(of: type) + ")"
        case .allColumns:
            text += "*"
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
}
