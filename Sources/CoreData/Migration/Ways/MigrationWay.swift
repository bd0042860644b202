import Foundation

/// The way of a store from its version to the program's: directly where that is possible, otherwise through other versions
/// of the model among the program's resources, by inference and by mapping models.
///
/// The fewest hops win, unless a longer way through known versions keeps what the direct one would lose: a thing that was renamed
/// twice. Between two versions a mapping model goes before what could be inferred. No way leads through a version
/// that lacks something that the end has again: what the store holds of it would be gone.
struct MigrationWay {
    /// Where versions and mapping models are looked for; nil for the main bundle and the packages' resources.
    var bundles: [Bundle]?
    /// Whether a mapping may be inferred.
    var infers = true
    /// More versions that the way may lead through.
    var versions: [NSManagedObjectModel] = []
    /// Whether the direct hop may be one that is inferred. Not when it is known that the store's rows forbid it.
    var infersDirectly = true

    /// The hops; nil when there is no way. Models that it leads through are the way's own.
    func find(from source: NSManagedObjectModel, to model: NSManagedObjectModel) -> [MigrationHop]? {
        let mappings = MappingModelCandidates(in: bundles)
        let direct = hop(from: source, to: model, mappings)
        if let direct, !direct.isInferred { return [direct] }
        if let direct, infersDirectly {
            let chain = RenamingChain(direct: direct) { others(than: [source, model]) }
            return chain?.find() ?? [direct]
        }
        let places = [source] + others(than: [source, model]) + [model]
        let last = places.count - 1
        // A new mandatory attribute without a default is possible only where there are no rows. Better a way around.
        for demandsNothing in [true, false] {
            var hops: [Int: [Int: MigrationHop]] = [:]
            let route = MigrationRoute.shortest(from: 0, to: last, count: places.count) { from, to in
                guard from != 0 || to != last,
                    let hop = hop(from: places[from], to: places[to], mappings),
                    !demandsNothing || !hop.demandsValues, to == last || !hop.forgets(what: model)
                else { return false }
                hops[from, default: [:]][to] = hop
                return true
            }
            guard let route else { continue }
            return zip([0] + route, route).compactMap { hops[$0]?[$1] }
        }
        return nil
    }

    /// The versions at hand, each once, but for those that the way begins and ends with.
    private func others(than ends: [NSManagedObjectModel]) -> [NSManagedObjectModel] {
        var known = Set(ends.map(\.versionChecksum))
        return (versions + NSManagedObjectModel.versions(in: bundles).map(\.model)).compactMap { version in
            guard known.insert(version.versionChecksum).inserted else { return nil }
            return version.copy() as? NSManagedObjectModel
        }
    }

    private func hop(
        from source: NSManagedObjectModel, to target: NSManagedObjectModel, _ mappings: MappingModelCandidates
    ) -> MigrationHop? {
        if let mapping = mappings.mapping(from: source, to: target) {
            return MigrationHop(source: source, target: target, means: .mapping(mapping))
        }
        guard infers, (try? ModelDifference(from: source.layout, to: target.layout)) != nil else { return nil }
        return MigrationHop(source: source, target: target, means: .inferred)
    }
}
