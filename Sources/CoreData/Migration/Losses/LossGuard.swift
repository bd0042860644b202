// Implementation notes: Migration/Losses.
//
// - `LossSearch` follows all content of the store's version through the hops, by name (schema elements,
//   `SchemaElement`). `LossCount` counts the rows that have the content.
// - `LossGuard` refuses a migration back to a version that the store has left, and one from a version whose model only
//   the store keeps. In both cases an older program opens a newer store. The store's metadata list the versions that it
//   has left (`VersionRecord`). A migration back cuts the record at that version, so that a later migration forward
//   does not count as one back.
// - `VersionOrder` finds out which of the two versions is the newer one, if the store and the program have the
//   information. A migration forward is not guarded, because the developers have removed content on purpose.
// - The guard counts twice: on a connection that leaves no trace, and within the transaction. It reads the program's
//   resources only if values could be lost. The losses of hops after a mapping model are counted in the copy.

import Foundation

/// Keeps an inferred migration from losing values whose loss the program has not allowed.
///
/// Three kinds of migration are guarded:
///
/// - a migration to a version that the store had before,
/// - one from a version that is not among the program's, whose model only the store keeps,
/// - one if a mapping model cannot be read.
///
/// The first two are those of an older program on the store of a newer one. A program that has the version, or gives
/// it, decides itself what its newer one leaves out; so does a mapping model. The second kind is not guarded either if
/// the version's identifiers show that it is the older one.
struct LossGuard {
    /// The migration to the version at the end of all hops.
    let request: MigrationRequest
    /// The hops of the migration, in their order.
    var hops: [MigrationHop]
    /// The versions among the resources of bundles.
    private let modelCatalog: ModelCatalog
    /// Whether the program itself has named the store's version, such as in a stage.
    private let isSourceNamed: Bool

    init(
        _ request: MigrationRequest, hops: [MigrationHop], modelCatalog: ModelCatalog? = nil,
        isSourceNamed: Bool = false
    ) {
        self.request = request
        self.hops = hops
        self.modelCatalog = modelCatalog ?? ModelCatalog(request.bundles)
        self.isSourceNamed = isSourceNamed
    }

    private var url: URL { request.url }
    private var target: NSManagedObjectModel { request.model }
    private var configuration: String? { request.configuration }
    private var lossOptions: MigrationLossOptions { MigrationLossOptions(request.options) }
    /// Mapping models that may give the values a place.
    private var unreadable: [URL] { modelCatalog.mappings.unreadable }

    /// The guard of the inferred hops at the beginning.
    var atBeginning: LossGuard {
        var result = self
        result.hops = Array(hops.prefix { !$0.runsCode })
        return result
    }

    /// Whether losses have to be named, for a store with these metadata.
    private func isActive(_ metadata: [String: Any]) -> Bool {
        if VersionRecord(metadata).holds(target.versionHashes(ofConfiguration: configuration)) { return true }
        if !unreadable.isEmpty { return true }
        guard let source = hops.first?.source else { return false }
        if isSourceNamed || request.versions.contains(where: { isVersion($0, source, metadata) }) { return false }
        let order = VersionOrder(target: target, source: source, metadata)
        if order.isForward { return false }
        let listed = modelCatalog.models(listedWith: source.versionChecksum) + order.ownVersions
        if listed.contains(where: { isVersion($0, source, metadata) }) { return false }
        let merged = NSManagedObjectModel.mergedModel(from: modelCatalog.bundles, forStoreMetadata: metadata)
        return !(merged.map { isVersion($0, source, metadata) } ?? false)
    }

    /// Whether a model is the store's version: by its hashes, and by structure if a hash is not reproduced exactly.
    /// Hashes alone would let an older version with a derived attribute count as the newer one.
    private func isVersion(
        _ model: NSManagedObjectModel, _ source: NSManagedObjectModel, _ metadata: [String: Any]
    ) -> Bool {
        guard SourceModel(metadata: metadata, url: url).fits(model) else { return false }
        let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        let (mine, theirs) = (model.entitiesByName, source.entitiesByName)
        return stored.keys.allSatisfy { name in
            guard let entity = mine[name], !entity.isVersionHashExact else { return mine[name] != nil }
            return theirs[name].map {
                StoreModelCheck.facts(of: $0) == StoreModelCheck.facts(of: entity)
            } ?? false
        }
    }

