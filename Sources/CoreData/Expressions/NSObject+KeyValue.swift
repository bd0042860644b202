import Foundation

/// Reads any object's stored properties by name. Managed objects and collections have methods of their own for it.
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
