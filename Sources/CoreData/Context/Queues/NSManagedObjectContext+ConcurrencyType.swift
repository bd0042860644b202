/// The kind of queue that a context is tied to.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontextconcurrencytype)
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
    /// The legacy type: the context belongs to the thread that uses it, and `perform` is not available.
    case confinementConcurrencyType = 0
    /// The context has a serial queue of its own.
    case privateQueueConcurrencyType = 1
    /// The context belongs to the main queue.
    case mainQueueConcurrencyType = 2
}

extension NSManagedObjectContext {
    /// The kind of queue that ``init(_:)`` ties a context to.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/concurrencytype-swift.struct)
    public struct ConcurrencyType: Hashable, Sendable {
        let type: NSManagedObjectContextConcurrencyType

        /// The context has a serial queue of its own.
        public static let privateQueue = ConcurrencyType(type: .privateQueueConcurrencyType)
        /// The context belongs to the main queue.
        public static let mainQueue = ConcurrencyType(type: .mainQueueConcurrencyType)
    }

    /// Creates a context that is tied to a queue of the given kind.
    ///
    /// - Parameter type: The main queue, or a private queue that the context creates.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/init(_:))
    public convenience init(_ type: ConcurrencyType) {
        self.init(concurrencyType: type.type)
    }

    /// The name of the context in messages.
    final var debugName: String {
        let kind =
            switch queueType {
            case .mainQueueConcurrencyType: "main-queue context"
            case .privateQueueConcurrencyType: "private-queue context"
            case .confinementConcurrencyType: "confinement context"
            }
        return settings.name.map { "\(kind) '\($0)'" }
            ?? "\(kind) 0x\(String(UInt(bitPattern: ObjectIdentifier(self).hashValue), radix: 16))"
    }
}
