/// A predicate that compares two expressions: `age > 3`, `ANY tags.name ==[cd] "x"`.
///
/// The predicate is immutable. Threads may share it as long as the program does not change the constants in it.
/// Foundation on Linux declares a class of this name that cannot be created. A target that imports Foundation beside
/// CoreData needs `typealias NSComparisonPredicate = CoreData.NSComparisonPredicate` once; the plugin writes it.
///
/// [Apple's documentation](https://developer.apple.com/documentation/foundation/nscomparisonpredicate)
open class NSComparisonPredicate: Foundation.NSPredicate {
    /// The elements of a collection on the left side that have to fulfil the comparison. The raw values are
    /// Foundation's.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nscomparisonpredicate/modifier)
    public enum Modifier: UInt, Sendable {
        /// The sides are compared as they are.
        case direct = 0
        /// Every element of the left side has to fulfil the comparison. An empty collection does.
        case all = 1
        /// One element of the left side has to fulfil the comparison.
        case any = 2
    }

    /// The operators of comparisons. The raw values are Foundation's.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nscomparisonpredicate/operator)
    public enum Operator: UInt, Sendable {
        /// The left side is less: `<`.
        case lessThan = 0
        /// The left side is less or equal: `<=`.
        case lessThanOrEqualTo = 1
        /// The left side is greater: `>`.
        case greaterThan = 2
        /// The left side is greater or equal: `>=`.
        case greaterThanOrEqualTo = 3
        /// The sides are equal: `==`.
        case equalTo = 4
        /// The sides are not equal: `!=`.
        case notEqualTo = 5
        /// The whole of the left string matches the regular expression on the right, in the syntax of ICU.
        case matches = 6
        /// The left string matches a pattern with `*` and `?`.
        case like = 7
        /// The left string begins with the right one.
        case beginsWith = 8
        /// The left string ends with the right one.
        case endsWith = 9
        /// The left side is an element of the right side, or a part of a string on the right.
        case `in` = 10
        /// The left side contains the right side.
        case contains = 99
        /// The left side lies between the two values on the right, both included.
        case between = 100
    }

    /// The ways to compare strings. The raw values are Foundation's.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nscomparisonpredicate/options)
    public struct Options: OptionSet, Hashable, Sendable {
        /// The bits of the options.
        public let rawValue: UInt

        /// Creates options from their bits.
        ///
        /// - Parameter rawValue: The bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// `[c]`: upper and lower case are equal.
        public static let caseInsensitive = Options(rawValue: 1)
        /// `[d]`: a letter is equal with and without accents.
        public static let diacriticInsensitive = Options(rawValue: 2)
        /// `[n]`: the strings are normalised already, and compared as they are.
        public static let normalized = Options(rawValue: 4)
    }

    /// The left side.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nscomparisonpredicate/leftexpression)
    open var leftExpression: NSExpression { givenLeftExpression }
    /// The right side.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nscomparisonpredicate/rightexpression)
    open var rightExpression: NSExpression { givenRightExpression }
    /// The elements of a collection on the left side that have to fulfil the comparison.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nscomparisonpredicate/comparisonpredicatemodifier)
    open var comparisonPredicateModifier: Modifier { givenComparisonPredicateModifier }
    /// The operator.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nscomparisonpredicate/predicateoperatortype)
    open var predicateOperatorType: Operator { givenPredicateOperatorType }
    /// The way to compare strings.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nscomparisonpredicate)
    open var options: Options { givenOptions }

    // The given sides are constants, which an evaluation reads faster than variables.
    private let givenLeftExpression: NSExpression
    private let givenRightExpression: NSExpression
    private let givenComparisonPredicateModifier: Modifier
    private let givenPredicateOperatorType: Operator
    private let givenOptions: Options
    let prepared: PreparedOperand
    /// The left side's key, when it is nothing but a key.
    let leftKey: String?

    /// Creates a predicate that compares two expressions.
    ///
    /// - Parameters:
    ///   - lhs: The left side.
    ///   - rhs: The right side.
    ///   - modifier: The elements of a collection on the left side that have to fulfil the comparison.
    ///   - type: The operator.
    ///   - options: The way to compare strings.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nscomparisonpredicate/init(leftexpression:rightexpression:modifier:type:options:))
    public init(
        leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, modifier: Modifier, type: Operator,
        options: Options = []
    ) {
        givenLeftExpression = lhs
        let rhs = type == .between || type == .in ? rhs.withExpressionsSpread : rhs
        givenRightExpression = rhs
        givenComparisonPredicateModifier = modifier
        givenPredicateOperatorType = type
        givenOptions = options
        prepared = PreparedOperand(rhs, type, options)
        leftKey = lhs.singleKey
        // The superclass gets a block, because Foundation takes two predicates made from equal values for equal.
        super.init(block: { _, _ in false })
    }

    // MARK: Evaluating

    /// Whether an object fulfils the comparison. A variable in the predicate stops the process.
    open override func evaluate(with object: Any?) -> Bool {
        compares(EvaluationContext(object))
    }

    /// Whether an object fulfils the comparison, with values of variables by their names without `$`.
    open override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        compares(EvaluationContext(object, substitutions: bindings))
    }

    // MARK: NSObject

    /// The predicate in the syntax of format strings, as Foundation prints it.
    open override var predicateFormat: String {
        let modifier =
            switch comparisonPredicateModifier {
            case .direct: ""
            case .all: "ALL "
            case .any: "ANY "
            }
        let sign = predicateOperatorType.printed + options.printed
        return "\(modifier)\(leftExpression.printed) \(sign) \(rightExpression.printed)"
    }

    /// The predicate in the syntax of format strings.
    open override var description: String { predicateFormat }

    /// The predicate itself, as it is immutable.
    open override func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether another predicate makes the same comparison of equal expressions.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSComparisonPredicate else { return false }
        return self === other
            || predicateOperatorType == other.predicateOperatorType
                && comparisonPredicateModifier == other.comparisonPredicateModifier && options == other.options
                && leftExpression == other.leftExpression && rightExpression == other.rightExpression
    }

    /// A hash of the operator and the sides.
    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(leftExpression)
        hasher.combine(predicateOperatorType)
        hasher.combine(rightExpression)
        return hasher.finalize()
    }
}

extension NSComparisonPredicate.Operator {
    /// The operator as it is printed.
    var printed: String {
        switch self {
        case .lessThan: "<"
        case .lessThanOrEqualTo: "<="
        case .greaterThan: ">"
        case .greaterThanOrEqualTo: ">="
        case .equalTo: "=="
        case .notEqualTo: "!="
        case .matches: "MATCHES"
        case .like: "LIKE"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .in: "IN"
        case .contains: "CONTAINS"
        case .between: "BETWEEN"
        }
    }
}

extension NSComparisonPredicate.Options {
    /// The options as they are printed: nothing, or letters in brackets.
    var printed: String {
        if isEmpty { return "" }
        return "[" + (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "")
            + (contains(.normalized) ? "n" : "") + "]"
    }
}
