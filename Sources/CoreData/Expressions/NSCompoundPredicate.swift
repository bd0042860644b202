/// A predicate made of others: all of them, one of them, not the one.
///
/// Immutable. Foundation on Linux has a class of this name that prints and substitutes nothing; a file that imports
/// Foundation by name beside CoreData says `typealias NSCompoundPredicate = CoreData.NSCompoundPredicate` once in its
/// module.
open class NSCompoundPredicate: Foundation.NSPredicate {
    /// How the parts are combined. Raw values are Foundation's.
    public enum LogicalType: UInt, Sendable {
        case not = 0
        case and = 1
        case or = 2
    }

    /// How the parts are combined.
    public let compoundPredicateType: LogicalType

    /// Set once, and emptied by `deinit`.
    nonisolated(unsafe) private(set) final var parts: [NSPredicate]

    /// How many compounds lie on each other here at most.
    final let height: Int
    /// The height of the highest expression that is compared.
    final let operandHeight: Int

    /// The parts: predicates.
    open var subpredicates: [Any] { parts }

    /// Combines `subpredicates`. `not` takes exactly one.
    ///
    /// Compounds may lie in each other as deep as memory reaches; see DEVIATIONS for how deep stores follow.
    public init(type: LogicalType, subpredicates: [NSPredicate]) {
        require(type != .not || subpredicates.count == 1, "A NOT predicate has exactly one subpredicate")
        compoundPredicateType = type
        parts = subpredicates
        height = 1 + subpredicates.reduce(0) { max($0, ($1 as? NSCompoundPredicate)?.height ?? 0) }
        operandHeight = subpredicates.reduce(0) { max($0, $1.expressionHeight) }
        // A block, since Foundation calls two predicates made from equal values equal.
        super.init(block: { _, _ in false })
    }

    /// True when all parts are, and for no parts.
    public convenience init(andPredicateWithSubpredicates subpredicates: [NSPredicate]) {
        self.init(type: .and, subpredicates: subpredicates)
    }

    /// True when one of the parts is; false for no parts.
    public convenience init(orPredicateWithSubpredicates subpredicates: [NSPredicate]) {
        self.init(type: .or, subpredicates: subpredicates)
    }

    /// True when the part is not.
    public convenience init(notPredicateWithSubpredicate predicate: NSPredicate) {
        self.init(type: .not, subpredicates: [predicate])
    }

    // MARK: Evaluating

    /// Whether `object` fulfils the predicate. Parts are evaluated in order, and only as far as needed.
    open override func evaluate(with object: Any?) -> Bool {
        combines(EvaluationContext(object))
    }

    /// Whether `object` fulfils the predicate, with the values of variables by name without `$`.
    open override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        combines(EvaluationContext(object, substitutions: bindings))
    }

    deinit { Self.release(&parts) }

    /// Gives the parts away, when nobody else can see the predicate any more.
    final func takeParts() -> [NSPredicate] {
        defer { parts = [] }
        return parts
    }

    // MARK: NSObject

    /// The predicate in the syntax of format strings, as Foundation prints it: parts that are compounds are in
    /// parentheses.
    ///
    /// A chain of very many ANDs or ORs within each other is one list, which the parser reads.
    open override var predicateFormat: String { printedCombination }

    open override var description: String { predicateFormat }

    open override func copy(with zone: NSZone? = nil) -> Any { self }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSCompoundPredicate else { return false }
        return isSameCombination(as: other)
    }

    open override var hash: Int {
        var hasher = Hasher()
        hashCombination(into: &hasher)
        return hasher.finalize()
    }
}
