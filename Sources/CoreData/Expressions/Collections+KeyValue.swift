extension NSArray {
    /// Returns the values of all elements for a key, in order.
    ///
    /// - Parameter key: The key. `@count` gives the number of elements.
    /// - Returns: An array, with `NSNull` for an element without a value.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsarray/value(forkey:))
    public func value(forKey key: String) -> Any? { KeyValuePath(key).value(in: self) }

    /// Returns the values of all elements at a key path, or the result of its collection operator.
    ///
    /// - Parameter keyPath: The key path.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsarray)
    public func value(forKeyPath keyPath: String) -> Any? { KeyValuePath(keyPath).value(in: self) }
}

extension NSSet {
    /// Returns the different values of all elements for a key. Elements without a value are left out.
    ///
    /// - Parameter key: The key. `@count` gives the number of elements.
    /// - Returns: A set of the values.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsset/value(forkey:))
    public func value(forKey key: String) -> Any? { value(forKeyPath: key) }

    /// Returns the different values of all elements at a key path, or the result of its collection operator.
    ///
    /// - Parameter keyPath: The key path.
    /// - Returns: A set of the values; for a key path with a collection operator its result.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsset)
    public func value(forKeyPath keyPath: String) -> Any? {
        let result = KeyValuePath(keyPath).value(in: self)
        guard let values = result as? [Any], !keyPath.contains("@") else { return result }
        return NSSet(array: values.filter { !($0 is NSNull) })
    }
}

extension NSOrderedSet {
    /// Returns the different values of all elements for a key, in order.
    ///
    /// - Parameter key: The key. `@count` gives the number of elements.
    /// - Returns: An ordered set of the values, with `NSNull` for elements without a value.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsorderedset/value(forkey:))
    public func value(forKey key: String) -> Any? { value(forKeyPath: key) }

    /// Returns the different values of all elements at a key path, or the result of its collection operator.
    ///
    /// - Parameter keyPath: The key path.
    /// - Returns: An ordered set of the values; for a key path with a collection operator its result.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsorderedset)
    public func value(forKeyPath keyPath: String) -> Any? {
        let result = KeyValuePath(keyPath).value(in: self)
        guard let values = result as? [Any], !keyPath.contains("@") else { return result }
        return NSOrderedSet(array: values)
    }
}
