/// The rows that a key path begins at.
enum Base: Hashable, Sendable {
    /// Those that are fetched.
    case row
    /// Those of a subquery, by how many subqueries stand around it.
    case variable(Int)

    /// Its name in a predicate.
    var name: String? { if case .variable(let level) = self { ["x", "y", "z"][level] } else { nil } }
}

/// A side of a comparison.
indirect enum Operand: Sendable {
    enum Aggregate: String, CaseIterable { case sum, avg, min, max }

    enum Arithmetic: String, CaseIterable {
        case plus = "+"
        case minus = "-"
        case times = "*"
        case divided = "/"
        case power = "**"
        case and = "&"
        case or = "|"
        case xor = "^"
        case left = "<<"
        case right = ">>"
        case modulus = "modulus:by:"
    }

    /// Functions of one value.
    enum Function: String, CaseIterable {
        case uppercase, lowercase, canonical, length
        case abs, ceiling, floor, trunc, sqrt, onesComplement
        case noindex
    }

    enum SetOperation: String, CaseIterable { case union = "UNION", intersection = "INTERSECT", minus = "MINUS" }

    enum Index: Sendable { case first, last, size, at(Int) }

    case constant(ModelValue)
    case path([String], of: Base = .row)
    case itself(Base = .row)
    /// `objectID` behind a path.
    case identifier([String], of: Base = .row)
    /// The entity of the row.
    case entity(Base = .row)
    case count([String], of: Base = .row)
    /// `path.@sum.key`.
    case aggregate(Aggregate, [String], key: String, of: Base = .row)
    /// `sum:(path)`: a function of the values behind a path through a relationship.
    case function(Column.Function, [String], of: Base = .row)
    case arithmetic(Operand, Arithmetic, Operand)
    case call(Function, Operand)
    /// `TERNARY(condition, a, b)`.
    case choice(Condition, Operand, Operand)
    /// The members of a relationship for which a condition holds, and their number. Within the condition they are the
    /// variable of the level.
    case subquery([String], of: Base = .row, level: Int, Condition)
    case subqueryCount([String], of: Base = .row, level: Int, Condition)
    /// `items[FIRST].title`.
    case indexed([String], Index, rest: [String], of: Base = .row)
    /// `CAST(date, 'NSNumber')`.
    case seconds(Operand)
    /// `FUNCTION(SELF, 'valueForKey:', 'key')`.
    case called(String)
    /// A property of a text: `title.length`.
    case property([String], Function, of: Base = .row)
    /// `path.@distinctUnionOfObjects.key`.
    case distinct([String], key: String, of: Base = .row)
    /// `a UNION b` of the values behind paths through relationships.
    case combined([String], SetOperation, [String], of: Base = .row)
    case elements([Operand])
    /// The present time, which is behind all dates of the tests.
    case now
    /// `count:(distinct:(value))` over the rows of a group.
    case groupAggregate(Column.Function, Operand, isDistinct: Bool = false)

    var isConstant: Bool {
        switch self {
        case .constant: true
        case .elements(let list): list.allSatisfy(\.isConstant)
        default: false
        }
    }
}

/// A predicate.
indirect enum Condition: Sendable {
    enum Modifier: String { case direct = "", any = "ANY ", all = "ALL ", none = "NONE " }
    enum Relation: String {
        case equal = "==", notEqual = "!=", less = "<", lessOrEqual = "<=", greater = ">", greaterOrEqual = ">="
        case isIn = "IN", between = "BETWEEN", contains = "CONTAINS", begins = "BEGINSWITH", ends = "ENDSWITH"
        case like = "LIKE", matches = "MATCHES"
    }
    enum Options: String { case exact = "", c = "[c]", d = "[d]", cd = "[cd]", n = "[n]" }

    case comparison(Modifier, Operand, Relation, Options, Operand)
    case and([Condition])
    case or([Condition])
    case not(Condition)
    case constant(Bool)
}

/// A computed column of a dictionary fetch.
struct Column: Sendable {
    enum Function: String, CaseIterable, Sendable { case count, sum, average, min, max }
    enum Kind: Sendable { case integer, real, text, date, truth, decimal }

    var name: String
    /// A value of a row; or one of many rows, where it is a function of a group.
    var value: Operand
    /// What the column has.
    var kind: Kind

    var isOfGroup: Bool { if case .groupAggregate = value { true } else { false } }
}

struct Order: Sendable {
    enum Selector: CaseIterable, Sendable {
        case compare, caseInsensitive, localized, localizedCaseInsensitive, localizedStandard
    }

    var path: [String]
    var isAscending: Bool
    var selector = Selector.compare
}

/// All parts of a request.
struct Question: Sendable {
    enum Result { case objects, ids, count, number, dictionaries }

    var entity: String
    var includesSubentities = true
    var condition: Condition?
    var order: [Order] = []
    var limit = 0
    var offset = 0
    var result = Result.objects
    var prefetching: [String] = []
    var batchSize = 0
    var returnsFaults = true
    var includesValues = true
    var includesUnsaved = true
    var isDistinct = false
    /// Whether the values and relationships of the objects are compared, too.
    var readsValues = false
    /// Whether objects become faults before.
    var refreshes = false
    /// The way in which the predicate is written.
    var spelling = Spelling.usual
    /// For dictionaries: properties, computed columns, keys of groups, the condition on groups.
    var plain: [String] = []
    var columns: [Column] = []
    var groups: [String] = []
    var having: Condition?

    /// Ways to write a predicate.
    enum Spelling: CaseIterable {
        case usual
        /// `&&` and `<>`, and strings in double quotes.
        case signs
        /// Key paths and values are arguments.
        case arguments
        /// Values are those of variables.
        case variables
    }
}

extension Question {
    /// Whether a property to fetch has many values, in a row or in a group.
    var isWrong: Bool {
        plain.contains { key in
            let isOfMany = key.split(separator: ".").contains { ["books", "tags", "items"].contains($0) }
            return isOfMany || !groups.isEmpty && !groups.contains(key)
        }
    }
}

// MARK: - What databases refuse

extension Operand {
    /// Whether no database has a translation of it.
    var isRefused: Bool {
        switch self {
        case .indexed(_, .size, _, _): false
        case .indexed, .called, .property, .distinct, .combined: true
        case .arithmetic(_, .xor, _): true
        case .arithmetic(let left, _, let right): left.isRefused || right.isRefused
        case .call(_, let inner), .seconds(let inner), .groupAggregate(_, let inner, _): inner.isRefused
        case .choice(let condition, let yes, let no): condition.isRefused || yes.isRefused || no.isRefused
        case .subquery(_, _, _, let condition), .subqueryCount(_, _, _, let condition): condition.isRefused
        case .elements(let list): list.contains(where: \.isRefused)
        default: false
        }
    }
}

extension Condition {
    var isRefused: Bool {
        switch self {
        case .comparison(_, let left, _, _, let right): left.isRefused || right.isRefused
        case .and(let parts), .or(let parts): parts.contains(where: \.isRefused)
        case .not(let part): part.isRefused
        case .constant: false
        }
    }
}
