import Foundation

/// What happens to a SQLite store before it is opened: nothing, a migration, or an error.
enum StoreMigration {
    /// Makes sure that a store fits a model.
    ///
    /// A store that is not there yet, that fits, or whose versioning is to be ignored is left alone; so is everything when
    /// the model has no such configuration, which opening reports. Otherwise the options
    /// decide: with `NSMigratePersistentStoresAutomaticallyOption` the store is migrated, by the stages of a manager, by a
    /// mapping model among the program's resources or, with `NSInferMappingModelAutomaticallyOption`, in place; without the
    /// first the error is `NSPersistentStoreIncompatibleVersionHashError` and names the entities that differ; without any
    /// of the others it is `NSMigrationMissingMappingModelError`.
    static func prepare(
        url: URL, model: NSManagedObjectModel, configuration: String? = nil, options: [AnyHashable: Any]? = nil
    ) throws {
        let settings = try SQLiteStoreOptions(options, url: url)
        guard url.path != "/dev/null" else { return }
        try StoreExchange.recover(SQLiteStoreFiles(url), timeout: settings.timeout)
        guard !settings.ignoresVersioning, model.entities(forConfigurationName: configuration) != nil,
            FileManager.default.fileExists(atPath: url.path),
            try !SQLiteStoreMetadata.isEmptyDatabase(at: url, timeout: settings.timeout)
        else { return }
        let metadata = try SQLiteStoreMetadata.metadata(at: url, timeout: settings.timeout)
        let compatibility = SQLiteStoreCompatibility(
            model: model, layout: model.layout, configurationName: configuration, url: url)
        do {
            try compatibility.check(metadata, timeout: settings.timeout)
        } catch let error as NSError where error.code == NSPersistentStoreIncompatibleVersionHashError {
            guard StoreOptions.bool(options, NSMigratePersistentStoresAutomaticallyOption) == true, !settings.isReadOnly
            else { throw error }
            if let manager = options?[NSPersistentStoreStagedMigrationManagerOptionKey] as? NSStagedMigrationManager {
                return try StagedMigration(
                    url: url, model: model, configuration: configuration, options: options, manager: manager
                ).run(metadata)
            }
            if try migrateByMappingModel(url, metadata, model, configuration, options, settings) {
                // Once more: another program may have changed the version meanwhile.
                return try prepare(url: url, model: model, configuration: configuration, options: options)
            }
            guard StoreOptions.bool(options, NSInferMappingModelAutomaticallyOption) == true else {
                throw MigrationErrors.missingMappingModel(metadata: metadata, url: url)
            }
            try LightweightMigrator.migrate(
                storeAt: url, to: model, configuration: configuration, options: options,
                progress: options?[NSMigrationProgressOption] as? Progress)
        }
    }

    /// Migrates by the mapping model among the program's resources, which goes before one that could be inferred. False when
    /// there is none.
    private static func migrateByMappingModel(
        _ url: URL, _ metadata: [String: Any], _ model: NSManagedObjectModel, _ configuration: String?,
        _ options: [AnyHashable: Any]?, _ settings: SQLiteStoreOptions
    ) throws -> Bool {
        guard MappingModelFile.hasCandidates(in: nil),
            let source = try? SourceModel(metadata: metadata, url: url, timeout: settings.timeout).find(),
            let mapping = NSMappingModel(from: nil, forSourceModel: source, destinationModel: model)
        else { return false }
        _ = try MappedMigration(
            url: url, source: source, model: model, configuration: configuration, mapping: mapping, options: options
        ).migrate()
        return true
    }
}
