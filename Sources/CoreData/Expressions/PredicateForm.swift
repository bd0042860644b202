/// The form of a predicate of any class.
package enum PredicateForm {
    case comparison(NSComparisonPredicate)
    case compound(NSCompoundPredicate)
    /// `TRUEPREDICATE` or `FALSEPREDICATE`.
    case constant(Bool)
    /// A block, or an unknown class. Such a predicate can only be evaluated for an object.
    case opaque(NSPredicate)
}

extension NSPredicate {
    /// The form of this predicate.
    package var form: PredicateForm {
        if let comparison = self as? NSComparisonPredicate { return .comparison(comparison) }
        if let compound = self as? NSCompoundPredicate { return .compound(compound) }
        if let constant = self as? ConstantPredicate { return .constant(constant.value) }
        guard type(of: self) == NSPredicate.self else { return .opaque(self) }
        return switch printed {
        case "TRUEPREDICATE": .constant(true)
        case "FALSEPREDICATE": .constant(false)
        default: .opaque(self)
        }
    }

    /// The predicate's text: `predicateFormat`, which Foundation on Linux marks deprecated.
    package var printed: String { (self as any PredicatePrinting).predicateFormat }

    /// Whether the predicate holds for an object that conforms to `KeyValueReadable`: `evaluate(with:)` without the
    /// cast.
    package func holds(for object: any KeyValueReadable, substitutionVariables variables: [String: Any]? = nil) -> Bool
    {
        matches(EvaluationContext(readable: object, substitutions: variables))
    }

    /// Evaluates any predicate with the variables of `context`.
    func matches(_ context: EvaluationContext) -> Bool {
        if let comparison = self as? NSComparisonPredicate { return comparison.compares(context) }
        if let compound = self as? NSCompoundPredicate { return compound.combines(context) }
        let bindings = context.iterators.isEmpty ? context.substitutions : context.bindings
        return evaluate(with: context.object, substitutionVariables: bindings)
    }
}

/// Reads `predicateFormat` without Foundation's deprecation, which is about Foundation's own text.
private protocol PredicatePrinting {
    var predicateFormat: String { get }
}

extension NSPredicate: PredicatePrinting {}

/// `TRUEPREDICATE` and `FALSEPREDICATE` as the parser makes them: equal to Foundation's `NSPredicate(value:)`, but with
/// a text.
final class ConstantPredicate: Foundation.NSPredicate {
    let value: Bool

    init(_ value: Bool) {
        self.value = value
        super.init(value: value)
    }

    override func copy(with zone: NSZone? = nil) -> Any { self }

    override var predicateFormat: String { value ? "TRUEPREDICATE" : "FALSEPREDICATE" }

    override var description: String { predicateFormat }
}
