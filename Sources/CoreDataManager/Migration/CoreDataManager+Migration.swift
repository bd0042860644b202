import CoreData

extension CoreDataManager {
    /// Whether the store was written by another version of the model.
    ///
    /// This method reads the store's metadata only, reads no table, and makes no file. It takes the same time whatever
    /// the size of the store. A store that does not exist needs no migration. The method runs on the caller's thread.
    ///
    /// - Returns: True if the launch has to migrate the store.
    /// - Throws: ``CoreDataManagerError/unreadableModel(_:)``, or Core Data's error if the file exists and is not a
    ///   store of the configured type.
    public func isMigrationRequired() throws -> Bool {
        try isMigrationRequired(to: loadModel())
    }

    /// Migrates the store to the current model, without opening it for use.
    ///
    /// The migration runs on the manager's own queue, with a coordinator that is released afterwards. If no migration
    /// is required, this method only returns. The launch migrates by itself; call this method to migrate at another
    /// time.
    ///
    /// - Parameter progress: Receives the running migration on the manager's queue, before the work begins.
    /// - Throws: The error of the migration. The store is then as it was before.
    public func migrate(
        progress: (@Sendable (any MigrationProgressReporting) -> Void)? = nil
    ) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            queue.async {
                continuation.resume(
                    with: Result {
                        let model = try self.loadModel()
                        guard try self.isMigrationRequired(to: model) else { return }
                        try self.migrate(to: model, begun: { progress?($0) }, progressed: {})
                    })
            }
        }
    }

    /// The work that a launch would have to do to the store.
    ///
    /// The method reads away from the caller's thread and changes nothing. It takes milliseconds whatever the size of
    /// an SQLite store. It does not wait for a migration: while one runs, it returns the forecast that was made before.
    /// ``LaunchForecast`` describes the figures that each platform has. A store that is already migrated needs no work.
    ///
    /// - Returns: The forecast.
    /// - Throws: The error of reading the model or the store.
    public func forecast() async throws -> LaunchForecast {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async {
                continuation.resume(
                    with: Result {
                        if let known = self.running.migration?.forecast { return known }
                        return try self.configuration.adapter.forecast(self.job(to: self.loadModel()))
                    })
            }
        }
    }

    func isMigrationRequired(to model: NSManagedObjectModel) throws -> Bool {
        try job(to: model).isMigrationRequired()
    }

    /// Migrates on the calling thread, while another thread reads the progress.
    func migrate(
        to model: NSManagedObjectModel,
        begun: (any MigrationProgressReporting) -> Void,
        progressed: @escaping @Sendable () -> Void
    ) throws {
        let ticker = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
        ticker.schedule(deadline: .now() + configuration.progressInterval, repeating: configuration.progressInterval)
        ticker.setEventHandler(handler: progressed)
        ticker.activate()
        defer { ticker.cancel() }
        defer { running.migration = nil }
        try configuration.adapter.migrate(job(to: model)) { migration in
            running.migration = migration
            begun(migration)
        }
        progressed()
    }

    func job(to model: NSManagedObjectModel) -> MigrationJob {
        MigrationJob(
            storeURL: storeURL, storeType: configuration.storeType, model: model,
            modelConfiguration: configuration.modelConfiguration, options: configuration.optionsForMigrating)
    }
}

extension CoreDataManager.Configuration {
    /// The options of the program's own coordinator: it must never migrate on its own.
    var optionsForOpening: [AnyHashable: Any] {
        var options = optionsForMigrating
        for key in Self.migrationOptions {
            options[key] = nil
        }
        return options
    }

    /// The options of the coordinator that migrates and is released afterwards. This coordinator sets the two options
    /// for automatic and inferred migration itself.
    var optionsForMigrating: [AnyHashable: Any] {
        var options: [AnyHashable: Any] = [:]
        for (key, value) in storeOptions {
            options[key] = value
        }
        options[NSMigratePersistentStoresAutomaticallyOption] = nil
        options[NSInferMappingModelAutomaticallyOption] = nil
        if !allowedLosses.isEmpty, let key = Self.allowedLossesOption { options[key] = allowedLosses }
        return options
    }
}

/// The migration that a manager carries out at this moment.
// @unchecked Sendable: guarded by the lock.
final class RunningMigration: @unchecked Sendable {
    private let lock = NSLock()
    private var stored: (any MigrationProgressReporting)?

    var migration: (any MigrationProgressReporting)? {
        get { lock.withLock { stored } }
        set {
            let before = lock.withLock {
                defer { stored = newValue }
                return stored
            }
            // Released outside the lock, because its deinitialiser may be code of the program.
            withExtendedLifetime(before) {}
        }
    }
}
