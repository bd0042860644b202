/// A side of a comparison.
indirect enum Operand: Sendable {
    enum Aggregate: String, CaseIterable { case sum, avg, min, max }
    enum Arithmetic: String, CaseIterable {
        case plus = "+"
        case minus = "-"
        case times = "*"
    }

    case constant(ModelValue)
    /// A key path of the object, or of a subquery's variable.
    case path([String], variable: Bool = false)
    case itself
    case count([String], variable: Bool = false)
    case aggregate(Aggregate, [String], of: String)
    case arithmetic(Operand, Arithmetic, Operand)
    case uppercase(Operand)
    /// The number of members of a relationship for which a condition holds.
    case subqueryCount([String], Condition)
    /// `function:(key)` over the rows of a group.
    case groupAggregate(Column.Function, String)

    var isConstant: Bool { if case .constant = self { true } else { false } }
}

/// A predicate.
indirect enum Condition: Sendable {
    enum Modifier: String { case direct = "", any = "ANY ", all = "ALL ", none = "NONE " }
    enum Relation: String {
        case equal = "==", notEqual = "!=", less = "<", lessOrEqual = "<=", greater = ">", greaterOrEqual = ">="
        case isIn = "IN", between = "BETWEEN", contains = "CONTAINS", begins = "BEGINSWITH", ends = "ENDSWITH"
        case like = "LIKE", matches = "MATCHES"
    }
    enum Options: String { case exact = "", c = "[c]", d = "[d]", cd = "[cd]" }

    case comparison(Modifier, Operand, Relation, Options, Operand)
    case and([Condition])
    case or([Condition])
    case not(Condition)
    case constant(Bool)
}

/// A computed column of a dictionary fetch.
struct Column {
    enum Function: String, CaseIterable { case count, sum, average, min, max }
    var name: String
    var function: Function
    var key: String

    enum Kind { case integer, real, text, date }

    /// What the column has.
    var kind: Kind {
        if function == .count { return .integer }
        switch key.split(separator: ".").last {
        case "title", "note", "name", "genre": return .text
        case "published", "joined": return .date
        default: return .real
        }
    }
}

struct Order {
    var path: [String]
    var isAscending: Bool
    var ignoresCase = false
}

/// Everything that a request says.
struct Question {
    enum Result { case objects, ids, count, dictionaries }

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
    /// For dictionaries: attributes, computed columns, keys of groups, the condition on groups.
    var plain: [String] = []
    var columns: [Column] = []
    var groups: [String] = []
    var having: Condition?
    var isDistinct = false
}
