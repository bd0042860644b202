// About the room Migration/Ways.
//
// - Where the direct hop is impossible, or rows forbid it, `MigrationWay` looks for the shortest way through the
//   versions and mapping models among the program's resources (`MigrationRoute`). A version that lacks something that
//   the end has again is no part of a way.
// - Where the shortest way loses something that a version at hand has renamed, `RenamingChain` looks for a way that
//   keeps it. Of a lost entity it keeps all content. It goes only to versions that rename the thing or its entity.
// - `ModelShelf` reads each version once, and only when it is needed. `MigrationMap` compares a pair of versions once,
//   and of each version only the store's content (its configuration).
// - Hops that are all inferred are one transaction in place; otherwise each is a leg of a copy. `MigrationRun` takes
//   inferred hops together as far as the direct hop gives the values that all of them would. `ModelOrigins` tells that
//   hop the origin of everything.

import Foundation

/// The way of a store from its version to the program's: directly where that is possible, otherwise through other
/// versions of the model among the program's resources, by inference and by mapping models.
///
/// The way with the fewest hops is taken, unless a longer way through known versions keeps content that the direct one
/// would lose: a thing that was renamed twice. Between two versions a mapping model goes before an inferred one. No way
/// leads through a version that lacks something that the end has again: the store's content of it would be gone.
struct MigrationWay {
    /// Whether a mapping may be inferred.
    var infers: Bool
    /// More versions that the way may lead through.
    var versions: [NSManagedObjectModel]
    /// The configuration that the store belongs to, and the names of the entities that it holds; nil for all.
    var configuration: String?
    var stored: Set<String>?
    /// Whether the direct hop may be one that is inferred. Not when it is known that the store's rows forbid it.
    private var infersDirectly = true
    /// The checksums of versions that the store's rows do not fit.
    private var avoided: Set<String> = []
    /// The versions and mapping models among the resources of bundles.
    let shelf: ModelShelf

    /// - Parameter bundles: the bundles with versions and mapping models; nil for the main bundle and the packages'
    ///   resources.
    init(bundles: [Bundle]? = nil, infers: Bool = true, versions: [NSManagedObjectModel] = []) {
        shelf = ModelShelf(bundles)
        self.infers = infers
        self.versions = versions
    }

    /// For a store that says this about itself.
    func of(_ metadata: [String: Any], _ configuration: String?) -> MigrationWay {
        var way = self
        way.configuration = configuration
        way.stored = (metadata[NSStoreModelVersionHashesKey] as? [String: Data]).map { Set($0.keys) }
        return way
    }

    /// The hops; nil when there is no way. Models that it leads through are the way's own.
    func find(from source: NSManagedObjectModel, to model: NSManagedObjectModel) -> [MigrationHop]? {
        let map = MigrationMap(
            from: source, storing: stored, to: model, configuration: configuration, infers: infers,
            mappings: shelf.mappings)
        let direct = map.hop(from: MigrationMap.start, to: MigrationMap.end)
        if let direct, !direct.isInferred { return [direct] }
        func addOthers() { map.add(others(than: [source, model])) }
        func places(_ checksums: Set<String>) -> Set<Int> {
            checksums.isEmpty ? [] : Set(map.others.filter { checksums.contains(map.places[$0].versionChecksum) })
        }
        if let direct, infersDirectly {
            guard let chain = RenamingChain(map, addVersions: addOthers) else { return [direct] }
            if let found = chain.find(avoiding: places(avoided)) { return map.way(along: found) }
            // Content that another version would keep must not be lost because of some rows.
            return avoided.isEmpty ? [direct] : nil
        }
        addOthers()
        let avoided = places(avoided)
        // A new mandatory attribute without a default is possible only where there are no rows. Better a way around.
        for demandsNothing in [true, false] {
            let route = MigrationRoute.shortest(
                from: MigrationMap.start, to: MigrationMap.end, count: map.places.count
            ) { from, to in
                guard from != MigrationMap.start || to != MigrationMap.end, !avoided.contains(to),
                    let hop = map.hop(from: from, to: to), !demandsNothing || !hop.demandsValues
                else { return false }
                return !map.forgets(from: from, to: to)
            }
            guard let route else { continue }
            let usual = [MigrationMap.start] + route
            guard let chain = RenamingChain(map, insteadOf: usual, addVersions: {}), chain.find(avoiding: []) != nil
            else { return map.way(along: usual) }
            return chain.find(avoiding: avoided).map(map.way)
        }
        return nil
    }

    /// Goes the best way that there is. If rows forbid a change that the models allow, other ways are tried that keep
    /// as much. If there is none, the first error says why.
    ///
    /// - Parameter run: Gets the hops; nil if the models allow no way at all.
    func go(
        from source: NSManagedObjectModel, to model: NSManagedObjectModel, _ run: ([MigrationHop]?) throws -> Void
    ) throws {
        var way = self
        var refusal: NSError?
        while true {
            let hops = way.find(from: source, to: model)
            if hops == nil, let refusal { throw refusal }
            do {
                return try run(hops)
            } catch let error as NSError where MigrationErrors.isAboutRows(error) {
                refusal = refusal ?? error
                if let version = error.userInfo[MigrationErrors.versionKey] as? String {
                    guard way.avoided.insert(version).inserted else { throw error }
                } else {
                    guard let hops, hops.count == 1, hops[0].isInferred, way.infersDirectly else { throw error }
                    way.infersDirectly = false
                }
            }
        }
    }

    /// The same for a migration of a store, with its options about losses. If there is no way, the error of the direct
    /// one names the obstacle.
    func go(
        from source: NSManagedObjectModel, to model: NSManagedObjectModel, of url: URL, _ metadata: [String: Any],
        _ configuration: String?, _ options: [AnyHashable: Any]?,
        _ run: (_ hops: [MigrationHop], LossGuard) throws -> Void
    ) throws {
        try of(metadata, configuration).go(from: source, to: model) { hops in
            guard hops != nil || infers else {
                throw MigrationErrors.missingMappingModel(metadata: metadata, url: url)
            }
            let hops = hops ?? [MigrationHop(source: source, target: model, means: .inferred)]
            let lossGuard = LossGuard(
                url: url, target: model, configuration: configuration, options: options, hops: hops, shelf: shelf,
                versions: versions)
            try run(hops, lossGuard)
        }
    }

    /// The versions at hand, each once, except those at the beginning and the end of the way.
    private func others(than ends: [NSManagedObjectModel]) -> [NSManagedObjectModel] {
        var known = Set(ends.map(\.layoutChecksum))
        let given = versions.compactMap { version -> NSManagedObjectModel? in
            guard known.insert(version.layoutChecksum).inserted else { return nil }
            return version.copied()
        }
        return given + shelf.models(except: known)
    }
}
