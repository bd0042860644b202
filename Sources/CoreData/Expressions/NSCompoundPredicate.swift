/// A predicate that combines other predicates by AND, OR or NOT.
///
/// The predicate is immutable. Foundation on Linux has a class of this name that neither prints nor substitutes. A
/// target that imports Foundation beside CoreData needs `typealias NSCompoundPredicate = CoreData.NSCompoundPredicate`
/// once; the plugin writes it.
///
/// [Apple's documentation](https://developer.apple.com/documentation/foundation/nscompoundpredicate)
open class NSCompoundPredicate: Foundation.NSPredicate {
    /// The ways to combine predicates. The raw values are Foundation's.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nscompoundpredicate/logicaltype)
    public enum LogicalType: UInt, Sendable {
        /// True if the only part is false.
        case not = 0
        /// True if all parts are true.
        case and = 1
        /// True if one of the parts is true.
        case or = 2
    }

    /// The way in which the parts are combined.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nscompoundpredicate/compoundpredicatetype)
    public let compoundPredicateType: LogicalType

    /// Set once, and emptied by `deinit`.
    nonisolated(unsafe) private(set) final var parts: [NSPredicate]

    /// The depth of the nested compounds.
    final let height: Int
    /// The height of the highest expression that is compared.
    final let operandHeight: Int

    /// The parts, which are predicates.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nscompoundpredicate/subpredicates)
    open var subpredicates: [Any] { parts }

    /// Creates a predicate that combines other predicates.
    ///
    /// Compounds may be nested as deep as memory allows. A SQLite store takes 200 levels, or about 80 if AND and OR
    /// alternate; a fetch with more throws `NSCoreDataError` (134060).
    ///
    /// - Parameters:
    ///   - type: The way to combine them. `not` takes exactly one part; another number stops the process.
    ///   - subpredicates: The parts.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nscompoundpredicate/init(type:subpredicates:))
    public init(type: LogicalType, subpredicates: [NSPredicate]) {
        require(type != .not || subpredicates.count == 1, "A NOT predicate has exactly one subpredicate")
        compoundPredicateType = type
        parts = subpredicates
        height = 1 + subpredicates.reduce(0) { max($0, ($1 as? NSCompoundPredicate)?.height ?? 0) }
        operandHeight = subpredicates.reduce(0) { max($0, $1.expressionHeight) }
        // The superclass gets a block, because Foundation takes two predicates made from equal values for equal.
        super.init(block: { _, _ in false })
    }

    /// Creates a predicate that is true if all parts are true, and for no parts.
    ///
    /// - Parameter subpredicates: The parts.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nscompoundpredicate/init(andpredicatewithsubpredicates:))
    public convenience init(andPredicateWithSubpredicates subpredicates: [NSPredicate]) {
        self.init(type: .and, subpredicates: subpredicates)
    }

    /// Creates a predicate that is true if one of the parts is true. It is false for no parts.
    ///
    /// - Parameter subpredicates: The parts.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nscompoundpredicate/init(orpredicatewithsubpredicates:))
    public convenience init(orPredicateWithSubpredicates subpredicates: [NSPredicate]) {
        self.init(type: .or, subpredicates: subpredicates)
    }

    /// Creates a predicate that is true if the part is false.
    ///
    /// - Parameter predicate: The part.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nscompoundpredicate/init(notpredicatewithsubpredicate:))
    public convenience init(notPredicateWithSubpredicate predicate: NSPredicate) {
        self.init(type: .not, subpredicates: [predicate])
    }

    // MARK: Evaluating

    /// Whether an object fulfils the predicate. Parts are evaluated in order, and only as far as necessary.
    open override func evaluate(with object: Any?) -> Bool {
        combines(EvaluationContext(object))
    }

    /// Whether an object fulfils the predicate, with values of variables by their names without `$`.
    open override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        combines(EvaluationContext(object, substitutions: bindings))
    }

    deinit { Self.release(&parts) }

    /// Takes the parts out of a predicate to which no other reference exists any more.
    final func takeParts() -> [NSPredicate] {
        defer { parts = [] }
        return parts
    }

    // MARK: NSObject

    /// The predicate in the syntax of format strings, as Foundation prints it: compounds within it are in parentheses.
    ///
    /// A long chain of ANDs or ORs within each other is printed as one list, which the parser can read.
    open override var predicateFormat: String { printedCombination }

    /// The predicate in the syntax of format strings.
    open override var description: String { predicateFormat }

    /// The predicate itself, as it is immutable.
    open override func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether another predicate combines equal parts in the same way.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSCompoundPredicate else { return false }
        return isSameCombination(as: other)
    }

    /// A hash of the type and the parts.
    open override var hash: Int {
        var hasher = Hasher()
        hashCombination(into: &hasher)
        return hasher.finalize()
    }
}
