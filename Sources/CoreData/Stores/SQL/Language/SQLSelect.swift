/// A SELECT as a value.
package struct SQLSelect: Equatable, Sendable {
    package struct Result: Equatable, Sendable {
        package var expression: SQLExpression
        package var name: String?
    }

    package struct Join: Equatable, Sendable {
        package var table: String
        package var alias: String
        package var on: SQLExpression
        package var isLeft = true
    }

    package struct Order: Equatable, Sendable {
        package enum Collation: Sendable {
            case binary
            case caseInsensitive
            case localized
            case localizedCaseInsensitive
            case localizedStandard
        }
        package var expression: SQLExpression
        package var isAscending = true
        package var collation: Collation = .binary
        /// Whether missing values come last; otherwise they sort before all values.
        package var putsNullsLast = false
        /// Whether no value can be missing, as with keys. Then the place of missing values does not matter, and an
        /// index in the usual order can be used.
        package var isNeverMissing = false

        /// The order of the rows of a table by columns in which every row has a value.
        package static func keys(_ keys: [SQLExpression], isAscending: Bool = true) -> [Order] {
            keys.map { Order(expression: $0, isAscending: isAscending, isNeverMissing: true) }
        }
    }

    package var results: [Result] = []
    package var source: SQLSource
    package var alias: String?
    package var joins: [Join] = []
    package var condition: SQLExpression?
    package var groupBy: [SQLExpression] = []
    package var having: SQLExpression?
    package var order: [Order] = []
    package var isDistinct = false
    package var limit: Int?
    package var offset: Int?

    package init(
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

    package init(
        results: [Result] = [], table: String, alias: String? = nil, joins: [Join] = [],
        condition: SQLExpression? = nil, order: [Order] = [], limit: Int? = nil
    ) {
        self.init(
            results: results, from: .table(table), alias: alias, joins: joins, condition: condition, order: order,
            limit: limit)
    }

    /// A SELECT of expressions over the rows of one table, in the order of other expressions.
    package init(
        _ expressions: [SQLExpression], of table: String, as alias: String? = nil, joins: [Join] = [],
        where condition: SQLExpression? = nil, orderedBy order: [SQLExpression] = [], limit: Int? = nil
    ) {
        self.init(
            results: expressions.map { Result(expression: $0) }, table: table, alias: alias, joins: joins,
            condition: condition, order: order.map { Order(expression: $0) }, limit: limit)
    }

    /// The table whose rows are selected; empty if they come from another SELECT.
    package var table: String {
        if case .table(let name) = source { name } else { "" }
    }

    /// Whether it returns all rows of one table for which a condition is true, so that an UPDATE or a DELETE can have
    /// the condition.
    package var isPlain: Bool {
        !source.isSelect && joins.isEmpty && groupBy.isEmpty && limit == nil && offset == nil && !isDistinct
    }

    /// Whether it groups rows, reads all groups, and needs more of each row than the grouping values.
    ///
    /// An index by which the rows are grouped does not hold these values. Reading each row through the index costs more
    /// than reading the table in its order and sorting the necessary values.
    package var groupsWholeRows: Bool {
        guard !groupBy.isEmpty, limit == nil, case .table = source else { return false }
        var needsMore = false
        for expression in results.map(\.expression) + [having].compactMap({ $0 }) where !groupBy.contains(expression) {
            expression.forEach {
                if case .column = $0, !groupBy.contains($0) { needsMore = true }
            }
        }
        return needsMore
    }
}

/// The source of a SELECT's rows.
package indirect enum SQLSource: Equatable, Sendable {
    case table(String)
    /// One row without columns, for expressions that name none.
    case nothing
    case select(SQLSelect)
    /// All rows of several SELECTs, including equal rows.
    case unionAll([SQLSelect])

    /// Whether the rows come from a SELECT.
    package var isSelect: Bool {
        switch self {
        case .select, .unionAll: true
        case .table, .nothing: false
        }
    }
}
