import CoreData

/// Migrates with a full forecast, a progress by rows, and a way to cancel. It is the default on Linux.
public struct MeasuredMigrationAdapter: MigrationAdapter {
    /// Makes an adapter. It has no settings.
    public init() {}

    /// Plans the migration without changing the store.
    ///
    /// This takes milliseconds whatever the size of an SQLite store. A store of another type is read whole, as whenever
    /// it is opened. Such a store does not contain its model: the forecast has figures only if the model is among the
    /// program's resources.
    public func forecast(_ job: MigrationJob) throws -> LaunchForecast {
        let found = try NSPersistentStoreCoordinator.migrationForecast(
            forPersistentStoreAt: job.storeURL, to: job.model, configuration: job.modelConfiguration,
            options: job.options)
        var forecast = LaunchForecast(isMigrationRequired: found.isMigrationRequired)
        forecast.report = found.description
        forecast.obstacles = found.obstacles.map(\.description)
        forecast.losses = found.losses.map {
            .init(
                entity: $0.entity, property: $0.property, count: $0.count, isExact: $0.isExact, isAllowed: $0.isAllowed)
        }
        if found.isMigrationRequired && found.isPossible {
            forecast.isInstant = found.isInstant
            forecast.seconds = found.estimatedSeconds
            forecast.rows = found.rows
            forecast.bytesNeeded = found.diskSpaceNeeded
            forecast.bytesAvailable = found.diskSpaceAvailable
        }
        return forecast
    }

    /// Opens the store with a monitor that reports the migration and can cancel it.
    public func migrate(_ job: MigrationJob, begun: (any MigrationProgressReporting) -> Void) throws {
        let monitor = MigrationMonitor()
        begun(MonitorAdapter(monitor, forecast: try? forecast(job)))
        try job.migrateByOpening(with: [NSMigrationProgressOption: monitor.progress])
    }
}

/// A migration whose progress a monitor reports.
final class MonitorAdapter: MigrationProgressReporting {
    private let monitor: MigrationMonitor
    let forecast: LaunchForecast?

    init(_ monitor: MigrationMonitor, forecast: LaunchForecast?) {
        self.monitor = monitor
        self.forecast = forecast
    }

    /// The progress. The stage names the step, the entity, and the number of its rows that are done; the rows are those
    /// of the entity.
    var migrationStatus: MigrationStatus {
        guard let event = monitor.latest else { return MigrationStatus(fractionCompleted: 0) }
        var stage = [Self.word(for: event.stage), event.entity].compactMap(\.self).joined(separator: " ")
        if event.rowsTotal > 0 { stage += ", \(event.rowsDone) of \(event.rowsTotal)" }
        var status = MigrationStatus(fractionCompleted: event.fraction, stage: stage)
        if event.rowsTotal > 0 { status.rows = .init(completed: event.rowsDone, total: event.rowsTotal) }
        status.secondsLeft = (event.secondsLeft ?? forecast?.seconds).map { Int(max($0, 0).rounded(.up)) }
        return status
    }

    private static func word(for stage: MigrationEvent.Stage) -> String {
        switch stage {
        case .preparing: "preparing"
        case .checking: "checking"
        case .rewriting: "rewriting"
        case .copying: "copying"
        case .creatingObjects, .handling: "converting"
        case .creatingRelationships: "linking"
        case .validating: "validating"
        case .verifying: "verifying"
        case .finishing: "finishing"
        case .done: "done"
        }
    }

    func cancelMigration() { monitor.cancel() }
}

extension CoreDataManager.Configuration {
    /// The adapter of this platform.
    static var platformAdapter: any MigrationAdapter { MeasuredMigrationAdapter() }

    /// The keys of options about the way of migrating.
    static var migrationOptions: [String] {
        [
            NSPersistentStoreStagedMigrationManagerOptionKey, NSPersistentStoreDeferredLightweightMigrationOptionKey,
            NSMigrationProgressOption, NSMigrationAllowedLossesOption, NSMigrationKnownVersionsOption,
            NSMigrationMappingModelOption, NSMigrationSourceModelOption,
        ]
    }

    /// The key of the option for allowed losses.
    static var allowedLossesOption: String? { NSMigrationAllowedLossesOption }
}
