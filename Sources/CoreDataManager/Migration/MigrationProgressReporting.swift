import Foundation

/// How much of a migration is done.
public struct MigrationStatus: Sendable, Equatable {
    /// From 0 to 1.
    public var fractionCompleted: Double
    /// What is being done, in English, for logs; empty when there is nothing to say. Users are shown
    /// `LaunchTexts.text(for:)`.
    public var stage: String

    /// About how many rows are done and how many there are; nil when nobody counts them.
    public var rows: RowCount?
    /// About how many seconds it goes on, rounded up; nil when nobody knows.
    public var secondsLeft: Int?

    /// Rows that are done, of all.
    public struct RowCount: Sendable, Equatable {
        public var completed: Int
        public var total: Int

        /// `completed` of `total`.
        public init(completed: Int, total: Int) {
            self.completed = completed
            self.total = total
        }
    }

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

    /// What was known of the migration before it began; nil when nothing was. That is the default.
    var forecast: LaunchForecast? { get }

    /// Asks the migration to stop. It ends with an error and leaves the store as it was before.
    func cancelMigration()
}

extension MigrationProgressReporting {
    /// Nothing is known.
    public var forecast: LaunchForecast? { nil }
}

/// A migration whose progress is counted by a `Foundation.Progress`.
// @unchecked Sendable: the only state is the Progress, which guards its own.
public final class ProgressAdapter: MigrationProgressReporting, @unchecked Sendable {
    /// The counter that the migration drives.
    public let progress: Progress

    /// What was known of the migration before it began.
    public let forecast: LaunchForecast?
    private let start = DispatchTime.now()

    /// Presents `progress` as a migration that begins now.
    public init(_ progress: Progress, forecast: LaunchForecast? = nil) {
        self.progress = progress
        self.forecast = forecast
    }

    /// The counter's fraction; the stage says how many of its units are done. Rows are those of the forecast; the time
    /// that is left is the forecast's until a twentieth is done, then what follows from the time so far.
    public var migrationStatus: MigrationStatus {
        let total = progress.totalUnitCount
        let stage = total > 1 ? "\(progress.completedUnitCount) of \(total)" : ""
        var status = MigrationStatus(fractionCompleted: progress.fractionCompleted, stage: stage)
        let done = status.fractionCompleted
        if let rows = forecast?.rows, rows > 0 {
            status.rows = .init(completed: Int(Double(rows) * done), total: rows)
        }
        let elapsed = Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e9
        let left = done < 0.05 ? forecast?.seconds.map { $0 - elapsed } : elapsed * (1 - done) / done
        status.secondsLeft = left.map { Int(max($0, 0).rounded(.up)) }
        return status
    }

    /// Cancels the counter; whoever drives it stops at its next step.
    public func cancelMigration() {
        progress.cancel()
    }
}
