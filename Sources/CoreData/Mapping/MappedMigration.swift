import Foundation

/// Brings a store to another version of its model by a mapping model: into a new file beside it, which then takes its place.
struct MappedMigration {
    let url: URL
    let source: NSManagedObjectModel
    let model: NSManagedObjectModel
    let configuration: String?
    let mapping: NSMappingModel
    let options: [AnyHashable: Any]?

    /// Migrates the store, while nobody else can open it. False when somebody else has changed its version meanwhile: then it
    /// is to be looked at again.
    ///
    /// Whatever goes wrong, the store stays as it was.
    func migrate() throws -> Bool {
        let settings = try SQLiteStoreOptions(options, url: url)
        let before = try SQLiteStoreMetadata.metadata(at: url, timeout: settings.timeout)
        let copying = CopyingMigration(
            store: SQLiteStoreFiles(url), model: model, configuration: configuration, timeout: settings.timeout)
        return try copying.run(from: before) { _, copy in try migrate(into: copy) }
    }

    private func migrate(into copy: SQLiteStoreFiles) throws {
        let managerClass = SQLiteStore.migrationManagerClass() as? NSMigrationManager.Type ?? NSMigrationManager.self
        let manager = managerClass.init(sourceModel: source, destinationModel: model)
        manager.destinationConfiguration = configuration
        manager.follower = options?[NSMigrationProgressOption] as? Progress
        var sourceOptions = options ?? [:]
        sourceOptions[SQLiteStoreOptions.immutableKey] = true
        try manager.migrateStore(
            from: url, sourceType: NSSQLiteStoreType, options: sourceOptions, with: mapping,
            toDestinationURL: copy.main, destinationType: NSSQLiteStoreType, destinationOptions: copyOptions)
    }

    /// The copy is of no use until it is whole: nothing of it has to be safe before that. Its history begins afterwards.
    private var copyOptions: [AnyHashable: Any] {
        var copy = options ?? [:]
        var pragmas = copy[NSSQLitePragmasOption] as? [AnyHashable: Any] ?? [:]
        pragmas["synchronous"] = "OFF"
        copy[NSSQLitePragmasOption] = pragmas
        copy[NSPersistentHistoryTrackingKey] = nil
        copy[NSPersistentStoreRemoteChangeNotificationPostOptionKey] = nil
        return copy
    }
}
