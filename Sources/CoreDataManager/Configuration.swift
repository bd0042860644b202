import CoreData

extension CoreDataManager {
    /// How a manager opens its store and paces its launch.
    public struct Configuration: Sendable {
        /// Seconds that a launch may take before the progress screen is asked for. A migration that ends sooner shows
        /// none, so that nothing flickers. 0.2 by default.
        public var graceDelay: TimeInterval = 0.2

        /// Seconds between two looks at a migration's progress. 0.05 by default.
        public var progressInterval: TimeInterval = 0.05

        /// The type of the store, `NSSQLiteStoreType` by default.
        public var storeType: String = NSSQLiteStoreType

        /// The configuration of the model that the store holds; nil for all entities.
        public var modelConfiguration: String?

        /// Further options of the store, by Core Data's option keys. The two that ask for a migration are the manager's
        /// own business and are ignored here.
        public var storeOptions: [String: any Sendable] = [:]

        /// Receives the error of a save that nobody waits for (`wait: false` without a completion handler). By default
        /// it is written to standard error: no error is ever dropped. Called on the queue of the context that failed.
        public var unattendedErrorHandler: @Sendable (any Error) -> Void = { error in
            FileHandle.standardError.write(Data("CoreDataManager: an unattended save failed: \(error)\n".utf8))
        }

        /// The defaults: an SQLite store of all entities, 0.2 seconds of grace.
        public init() {}
    }
}
