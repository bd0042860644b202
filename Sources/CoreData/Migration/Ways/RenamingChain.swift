/// Searches for hops through other versions that keep content which the fewest hops would lose.
///
/// For a schema element that was renamed twice, the newest version has the middle name as its renaming identifier, or
/// none any longer. Only the version between has the name before. So the search tries only versions that rename a
/// wanted schema element, by its name in the version that the search has reached, or its entity.
struct RenamingChain {
    private let map: MigrationMap
    /// The versions of the fewest hops.
    private let usual: [Int]
    /// The schema elements that the usual hops lose and the end may have, by their names in the store's version.
    private let wanted: [SchemaElement]
    /// The versions that have a new name for a schema element, by the old one.
    private var renamers: [Name: [Int]] = [:]

    /// The meanings of a renaming identifier. The entity of a renamed property does not matter.
    private enum Name: Hashable {
        case entity(String)
        case property(String)
    }

    /// The versions that the search has gone through, and the wanted schema elements that it has kept, by their names
    /// in the last of these versions.
    private struct State {
        var places: [Int]
        var names: [Int: SchemaElement]
    }

    /// Returns nil if the usual hops lose no content, or no version has a new name for any of it.
    ///
    /// - Parameters:
    ///   - usual: the versions of the fewest hops.
    ///   - addVersions: adds the versions that hops may lead through to the map; called only if the usual hops lose
    ///     content.
    init?(
        _ map: MigrationMap, insteadOf usual: [Int] = [MigrationMap.start, MigrationMap.end], addVersions: () -> Void
    ) {
        self.map = map
        self.usual = usual
        var kept = SchemaElement.all(of: map.heldAtStart)
        let all = kept
        for (from, to) in zip(usual, usual.dropFirst()) {
            // It is unknown which content a mapping model keeps.
            guard let difference = map.hop(from: from, to: to)?.difference else { return nil }
            kept = SchemaElement.names(of: kept, after: difference)
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
        wanted = lost.sorted { $0.key < $1.key }.map(\.value).filter { element in
            Self.names(of: element, in: first).allSatisfy { Self.leads(from: $0, to: ends, by: newer) }
        }
        let isRenamed = wanted.contains { [renamers] element in
            Self.names(of: element, in: first).joined().contains { renamers[$0] != nil }
        }
        if !isRenamed { return nil }
    }

    // MARK: Names

    /// The old names of entities and properties that a version has renamed, with the new ones.
    private static func renamed(in version: NSManagedObjectModel) -> [Name: Set<Name>] {
        var result: [Name: Set<Name>] = [:]
        func inspect(at property: NSPropertyDescription) {
            if let old = property.renamingIdentifier, old != property.name {
                result[.property(old), default: []].insert(.property(property.name))
            }
            for element in (property as? NSCompositeAttributeDescription)?.elements ?? [] { inspect(at: element) }
        }
        for entity in version.entities {
            if let old = entity.renamingIdentifier, let name = entity.name, old != name {
                result[.entity(old), default: []].insert(.entity(name))
            }
            for property in entity.ownProperties { inspect(at: property) }
        }
        return result
    }

    /// All names that a version has.
    private static func names(in version: NSManagedObjectModel) -> Set<Name> {
        var result: Set<Name> = []
        func inspect(at property: NSPropertyDescription) {
            result.insert(.property(property.name))
            for element in (property as? NSCompositeAttributeDescription)?.elements ?? [] { inspect(at: element) }
        }
        for entity in version.entities {
            result.insert(.entity(entity.name ?? ""))
            for property in entity.ownProperties { inspect(at: property) }
        }
        return result
    }

    /// The names that versions may use for a schema element, for each of its levels: its own name and its renaming
    /// identifier.
    private static func names(of element: SchemaElement, in version: NSManagedObjectModel) -> [Set<Name>] {
        let entity = version.layout.layout(named: element.entity)?.entity
        var names: [Set<Name>] = [
            Set([element.entity, entity?.renamingIdentifier].compactMap(\.self).map(Name.entity))
        ]
        var level: [NSPropertyDescription] = element.path.isEmpty ? [] : entity?.properties ?? []
        for name in element.path {
            let property = level.first { $0.name == name }
            names.append(Set([name, property?.renamingIdentifier].compactMap(\.self).map(Name.property)))
            level = (property as? NSCompositeAttributeDescription)?.elements ?? []
        }
        return names
    }

    /// Whether renamings lead from one of some names to one of other names.
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

    /// The versions of the shortest hops that keep the most. Nil if none keep more than the usual ones, or if only hops
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
        // The schema elements that the search has kept up to a version. Hops that keep none besides are not followed.
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

    /// The versions that rename a kept schema element, and those of the usual hops.
    private func candidates(_ state: State) -> Set<Int> {
        guard let place = state.places.last else { return [] }
        let names = state.names.values.reduce(into: Set<Name>()) { names, element in
            for level in Self.names(of: element, in: map.places[place]) { names.formUnion(level) }
        }
        return Set(names.flatMap { renamers[$0] ?? [] }).union(usual).subtracting([MigrationMap.end])
    }

    /// The state after one more hop. Nil if the hop cannot be inferred, or loses a schema element that is wanted or
    /// that the end has again.
    private func step(_ state: State, to place: Int) -> State? {
        guard let from = state.places.last, let hop = map.hop(from: from, to: place), let difference = hop.difference
        else { return nil }
        let names = SchemaElement.names(of: state.names, after: difference)
        guard !names.isEmpty, !hop.demandsValues, !map.forgets(from: from, to: place) else { return nil }
        return State(places: state.places + [place], names: names)
    }
}
