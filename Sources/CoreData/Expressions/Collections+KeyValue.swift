extension NSArray {
    /// The values of all elements for `key`, in order, with `NSNull` for an element that has none. `@count` counts.
    public func value(forKey key: String) -> Any? { KeyValuePath(key).value(in: self) }

    /// The values of all elements at a key path, or the result of its collection operator.
    public func value(forKeyPath keyPath: String) -> Any? { KeyValuePath(keyPath).value(in: self) }
}

extension NSSet {
    /// The different values of all elements for `key`; elements that have none are left out. `@count` counts.
    public func value(forKey key: String) -> Any? { value(forKeyPath: key) }

    /// The different values of all elements at a key path, or the result of its collection operator.
    public func value(forKeyPath keyPath: String) -> Any? {
        let result = KeyValuePath(keyPath).value(in: self)
        guard let values = result as? [Any], !keyPath.contains("@") else { return result }
        return NSSet(array: values.filter { !($0 is NSNull) })
    }
}

extension NSOrderedSet {
    /// The different values of all elements for `key`, in order. `@count` counts.
    public func value(forKey key: String) -> Any? { value(forKeyPath: key) }

    /// The different values of all elements at a key path, or the result of its collection operator.
    public func value(forKeyPath keyPath: String) -> Any? {
        let result = KeyValuePath(keyPath).value(in: self)
        guard let values = result as? [Any], !keyPath.contains("@") else { return result }
        return NSOrderedSet(array: values)
    }
}
