import CoreData

/// Tries every way between the versions of a model: makes a store of each version, migrates it to each later one, and looks
/// whether the result is what a new store would be, with every row.
public struct MigrationTrial {
    /// The versions, the oldest first.
    public var versions: [ModelVersion]
    /// Mapping models for pairs of versions, beside those that the program's resources hold. They are found by their hashes.
    public var mappingModels: [NSMappingModel] = []
    /// Options for adding a store, beside those that ask for a migration: a staged migration manager, say.
    public var options: [AnyHashable: Any] = [:]
    /// What stores are made with.
    public var samples = SampleStore()
    /// Fills a store of a version with objects, in place of the made-up ones. Called with an address where nothing lies.
    public var fill: ((_ url: URL, _ version: ModelVersion) throws -> Void)?

    /// A trial of these versions, the oldest first.
    public init(_ versions: [ModelVersion]) { self.versions = versions }

    /// Tries each pair of an older and a newer version directly, and the chain of all versions one after the other.
    public func run() throws -> MigrationTrialReport {
        var report = MigrationTrialReport()
        for older in versions.indices {
            for newer in versions.indices where newer > older {
                report.entries.append(try hop(versions[older], versions[newer]))
            }
        }
        if versions.count > 2 { report.entries.append(try chain(versions)) }
        return report
    }

    /// Tries one way directly.
    public func hop(_ older: ModelVersion, _ newer: ModelVersion) throws -> MigrationTrialReport.Entry {
        try chain([older, newer])
    }

    /// Tries one way through all these versions, with one store.
    public func chain(_ way: [ModelVersion]) throws -> MigrationTrialReport.Entry {
        var entry = MigrationTrialReport.Entry(name: way.map(\.name).joined(separator: " → "))
        guard let first = way.first else { return entry }
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("migration-trial-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("Trial.sqlite")
        if let fill { try fill(url, first) } else { try samples.make(at: url, first) }
        for (older, newer) in zip(way, way.dropFirst()) {
            let before = try TrialContent(of: url, older)
            if older.name == first.name { entry.rows = before.counts.values.reduce(0, +) }
            let mapping = mapping(from: older, to: newer)
            do {
                try migrate(url, older, newer, mapping)
            } catch {
                entry.refusal = (error as NSError).localizedDescription
                // The older program must still start, with everything.
                let after = try? TrialContent(of: url, older)
                if after?.counts != before.counts {
                    entry.problems.append("the migration failed, and the store is not as it was")
                }
                return entry
            }
            let checks = TrialChecks(older: older, newer: newer, mapping: mapping, before: before)
            entry.problems += try checks.problems(url, in: folder).map { "\(newer.name): \($0)" }
        }
        return entry
    }

    // MARK: Migrating

    private func migrate(
        _ url: URL, _ older: ModelVersion, _ newer: ModelVersion, _ mapping: NSMappingModel?
    ) throws {
        guard let mapping else {
            var options = options
            options[NSMigratePersistentStoresAutomaticallyOption] = true
            options[NSInferMappingModelAutomaticallyOption] = true
            // What the newer version leaves out on purpose is for the trial's reader to judge.
            if options[NSMigrationKnownVersionsOption] == nil {
                options[NSMigrationKnownVersionsOption] = [older.freshModel()]
            }
            try TrialStore.open(url, newer.freshModel(), options: options) { _ in }
            return
        }
        let folder = url.deletingLastPathComponent().appendingPathComponent("mapped", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let target = folder.appendingPathComponent(url.lastPathComponent)
        let manager = NSMigrationManager(sourceModel: older.freshModel(), destinationModel: newer.freshModel())
        try manager.migrateStore(
            from: url, sourceType: NSSQLiteStoreType, options: nil, with: mapping, toDestinationURL: target,
            destinationType: NSSQLiteStoreType, destinationOptions: nil)
        try NSPersistentStoreCoordinator(managedObjectModel: newer.freshModel()).replacePersistentStore(
            at: url, destinationOptions: nil, withPersistentStoreFrom: target, sourceOptions: nil,
            ofType: NSSQLiteStoreType)
    }

    /// The given mapping model whose hashes are those of the two versions.
    private func mapping(from older: ModelVersion, to newer: ModelVersion) -> NSMappingModel? {
        let (old, new) = (older.model.entityVersionHashesByName, newer.model.entityVersionHashesByName)
        func agrees(_ name: String?, _ hash: Data?, _ hashes: [String: Data]) -> Bool {
            guard let name else { return true }
            return hashes[name] != nil && (hash == nil || hashes[name] == hash)
        }
        return mappingModels.first { mapping in
            let mappings = mapping.entityMappings ?? []
            return !mappings.isEmpty
                && mappings.allSatisfy {
                    agrees($0.sourceEntityName, $0.sourceEntityVersionHash, old)
                        && agrees($0.destinationEntityName, $0.destinationEntityVersionHash, new)
                }
        }
    }
}
