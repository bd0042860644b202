/// A value whose type is the very one that is asked for; nil of any other type.
///
/// A cast of `Any` asks for bridging, classes and conformances besides, and takes many times as long.
@inline(__always)
func exactly<Wanted>(_ value: Any, _: Wanted.Type) -> Wanted? {
    func opened<Value>(_ value: Value) -> Wanted? {
        Value.self == Wanted.self ? unsafeBitCast(value, to: Wanted.self) : nil
    }
    return _openExistential(value, do: opened)
}
