import Foundation

/// The versions that a migration may lead through, and the hops between them. Each pair is compared once, when it is
/// needed.
///
/// The store's own version has the first place, the version to reach the second. Only the store's content is compared.
/// In its own version that is the entities that it names. In other versions it is the entities of its configuration. In
/// a version without that configuration it is the entities that the store's entities have become.
final class MigrationMap {
    static let start = 0
    static let end = 1

    private(set) var places: [NSManagedObjectModel]
    private let configuration: String?
    private let infers: Bool
    private let mappings: MappingModelCandidates
    /// Places of entities in their model's layout that the store holds at a place; nil for all.
    private var held: [Int: Set<Int>?] = [:]
    private var hops: [Pair: MigrationHop?] = [:]

    private struct Pair: Hashable {
        var from: Int
        var to: Int
    }

    /// - Parameter stored: the names of the entities that the store holds now; nil for all.
    init(
        from source: NSManagedObjectModel, storing stored: Set<String>?, to target: NSManagedObjectModel,
        configuration: String?, infers: Bool, mappings: MappingModelCandidates
    ) {
        places = [source, target]
        self.configuration = configuration == NSManagedObjectModel.defaultConfigurationName ? nil : configuration
        self.infers = infers
        self.mappings = mappings
        held[Self.start] = .some(stored.map { Self.layouts(of: $0, in: source) })
    }

    /// Adds versions that a migration may lead through.
    func add(_ versions: [NSManagedObjectModel]) { places += versions }

    /// All places between the first and the last.
    var others: Range<Int> { (Self.end + 1)..<places.count }

    /// The hop from a place that can be reached; nil if there is none.
    func hop(from: Int, to: Int) -> MigrationHop? {
        let pair = Pair(from: from, to: to)
        if let known = hops[pair] { return known }
        let hop = makeHop(from: from, to: to)
        hops[pair] = .some(hop)
        return hop
    }

    private func makeHop(from: Int, to: Int) -> MigrationHop? {
        let (source, target) = (places[from], places[to])
        let before = held[from] ?? nil
        if let mapping = mappings.mapping(from: source, to: target) {
            if held(at: to) == nil { held[to] = .some(Self.results(of: mapping, source, before, target)) }
            return MigrationHop(source: source, target: target, means: .mapping(mapping))
        }
        guard infers else { return nil }
        let there = held(at: to)
        guard
            let difference = try? ModelDifference(
                from: source.layout, to: target.layout, storedSource: before, storedDestination: there ?? nil)
        else { return nil }
        if there == nil {
            held[to] = .some(Set(difference.sourceOf.indices.filter { difference.sourceOf[$0] != nil }))
        }
        return MigrationHop(source: source, target: target, means: .inferred, difference: difference)
    }

    // MARK: The entities that the store holds

    /// The entities that the store holds now.
    var heldAtStart: [EntityLayout] {
        let held = held[Self.start] ?? nil
        return places[Self.start].layout.entities.filter { held?.contains($0.index) ?? true }
    }

    /// The entities that the store holds at a version. Nil if the version does not have the configuration and no hop
    /// has led to it yet.
    private func held(at place: Int) -> Set<Int>?? {
        if let known = held[place] { return .some(known) }
        let version = places[place]
        guard let configuration else {
            held[place] = .some(nil)
            return .some(nil)
        }
        guard let members = version.entities(forConfigurationName: configuration) else { return nil }
        let result = Self.layouts(of: Set(members.compactMap(\.name)), in: version)
        held[place] = .some(result)
        return .some(result)
    }

    /// The entities with their ancestors, which have their columns in the same table.
    static func layouts(of names: Set<String>, in model: NSManagedObjectModel) -> Set<Int> {
        let entities = model.layout.entities
        var result: Set<Int> = []
        for entity in entities where names.contains(entity.name) {
            var index: Int? = entity.index
            while let place = index, result.insert(place).inserted { index = entities[place].superIndex }
        }
        return result
    }

    private static func results(
        of mapping: NSMappingModel, _ source: NSManagedObjectModel, _ held: Set<Int>?, _ target: NSManagedObjectModel
    ) -> Set<Int> {
        let names = (mapping.entityMappings ?? []).compactMap { mapping -> String? in
            guard let name = mapping.sourceEntityName, let held else { return mapping.destinationEntityName }
            let index = source.layout.layout(named: name)?.index
            return index.map(held.contains) ?? false ? mapping.destinationEntityName : nil
        }
        return layouts(of: Set(names), in: target)
    }

    // MARK: Hops to avoid

    /// Whether a hop loses content of the store that the last version has again, under the same name: an entity, or a
    /// property. A version in between without it belongs to another model, or the content of that name is a different
    /// one.
    func forgets(from: Int, to: Int) -> Bool {
        guard to != Self.end, let hop = hop(from: from, to: to) else { return false }
        let end = places[Self.end]
        let inEnd = (held(at: Self.end) ?? nil).map { held in held.map { end.layout.entities[$0].entity } }
        return hop.forgets(inEnd ?? end.entities) { [held] name in
            guard let names = held[from] ?? nil else { return true }
            return hop.source.layout.layout(named: name).map { names.contains($0.index) } ?? false
        }
    }

    // MARK: The hops that were found

    /// The hops between some versions, of which the first is the store's own. A version without the configuration gets
    /// one of that name with its part of the store's content.
    func way(along places: [Int]) -> [MigrationHop] {
        var result: [MigrationHop] = []
        for (from, to) in zip(places, places.dropFirst()) {
            guard var hop = hop(from: from, to: to) else { return [] }
            // Results for other models are dropped with these.
            if let last = result.last, last.target !== hop.source {
                hop.source = last.target
                hop.difference = nil
            }
            if let configuration, to != Self.end, hop.target.entities(forConfigurationName: configuration) == nil,
                let indices = held[to] ?? nil
            {
                let copy = hop.target.copied()
                let names = Set(indices.map { hop.target.layout.entities[$0].name })
                copy.setEntities(
                    copy.entities.filter { names.contains($0.name ?? "") }, forConfigurationName: configuration)
                hop.target = copy
                hop.difference = nil
            }
            result.append(hop)
        }
        return result
    }
}
