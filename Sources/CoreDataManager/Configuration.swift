import CoreData

extension CoreDataManager {
    /// The settings of a manager: its store, and the timing of its launch.
    public struct Configuration: Sendable {
        /// The number of seconds that a launch may take before the manager shows the progress screen. The default is
        /// 0.2.
        ///
        /// A migration that ends sooner shows no screen, so that nothing flickers.
        public var graceDelay: TimeInterval = 0.2

        /// The minimum number of seconds that a progress screen stays. The default is 0.5.
        ///
        /// The completion handlers of a launch that showed a screen wait that long. Tasks that await the launch do not.
        public var minimumScreenTime: TimeInterval = 0.5

        /// The number of seconds between two readings of a migration's progress. The default is 0.05.
        public var progressInterval: TimeInterval = 0.05

        /// The type of the store. The default is `NSSQLiteStoreType`.
        public var storeType: String = NSSQLiteStoreType

        /// The configuration of the model that the store holds; nil for all entities.
        public var modelConfiguration: String?

        /// Further options of the store, by Core Data's option keys.
        ///
        /// The manager ignores the two options for automatic and inferred migration, because it decides itself whether
        /// to migrate. Options about the way of migrating, such as stages, reach the migration only.
        public var storeOptions: [String: any Sendable] = [:]

        /// The losses that a migration may cause. The default is none.
        ///
        /// An element is the name of an entity (its objects may be lost) or `"Entity.property"`, with the names of the
        /// store's version of the model. A migration that would lose anything else fails, and the launch ends with
        /// ``LaunchFailure/Kind/incompatible``. So a program that is older than its store does not drop values for
        /// which its model has no place. This property has no effect on platforms whose framework drops such values
        /// silently.
        public var allowedLosses: [String] = []

        /// The relation between the contexts. The default is ``ContextLayout/chain``.
        public var layout: ContextLayout = .chain

        /// Whether new objects get their permanent IDs before one context saves them into the next. The default is
        /// true.
        ///
        /// A reference to such an object is valid in every context at once. ``ContextLayout`` describes the cost of
        /// each layout.
        public var obtainsPermanentIDs = true

        /// The contexts' response to a thread that uses them or their objects off their queue.
        ///
        /// The default is ``Confinement/default``. The launch argument `-com.apple.CoreData.ConcurrencyDebug` overrides
        /// this property. On Apple's platforms only the argument counts.
        public var confinement: Confinement = .default

        /// The object that migrates the store and makes forecasts. The default is the platform's own adapter.
        public var adapter: any MigrationAdapter = Self.platformAdapter

        /// The words for the user. You can replace its tables.
        public var texts = LaunchTexts()

        /// The handler of errors of saves without a waiting caller (`wait: false` without a completion handler).
        ///
        /// By default it writes the error to standard error, so that no error is lost. The manager calls it on the
        /// queue of the context whose save failed.
        public var unattendedErrorHandler: @Sendable (any Error) -> Void = { error in
            FileHandle.standardError.write(Data("CoreDataManager: an unattended save failed: \(error)\n".utf8))
        }

        /// The response of a context to a thread that does not hold its queue.
        public enum Confinement: Sendable {
            /// The context does nothing.
            case ignore
            /// The context writes one line to standard error for each entity, property and operation.
            case report
            /// The process stops.
            case stop

            /// ``stop`` in debug builds, ``ignore`` in release builds.
            public static var `default`: Confinement {
                #if DEBUG
                .stop
                #else
                .ignore
                #endif
            }
        }

        /// Makes the default settings: an SQLite store of all entities, and 0.2 seconds of grace.
        public init() {}
    }
}
