/// A predicate that compares two expressions: `age > 3`, `ANY tags.name ==[cd] "x"`.
///
/// Immutable and, as long as the constants in it are not changed, safe to share between threads. Foundation on Linux
/// declares a class of this name that cannot be created; a file that imports Foundation by name beside CoreData says
/// `typealias NSComparisonPredicate = CoreData.NSComparisonPredicate` once in its module.
open class NSComparisonPredicate: Foundation.NSPredicate {
    /// Which elements of a to-many left side have to fulfil the comparison. Raw values are Foundation's.
    public enum Modifier: UInt, Sendable {
        /// The sides are compared as they are.
        case direct = 0
        /// Every element of the left side has to compare; true for an empty collection.
        case all = 1
        /// One element of the left side is enough.
        case any = 2
    }

    /// What is asked of the two sides. Raw values are Foundation's.
    public enum Operator: UInt, Sendable {
        case lessThan = 0
        case lessThanOrEqualTo = 1
        case greaterThan = 2
        case greaterThanOrEqualTo = 3
        case equalTo = 4
        case notEqualTo = 5
        /// The whole of the left string fits the regular expression on the right (ICU syntax).
        case matches = 6
        /// The left string fits a pattern with `*` and `?`.
        case like = 7
        case beginsWith = 8
        case endsWith = 9
        /// The left side is an element (or a part, of a string) of the right side.
        case `in` = 10
        /// The left side contains the right side.
        case contains = 99
        /// The left side lies between the two values on the right, both included.
        case between = 100
    }

    /// How strings are compared. Raw values are Foundation's.
    public struct Options: OptionSet, Hashable, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// `[c]`: upper and lower case are the same.
        public static let caseInsensitive = Options(rawValue: 1)
        /// `[d]`: a letter is the same with and without its accents.
        public static let diacriticInsensitive = Options(rawValue: 2)
        /// `[n]`: the strings are known to be normalised, and are compared as they are.
        public static let normalized = Options(rawValue: 4)
    }

    /// What is compared.
    open var leftExpression: NSExpression { givenLeftExpression }
    /// What it is compared with.
    open var rightExpression: NSExpression { givenRightExpression }
    /// Whether one, all or no particular element has to compare.
    open var comparisonPredicateModifier: Modifier { givenComparisonPredicateModifier }
    /// What is asked of the sides.
    open var predicateOperatorType: Operator { givenPredicateOperatorType }
    /// How strings are compared.
    open var options: Options { givenOptions }

    // Constants, which an evaluation reads faster than variables.
    private let givenLeftExpression: NSExpression
    private let givenRightExpression: NSExpression
    private let givenComparisonPredicateModifier: Modifier
    private let givenPredicateOperatorType: Operator
    private let givenOptions: Options
    let prepared: PreparedOperand
    /// The left side's key, when it is nothing but a key.
    let leftKey: String?

    /// Creates a predicate that compares `lhs` with `rhs`.
    public init(
        leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, modifier: Modifier, type: Operator,
        options: Options = []
    ) {
        givenLeftExpression = lhs
        let rhs = [.between, .in].contains(type) ? rhs.withExpressionsSpread : rhs
        givenRightExpression = rhs
        givenComparisonPredicateModifier = modifier
        givenPredicateOperatorType = type
        givenOptions = options
        prepared = PreparedOperand(rhs, type, options)
        leftKey = lhs.singleKey
        // A block, since Foundation calls two predicates made from equal values equal.
        super.init(block: { _, _ in false })
    }

    // MARK: Evaluating

    /// Whether `object` fulfils the comparison. Variables have to be substituted before.
    open override func evaluate(with object: Any?) -> Bool {
        compares(EvaluationContext(object))
    }

    /// Whether `object` fulfils the comparison, with the values of variables by name without `$`.
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

    open override var description: String { predicateFormat }

    open override func copy(with zone: NSZone? = nil) -> Any { self }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSComparisonPredicate else { return false }
        return self === other
            || predicateOperatorType == other.predicateOperatorType
                && comparisonPredicateModifier == other.comparisonPredicateModifier && options == other.options
                && leftExpression == other.leftExpression && rightExpression == other.rightExpression
    }

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
