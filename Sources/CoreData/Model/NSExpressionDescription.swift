import Foundation

/// A column of a dictionary result, or an element of an index, with a value that an expression computes.
///
/// Put it into ``NSFetchRequest/propertiesToFetch``. It is never part of an entity.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsexpressiondescription)
// @unchecked Sendable: see NSPropertyDescription; expressions are immutable.
open class NSExpressionDescription: NSPropertyDescription, @unchecked Sendable {
    private final var storedExpression: NSExpression?
    private final var storedResultType = NSAttributeType.undefinedAttributeType

    /// Creates a description without an expression.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsexpressiondescription)
    public override init() {
        super.init()
    }

    /// The expression that computes the value.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsexpressiondescription/expression)
    open var expression: NSExpression? {
        get { storedExpression }
        set {
            requireMutable()
            storedExpression = newValue
        }
    }

    /// The type of the value.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsexpressiondescription/expressionresulttype)
    open var expressionResultType: NSAttributeType {
        get { storedResultType }
        set {
            requireMutable()
            storedResultType = newValue
        }
    }

    /// The type of the value, with the names that the framework has in Swift. Setting an unknown raw value stops the
    /// process.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsexpressiondescription/resulttype)
    public final var resultType: NSAttributeDescription.AttributeType {
        get { NSAttributeDescription.AttributeType(rawValue: expressionResultType.rawValue) }
        set {
            guard let type = NSAttributeType(rawValue: newValue.rawValue) else {
                fatalError("\(newValue.rawValue) is not an attribute type (expression '\(name)').")
            }
            expressionResultType = type
        }
    }

    override func makeEmptyCopy() -> NSPropertyDescription { NSExpressionDescription() }

    override func copyFields(to copy: NSPropertyDescription) {
        super.copyFields(to: copy)
        guard let copy = copy as? NSExpressionDescription else { return }
        copy.storedExpression = storedExpression
        copy.storedResultType = storedResultType
    }

    override func hasSameDescription(as other: NSPropertyDescription) -> Bool {
        guard let other = other as? NSExpressionDescription, super.hasSameDescription(as: other) else { return false }
        return sameValue(storedExpression, other.storedExpression) && storedResultType == other.storedResultType
    }
}
