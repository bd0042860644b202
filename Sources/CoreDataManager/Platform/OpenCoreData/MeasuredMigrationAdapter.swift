import CoreData

/// Migrates with everything that this package's framework knows: a forecast, a progress by rows, cancelling.
public struct MeasuredMigrationAdapter: MigrationAdapter {
    /// The adapter; it has no settings.
    public init() {}

    /// Plans the migration without doing it; takes milliseconds at any size of the store.
    public func forecast(_ job: MigrationJob) throws -> LaunchForecast {
        guard job.storeType == NSSQLiteStoreType else {
            return LaunchForecast(isMigrationRequired: try job.isMigrationRequired())
        }
        let found = try NSPersistentStoreCoordinator.migrationForecast(
            forPersistentStoreAt: job.storeURL, to: job.model, configuration: job.modelConfiguration,
            options: job.options)
        var forecast = LaunchForecast(isMigrationRequired: found.isMigrationRequired)
        forecast.report = found.description
        forecast.obstacles = found.obstacles.map(\.description)
        if found.isMigrationRequired && found.isPossible {
            forecast.isInstant = found.isInstant
            forecast.seconds = found.estimatedSeconds
            forecast.rows = found.rows
            forecast.bytesNeeded = found.diskSpaceNeeded
            forecast.bytesAvailable = found.diskSpaceAvailable
        }
        return forecast
    }

    /// Opens the store with the option that lets a `Progress` follow the migration and cancel it.
    public func migrate(_ job: MigrationJob, begun: (any MigrationProgressReporting) -> Void) throws {
        let progress = Progress(totalUnitCount: 1)
        begun(ProgressAdapter(progress, forecast: try? forecast(job)))
        try job.migrateByOpening(with: [NSMigrationProgressOption: progress])
    }
}

extension CoreDataManager.Configuration {
    /// The adapter of this platform.
    static var platformAdapter: any MigrationAdapter { MeasuredMigrationAdapter() }
}
