import CoreData
import CoreDataManager
import Foundation

/// A migration while it runs.
final class RunningMigration: @unchecked Sendable {  // under `lock`
    private let lock = NSLock()
    private let end = DispatchSemaphore(value: 0)
    private var reporting: (any MigrationProgressReporting)?
    private var isCancelled = false
    /// Whether the migration ended because of the cancellation.
    private var wasCancelled = false

    func cancel() {
        let reporting = lock.withLock {
            isCancelled = true
            return self.reporting
        }
        reporting?.cancelMigration()
    }

    /// Migrates, and sends the progress to the page about ten times a second.
    func run(_ job: MigrationJob, _ tell: @escaping @Sendable (JSON) -> Void) throws {
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "studio.migration"))
        timer.schedule(deadline: .now(), repeating: 0.1)
        timer.setEventHandler { [weak self] in self?.status.map { tell($0) } }
        timer.resume()
        defer { timer.cancel() }
        do {
            try migrate(job)
        } catch {
            if ToolError(error).status == .cancelled { lock.withLock { wasCancelled = true } }
            throw error
        }
    }

    /// Records that the store is open again.
    func noteEnd() { end.signal() }

    /// Waits until the store is open again.
    /// - Returns: whether the migration was cancelled before its end.
    func waitForEnd() -> Bool {
        end.wait()
        return lock.withLock { wasCancelled }
    }

    private func migrate(_ job: MigrationJob) throws {
        try MeasuredMigrationAdapter().migrate(job) { reporting in
            let isLate = lock.withLock {
                self.reporting = reporting
                return isCancelled
            }
            if isLate { reporting.cancelMigration() }
        }
    }

    private var status: JSON? { lock.withLock { reporting }.map { Self.json("running", $0.migrationStatus) } }

    static func json(_ state: String, _ status: MigrationStatus? = nil, message: String? = nil) -> JSON {
        return .object([
            ("state", .string(state)), ("fraction", .number(status?.fractionCompleted ?? (state == "done" ? 1 : 0))),
            ("stage", .string(status?.stage ?? "")), ("rows", .optional(status?.rows?.completed)),
            ("rowsTotal", .optional(status?.rows?.total)), ("secondsLeft", .optional(status?.secondsLeft)),
            ("message", .optional(message)),
        ])
    }
}
