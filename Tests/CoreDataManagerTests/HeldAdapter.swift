import CoreDataManager
import Foundation

/// Begins a migration at once, and carries it out when the test signals the semaphore.
struct HeldAdapter: MigrationAdapter {
    let semaphore = DispatchSemaphore(value: 0)
    let real = CoreDataManager.Configuration().adapter

    func forecast(_ job: MigrationJob) throws -> LaunchForecast { try real.forecast(job) }

    func migrate(_ job: MigrationJob, begun: (any MigrationProgressReporting) -> Void) throws {
        let progress = Progress(totalUnitCount: 2)
        progress.completedUnitCount = 1
        begun(ProgressAdapter(progress, forecast: try? forecast(job)))
        semaphore.wait()
        try job.migrateByOpening()
    }
}
