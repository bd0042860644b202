import CSQLite
import Foundation

/// Brings a SQLite store to another version of its model, in place and in one transaction, without a mapping model.
///
/// Whatever ends the process, the file holds either the old version or the new one, with every row. Rows are never read into
/// the program: what has to be rewritten is rewritten by SQLite.
struct LightweightMigrator {
    let url: URL
    let model: NSManagedObjectModel
    let configuration: String?
    let options: [AnyHashable: Any]?
    /// Whether the file is a copy that is thrown away when anything goes wrong. Then nothing has to be taken back, and nothing
    /// to reach the disk before the whole does.
    var isDiscardable = false
    /// Looks for what rows would lose, in the transaction.
    var lossGuard: LossGuard?

    /// Migrates the store at a URL if it does not fit the model. False when there was nothing to do.
    ///
    /// - Parameters:
    ///   - versions: the versions on the way, in their order, when the direct way is not the one to go. It stays one
    ///     transaction: no program ever sees the store at one of them.
    ///   - source: the model the store was made with; nil to take the one the store keeps, or one of the main bundle's.
    ///   - isDiscardable: whether the file is a copy that is thrown away when anything goes wrong.
    ///   - lossGuard: refuses to lose values; nil where the program has said all there is to say.
    ///   - progress: is told how far the work is and may cancel it.
    @discardableResult
    static func migrate(
        storeAt url: URL, through versions: [NSManagedObjectModel] = [], to model: NSManagedObjectModel,
        configuration: String? = nil, source: NSManagedObjectModel? = nil, options: [AnyHashable: Any]? = nil,
        isDiscardable: Bool = false, lossGuard: LossGuard? = nil, progress: Progress? = nil
    ) throws -> Bool {
        var migrator = LightweightMigrator(url: url, model: model, configuration: configuration, options: options)
        migrator.isDiscardable = isDiscardable
        migrator.lossGuard = lossGuard
        return try migrator.run(given: source, through: versions, progress)
    }

    /// Migrates until the store fits: somebody else may migrate it meanwhile.
    private func run(
        given source: NSManagedObjectModel?, through versions: [NSManagedObjectModel], _ progress: Progress?
    ) throws -> Bool {
        let settings = try SQLiteStoreOptions(options, url: url)
        do {
            while true {
                let metadata = try SQLiteStoreMetadata.metadata(at: url, timeout: settings.timeout)
                if try fits(metadata, settings) { return false }
                let source = try SourceModel(metadata: metadata, url: url, timeout: settings.timeout).find(
                    given: source)
                // Nil: somebody else migrated the store between reading its metadata and locking it.
                if let done = try runTransaction(from: source, through: versions, metadata, settings, progress) {
                    return done
                }
            }
        } catch let error as SQLiteError {
            throw MigrationErrors.translated(error, url: url, doing: "opening")
        }
    }

    /// What would be done to the store now; nil when it fits the model already. Nothing on disk changes.
    func plan(source: NSManagedObjectModel? = nil) throws -> MigrationPlan? {
        guard try isRequired() else { return nil }
        do {
            let (source, connection) = try openQuietly(source: source)
            let (old, facts) = try state(of: source, on: connection)
            let new = SQLSchemaBuilder.schema(of: model.layout, entities: try entityNames())
            return try Self.plan(from: source.layout, old, to: model.layout, new, facts).plan
        } catch let error as SQLiteError {
            throw MigrationErrors.translated(error, url: url, doing: "planning")
        }
    }

    /// Whether the store was made with another version of the model. Nothing on disk changes.
    func isRequired() throws -> Bool {
        let settings = try SQLiteStoreOptions(options, url: url)
        guard let metadata = try SQLiteStoreMetadata.metadataOfStore(in: url, timeout: settings.timeout) else {
            return false
        }
        return try !fits(metadata, settings)
    }

    /// The model the store was made with, and a connection that reads the store and leaves no trace.
    func openQuietly(
        source: NSManagedObjectModel? = nil
    ) throws -> (source: NSManagedObjectModel, connection: SQLiteConnection) {
        let settings = try SQLiteStoreOptions(options, url: url)
        let metadata = try SQLiteStoreMetadata.metadata(at: url, timeout: settings.timeout)
        let source = try SourceModel(metadata: metadata, url: url, timeout: settings.timeout).find(given: source)
        return (source, try SQLiteStoreMetadata.quietConnection(at: url, timeout: settings.timeout))
    }

    private func fits(_ metadata: [String: Any], _ settings: SQLiteStoreOptions) throws -> Bool {
        do {
            try SQLiteStoreCompatibility(
                model: model, layout: model.layout, configurationName: configuration, url: url
            ).check(metadata, timeout: settings.timeout)
            return true
        } catch let error as NSError where error.code == NSPersistentStoreIncompatibleVersionHashError {
            return false
        }
    }

    // MARK: The transaction

