import Foundation

/// An object whose values predicates and expressions read by key.
///
/// Managed objects conform. Other objects are read as dictionaries, or through their stored properties.
package protocol KeyValueReadable: AnyObject {
    /// The value of the property called `key`, or `nil` when it has none.
    func value(forKey key: String) -> Any?

    /// The value as predicates and expressions have it: the same, where the object does not know better.
    func value(inPredicateForKey key: String) -> Any?

    /// That value, already sorted by kind. An object that keeps typed values saves a boxing by implementing it.
    func expressionValue(forKey key: String) -> ExpressionValue

    /// The order of this object's value and another one's by `compare:`, found where the values stand; nil where they
    /// have to be read. Nothing comes before everything.
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

/// Something that stands for the same thing as another object: a managed object and its id.
///
/// Two objects are equal to a predicate if they give the same object here, or equal ones by `isEqual`.
package protocol ObjectIdentityComparable {
    /// The object to compare in place of `self`.
    var identityForComparison: AnyObject { get }
}

/// An object that stands for a row, or for an entity, and so has a place in the order of a store.
protocol RowOrdered: AnyObject {
    /// New objects come behind saved ones, in the order in which they were made.
    var placeInOrder: (isNew: Bool, number: Int64) { get }
}

/// An object whose functions an expression can call by name: `FUNCTION($manager, "name:", argument)`.
package protocol ExpressionFunctionReceiver: AnyObject {
    /// Calls the function called `name` (a selector's spelling: one colon for each argument).
    ///
    /// Returns `.none` when the receiver has no function of that name, `.some(nil)` for a result that is nothing.
    func callExpressionFunction(_ name: String, arguments: [Any?]) -> Any??
}
