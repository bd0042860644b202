// About the room Migration/Losses.
//
// - `LossSearch` follows everything that the store's version has through the hops, by name (`ModelThing`). `LossCount`
//   counts the rows that hold it.
// - `LossGuard` refuses where the store goes back to a version that it has left, or where only the store keeps its
//   model. Both are an older program on a newer store. The versions that a store has left stand in its metadata
//   (`VersionRecord`). Going back ends the record there, so that the way forward again is no way back.
// - `VersionOrder` says which of the two versions is the newer one, where the store and the program tell. A step
//   forward is not guarded: what it leaves out was left out on purpose.
// - The guard looks twice: on a connection that leaves no trace, and within the transaction. It reads the program's
//   resources only where values could be lost. Hops after a mapping model are looked at in the copy.

import Foundation

/// Keeps an inferred migration from losing values that nobody has allowed to lose.
///
/// Three kinds of migration are guarded:
///
/// - one to a version that the store was of before,
/// - one from a version that the program does not know, whose model only the store keeps,
/// - one beside a mapping model that cannot be read.
///
/// The first two are those of an older program on the store of a newer one. A program that has the version, or gives
/// it, decides itself what its newer one leaves out; so does a mapping model. The second one is not guarded either if
/// the version's identifiers say that it is the older one.
struct LossGuard {
    let url: URL
    /// The version at the end of the whole way.
    let target: NSManagedObjectModel
    let configuration: String?
    let options: [AnyHashable: Any]?
    /// The hops of the migration, in their order.
    var hops: [MigrationHop]
    /// The versions among the resources of bundles.
    var shelf = ModelShelf(nil)
    /// More versions that the program knows.
    var versions: [NSManagedObjectModel] = []

    private var lossOptions: MigrationLossOptions { MigrationLossOptions(options) }
    /// Mapping models that may give the values a place.
    private var unreadable: [URL] { shelf.mappings.unreadable }

    /// A guard of the inferred hops that a way begins with.
    var atBeginning: LossGuard {
        var result = self
        result.hops = Array(hops.prefix { $0.isInferred && $0.stage == nil })
        return result
    }

    /// Whether losses have to be named, for a store with these metadata.
    private func isActive(_ metadata: [String: Any]) -> Bool {
        if VersionRecord(metadata).holds(target.versionHashes(ofConfiguration: configuration)) { return true }
        if !unreadable.isEmpty { return true }
        guard let source = hops.first?.source else { return false }
        if (lossOptions.versions + versions).contains(where: { isVersion($0, source, metadata) }) { return false }
        let order = VersionOrder(target: target, source: source, metadata)
        if order.isForward { return false }
        let listed = shelf.models(listedWith: source.versionChecksum) + order.ownVersions
        if listed.contains(where: { isVersion($0, source, metadata) }) { return false }
        let merged = NSManagedObjectModel.mergedModel(from: shelf.bundles, forStoreMetadata: metadata)
        return !(merged.map { isVersion($0, source, metadata) } ?? false)
    }

    /// Whether a model is the store's version: by its hashes, and by structure where a hash is not known exactly.
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

    /// The things that the hops have no place for, whether rows hold them or not.
    func lost(_ metadata: [String: Any]) -> [LossSearch.Lost] {
        let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data]
        return LossSearch.lost(on: hops, storing: hashes.map { Set($0.keys) }, configuration: configuration)
    }

    /// The names of content that the hops have no place for, and that nobody has allowed to lose, whether rows hold it
    /// or not: if programs continue beside a migration, it may come later.
    func guarded(_ metadata: [String: Any]) -> [String] {
        let lost = lost(metadata)
        guard !lost.isEmpty, isActive(metadata) else { return [] }
        let (allowed, names) = (lossOptions, Set(atBeginning.lost(metadata).map(\.name)))
        return lost.filter { names.contains($0.name) && !allowed.allow($0) }.map(\.name)
    }

    /// The losses of a store with these metadata. Things of which it holds nothing are left out.
    ///
    /// - Parameter onlyRefusable: Whether nothing is counted if nothing has to be named.
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

    /// Throws when rows of a store would lose something. Where nobody else can write, nothing comes in between.
    func check(_ metadata: [String: Any], _ source: NSManagedObjectModel, on connection: any SQLConnection) throws {
        let work = FollowedWork(progress: options?[NSMigrationProgressOption] as? Progress)
        try refuse(
            losses(metadata, onlyRefusable: true) {
                try numbers(of: $0, metadata, source, on: connection, .all, work)
            }, metadata)
    }

    /// The losses of rows of a store, allowed or not, as far as some milliseconds of looking tell.
    func sample(
        _ metadata: [String: Any], _ source: NSManagedObjectModel, on connection: any SQLConnection
    ) throws -> [MigrationLoss] {
        try losses(metadata) {
            try numbers(of: $0, metadata, source, on: connection, .sample, FollowedWork(progress: nil))
        }
    }

    private func numbers(
        of lost: [LossSearch.Lost], _ metadata: [String: Any], _ source: NSManagedObjectModel,
        on connection: any SQLConnection, _ extent: LossCount.Extent, _ work: FollowedWork
    ) throws -> [LossCount.Number] {
        let transaction = MigrationTransaction(url: url, model: target, configuration: configuration)
        let (schema, facts) = try transaction.state(of: source, metadata, on: connection)
        return try LossCount(
            connection: connection, layout: source.layout, schema: schema, facts: facts, work: work
        ).numbers(of: lost, extent)
    }

    // MARK: Stores that are one file

    /// Throws when objects of a file would lose something.
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

    /// The error that names losses which must not be.
    func refusal(_ losses: [MigrationLoss], _ metadata: [String: Any]) -> NSError {
        let wasLeft = VersionRecord(metadata).holds(target.versionHashes(ofConfiguration: configuration))
        let isBack = wasLeft || VersionOrder.ofIdentifiers(target, metadata) == .orderedAscending
        return MigrationErrors.losing(
            losses, allowed: lossOptions.allowed, url: url, unreadable: unreadable, isNewer: isBack)
    }
}
