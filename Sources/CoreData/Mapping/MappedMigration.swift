import Foundation

/// Brings a store to another version of its model by a mapping model: into a new file beside it, which then takes its place.
struct MappedMigration {
    let url: URL
    let source: NSManagedObjectModel
    let model: NSManagedObjectModel
    let configuration: String?
    let mapping: NSMappingModel
    let options: [AnyHashable: Any]?

    /// Migrates the store, while nobody else may write to it. False when somebody else has changed its version meanwhile: then
    /// it is to be looked at again.
    ///
    /// Whatever goes wrong, the store stays as it was.
    func migrate() throws -> Bool {
        let settings = try SQLiteStoreOptions(options, url: url)
        let before = try SQLiteStoreMetadata.metadata(at: url, timeout: settings.timeout)
        do {
            guard let sibling = try copyLocked(before, settings) else { return false }
            try SQLiteStoreFiles(url).exchange(with: sibling)
            return true
        } catch let error as SQLiteError {
            throw MigrationErrors.translated(error, url: url, doing: "opening")
        }
    }

    /// The migrated copy; nil when the store's version is not what it was. Nobody writes to the store meanwhile: others may
    /// read, and wait with writing, because what they wrote would not be in the copy.
    private func copyLocked(_ before: [String: Any], _ settings: SQLiteStoreOptions) throws -> SQLiteStoreFiles? {
        let lock = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: settings.timeout)
        try lock.requireWritable(at: url)
        lock.disableCheckpointOnClose()
        try lock.execute("BEGIN IMMEDIATE")
        defer { lock.rollback() }
        let now = try SQLiteStoreMetadata.metadata(at: url, timeout: settings.timeout)
        let key = NSStoreModelVersionHashesKey
        guard now[key] as? [String: Data] == before[key] as? [String: Data],
            now[NSStoreUUIDKey] as? String == before[NSStoreUUIDKey] as? String
        else { return nil }
        return try copy()
    }

    private func copy() throws -> SQLiteStoreFiles {
        let sibling = SQLiteStoreFiles(
            url.deletingLastPathComponent().appendingPathComponent(
                ".\(url.lastPathComponent).migration-\(UUID().uuidString)"))
        let managerClass = SQLiteStore.migrationManagerClass() as? NSMigrationManager.Type ?? NSMigrationManager.self
        let manager = managerClass.init(sourceModel: source, destinationModel: model)
        manager.destinationConfiguration = configuration
        manager.follower = options?[NSMigrationProgressOption] as? Progress
        do {
            try manager.migrateStore(
                from: url, sourceType: NSSQLiteStoreType, options: options, with: mapping,
                toDestinationURL: sibling.main, destinationType: NSSQLiteStoreType, destinationOptions: copyOptions)
            return sibling
        } catch {
            try? sibling.removeRemains()
            throw error
        }
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
