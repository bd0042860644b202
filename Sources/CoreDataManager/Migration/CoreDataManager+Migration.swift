import CoreData

extension CoreDataManager {
    /// Whether the store was written by another version of the model.
    ///
    /// Reads the store's metadata only: no table is looked at, no file is made, and it takes the same time whatever the
    /// size of the store. A store that does not exist needs no migration. Runs on the caller's thread.
    ///
    /// - Throws: Core Data's error when the file is there and is no store of the configured type.
    public func isMigrationRequired() throws -> Bool {
        try isMigrationRequired(to: loadModel())
    }

    /// Brings the store to the current model, without opening it for use.
    ///
    /// It is done on the manager's own queue by a coordinator that is thrown away afterwards. When no migration is
    /// required nothing happens. `launch` does this by itself; call it to migrate at a time of your own.
    ///
    /// - Parameter progress: receives the running migration, on the manager's queue, before it begins.
    /// - Throws: the error of the migration; the store is then as it was before.
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

    func isMigrationRequired(to model: NSManagedObjectModel) throws -> Bool {
        guard FileManager.default.fileExists(atPath: storeURL.path) else { return false }
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: configuration.storeType, at: storeURL, options: configuration.optionsForOpening)
        return !model.isConfiguration(
            withName: configuration.modelConfiguration, compatibleWithStoreMetadata: metadata)
    }

    /// Migrates on the calling thread, and looks at the progress from another one meanwhile.
    func migrate(
        to model: NSManagedObjectModel,
        begun: (any MigrationProgressReporting) -> Void,
        progressed: @escaping @Sendable () -> Void
    ) throws {
        let progress = Progress(totalUnitCount: 1)
        begun(ProgressAdapter(progress))

        let ticker = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
        ticker.schedule(deadline: .now() + configuration.progressInterval, repeating: configuration.progressInterval)
        ticker.setEventHandler(handler: progressed)
        ticker.activate()
        defer { ticker.cancel() }

        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: configuration.storeType, configurationName: configuration.modelConfiguration, at: storeURL,
            options: configuration.optionsForMigrating(progress))
        progressed()
        // Closed at once: the coordinator that serves the program opens the store anew and can migrate nothing.
        try coordinator.remove(store)
    }
}

extension CoreDataManager.Configuration {
    private var givenOptions: [AnyHashable: Any] {
        var options: [AnyHashable: Any] = [:]
        for (key, value) in storeOptions {
            options[key] = value
        }
        return options
    }

    /// The options of the program's own coordinator: it must never migrate on its own.
    var optionsForOpening: [AnyHashable: Any] {
        var options = givenOptions
        options[NSMigratePersistentStoresAutomaticallyOption] = nil
        options[NSInferMappingModelAutomaticallyOption] = nil
        return options
    }

    /// The options of the coordinator that migrates and is thrown away.
    func optionsForMigrating(_ progress: Progress) -> [AnyHashable: Any] {
        var options = givenOptions
        options[NSMigratePersistentStoresAutomaticallyOption] = true
        options[NSInferMappingModelAutomaticallyOption] = true
        options[NSMigrationProgressOption] = progress
        return options
    }
}
