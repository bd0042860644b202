import Foundation

/// An attribute whose value the store computes from other properties when an object is saved.
///
/// The expression is one of: the key path of an attribute or of a to-one relationship's attribute; `now()`;
/// `canonical:(attribute)`, `uppercase:(attribute)`, `lowercase:(attribute)`; `relationship.@count`; and
/// `relationship.attribute.@sum`. The attribute is read-only.
// @unchecked Sendable: see NSPropertyDescription; expressions are immutable.
open class NSDerivedAttributeDescription: NSAttributeDescription, @unchecked Sendable {
    private final var storedDerivationExpression: NSExpression?

    /// Creates a derived attribute without an expression.
    public override init() {
        super.init()
        isReadOnly = true
    }

    /// What the value is computed from.
    open var derivationExpression: NSExpression? {
        get { storedDerivationExpression }
        set {
            requireMutable()
            storedDerivationExpression = newValue
        }
    }

    override func makeEmptyCopy() -> NSPropertyDescription { NSDerivedAttributeDescription() }

    override func copyFields(to copy: NSPropertyDescription) {
        super.copyFields(to: copy)
        (copy as? NSDerivedAttributeDescription)?.storedDerivationExpression = storedDerivationExpression
    }

    override func hasSameDescription(as other: NSPropertyDescription) -> Bool {
        guard let other = other as? NSDerivedAttributeDescription, super.hasSameDescription(as: other) else {
            return false
        }
        return sameValue(storedDerivationExpression, other.storedDerivationExpression)
    }
}
