import CoreData

extension CoreDataManager {
    /// How a manager opens its store and paces its launch.
    public struct Configuration: Sendable {
        /// Seconds that a launch may take before the progress screen is asked for. A migration that ends sooner shows
        /// none, so that nothing flickers. 0.2 by default.
        public var graceDelay: TimeInterval = 0.2

        /// Seconds that a progress screen stays at least: the completion handlers of a launch that showed one wait
        /// until then. Tasks that await readiness do not. 0.5 by default.
        public var minimumScreenTime: TimeInterval = 0.5

        /// Seconds between two looks at a migration's progress. 0.05 by default.
        public var progressInterval: TimeInterval = 0.05

        /// The type of the store, `NSSQLiteStoreType` by default.
        public var storeType: String = NSSQLiteStoreType

        /// The configuration of the model that the store holds; nil for all entities.
        public var modelConfiguration: String?

        /// Further options of the store, by Core Data's option keys. The two that ask for a migration are the manager's
        /// own business and are ignored here; those that say how (stages, deferring) reach the migration only.
        public var storeOptions: [String: any Sendable] = [:]

        /// What a migration may lose that it would otherwise refuse to lose: `"Entity"` (its objects) and
        /// `"Entity.property"`, as the store's version of the model calls them. Empty by default: a program that is
        /// older than its store then fails to launch (`LaunchFailure.Kind.incompatible`) instead of dropping what it
        /// does not know. On platforms whose framework drops such values silently it has no effect.
        public var allowedLosses: [String] = []

        /// How the contexts stand to each other, `.chain` by default.
        public var layout: ContextLayout = .chain

        /// Whether new objects get their permanent ids before they are saved from one context into the next, so that a
        /// reference to them is good in every context at once. True by default; see `ContextLayout` for the cost.
        public var obtainsPermanentIDs = true

        /// What the contexts do when a thread that does not hold their queue uses one of them or of their objects. By
        /// default debug builds stop the process there, release builds do not look. The launch argument
        /// `-com.apple.CoreData.ConcurrencyDebug` decides over it. On Apple's platforms only the argument decides.
        public var confinement: Confinement = .default

        /// Migrates and forecasts; the platform's own by default.
        public var adapter: any MigrationAdapter = Self.platformAdapter

        /// The words for the user. Its tables can be replaced.
        public var texts = LaunchTexts()

        /// Receives the error of a save that nobody waits for (`wait: false` without a completion handler). By default
        /// it is written to standard error: no error is ever dropped. Called on the queue of the context that failed.
        public var unattendedErrorHandler: @Sendable (any Error) -> Void = { error in
            FileHandle.standardError.write(Data("CoreDataManager: an unattended save failed: \(error)\n".utf8))
        }

        /// What contexts do about uses off their queue.
        public enum Confinement: Sendable {
            /// Nothing.
            case ignore
            /// Writes one line to standard error for each entity, property and operation.
            case report
            /// Stops the process.
            case stop

            /// `stop` in debug builds, `ignore` in release builds.
            public static var `default`: Confinement {
                #if DEBUG
                    .stop
                #else
                    .ignore
                #endif
            }
        }

        /// The defaults: an SQLite store of all entities, 0.2 seconds of grace.
        public init() {}
    }
}
