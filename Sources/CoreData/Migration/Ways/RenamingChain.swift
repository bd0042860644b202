/// Looks for a way through other versions that keeps content which the way with the fewest hops would lose.
///
/// A thing that was renamed twice has, in the newest version, the name of the middle one as its renaming identifier, or
/// no longer any. Only the version between them has the name before. So only versions are looked at that rename a
/// wanted thing, by its name at the present place of the way, or the entity that it belongs to.
struct RenamingChain {
    private let map: MigrationMap
    /// The way with the fewest hops.
    private let usual: [Int]
    /// The things that the usual way loses and the end may have, by their names in the store's version.
    private let wanted: [ModelThing]
    /// The versions that have a new name for a thing, by the old one.
    private var renamers: [Name: [Int]] = [:]

    /// The meanings of a renaming identifier. Of a renamed property the entity does not matter.
    private enum Name: Hashable {
        case entity(String)
        case property(String)
    }

    /// The place that a way has reached, and the things that it has kept: the wanted things by their names there.
    private struct State {
        var places: [Int]
        var names: [Int: ModelThing]
    }

    /// Nil where the usual way loses nothing, or no version has a new name for any of it.
    ///
    /// - Parameters:
    ///   - usual: the places of the way with the fewest hops.
    ///   - addVersions: gives the map those that the way may lead through; called only where the usual way loses
    ///     something.
    init?(
        _ map: MigrationMap, insteadOf usual: [Int] = [MigrationMap.start, MigrationMap.end], addVersions: () -> Void
    ) {
        self.map = map
        self.usual = usual
        var kept = ModelThing.all(of: map.heldAtStart)
        let all = kept
        for (from, to) in zip(usual, usual.dropFirst()) {
            // Nobody can tell which content a mapping model keeps.
            guard let difference = map.hop(from: from, to: to)?.difference else { return nil }
            kept = ModelThing.names(of: kept, after: difference)
        }
        let lost = all.filter { kept[$0.key] == nil }
        if lost.isEmpty { return nil }
        addVersions()
        var newer: [Name: Set<Name>] = [:]
        for place in [MigrationMap.end] + map.others {
            for (old, new) in Self.renamed(in: map.places[place]) {
                newer[old, default: []].formUnion(new)
                if place != MigrationMap.end { renamers[old, default: []].append(place) }
            }
        }
        let ends = Self.names(in: map.places[MigrationMap.end])
        let first = map.places[MigrationMap.start]
        wanted = lost.sorted { $0.key < $1.key }.map(\.value).filter { thing in
            Self.names(of: thing, in: first).allSatisfy { Self.leads(from: $0, to: ends, by: newer) }
        }
        let isRenamed = wanted.contains { [renamers] thing in
            Self.names(of: thing, in: first).joined().contains { renamers[$0] != nil }
        }
        if !isRenamed { return nil }
    }

    // MARK: Names

    /// The old names of entities and properties that a version has renamed, with the new ones.
    private static func renamed(in version: NSManagedObjectModel) -> [Name: Set<Name>] {
        var result: [Name: Set<Name>] = [:]
        func look(at property: NSPropertyDescription) {
            if let old = property.renamingIdentifier, old != property.name {
                result[.property(old), default: []].insert(.property(property.name))
            }
            for element in (property as? NSCompositeAttributeDescription)?.elements ?? [] { look(at: element) }
        }
        for entity in version.entities {
            if let old = entity.renamingIdentifier, let name = entity.name, old != name {
                result[.entity(old), default: []].insert(.entity(name))
            }
            for property in entity.ownProperties { look(at: property) }
        }
        return result
    }

    /// All names that a version has.
    private static func names(in version: NSManagedObjectModel) -> Set<Name> {
        var result: Set<Name> = []
        func look(at property: NSPropertyDescription) {
            result.insert(.property(property.name))
            for element in (property as? NSCompositeAttributeDescription)?.elements ?? [] { look(at: element) }
        }
        for entity in version.entities {
            result.insert(.entity(entity.name ?? ""))
            for property in entity.ownProperties { look(at: property) }
        }
        return result
    }

