import Foundation

/// Reading by key, for any object: its stored properties by name. Managed objects and collections have ways of their
/// own.
extension NSObjectProtocol where Self: NSObject {
    /// The value of a stored property by name. A name that the class does not have stops the process.
    public func value(forKey key: String) -> Any? { KeyValueAccess.value(of: self, forKey: key) }

    /// The value at the end of a path of keys, or the result of a collection operator.
    public func value(forKeyPath keyPath: String) -> Any? { KeyValuePath(keyPath).value(in: self) }
}
