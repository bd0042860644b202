/// An operator between two operands of a predicate.
struct PredicateOperator {
    let text: String
    /// The higher the level, the closer the operator binds its operands.
    let level: Int
    /// The function that makes the expression, with its labels: Foundation's, or one of `_PredicateParts`.
    let function: String
    /// What stands behind the operands.
    var detail = ""

    var joinsFromRight: Bool { text == "??" }
    /// Whether the operands are conditions.
    var joinsConditions: Bool { text == "&&" || text == "||" }

    /// The operators by their text.
    static let all: [String: PredicateOperator] = {
        let all = [
            PredicateOperator(text: "||", level: 1, function: "Disjunction(lhs:rhs:)"),
            PredicateOperator(text: "&&", level: 2, function: "Conjunction(lhs:rhs:)"),
            PredicateOperator(text: "==", level: 3, function: "Equal(lhs:rhs:)"),
            PredicateOperator(text: "!=", level: 3, function: "NotEqual(lhs:rhs:)"),
            PredicateOperator(text: "<", level: 3, function: "Comparison(lhs:rhs:)", detail: ", op: .lessThan"),
            PredicateOperator(text: "<=", level: 3, function: "Comparison(lhs:rhs:)", detail: ", op: .lessThanOrEqual"),
            PredicateOperator(text: ">", level: 3, function: "Comparison(lhs:rhs:)", detail: ", op: .greaterThan"),
            PredicateOperator(
                text: ">=", level: 3, function: "Comparison(lhs:rhs:)", detail: ", op: .greaterThanOrEqual"),
            PredicateOperator(text: "??", level: 4, function: "NilCoalesce(lhs:rhs:)"),
            PredicateOperator(text: "...", level: 6, function: "closedRange(lower:upper:)"),
            PredicateOperator(text: "..<", level: 6, function: "range(lower:upper:)"),
            PredicateOperator(text: "+", level: 7, function: "sum(lhs:rhs:)"),
            PredicateOperator(text: "-", level: 7, function: "difference(lhs:rhs:)"),
            PredicateOperator(text: "*", level: 8, function: "product(lhs:rhs:)"),
            PredicateOperator(text: "/", level: 8, function: "division(lhs:rhs:)"),
            PredicateOperator(text: "%", level: 8, function: "remainder(lhs:rhs:)"),
        ]
        return Dictionary(uniqueKeysWithValues: all.map { ($0.text, $0) })
    }()

    /// The level of `is` and `as`.
    static let castLevel = 5

    /// The text of the expression of two operands.
    func build(_ left: String, _ right: String) -> String {
        let parts = function.split { "(:)".contains($0) }
        let base = parts[0].first?.isUppercase == true ? PredicateParser.build : PredicateParser.checked
        return "\(base)\(parts[0])(\(parts[1]): \(left), \(parts[2]): \(right)\(detail))"
    }
}
