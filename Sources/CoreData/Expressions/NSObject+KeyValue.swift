import Foundation

/// Reading by key, for any object: its stored properties by name. Managed objects and collections have ways of their
/// own.
extension NSObjectProtocol where Self: NSObject {
    /// Returns the value of a stored property, which reflection finds.
    ///
    /// Stops the process if the class has no such property. Managed objects and collections have functions of their
    /// own.
    ///
    /// - Parameter key: The name of the property.
    public func value(forKey key: String) -> Any? { KeyValueAccess.value(of: self, forKey: key) }

    /// Returns the value at the end of a path of keys, or the result of a collection operator.
    ///
    /// - Parameter keyPath: Names of stored properties, joined by dots.
    public func value(forKeyPath keyPath: String) -> Any? { KeyValuePath(keyPath).value(in: self) }
}
