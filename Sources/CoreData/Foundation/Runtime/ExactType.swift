/// A value if its type is exactly the expected type; nil for any other type.
///
/// A cast of `Any` also tries bridging, classes and conformances, and takes many times as long.
@inline(__always)
func exactly<Wanted>(_ value: Any, _: Wanted.Type) -> Wanted? {
    func opened<Value>(_ value: Value) -> Wanted? {
        Value.self == Wanted.self ? unsafeBitCast(value, to: Wanted.self) : nil
    }
    return _openExistential(value, do: opened)
}

/// The value as an object; nil for any other value, and if its type is not a class type itself.
///
/// A cast retains the value and searches for conversions, which costs more than the set's operation on the object.
@inline(__always)
func objectWithin(_ value: Any?) -> Unmanaged<AnyObject>? {
    #if _runtime(_ObjC)
    return nil
    #else
    // A reference is the first of the words of a value of any type, and the type is the last of them. The metadata
    // of a class begin with zero; nil has no type.
    return withUnsafeBytes(of: value) { words in
        guard let type = words.load(fromByteOffset: 24, as: UnsafePointer<UInt>?.self), type.pointee == 0 else {
            return nil
        }
        return words.load(as: Unmanaged<AnyObject>.self)
    }
    #endif
}
