import Foundation

/// Makes a store of another version by a mapping model, as one copy stage of a copying migration.
struct MappedMigration {
    /// The migration to the version of the newer file.
    let request: MigrationRequest
    /// The version of the older file.
    let source: NSManagedObjectModel
    let mapping: NSMappingModel

    private var managerClass: NSMigrationManager.Type {
        StoreEngines.fileEngine().storeClass.migrationManagerClass() as? NSMigrationManager.Type
            ?? NSMigrationManager.self
    }

    /// Whether another process resumes with the newer store that a killed process has left.
    var isKept: Bool { MappedPosition.isKept(for: mapping, managerClass) }

    /// Makes the newer store if there is none, or resumes with the one that a killed process has left. The older store
    /// is only read, without a lock.
    ///
    /// - Returns: The number of rows of each entity in the newer store.
    func make(
        _ store: SQLiteStoreFiles, into copy: SQLiteStoreFiles, _ progress: Progress?
    ) throws -> [String: Int] {
        let manager = managerClass.makeManager(source, request.model)
        manager.destinationConfiguration = request.configuration
        manager.follower = progress
        manager.isKept = isKept
        manager.isCopyStage = true
        var sourceOptions = request.options ?? [:]
        sourceOptions[NSMigrationProgressOption] = nil
        try manager.migrateStore(
            from: store.main, sourceType: NSSQLiteStoreType, options: sourceOptions, with: mapping,
            toDestinationURL: copy.main, destinationType: NSSQLiteStoreType, destinationOptions: copyOptions)
        // If SQL did the work alone, it has copied every row.
        return try manager.madeRows
            ?? EntityCounts(of: store, source, isLocked: true, following: FollowedWork(progress: progress))
            .after(through: [request.model], configuration: request.configuration)
    }

    /// The copy is of no use until it is whole, so nothing of it has to be durable before that. Its history begins
    /// afterwards.
    private var copyOptions: [AnyHashable: Any] {
        var copy = request.options ?? [:]
        var pragmas = copy[NSSQLitePragmasOption] as? [AnyHashable: Any] ?? [:]
        pragmas["synchronous"] = "OFF"
        copy[NSSQLitePragmasOption] = pragmas
        for key in [
            NSPersistentHistoryTrackingKey, NSPersistentStoreRemoteChangeNotificationPostOptionKey,
            NSMigrationProgressOption,
        ] {
            copy[key] = nil
        }
        return copy
    }
}
