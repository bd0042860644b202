/// A SELECT as a value.
struct SQLSelect: Equatable, Sendable {
    struct Result: Equatable, Sendable {
        var expression: SQLExpression
        var name: String?
    }

    struct Join: Equatable, Sendable {
        var table: String
        var alias: String
        var on: SQLExpression
        var isLeft = true
    }

    struct Order: Equatable, Sendable {
        enum Collation: Sendable {
            case binary
            case caseInsensitive
            case localized
            case localizedCaseInsensitive
            case localizedStandard
        }
        var expression: SQLExpression
        var isAscending = true
        var collation: Collation = .binary
        /// Whether missing values come last; otherwise they are less than all others.
        var putsNullsLast = false
    }

    var results: [Result] = []
    var source: SQLSource
    var alias: String?
    var joins: [Join] = []
    var condition: SQLExpression?
    var groupBy: [SQLExpression] = []
    var having: SQLExpression?
    var order: [Order] = []
    var isDistinct = false
    var limit: Int?
    var offset: Int?

    init(
        results: [Result] = [], from source: SQLSource, alias: String? = nil, joins: [Join] = [],
        condition: SQLExpression? = nil, order: [Order] = [], limit: Int? = nil
    ) {
        self.results = results
        self.source = source
        self.alias = alias
        self.joins = joins
        self.condition = condition
        self.order = order
        self.limit = limit
    }

    init(
        results: [Result] = [], table: String, alias: String? = nil, joins: [Join] = [],
        condition: SQLExpression? = nil, order: [Order] = [], limit: Int? = nil
    ) {
        self.init(
            results: results, from: .table(table), alias: alias, joins: joins, condition: condition, order: order,
            limit: limit)
    }

    /// Expressions of the rows of one table, in the order of other expressions.
    init(
        _ expressions: [SQLExpression], of table: String, as alias: String? = nil, joins: [Join] = [],
        where condition: SQLExpression? = nil, orderedBy order: [SQLExpression] = [], limit: Int? = nil
    ) {
        self.init(
            results: expressions.map { Result(expression: $0) }, table: table, alias: alias, joins: joins,
            condition: condition, order: order.map { Order(expression: $0) }, limit: limit)
    }

    /// The table whose rows are selected; empty where they come from another SELECT.
    var table: String {
        if case .table(let name) = source { name } else { "" }
    }
}

/// What the rows of a SELECT come from.
indirect enum SQLSource: Equatable, Sendable {
    case table(String)
    /// One row without columns: for expressions that name none.
    case nothing
    case select(SQLSelect)
    /// All rows of several SELECTs; equal rows are not put together.
    case unionAll([SQLSelect])
}
