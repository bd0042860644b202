import Foundation

/// The progress of a migration at one moment.
public struct MigrationStatus: Sendable, Equatable {
    /// The part that is done, from 0 to 1.
    public var fractionCompleted: Double
    /// The current step in English, for logs; it may be empty. Show users ``LaunchTexts/text(for:)``.
    public var stage: String

    /// The approximate number of rows; nil if the adapter does not count them.
    public var rows: RowCount?
    /// The approximate number of seconds left, rounded up; nil if it is unknown.
    public var secondsLeft: Int?

    /// The number of rows that are done, and the number of all rows.
    public struct RowCount: Sendable, Equatable {
        /// The number of rows that are done.
        public var completed: Int
        /// The number of all rows.
        public var total: Int

        /// Makes a count of rows.
        public init(completed: Int, total: Int) {
            self.completed = completed
            self.total = total
        }
    }

    /// Makes a progress.
    ///
    /// - Parameters:
    ///   - fractionCompleted: The part that is done. A value below 0 or above 1 becomes 0 or 1.
    ///   - stage: The current step, for logs.
    public init(fractionCompleted: Double, stage: String = "") {
        self.fractionCompleted = fractionCompleted.isFinite ? min(max(fractionCompleted, 0), 1) : 0
        self.stage = stage
    }
}

extension MigrationStatus: CustomStringConvertible {
    /// The percentage, and the current step.
    public var description: String {
        let percent = "\(Int(fractionCompleted * 100)) %"
        return stage.isEmpty ? percent : "\(percent), \(stage)"
    }
}

/// A running migration, in the form for a progress screen.
///
/// Use all members from any thread.
public protocol MigrationProgressReporting: AnyObject, Sendable {
    /// The current progress.
    var migrationStatus: MigrationStatus { get }

    /// The forecast that was made before the migration began; nil if there is none. The default is nil.
    var forecast: LaunchForecast? { get }

    /// Requests that the migration stops. It then ends with an error, and the store is as it was before.
    func cancelMigration()
}

extension MigrationProgressReporting {
    /// There is no forecast.
    public var forecast: LaunchForecast? { nil }
}

/// A migration whose progress a `Foundation.Progress` counts.
// @unchecked Sendable: the only state is the Progress, which guards its own.
public final class ProgressAdapter: MigrationProgressReporting, @unchecked Sendable {
    /// The counter that the migration updates.
    public let progress: Progress

    /// The forecast that was made before the migration began.
    public let forecast: LaunchForecast?
    private let start = DispatchTime.now()

    /// Presents a counter as a migration that begins now.
    ///
    /// - Parameters:
    ///   - progress: The counter that the migration updates.
    ///   - forecast: The forecast of the migration; its rows and seconds make the progress more exact.
    public init(_ progress: Progress, forecast: LaunchForecast? = nil) {
        self.progress = progress
        self.forecast = forecast
    }

    /// The fraction of the counter, with the number of its units as the stage.
    ///
    /// The number of rows comes from the forecast. So does the time left until a twentieth is done; after that it
    /// follows from the time that has passed.
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

    /// Cancels the counter. The migration stops at its next step.
    public func cancelMigration() {
        progress.cancel()
    }
}
