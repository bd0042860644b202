/// Carries something between blocks on the queue that it belongs to.
public struct Held<Value>: @unchecked Sendable {  // each use stands on that queue
    public let value: Value

    public init(_ value: Value) { self.value = value }
}
