import Foundation

/// What a migration would cost, as far as the platform can say it before it begins.
///
/// Figures that the platform does not know are nil: Apple's framework says only whether a migration is required.
public struct LaunchForecast: Sendable, Equatable {
    /// Whether the store was written by another version of the model.
    public var isMigrationRequired: Bool
    /// Whether the migration takes the same short time whatever the size of the store.
    public var isInstant: Bool?
    /// About how long it takes on this machine, in seconds.
    public var seconds: TimeInterval?
    /// About how many rows are gone through.
    public var rows: Int?
    /// About how many bytes must be free on the volume of the store while it runs.
    public var bytesNeeded: Int64?
    /// How many bytes are free there.
    public var bytesAvailable: Int64?
    /// What makes the migration impossible, one sentence each, for the developer; empty when nothing is known to.
    public var obstacles: [String]
    /// What the store holds that this version of the model has no place for, whether it may go or not; empty when
    /// nothing is known of it.
    public var losses: [Loss] = []
    /// A report of several lines for the developer; empty when there is nothing to say.
    public var report: String

    /// A forecast that says no more than whether a migration is required.
    public init(isMigrationRequired: Bool) {
        self.isMigrationRequired = isMigrationRequired
        obstacles = []
        report = ""
    }

    /// Objects of an entity, or values of a property, that a migration loses.
    public struct Loss: Sendable, Equatable {
        /// The entity, as the store's version of the model calls it.
        public var entity: String
        /// The property; nil where objects are lost.
        public var property: String?
        /// How many objects are lost, or have a value that is.
        public var count: Int
        /// Whether `count` is all there is; otherwise there may be more.
        public var isExact: Bool
        /// Whether the migration goes on all the same.
        public var isAllowed: Bool

        /// A loss of `count` objects, or of the values that as many objects have.
        public init(entity: String, property: String? = nil, count: Int, isExact: Bool = true, isAllowed: Bool) {
            self.entity = entity
            self.property = property
            self.count = count
            self.isExact = isExact
            self.isAllowed = isAllowed
        }
    }

    /// Whether the volume is known to have too little room.
    public var lacksDiskSpace: Bool {
        guard let bytesNeeded, let bytesAvailable else { return false }
        return bytesAvailable < bytesNeeded
    }
}
