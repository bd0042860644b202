/// A predicate made of others: all of them, one of them, not the one.
///
/// Immutable. Foundation on Linux has a class of this name that prints and substitutes nothing; a file that imports
/// Foundation by name beside CoreData says `typealias NSCompoundPredicate = CoreData.NSCompoundPredicate` once in its module.
open class NSCompoundPredicate: Foundation.NSPredicate {
    /// How the parts are combined. Raw values are Foundation's.
    public enum LogicalType: UInt, Sendable {
        case not = 0
        case and = 1
        case or = 2
    }

    /// How the parts are combined.
    public let compoundPredicateType: LogicalType

    let parts: [NSPredicate]

    /// The parts: predicates.
    open var subpredicates: [Any] { parts }

    /// Combines `subpredicates`. `not` takes exactly one.
    public init(type: LogicalType, subpredicates: [NSPredicate]) {
        require(type != .not || subpredicates.count == 1, "A NOT predicate has exactly one subpredicate")
        compoundPredicateType = type
        parts = subpredicates
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

    func combines(_ context: EvaluationContext) -> Bool {
        switch compoundPredicateType {
        case .not: !parts[0].matches(context)
        case .and: parts.allSatisfy { $0.matches(context) }
        case .or: parts.contains { $0.matches(context) }
        }
    }

    // MARK: NSObject

    /// The predicate in the syntax of format strings, as Foundation prints it: parts that are compounds are in parentheses.
    open override var predicateFormat: String {
        switch compoundPredicateType {
        case .not:
            return "NOT " + parts[0].printedAsPart
        case .and, .or:
            if parts.isEmpty { return compoundPredicateType == .and ? "TRUEPREDICATE" : "FALSEPREDICATE" }
            if parts.count == 1 { return parts[0].printed }
            return parts.map(\.printedAsPart).joined(separator: compoundPredicateType == .and ? " AND " : " OR ")
        }
    }

    open override var description: String { predicateFormat }

    open override func copy(with zone: NSZone? = nil) -> Any { self }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSCompoundPredicate else { return false }
        return self === other || compoundPredicateType == other.compoundPredicateType && parts == other.parts
    }

    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(compoundPredicateType)
        for part in parts {
            // Foundation's constant predicates hash by identity although they are equal by value.
            if case .constant(let value) = part.form { hasher.combine(value) } else { hasher.combine(part) }
        }
        return hasher.finalize()
    }
}

extension NSPredicate {
    /// The text within a compound of several parts, or after NOT: one that is a compound itself is put in parentheses,
    /// even one of a single part.
    fileprivate var printedAsPart: String {
        self is NSCompoundPredicate ? "(\(printed))" : printed
    }
}
