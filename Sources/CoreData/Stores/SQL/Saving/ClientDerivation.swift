/// A derivation that the database cannot compute. The client reads the values in the expression, computes it, and
/// writes the results.
struct ClientDerivation: Sendable {
    /// The key of each row, and the parts of the expression that the database returns.
    private let select: SQLSelect
    private let parts: [SQLExpression]
    /// The expression over those parts.
    private let value: SQLExpression
    private let update: SQLStatement

    /// Nil if the database can compute the expression. Throws if neither the database nor the client can.
    init?(
        _ expression: SQLExpression, _ select: SQLSelect, key: SQLExpression, column: String,
        missing: Set<SQLExpression.Function>
    ) throws {
        guard Self.lacks(expression, missing) else { return nil }
        var read: [SQLExpression] = []
        value = try Self.value(expression, missing) { part in
            read.append(part)
            return .column("part \(read.count)")
        }
        parts = read.indices.map { .column("part \($0 + 1)") }
        var select = select
        select.results = ([key] + read).map { SQLSelect.Result(expression: $0) }
        let isWanted = SQLExpression.isInParameter(key, 1)
        select.condition = select.condition.map { .and([$0, isWanted]) } ?? isWanted
        self.select = select
        update = .update(SQLUpdate(select.table, [.init(column, .parameter(1))], where: .hasKey(parameter: 2)))
    }

    private static func lacks(_ expression: SQLExpression, _ missing: Set<SQLExpression.Function>) -> Bool {
        var lacks = false
        expression.forEach { if case .function(let function, _, _) = $0, missing.contains(function) { lacks = true } }
        return lacks
    }

    /// The expression, with columns in the place of the parts that the database computes.
    private static func value(
        _ expression: SQLExpression, _ missing: Set<SQLExpression.Function>,
        _ column: (SQLExpression) -> SQLExpression
    ) throws -> SQLExpression {
        if case .value = expression { return expression }
        guard lacks(expression, missing) else {
            return column(expression)
        }
        guard case .function(let function, let arguments, let distinct) = expression, missing.contains(function) else {
            throw SQLFetchTranslator.failure("a derivation that neither the database nor the program can compute")
        }
        return .function(function, try arguments.map { try value($0, missing, column) }, distinct: distinct)
    }

    /// The number of rows that are read together, and then written together.
    private static let rowsTogether = 500

    /// Calls a body with the keys of a table's rows, some hundred at a time. The body may change the rows.
    static func eachPage(
        ofKeysIn table: String, where condition: SQLExpression?, _ connection: any SQLConnection,
        _ body: ([Int64]) throws -> Void
    ) throws {
        let key = SQLExpression.column(SQLSchema.keyColumn)
        let isNext = SQLExpression.binary(.greater, key, .parameter(1))
        var select = SQLSelect(
            [key], of: table, where: .and([isNext] + (condition.map { [$0] } ?? [])), limit: rowsTogether)
        select.order = SQLSelect.Order.keys([key])
        let statement = try connection.prepare(.select(select))
        var last: Int64 = 0
        while true {
            var keys: [Int64] = []
            try statement.rows({ $0.bind(1, last) }) { keys.append($0.int64(0)) }
            guard let highest = keys.last else { return }
            try body(keys)
            last = highest
        }
    }

    func compute(_ keys: [Int64], _ connection: any SQLConnection) throws {
        let (reading, writing) = (try connection.prepare(.select(select)), try connection.prepare(update))
        for start in stride(from: 0, to: keys.count, by: Self.rowsTogether) {
            let part = Array(keys[start..<min(start + Self.rowsTogether, keys.count)])
            var results: [(key: Int64, value: SlotValue)] = []
            try reading.rows({ $0.bind(1, list: part) }) { row in
                let values = parts.enumerated().map { ($1, row.slotValue($0 + 1)) }
                results.append((row.int64(0), try SQLEvaluation(values: values, countsScalars: true).value(of: value)))
            }
            try writing.run(results.count) { place, parameters in
                parameters.bind(1, results[place].value)
                parameters.bind(2, results[place].key)
            }
        }
    }
}
