import Foundation

/// An attribute whose value the store computes from other properties when an object is saved.
///
/// The attribute is read-only. The expression is one of these:
///
/// - the key path of an attribute, or of an attribute of a to-one relationship
/// - `now()`
/// - `canonical:(attribute)`, `uppercase:(attribute)` and `lowercase:(attribute)`
/// - `relationship.@count` and `relationship.attribute.@sum`
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsderivedattributedescription)
// @unchecked Sendable: see NSPropertyDescription; expressions are immutable.
open class NSDerivedAttributeDescription: NSAttributeDescription, @unchecked Sendable {
    private final var storedDerivationExpression: NSExpression?

    /// Creates a derived attribute without an expression.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsderivedattributedescription)
    public override init() {
        super.init()
        isReadOnly = true
    }

    /// The expression that computes the value.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsderivedattributedescription/derivationexpression)
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
