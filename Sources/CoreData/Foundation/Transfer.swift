/// Carries a value to another queue where nobody else touches it any more.
struct Transfer<Value>: @unchecked Sendable {  // handed over: the sender does not use the value afterwards
    let value: Value
    init(_ value: Value) { self.value = value }
}
