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
    /// A report of several lines for the developer; empty when there is nothing to say.
    public var report: String

    /// A forecast that says no more than whether a migration is required.
    public init(isMigrationRequired: Bool) {
        self.isMigrationRequired = isMigrationRequired
        obstacles = []
        report = ""
    }

    /// Whether the volume is known to have too little room.
    public var lacksDiskSpace: Bool {
        guard let bytesNeeded, let bytesAvailable else { return false }
        return bytesAvailable < bytesNeeded
    }
}
