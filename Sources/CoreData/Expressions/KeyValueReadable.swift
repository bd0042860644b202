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
}

extension KeyValueReadable {
    package func expressionValue(forKey key: String) -> ExpressionValue {
        ExpressionValue(value(inPredicateForKey: key))
    }

    package func value(inPredicateForKey key: String) -> Any? { value(forKey: key) }
}

/// Something that stands for the same thing as another object: a managed object and its id.
///
/// Two objects are equal to a predicate if they give the same object here, or equal ones by `isEqual`.
package protocol ObjectIdentityComparable {
    /// The object to compare in place of `self`.
    var identityForComparison: AnyObject { get }
}

/// An object whose functions an expression can call by name: `FUNCTION($manager, "name:", argument)`.
package protocol ExpressionFunctionReceiver: AnyObject {
    /// Calls the function called `name` (a selector's spelling: one colon for each argument).
    ///
    /// Returns `.none` when the receiver has no function of that name, `.some(nil)` for a result that is nothing.
    func callExpressionFunction(_ name: String, arguments: [Any?]) -> Any??
}
