extension NSManagedObjectContext {
    /// The kinds of queues a context can be tied to.
    public struct ConcurrencyType: Hashable, Sendable {
        let type: NSManagedObjectContextConcurrencyType

        /// The context has a serial queue of its own.
        public static let privateQueue = ConcurrencyType(type: .privateQueueConcurrencyType)
        /// The context belongs to the main queue.
        public static let mainQueue = ConcurrencyType(type: .mainQueueConcurrencyType)
    }

    /// Makes a context that is tied to a queue of the given kind.
    public convenience init(_ type: ConcurrencyType) {
        self.init(concurrencyType: type.type)
    }
}
