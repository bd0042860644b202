import Foundation

/// What happens to a store in a database before it is opened: nothing, a migration where it lies, or an error.
///
/// All hops are one transaction: whatever fails or is killed, the store is as it was. Of many processes that begin at
/// once one migrates; the others wait, and find the store at its new version.
struct DatabaseMigration {
    let engine: any InPlaceEngine
    /// Where the database is, and what errors show of that.
    let address: URL
    let url: URL
    let model: NSManagedObjectModel
    let configuration: String?
    let options: [AnyHashable: Any]?

    init(
        engine: any InPlaceEngine, at address: URL, model: NSManagedObjectModel, configuration: String?,
        options: [AnyHashable: Any]?
    ) {
        self.engine = engine
        self.address = address
        url = engine.shown(address)
        self.model = model
        self.configuration = configuration
        self.options = options
    }

    private var timeout: TimeInterval { StoreOptions.number(options, NSPersistentStoreTimeoutOption) ?? 240 }
    private var progress: Progress? { options?[NSMigrationProgressOption] as? Progress }
    private var ignoresVersioning: Bool {
        StoreOptions.bool(options, NSIgnorePersistentStoreVersioningOption) ?? false
    }

    /// Makes sure that a store fits the model, as `StoreMigration.prepare` does for files.
    func prepare() throws {
        guard !ignoresVersioning, model.entities(forConfigurationName: configuration) != nil else { return }
        var attempts = Attempts(timeout: timeout)
        while let metadata = try present() {
            do {
                return try check(metadata)
            } catch let error as NSError where error.code == NSPersistentStoreIncompatibleVersionHashError {
                guard StoreOptions.bool(options, NSMigratePersistentStoresAutomaticallyOption) == true,
                    StoreOptions.bool(options, NSReadOnlyPersistentStoreOption) != true, attempts.goOn()
                else { throw error }
                try migrate(from: metadata)
            }
        }
    }

    /// What the store says about itself; nil where the database has none yet.
    private func present() throws -> [String: Any]? {
        do {
            return try engine.metadata(at: address)
        } catch let error as NSError where SQLStoreMetadata.isNotAStore(error) {
            return nil
        }
    }

    private func check(_ metadata: [String: Any]) throws {
        try StoreModelCheck(
            model: model, layout: model.layout, configurationName: configuration, url: url,
            archivedModel: { try engine.cachedModel(at: address, timeout: timeout) }
        ).check(metadata)
    }

    // MARK: Migrating

    private func migrate(from metadata: [String: Any]) throws {
        let infers = StoreOptions.bool(options, NSInferMappingModelAutomaticallyOption) == true
        let way = MigrationWay(infers: infers, versions: MigrationLossOptions(options).versions)
        let found = SourceModel(
            metadata: metadata, url: url, versions: way.versions,
            archived: { try engine.cachedModel(at: address, timeout: timeout) })
        let source = try found.find()
        if let manager = options?[NSPersistentStoreStagedMigrationManagerOptionKey] as? NSStagedMigrationManager {
            let staged = StagedMigration(
                url: url, model: model, configuration: configuration, options: options, manager: manager)
            return try go(staged.hops(from: source, metadata), from: metadata, nil)
        }
        if let hop = try GivenMapping(options)?.hop(from: found, to: model, find: { source }) {
            return try go([hop], from: metadata, nil)
        }
        guard infers || !ModelResources.mappingModels(in: nil).isEmpty else {
            throw MigrationErrors.missingMappingModel(metadata: metadata, url: url)
        }
        try way.of(metadata, configuration).go(from: source, to: model) { hops in
            guard hops != nil || infers else {
                throw MigrationErrors.missingMappingModel(metadata: metadata, url: url)
            }
            // Where there is no way, the direct one says what stands in it.
            let hops = hops ?? [MigrationHop(source: source, target: model, means: .inferred)]
            let lossGuard = LossGuard(
                url: url, target: model, configuration: configuration, options: options, hops: hops, shelf: way.shelf,
                versions: way.versions)
            try go(hops, from: metadata, lossGuard)
        }
    }

    private func go(_ hops: [MigrationHop], from metadata: [String: Any], _ lossGuard: LossGuard?) throws {
        guard let first = hops.first, let last = hops.last else { return }
        if let hop = hops.first(where: { !$0.isInferred || $0.stage != nil }) { throw cannotGo(hop) }
        try engine.migrating(at: address, from: metadata, timeout: timeout, progress) { connection in
            MigrationMoment.reach(.transactionBegun)
            let present = try SQLStoreMetadata.read(from: connection, url: url)
            // Somebody else has migrated it: it is looked at again.
            guard StoredVersion(present) == StoredVersion(metadata) else { return }
            do {
                try lossGuard?.check(present, first.source, on: connection)
                var transaction = MigrationTransaction(url: url, model: last.target, configuration: configuration)
                // Dropping a column takes no time where this is gone.
                transaction.defersCleaning = false
                try transaction.goThrough(
                    hops.dropLast().map(\.target), from: first.source, on: connection, progress)
            } catch let error as any SQLFailure {
                throw MigrationErrors.translated(error, url: url, doing: "migrating")
            }
            MigrationMoment.reach(.stepsDone)
        }
        MigrationMoment.reach(.committed)
        if let progress { progress.completedUnitCount = progress.totalUnitCount }
    }

    private func cannotGo(_ hop: MigrationHop) -> NSError {
        .coreData(
            NSMigrationError,
            reason: "A store in a database is migrated by inference, and “"
                + (hop.stage.map { "\($0)” is a stage with code of the program's own." }
                    ?? "\(hop.name)” is a mapping model."),
            url: url)
    }
}
