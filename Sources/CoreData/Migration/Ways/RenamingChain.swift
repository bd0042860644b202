/// Looks for a way through other versions that keeps what the way with the fewest hops would lose.
///
/// A thing that was renamed twice has, in the newest version, the name of the middle one as its renaming identifier, or no
/// longer any; only the version between them tells what it was called before. So only versions are looked at that rename what
/// is looked for, as it is called where the way has come to, or the entity that it belongs to.
struct RenamingChain {
    private let map: MigrationMap
    /// The way with the fewest hops.
    private let usual: [Int]
    /// What the usual way loses and the end may have, as the store's version calls it.
    private let wanted: [Thing]
    /// The versions that have a new name for a thing, by the old one.
    private var renamers: [Name: [Int]] = [:]

    /// An entity, a property of one (declared or inherited), or an element of a composite attribute, as a version calls it.
    private struct Thing: Hashable {
        var entity: String
        /// Empty for the entity itself.
        var path: [String] = []
    }

    /// What a renaming identifier may speak of. Of a renamed property the entity does not matter.
    private enum Name: Hashable {
        case entity(String)
        case property(String)
    }

    /// How far a way has come, and what it has kept: what the wanted things are called there.
    private struct State {
        var places: [Int]
        var names: [Int: Thing]
    }

    /// Nil where the usual way loses nothing, or no version has a new name for any of it.
    ///
    /// - Parameters:
    ///   - usual: the places of the way with the fewest hops.
    ///   - addVersions: gives the map those that the way may lead through; called only where the usual way loses something.
    init?(
        _ map: MigrationMap, insteadOf usual: [Int] = [MigrationMap.start, MigrationMap.end], addVersions: () -> Void
    ) {
        self.map = map
        self.usual = usual
        var kept = Self.things(map.heldAtStart)
        let all = kept
        for (from, to) in zip(usual, usual.dropFirst()) {
            // Nobody can tell what a mapping model keeps.
            guard let difference = map.hop(from: from, to: to)?.difference else { return nil }
            kept = Self.names(of: kept, after: difference)
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

    /// What a store has of some entities. What is derived is computed again.
    private static func things(_ entities: [EntityLayout]) -> [Int: Thing] {
        var result: [Thing] = []
        for entity in entities {
            result.append(Thing(entity: entity.name))
            for property in ModelDifference.stored(entity) where !(property is NSDerivedAttributeDescription) {
                let paths = (property as? NSCompositeAttributeDescription)?.leaves.map(\.path) ?? [[]]
                result += paths.map { Thing(entity: entity.name, path: [property.name] + $0) }
            }
        }
        return Dictionary(uniqueKeysWithValues: result.enumerated().map { ($0, $1) })
    }

    /// The old names of what a version has renamed, with the new ones.
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

    /// The names under which versions may speak of a thing, for each level of it: its own and its renaming identifier.
    private static func names(of thing: Thing, in version: NSManagedObjectModel) -> [Set<Name>] {
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

    /// What things are called after a hop, without those that it loses.
    private static func names(of things: [Int: Thing], after difference: ModelDifference) -> [Int: Thing] {
        var newNames: [Int: [String: String]] = [:]
        return things.compactMapValues { thing in
            guard let older = difference.source.layout(named: thing.entity),
                let newer = difference.destinationOf[older.index]
            else { return nil }
            let entity = difference.destination.entities[newer]
            guard let name = thing.path.first else { return Thing(entity: entity.name) }
            if newNames[newer] == nil {
                let pairs = difference.properties[newer].map { ($1.name, $0) }
                newNames[newer] = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
            }
            guard let newName = newNames[newer]?[name] else { return nil }
            guard thing.path.count > 1 else { return Thing(entity: entity.name, path: [newName]) }
            guard let old = difference.properties[newer][newName] as? NSCompositeAttributeDescription,
                let new = entity.entity.propertiesByName[newName] as? NSCompositeAttributeDescription
            else { return nil }
            let element = new.leaves.first { leaf in
                difference.formerPath(of: leaf.path[...], in: new, from: old).map { $0[...] } == thing.path.dropFirst()
            }
            return element.map { Thing(entity: entity.name, path: [newName] + $0.path) }
        }
    }

    // MARK: Searching

    /// The places of the shortest way that keeps the most; nil where none keeps more than the usual one, or where only
    /// those do that lead through what is to be avoided.
    func find(avoiding avoided: Set<Int>) -> [Int]? {
        guard let best = search(avoiding: []) else { return nil }
        if avoided.isEmpty { return best.places }
        guard let other = search(avoiding: avoided), other.names.count == best.names.count else { return nil }
        return other.places
    }

    private func search(avoiding avoided: Set<Int>) -> State? {
        let names = Dictionary(uniqueKeysWithValues: wanted.enumerated().map { ($0, $1) })
        var frontier = [State(places: [MigrationMap.start], names: names)]
        // What ways have come to a place with: one that has nothing besides is not followed.
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

    /// The versions that rename something of what a way has kept, and those of the usual way.
    private func candidates(_ state: State) -> Set<Int> {
        guard let place = state.places.last else { return [] }
        let names = state.names.values.reduce(into: Set<Name>()) { names, thing in
            for level in Self.names(of: thing, in: map.places[place]) { names.formUnion(level) }
        }
        return Set(names.flatMap { renamers[$0] ?? [] }).union(usual).subtracting([MigrationMap.end])
    }

    /// The way with one more hop; nil where it cannot be inferred, or loses what the way is gone for or what the end has again.
    private func step(_ state: State, to place: Int) -> State? {
        guard let from = state.places.last, let hop = map.hop(from: from, to: place), let difference = hop.difference
        else { return nil }
        let names = Self.names(of: state.names, after: difference)
        guard !names.isEmpty, !hop.demandsValues, !map.forgets(from: from, to: place) else { return nil }
        return State(places: state.places + [place], names: names)
    }
}
