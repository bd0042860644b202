import Foundation

/// How much of a migration is done.
public struct MigrationStatus: Sendable, Equatable {
    /// From 0 to 1.
    public var fractionCompleted: Double
    /// What is being done, in words for a person; empty when there is nothing to say.
    public var stage: String

    /// A progress of `fractionCompleted`, kept between 0 and 1.
    public init(fractionCompleted: Double, stage: String = "") {
        self.fractionCompleted = fractionCompleted.isFinite ? min(max(fractionCompleted, 0), 1) : 0
        self.stage = stage
    }
}

extension MigrationStatus: CustomStringConvertible {
    /// The share in per cent, and the stage.
    public var description: String {
        let percent = "\(Int(fractionCompleted * 100)) %"
        return stage.isEmpty ? percent : "\(percent), \(stage)"
    }
}

/// A running migration, as a progress screen sees it.
///
/// Both members may be used from any thread.
public protocol MigrationProgressReporting: AnyObject, Sendable {
    /// How much is done at this moment.
    var migrationStatus: MigrationStatus { get }

    /// Asks the migration to stop. It ends with an error and leaves the store as it was before.
    func cancelMigration()
}

/// A migration whose progress is counted by a `Foundation.Progress`.
// @unchecked Sendable: the only state is the Progress, which guards its own.
public final class ProgressAdapter: MigrationProgressReporting, @unchecked Sendable {
    /// The counter that the migration drives.
    public let progress: Progress

    /// Presents `progress` as a migration.
    public init(_ progress: Progress) {
        self.progress = progress
    }

    /// The counter's fraction; the stage says how many of its units are done.
    public var migrationStatus: MigrationStatus {
        let total = progress.totalUnitCount
        let stage = total > 1 ? "\(progress.completedUnitCount) of \(total)" : ""
        return MigrationStatus(fractionCompleted: progress.fractionCompleted, stage: stage)
    }

    /// Cancels the counter; whoever drives it stops at its next step.
    public func cancelMigration() {
        progress.cancel()
    }
}
