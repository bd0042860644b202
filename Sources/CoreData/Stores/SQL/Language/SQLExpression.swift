/// An expression of SQL as a value. A dialect prints it. Values are never part of the text; they are bound.
package indirect enum SQLExpression: Equatable, Sendable {
    package enum Operator: String, Sendable {
        case equal = "="
        case notEqual = "<>"
        /// Equality without NULL as a result: two missing values are equal.
        case same = "IS"
        case notSame = "IS NOT"
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case add = "+"
        case subtract = "-"
        case multiply = "*"
        case divide = "/"
        case modulo = "%"
        case bitAnd = "&"
        case bitOr = "|"
        case shiftLeft = "<<"
        case shiftRight = ">>"
    }

    package enum Function: String, Sendable {
        case count, sum, min, max, average, lower, upper, length, abs
        case contains, beginsWith, endsWith, like, matches, equalText, canonical, fold
        case power, squareRoot, floor, ceiling, truncate, naturalLog, log, exponential, random, now
        case coalesce
        /// Puts the tag of external storage in front of bytes; removes it, with the key of the row for errors.
        case tagExternal, untagExternal
        /// The greatest of several values, of which none may be NULL.
        case greatest
        /// The numbers of a database that numbers history, in the order of the cases:
        ///
        /// - the number of the transaction that runs,
        /// - the key of a name,
        /// - the number before which all transactions have ended,
        /// - the number that no transaction has had yet.
        case historyTransaction, historyName, historyBound, historyEnd
        /// Functions of a text: the number of its bytes and of its characters, the text with A to Z in lower case, the
        /// place of another text in it (0 for none), and its last characters.
        case octets, characters, small, place, ending
        /// The number of bytes of a stored value, if the database limits the content of an index.
        case storedSize
    }

    /// A column of the table with an alias in the statement; without an alias in an index's condition.
    case column(alias: String?, name: String)
    /// Several columns, as results of a SELECT only.
    case columns(SQLColumnList)
    case value(SlotValue)
    /// A value that is bound for each row for which the statement runs, by its number from 1.
    case parameter(Int)
    case null
    case binary(Operator, SQLExpression, SQLExpression)
    case and([SQLExpression])
    case or([SQLExpression])
    case not(SQLExpression)
    case isNull(SQLExpression)
    case isNotNull(SQLExpression)
    case between(SQLExpression, SQLExpression, SQLExpression)
    case complement(SQLExpression)
    case isIn(SQLExpression, [SQLExpression])
    /// Membership in a list that is too long for placeholders: the list is one bound value.
    case isInArray(SQLExpression, [SlotValue])
    /// Membership in a list of keys that is a parameter.
    case isInParameter(SQLExpression, Int)
    case isInSelect(SQLExpression, SQLSelect)
    /// Whether a text begins with another one, byte by byte. This is a range, for which an index can be used.
    case hasPrefix(SQLExpression, String)
    /// Several values that are compared together.
    case row([SQLExpression])
    /// The place of a row, from 1, among the rows of its partition.
    case rowNumber(partition: [SQLExpression], order: [SQLSelect.Order])
    case exists(SQLSelect)
    case scalar(SQLSelect)
    /// A function with its arguments; `distinct` is for aggregates.
    case function(Function, [SQLExpression], distinct: Bool = false)
    /// A value, converted to another type.
    case cast(SQLExpression, SQLColumnType)
    /// All columns of the source.
    case allColumns
    /// The number of rows: `COUNT(*)`.
    case countAll
    /// A choice: condition, value if it is true, value if it is false.
    case choice(SQLExpression, SQLExpression, SQLExpression)

    package static let alwaysTrue = SQLExpression.and([])
    package static let alwaysFalse = SQLExpression.or([])

    /// A column of the only table of a statement.
    package static func column(_ name: String) -> SQLExpression { .column(alias: nil, name: name) }

    /// The number of rows for which a condition is true.
    package static func count(where condition: SQLExpression) -> SQLExpression {
        .function(.count, [.choice(condition, .number(1), .null)])
    }

    /// A whole number.
    package static func number(_ value: Int) -> SQLExpression { .value(.int(Int64(value))) }
}

extension SQLExpression {
    /// The expression with unqualified column names, if it has only columns, values and comparisons; otherwise nil.
    package var onColumnsOnly: SQLExpression? {
        func all(_ list: [SQLExpression]) -> [SQLExpression]? {
            let plain = list.compactMap(\.onColumnsOnly)
            return plain.count == list.count ? plain : nil
        }
        switch self {
        case .column(_, let name): return .column(alias: nil, name: name)
        case .value, .parameter, .null: return self
        case .binary(let op, let left, let right):
            return all([left, right]).map { .binary(op, $0[0], $0[1]) }
        case .and(let list): return all(list).map { .and($0) }
        case .or(let list): return all(list).map { .or($0) }
        case .not(let inner): return inner.onColumnsOnly.map { .not($0) }
        case .isNull(let inner): return inner.onColumnsOnly.map { .isNull($0) }
        case .isNotNull(let inner): return inner.onColumnsOnly.map { .isNotNull($0) }
        case .between(let value, let lower, let upper):
            return all([value, lower, upper]).map { .between($0[0], $0[1], $0[2]) }
        case .isIn(let value, let list):
            return all([value] + list).map { .isIn($0[0], Array($0.dropFirst())) }
        case .hasPrefix(let value, let prefix): return value.onColumnsOnly.map { .hasPrefix($0, prefix) }
        case .columns, .complement, .isInArray, .isInParameter, .isInSelect, .row, .rowNumber, .exists, .scalar,
            .function, .cast, .allColumns, .countAll, .choice:
            return nil
        }
    }
}
