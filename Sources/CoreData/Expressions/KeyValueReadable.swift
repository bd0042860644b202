import Foundation

/// An object whose values predicates and expressions read by key.
///
/// Managed objects conform. Other objects are read as dictionaries, or through their stored properties.
package protocol KeyValueReadable: AnyObject {
    /// The value of the property called `key`, or `nil` when it has none.
    func value(forKey key: String) -> Any?

    /// The value of the property for predicates and expressions. By default it is that of `value(forKey:)`.
    func value(inPredicateForKey key: String) -> Any?

    /// The value for predicates and expressions, sorted by kind. An object that keeps typed values implements this
    /// method to save the boxing.
    func expressionValue(forKey key: String) -> ExpressionValue

    /// The order by `compare:` of this object's value and another object's, compared in place; nil if the values have
    /// to be read. Nil values come first.
    func order(with other: Any, byKey key: String) -> ComparisonResult?
}

extension KeyValueReadable {
    package func expressionValue(forKey key: String) -> ExpressionValue {
        ExpressionValue(value(inPredicateForKey: key))
    }

    package func value(inPredicateForKey key: String) -> Any? { value(forKey: key) }

    package func order(with other: Any, byKey key: String) -> ComparisonResult? { nil }
}

/// An object of the framework whose properties key paths read by name. On Apple's systems each getter is a key.
protocol KeyValueDescribed: AnyObject {
    /// The value of the property called `key`; `.none` for a name that is no property, `.some(nil)` for no value.
    func property(forKey key: String) -> Any??
}

extension KeyValueDescribed {
    /// The value of a getter, which has the name of its property, with "is" in front of some.
    func getter(_ key: String) -> Any?? {
        if let found = property(forKey: key) { return found }
        guard key.hasPrefix("is"), let first = key.dropFirst(2).first else { return .none }
        return property(forKey: first.lowercased() + key.dropFirst(3))
    }
}

/// An object that may have the identity of another one, such as a managed object and its id.
///
/// Two objects are equal for a predicate if their values of this property are one object, or are equal by `isEqual`.
package protocol ObjectIdentityComparable {
    /// The object to compare in place of `self`.
    var identityForComparison: AnyObject { get }
}

/// An object that stands for a row, or for an entity, and so has a place in the order of a store.
protocol RowOrdered: AnyObject {
    /// New objects come after saved ones, in the order in which they were made.
    var placeInOrder: (isNew: Bool, number: Int64) { get }
}

/// An object whose functions an expression can call by name: `FUNCTION($manager, "name:", argument)`.
package protocol ExpressionFunctionReceiver: AnyObject {
    /// Calls the function called `name` (a selector's spelling: one colon for each argument).
    ///
    /// Returns `.none` when the receiver has no function of that name, `.some(nil)` for a result of nil.
    func callExpressionFunction(_ name: String, arguments: [Any?]) -> Any??
}
