import Foundation

/// The migration of a SQLite store before it is opened, if it needs one.
enum StoreMigration {
    /// Makes sure that a store fits a model.
    ///
    /// The store stays as it is if it does not exist, if it fits, or if its versioning is to be ignored. It also stays
    /// as it is if the model has no such configuration, which opening reports. Otherwise the options decide:
    ///
    /// - With `NSMigratePersistentStoresAutomaticallyOption` the store is migrated: by the stages of a manager, by
    ///   mapping models among the program's resources, or, with `NSInferMappingModelAutomaticallyOption`, in place.
    /// - Without this option the error is `NSPersistentStoreIncompatibleVersionHashError`, which names the entities
    ///   that differ.
    /// - Without any of the other options the error is `NSMigrationMissingMappingModelError`.
    ///
    /// A migration that would lose values whose loss the program has not allowed fails with
    /// `NSMigrationMissingSourceModelError` (`LossGuard`).
    ///
    /// - Returns: The summary of a store that fits.
    @discardableResult
    static func prepare(
        url: URL, model: NSManagedObjectModel, configuration: String? = nil, options: [AnyHashable: Any]? = nil
    ) throws -> SQLiteStoreSummary? {
        let timeout = try SQLiteStoreOptions(options, url: url).timeout
        var attempts = Attempts(timeout: timeout)
        return try prepare(
            url, for: model, configuration: configuration, options: options, timeout: timeout, attempts: &attempts)
    }

    private static func prepare(
        _ url: URL, for model: NSManagedObjectModel, configuration: String?, options: [AnyHashable: Any]?,
        timeout: TimeInterval, attempts: inout Attempts
    ) throws -> SQLiteStoreSummary? {
        do {
            return try prepareOnce(url, for: model, configuration: configuration, options: options, attempts: &attempts)
        } catch let error as NSError where error.code == NSMigrationMissingSourceModelError {
            // Another process may have migrated the store between two readings: then the store keeps another model.
            let key = NSStoreModelVersionHashesKey
            let hashes = (error.userInfo["metadata"] as? [String: Any])?[key] as? [String: Data]
            let present = try? SQLiteStoreMetadata.metadata(at: url, timeout: timeout)[key] as? [String: Data]
            guard let hashes, let present, hashes != present, attempts.goOn() else { throw error }
            return try prepare(
                url, for: model, configuration: configuration, options: options, timeout: timeout, attempts: &attempts)
        }
    }

    private static func prepareOnce(
        _ url: URL, for model: NSManagedObjectModel, configuration: String?, options: [AnyHashable: Any]?,
        attempts: inout Attempts
    ) throws -> SQLiteStoreSummary? {
        let settings = try SQLiteStoreOptions(options, url: url)
        guard StorePlace(url) == .file else { return nil }
        try StoreExchange.recover(SQLiteStoreFiles(url), timeout: settings.timeout)
        guard !settings.ignoresVersioning, model.entities(forConfigurationName: configuration) != nil,
            FileManager.default.fileExists(atPath: url.path),
            let summary = try SQLiteStoreSummary(at: url, timeout: settings.timeout)
        else { return nil }
        let metadata = summary.metadata
        do {
            try StoreModelCheck(model: model, layout: model.layout, configurationName: configuration, summary).check(
                metadata)
            return summary
        } catch let error as NSError where error.code == NSPersistentStoreIncompatibleVersionHashError {
            guard StoreOptions.bool(options, NSMigratePersistentStoresAutomaticallyOption) == true,
                !settings.isReadOnly, attempts.goOn()
            else { throw error }
            if let manager = options?[NSPersistentStoreStagedMigrationManagerOptionKey] as? NSStagedMigrationManager {
                try StagedMigration(
                    url: url, model: model, configuration: configuration, options: options, manager: manager
                ).run(metadata)
                return nil
            }
            if try migrateAsGiven(summary, to: model, configuration, options) {
                return try prepare(
                    url, for: model, configuration: configuration, options: options, timeout: settings.timeout,
                    attempts: &attempts)
            }
            let infers = StoreOptions.bool(options, NSInferMappingModelAutomaticallyOption) == true
            guard infers || !ModelResources.mappingModels(in: nil).isEmpty else {
                throw MigrationErrors.missingMappingModel(metadata: metadata, url: url)
            }
            let way = MigrationWay(infers: infers, versions: MigrationLossOptions(options).versions)
            try migrate(
                SourceModel(summary, versions: way.versions), to: model, configuration: configuration, options: options,
                way: way)
            // Once more, because another program may have changed the version since it was read.
            return try prepare(
                url, for: model, configuration: configuration, options: options, timeout: settings.timeout,
                attempts: &attempts)
        }
    }

    /// Migrates by the mapping model that the options name. Returns false where they name none for the store's version.
    private static func migrateAsGiven(
        _ summary: SQLiteStoreSummary, to model: NSManagedObjectModel, _ configuration: String?,
        _ options: [AnyHashable: Any]?
    ) throws -> Bool {
        let source = SourceModel(summary)
        guard let hop = try GivenMapping(options)?.hop(from: source, to: model, find: { try source.find() }) else {
            return false
        }
        try WayMigration(url: summary.url, hops: [hop], configuration: configuration, options: options)
            .run(from: summary.metadata)
        return true
    }

    /// Carries out the best hops that the migration has found. If rows forbid a change that the models allow, it
    /// searches for other hops.
    static func migrate(
        _ url: URL, metadata: [String: Any], to model: NSManagedObjectModel, configuration: String?,
        options: [AnyHashable: Any]?, way: MigrationWay, timeout: TimeInterval
    ) throws {
        let found = SourceModel(metadata: metadata, url: url, timeout: timeout, versions: way.versions)
        try migrate(found, to: model, configuration: configuration, options: options, way: way)
    }

    private static func migrate(
        _ found: SourceModel, to model: NSManagedObjectModel, configuration: String?, options: [AnyHashable: Any]?,
        way: MigrationWay
    ) throws {
        let (url, metadata) = (found.url, found.metadata)
        let source = try found.find()
        try way.tryHops(
            from: source, to: model, of: url, metadata: metadata, configuration: configuration, options: options
        ) { hops, lossGuard in
            try WayMigration(
                url: url, hops: hops, configuration: configuration, options: options, lossGuard: lossGuard
            ).run(from: metadata)
        }
    }
}