    /// The names that versions may use for a thing, for each level of it: its own and its renaming identifier.
    private static func names(of thing: ModelThing, in version: NSManagedObjectModel) -> [Set<Name>] {
        let entity = version.layout.layout(named: thing.entity)?.entity
        var names: [Set<Name>] = [Set([thing.entity, entity?.renamingIdentifier].compactMap(\.self).map(Name.entity))]
        var level: [NSPropertyDescription] = thing.path.isEmpty ? [] : entity?.properties ?? []
        for name in thing.path {
            let property = level.first { $0.name == name }
            names.append(Set([name, property?.renamingIdentifier].compactMap(\.self).map(Name.property)))
            level = (property as? NSCompositeAttributeDescription)?.elements ?? []
        }
        return names
    }

    /// Whether one of some names may become one of others.
    private static func leads(from names: Set<Name>, to ends: Set<Name>, by newer: [Name: Set<Name>]) -> Bool {
        var (known, open) = (names, names)
        while !open.isEmpty {
            if !open.isDisjoint(with: ends) { return true }
            open = Set(open.flatMap { newer[$0] ?? [] }).subtracting(known)
            known.formUnion(open)
        }
        return false
    }

    // MARK: Searching

    /// The places of the shortest way that keeps the most. Nil if none keeps more than the usual one, or only ways
    /// through versions to avoid do.
    func find(avoiding avoided: Set<Int>) -> [Int]? {
        guard let best = search(avoiding: []) else { return nil }
        if avoided.isEmpty { return best.places }
        guard let other = search(avoiding: avoided), other.names.count == best.names.count else { return nil }
        return other.places
    }

    private func search(avoiding avoided: Set<Int>) -> State? {
        let names = Dictionary(uniqueKeysWithValues: wanted.enumerated().map { ($0, $1) })
        var frontier = [State(places: [MigrationMap.start], names: names)]
        // The things that ways have kept up to a place. A way that keeps nothing besides is not followed.
        var known: [Int: [Set<Int>]] = [:]
        var best: State?
        while !frontier.isEmpty {
            for state in frontier where state.places.count > 1 && state.names.count > best?.names.count ?? 0 {
                guard let end = step(state, to: MigrationMap.end), end.names.count > best?.names.count ?? 0
                else { continue }
                if end.names.count == wanted.count { return end }
                best = end
            }
            var next: [State] = []
            for state in frontier where state.names.count > best?.names.count ?? 0 {
                let kept = Set(state.names.keys)
                for place in candidates(state).subtracting(avoided).subtracting(state.places).sorted() {
                    func isKnown(_ kept: Set<Int>) -> Bool { known[place]?.contains { kept.isSubset(of: $0) } ?? false }
                    guard !isKnown(kept), let after = step(state, to: place) else { continue }
                    let left = Set(after.names.keys)
                    guard !isKnown(left) else { continue }
                    known[place, default: []].append(left)
                    next.append(after)
                }
            }
            frontier = next
        }
        return best
    }

    /// The versions that rename something that a way has kept, and those of the usual way.
    private func candidates(_ state: State) -> Set<Int> {
        guard let place = state.places.last else { return [] }
        let names = state.names.values.reduce(into: Set<Name>()) { names, thing in
            for level in Self.names(of: thing, in: map.places[place]) { names.formUnion(level) }
        }
        return Set(names.flatMap { renamers[$0] ?? [] }).union(usual).subtracting([MigrationMap.end])
    }

    /// The way with one more hop. Nil if it cannot be inferred, or loses a thing that the way is for or that the end
    /// has again.
    private func step(_ state: State, to place: Int) -> State? {
        guard let from = state.places.last, let hop = map.hop(from: from, to: place), let difference = hop.difference
        else { return nil }
        let names = ModelThing.names(of: state.names, after: difference)
        guard !names.isEmpty, !hop.demandsValues, !map.forgets(from: from, to: place) else { return nil }
        return State(places: state.places + [place], names: names)
    }
}