    /// The whole migration as one transaction on a connection of its own. Nil when the store is not at that version any
    /// more.
    private func runTransaction(
        from source: NSManagedObjectModel, through versions: [NSManagedObjectModel], _ metadata: [String: Any],
        _ settings: SQLiteStoreOptions, _ progress: Progress?
    ) throws -> Bool? {
        let hadLog = FileManager.default.fileExists(atPath: SQLiteStoreFiles(url).wal.path)
        let connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: settings.timeout)
        SQLiteFunctions.register(on: connection)
        let functions = MigrationFunctions.State(
            externalData: ExternalData(folder: SQLiteStoreFiles(url).externalDataFolder))
        MigrationFunctions.register(on: connection, state: functions)
        defer { withExtendedLifetime(functions) {} }
        try settings.configure(connection, isWriter: true)
        try connection.prepareForMigration(isDiscardable: isDiscardable)
        // Copying a large -wal into the main file is left to whoever opens the store next.
        connection.disableCheckpointOnClose()

        do {
            try connection.begin()
            MigrationMoment.reach(.transactionBegun)
            let present = try SQLStoreMetadata.read(from: connection, url: url)
            guard StoredVersion(present) == StoredVersion(metadata) else {
                connection.rollback()
                return nil
            }
            try lossGuard?.check(present, source, on: connection)
            try goThrough(versions, from: source, on: connection, progress)
            // Whoever has the store open looks at SQLite's schema counter before it writes: it must move even where only
            // rows and metadata changed.
            try connection.raiseSchemaVersion()
            if !isDiscardable { try writeOut(connection, progress) }
            MigrationMoment.reach(.stepsDone)
            try connection.commit()
        } catch let error as SQLiteError where error.isOfMovedFile {
            // Another store lies there now.
            return nil
        } catch {
            connection.rollback()
            // Where there was no -wal, none is left: nothing in it counts.
            if !hadLog { connection.enableCheckpointOnClose() }
            throw error
        }
        MigrationMoment.reach(.committed)
        if let progress { progress.completedUnitCount = progress.totalUnitCount }
        return true
    }

    /// Brings what is to be committed to the disk, in pieces: the commit itself cannot be cancelled any more.
    private func writeOut(_ connection: SQLiteConnection, _ progress: Progress?) throws {
        guard progress != nil, try connection.journalMode() == "wal" else { return }
        connection.flushCache()
        try FollowedWork(progress: progress).writeOut(SQLiteStoreFiles(url).wal)
    }

    /// Goes through the versions to the model, in the transaction that is open.
    private func goThrough(
        _ versions: [NSManagedObjectModel], from source: NSManagedObjectModel, on connection: SQLiteConnection,
        _ progress: Progress?
    ) throws {
        let metadata = try SQLStoreMetadata.read(from: connection, url: url)
        let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data]
        let runs = MigrationRun.runs(
            from: source, storing: stored.map { Set($0.keys) }, through: versions + [model],
            configuration: configuration)
        let record = record(in: metadata, after: source, through: versions)
        if runs.count == 1 {
            return try hop(
                from: source, runs[0].origins, isLast: true, record, on: connection, MigrationProgress(progress))
        }
        let parts = MigrationParts(progress, weights: [Double](repeating: 1, count: runs.count))
        var source = source
        for (number, run) in runs.enumerated() {
            let migrator = LightweightMigrator(
                url: url, model: run.target, configuration: configuration, options: options)
            let isLast = number == runs.count - 1
            do {
                try parts.run(number) { part in
                    try migrator.hop(
                        from: source, run.origins, isLast: isLast, record, on: connection, MigrationProgress(part))
                }
            } catch let error as NSError where MigrationErrors.isAboutRows(error) && !isLast {
                throw MigrationErrors.onTheWay(error, through: run.target)
            }
            source = run.target
        }
    }

    /// The versions that the store will have left.
    private func record(
        in metadata: [String: Any], after source: NSManagedObjectModel, through versions: [NSManagedObjectModel]
    ) -> VersionRecord {
        var record = VersionRecord(metadata)
        let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        var left = [stored, source.entityVersionHashesByName.filter { stored[$0.key] != nil }]
        for version in versions + [model] {
            let next = version.versionHashes(ofConfiguration: configuration)
            record.leave(left, for: next)
            left = [next]
        }
        return record
    }

    /// Brings the store from one version to the model's, in the transaction that is open.
    private func hop(
        from source: NSManagedObjectModel, _ origins: ModelOrigins?, isLast: Bool, _ record: VersionRecord,
        on connection: SQLiteConnection, _ progress: MigrationProgress
    ) throws {
        let present = try SQLStoreMetadata.read(from: connection, url: url)
        try DeferredStatements.finish(present, on: connection)
        var (plan, newMetadata) = try prepare(source, origins, present, on: connection, progress)
        newMetadata[DeferredStatements.metadataKey] = nil
        record.write(to: &newMetadata)
        if isLast, StoreOptions.bool(options, NSPersistentStoreDeferredLightweightMigrationOptionKey) == true {
            let later = DeferredStatements.takeDeferrable(from: &plan)
            if !later.isEmpty { newMetadata[DeferredStatements.metadataKey] = later }
        }
        progress.expect(rows: plan.totalUnits) {
            try MigrationForecaster(url: url, model: model, configuration: configuration, options: options)
                .forecast(through: [], looksForWays: false)
        }
        let runner = MigrationRunner(
            connection: connection, url: url, progress: progress, metadata: newMetadata,
            modelCache: try SQLiteModelCache.encode(model))
        let spatialIndexes = try SpatialIndexes(connection)
        try runner.run(plan)
        try spatialIndexes.follow(on: connection)
        progress.finish()
    }

    private func prepare(
        _ source: NSManagedObjectModel, _ origins: ModelOrigins?, _ metadata: [String: Any],
        on connection: SQLiteConnection, _ progress: MigrationProgress
    ) throws -> (plan: MigrationPlan, metadata: [String: Any]) {
        let newNames = try entityNames()
        let (old, facts) = try state(of: source, metadata, on: connection)
        let new = SQLSchemaBuilder.schema(of: model.layout, entities: newNames)
        let (difference, plan) = try Self.plan(
            from: source.layout, old, to: model.layout, new, facts, origins)
        try ForgottenFiles(of: difference, in: old).note(storeAt: url, on: connection)
        progress.name(tablesOf: old, source.layout)
        progress.name(tablesOf: new, model.layout)
        return (plan, newMetadata(metadata, difference, newNames))
    }

    /// The tables that the source model has in the file, and what the file really holds.
    func state(
        of source: NSManagedObjectModel, _ metadata: [String: Any]? = nil, on connection: SQLiteConnection
    ) throws -> (schema: SQLSchema, facts: StoreFacts) {
        let metadata = try metadata ?? SQLStoreMetadata.read(from: connection, url: url)
        let names = Set((metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]).keys)
        let schema = try ActualSchema(connection).fit(source.layout, entities: names, url: url)
        return (schema, try StoreFacts(connection, tables: Set(schema.allTables.map(\.name) + ["ACHANGE"])))
    }

    /// What changes between two versions whose tables are these, and how.
    static func plan(
        from source: ModelLayout, _ old: SQLSchema, to destination: ModelLayout, _ new: SQLSchema, _ facts: StoreFacts,
        _ origins: ModelOrigins? = nil
    ) throws -> (difference: ModelDifference, plan: MigrationPlan) {
        let difference = try ModelDifference(
            from: source, to: destination,
            storedSource: Set(old.numbers.indices.filter { old.numbers[$0] != nil }),
            storedDestination: Set(new.numbers.indices.filter { new.numbers[$0] != nil }), origins: origins)
        let plan = MigrationPlanner.plan(for: difference, from: old, to: new, facts: facts)
        if !plan.refusals.isEmpty { throw MigrationErrors.combined(plan.refusals) }
        return (difference, plan)
    }

    /// The names of the configuration's entities; nil for all.
    func entityNames() throws -> Set<String>? {
        guard let configuration, configuration != NSManagedObjectModel.defaultConfigurationName else { return nil }
        guard let entities = model.entities(forConfigurationName: configuration) else {
            throw NSError.coreData(
                NSPersistentStoreOpenError, reason: "The model has no configuration named “\(configuration)”.", url: url
            )
        }
        return Set(entities.compactMap(\.name))
    }

    /// What describes the model is new; everything else the store says about itself stays.
    private func newMetadata(
        _ metadata: [String: Any], _ difference: ModelDifference, _ names: Set<String>?
    ) -> [String: Any] {
        var result = metadata
        for (key, value) in SQLStoreMetadata.description(of: model, entities: names) { result[key] = value }
        for key in ["_NSAutoVacuumLevel", NSStoreTypeKey] { result[key] = metadata[key] ?? result[key] }
        // Where the framework's rule for a hash is not known, an entity that did not change keeps the one it has.
        guard var hashes = result[NSStoreModelVersionHashesKey] as? [String: Data],
            let oldHashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data]
        else { return result }
        for entity in difference.destination.entities
        where hashes[entity.name] != nil && !entity.entity.isVersionHashExact {
            guard let origin = difference.sourceOf[entity.index].map({ difference.source.entities[$0] }),
                SQLiteStoreCompatibility.facts(of: origin.entity) == SQLiteStoreCompatibility.facts(of: entity.entity),
                let hash = oldHashes[origin.name]
            else { continue }
            hashes[entity.name] = hash
        }
        result[NSStoreModelVersionHashesKey] = hashes
        result["NSStoreModelVersionHashesDigest"] = VersionHash.storeDigest(of: hashes)
        result[NSPersistentStoreModelVersionChecksumKey] = VersionHash.checksum(of: hashes)
        return result
    }
}
