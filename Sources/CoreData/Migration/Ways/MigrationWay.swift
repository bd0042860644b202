// Implementation notes: Migration/Ways.
//
// - `MigrationStrategy` is the one place that chooses the hops: by the stages or the mapping model of the options, or
//   by the search of this file. Stores of every kind and forecasts ask it.
// - If the direct hop is impossible, or rows forbid it, `MigrationWay` searches for the fewest hops through the
//   versions and mapping models among the program's resources (`MigrationRoute`). It excludes a version that lacks
//   content which the last version has again.
// - If these hops lose content that a version at hand has renamed, `RenamingChain` searches for hops that keep it. Of a
//   lost entity it keeps all content. It uses only versions that rename the content or its entity.
// - `ModelCatalog`, the model catalog, reads each version once, and only when it is needed. `MigrationMap` compares a
//   pair of versions once, and of each version only the store's content (its configuration).
// - If all hops are inferred, they are one transaction in place. Otherwise each is a copy stage. `MergedHops` merges
//   inferred hops if the direct hop gives the values that all of them would. `ModelOrigins` gives that hop the origins
//   of all entities and properties.

import Foundation

/// The hops of a store from its version to the program's: the direct hop if it is possible, otherwise hops through
/// other versions of the model among the program's resources, by inference and by mapping models.
///
/// The fewest hops are taken, unless more hops keep content that the fewest would lose, such as an attribute that was
/// renamed twice. Between two versions a mapping model has precedence over an inferred one. No hop leads to a version
/// that lacks content which the last version has again, because the store would lose it there.
struct MigrationWay {
    /// Whether a mapping may be inferred.
    var infers: Bool
    /// More versions that the hops may lead through.
    var versions: [NSManagedObjectModel]
    /// The configuration of the store, and the names of the entities that it holds; nil for all.
    var configuration: String?
    var stored: Set<String>?
    /// Whether the direct hop may be inferred. False once the store's rows have been found to forbid it.
    private var infersDirectly = true
    /// The checksums of versions that the store's rows do not fit.
    private var avoided: Set<String> = []
    /// The versions and mapping models among the resources of bundles.
    let modelCatalog: ModelCatalog

    /// - Parameter bundles: the bundles with versions and mapping models; nil for the main bundle and the packages'
    ///   resources.
    init(bundles: [Bundle]? = nil, infers: Bool = true, versions: [NSManagedObjectModel] = []) {
        modelCatalog = ModelCatalog(bundles)
        self.infers = infers
        self.versions = versions
    }

    /// Creates a value that uses these versions and mapping models alone.
    init(versions: [NSManagedObjectModel], mappings: MappingModelCandidates) {
        modelCatalog = ModelCatalog(mappings: mappings)
        infers = true
        self.versions = versions
    }

    /// A copy of this value for a store with these metadata.
    func of(_ metadata: [String: Any], _ configuration: String?) -> MigrationWay {
        var way = self
        way.configuration = configuration
        way.stored = (metadata[NSStoreModelVersionHashesKey] as? [String: Data]).map { Set($0.keys) }
        return way
    }

    /// The hops; nil if there are none. Models that they lead through are copies of the result's own.
    func find(from source: NSManagedObjectModel, to model: NSManagedObjectModel) -> [MigrationHop]? {
        let map = MigrationMap(
            from: source, storing: stored, to: model, configuration: configuration, infers: infers,
            mappings: modelCatalog.mappings)
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
        // A new mandatory attribute without a default is possible only for an entity without rows. Hops that avoid it
        // are better.
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

    /// Passes the best hops to a body that carries them out. If rows forbid a change that the models allow, the body
    /// gets other hops that keep as much. If there are none, the first error gives the reason.
    ///
    /// - Parameter body: Receives the hops; nil if the models allow none at all.
    func tryHops(
        from source: NSManagedObjectModel, to model: NSManagedObjectModel, _ body: ([MigrationHop]?) throws -> Void
    ) throws {
        var way = self
        var refusal: NSError?
        while true {
            let hops = way.find(from: source, to: model)
            if hops == nil, let refusal { throw refusal }
            do {
                return try body(hops)
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

    /// The versions at hand, each once, except those of both ends.
    private func others(than ends: [NSManagedObjectModel]) -> [NSManagedObjectModel] {
        var known = Set(ends.map(\.layoutChecksum))
        let given = versions.compactMap { version -> NSManagedObjectModel? in
            guard known.insert(version.layoutChecksum).inserted else { return nil }
            return version.copied()
        }
        return given + modelCatalog.models(except: known)
    }
}