    /// The content that the hops have no place for, whether rows have it or not.
    func lost(_ metadata: [String: Any]) -> [LossSearch.Lost] {
        let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data]
        return LossSearch.lost(on: hops, storing: hashes.map { Set($0.keys) }, configuration: configuration)
    }

    /// The names of content that the hops have no place for, and whose loss the program has not allowed. Rows may have
    /// the content or not: programs that continue beside a migration may still write it.
    func guarded(_ metadata: [String: Any]) -> [String] {
        let lost = lost(metadata)
        guard !lost.isEmpty, isActive(metadata) else { return [] }
        let (allowed, names) = (lossOptions, Set(atBeginning.lost(metadata).map(\.name)))
        return lost.filter { names.contains($0.name) && !allowed.allow($0) }.map(\.name)
    }

    /// The losses of a store with these metadata, without content that no row has.
    ///
    /// - Parameter onlyRefusable: Whether to skip the count if no loss has to be named.
    private func losses(
        _ metadata: [String: Any], onlyRefusable: Bool = false,
        counting: ([LossSearch.Lost]) throws -> [LossCount.Number]
    ) rethrows -> [MigrationLoss] {
        let lost = lost(metadata)
        if lost.isEmpty { return [] }
        let (isActive, allowed) = (isActive(metadata), lossOptions)
        if onlyRefusable, !isActive { return [] }
        // Behind a mapping model, and where a stage's code runs, the program itself decides about losses.
        let beginning = atBeginning.hops
        let names = Set((beginning.count == hops.count ? lost : atBeginning.lost(metadata)).map(\.name))
        return zip(lost, try counting(lost)).filter { $1.count > 0 || !$1.isExact }.map { thing, number in
            MigrationLoss(
                entity: thing.entity, property: thing.property, count: number.count, isExact: number.isExact,
                isAllowed: !isActive || !names.contains(thing.name) || allowed.allow(thing))
        }
    }

    // MARK: Stores in tables

    /// Throws if rows of a store would lose content. If the caller's lock excludes other writers, the result stays
    /// right until the migration.
    func check(_ metadata: [String: Any], _ source: NSManagedObjectModel, on connection: any SQLConnection) throws {
        let work = FollowedWork(progress: request.progress)
        try refuse(
            losses(metadata, onlyRefusable: true) {
                try numbers(of: $0, metadata: metadata, source: source, on: connection, extent: .all, work: work)
            }, metadata)
    }

    /// The losses of rows of a store, allowed or not, as far as a search of some milliseconds finds them.
    func sample(
        _ metadata: [String: Any], _ source: NSManagedObjectModel, on connection: any SQLConnection
    ) throws -> [MigrationLoss] {
        try losses(metadata) {
            try numbers(
                of: $0, metadata: metadata, source: source, on: connection, extent: .sample,
                work: FollowedWork(progress: nil))
        }
    }

    private func numbers(
        of lost: [LossSearch.Lost], metadata: [String: Any], source: NSManagedObjectModel,
        on connection: any SQLConnection, extent: LossCount.Extent, work: FollowedWork
    ) throws -> [LossCount.Number] {
        let transaction = MigrationTransaction(request)
        let (schema, catalog) = try transaction.state(of: source, metadata, on: connection)
        return try LossCount(
            connection: connection, layout: source.layout, schema: schema, catalog: catalog, work: work
        ).numbers(of: lost, extent)
    }

    // MARK: Stores that are one file

    /// Throws if objects of a file would lose content.
    func check(_ metadata: [String: Any], ofType type: String) throws {
        try refuse(losses(metadata, ofType: type, onlyRefusable: true), metadata)
    }

    /// The losses of objects of a file, allowed or not.
    func sample(_ metadata: [String: Any], ofType type: String) throws -> [MigrationLoss] {
        try losses(metadata, ofType: type)
    }

    private func losses(
        _ metadata: [String: Any], ofType type: String, onlyRefusable: Bool = false
    ) throws -> [MigrationLoss] {
        guard let first = hops.first else { return [] }
        return try losses(metadata, onlyRefusable: onlyRefusable) {
            try LossCount.numbers(of: $0, in: url, ofType: type, first.source.withPlainClasses())
        }
    }

    // MARK: Refusing

    private func refuse(_ losses: [MigrationLoss], _ metadata: [String: Any]) throws {
        let refused = losses.filter { !$0.isAllowed }
        if refused.isEmpty { return }
        throw refusal(refused, metadata)
    }

    /// The error that names losses which are not allowed.
    func refusal(_ losses: [MigrationLoss], _ metadata: [String: Any]) -> NSError {
        let wasLeft = VersionRecord(metadata).holds(target.versionHashes(ofConfiguration: configuration))
        let isBack = wasLeft || VersionOrder.ofIdentifiers(target, metadata) == .orderedAscending
        return MigrationErrors.losing(
            losses, allowed: lossOptions.allowed, url: url, unreadable: unreadable, isNewer: isBack)
    }
}
