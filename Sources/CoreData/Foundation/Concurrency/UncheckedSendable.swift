/// An unchecked-Sendable box that carries a value to another queue. The sender does not use the value after that.
struct UncheckedSendable<Value>: @unchecked Sendable {  // handed over: the sender does not use the value afterwards
    let value: Value
    init(_ value: Value) { self.value = value }
}
