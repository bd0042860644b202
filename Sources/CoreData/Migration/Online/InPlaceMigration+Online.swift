import Foundation

// Migrations beside programs that continue to use the older version.
extension InPlaceMigration {
    /// The summary of an older version that a store still serves.
    private struct OlderVersion: StoreSummary {
        let url: URL
        let metadata: [String: Any]
        let readModel: () throws -> NSManagedObjectModel?

        func model() throws -> NSManagedObjectModel? { try readModel() }
    }

    /// The version of the model among those that a store serves besides its newest; nil if it is none of them.
    func otherVersion() throws -> (any StoreSummary)? {
        guard let online = engine as? any OnlineEngine else { return nil }
        for version in try online.otherVersions(at: address) {
            if try StoreModelCheck(request, archivedModel: version.model).fits(version.metadata) {
                return OlderVersion(url: url, metadata: version.metadata, readModel: version.model)
            }
        }
        return nil
    }

    /// The engine that migrates while other programs use the store; nil if the options do not ask for that.
    var onlineEngine: (any OnlineEngine)? {
        guard let online = engine as? any OnlineEngine, online.goesOnline(request.options) else { return nil }
        return online
    }

    func carryOutOnline(
        _ hops: [MigrationHop], from metadata: [String: Any], lossGuard: LossGuard?, engine online: any OnlineEngine,
        progress: Progress
    ) throws {
        var migration = try onlineMigration(hops, from: metadata)
        if let lossGuard, let first = hops.first {
            migration.guarded = lossGuard.guarded(metadata)
            try online.looking(at: address) { try lossGuard.check(metadata, first.source, on: $0) }
        }
        try online.migrateOnline(migration, at: address, timeout: timeout, progress)
    }

    /// The online migration for merged inferred hops.
    func onlineMigration(_ hops: [MigrationHop], from metadata: [String: Any]) throws -> OnlineMigration {
        guard let first = hops.first, let last = hops.last else {
            throw OnlineMigration.refusal(entity: nil, reason: "there is no way to the version", help: "")
        }
        var mapping: NSMappingModel?
        if hops.count == 1, case .mapping(let given) = first.means { mapping = given }
        if mapping == nil, let hop = hops.first(where: \.runsCode) {
            throw OnlineMigration.refusal(
                entity: nil,
                reason:
                    "the change runs code of the program (\(hop.stageName ?? hop.name)), which cannot run in reverse "
                    + "for values that the older version writes",
                help: "Split the change: add what is new, let programs fill it, and remove what is old in a later "
                    + "version; or migrate without NSPostgreSQLOnlineMigrationOption.")
        }
        let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data]
        let names = stored.map { Set($0.keys) }
        let configuration = request.configuration
        let merged = MergedHops.merge(
            from: first.source, storing: names, through: hops.map(\.target), configuration: configuration)
        guard merged.count == 1, let direct = merged.first else {
            throw OnlineMigration.refusal(
                entity: nil, reason: "the way leads through \(merged.count) versions",
                help: "Go to one version after the other, each when the one before it has no program any more.")
        }
        let transaction = MigrationTransaction(request.to(last.target))
        let difference = try ModelDifference(
            from: first.source.layout, to: last.target.layout,
            storedSource: names.map { MigrationMap.layouts(of: $0, in: first.source) },
            storedDestination: MigrationMap.layouts(ofConfiguration: configuration, in: last.target),
            origins: direct.origins)
        let splits = try mapping.map { try OnlineMapping.splits(of: $0, difference) } ?? []
        let entities = try transaction.entityNames()
        var newMetadata = transaction.newMetadata(metadata, difference, entities)
        transaction.record(in: metadata, after: first.source, through: hops.dropLast().map(\.target))
            .write(to: &newMetadata)
        return OnlineMigration(
            source: first.source, model: last.target, difference: difference, splits: splits, entities: entities,
            metadata: metadata,
            newMetadata: newMetadata, url: url, options: request.options)
    }
}
