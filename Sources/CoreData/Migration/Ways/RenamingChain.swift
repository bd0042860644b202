/// Looks for a way through other versions that keeps what the direct hop would lose.
///
/// A thing that was renamed twice has, in the newest version, the name of the middle one as its renaming identifier, or no
/// longer any; only the version between them tells what it was called before. So only versions are looked at that rename what
/// is looked for, as it is called where the way has come to.
struct RenamingChain {
    private let map: MigrationMap
    /// What the direct hop loses and some version on the way has renamed.
    private let wanted: [Thing]
    /// The versions that have a new name for a thing, by the old one.
    private var renamers: [Thing: [Int]] = [:]

    /// An entity, or a property of one; of a renamed property the entity does not matter.
    private struct Thing: Hashable {
        var entity: String
        var property: String?

        var sought: Thing { property == nil ? self : Thing(entity: "", property: property) }
    }

    /// How far a way has come, and what the wanted things are called there.
    private struct State {
        var places: [Int]
        var names: [Thing: Thing]
    }

    /// Nil where the direct hop loses nothing, or no version has a new name for any of it.
    ///
    /// - Parameter addVersions: gives the map those that the way may lead through; called only where the direct hop loses
    ///   something.
    init?(_ map: MigrationMap, addVersions: () -> Void) {
        self.map = map
        guard let direct = map.hop(from: MigrationMap.start, to: MigrationMap.end)?.difference else { return nil }
        let lost = direct.changes.compactMap { change -> Thing? in
            switch change {
            case .entityRemoved(let name): Thing(entity: name, property: nil)
            case .propertyRemoved(let entity, let property): Thing(entity: entity, property: property)
            default: nil
            }
        }
        if lost.isEmpty { return nil }
        addVersions()
        for place in map.others {
            for thing in Self.renamed(in: map.places[place]) { renamers[thing, default: []].append(place) }
        }
        wanted = lost.filter { [renamers] in renamers[$0.sought] != nil }
        if wanted.isEmpty { return nil }
    }

    /// The old names of what a version has renamed.
    private static func renamed(in version: NSManagedObjectModel) -> Set<Thing> {
        var result: Set<Thing> = []
        for entity in version.entities {
            if let old = entity.renamingIdentifier, old != entity.name {
                result.insert(Thing(entity: old, property: nil))
            }
            for property in entity.ownProperties {
                if let old = property.renamingIdentifier, old != property.name {
                    result.insert(Thing(entity: "", property: old))
                }
            }
        }
        return result
    }

    /// The places of the shortest way that keeps the most; nil where none keeps more than the direct one, or where only
    /// those do that lead through what is to be avoided.
    func find(avoiding avoided: Set<Int>) -> [Int]? {
        guard let best = search(avoiding: []) else { return nil }
        if avoided.isEmpty { return best.places }
        guard let other = search(avoiding: avoided), other.names.count == best.names.count else { return nil }
        return other.places
    }

    private func search(avoiding avoided: Set<Int>) -> State? {
        let names = Dictionary(wanted.map { ($0, $0) }, uniquingKeysWith: { first, _ in first })
        var frontier = [State(places: [MigrationMap.start], names: names)]
        var kept: [Int: Int] = [:]
        var best: State?
        while !frontier.isEmpty {
            var next: [State] = []
            for state in frontier {
                let isAtStart = state.places.count == 1
                let renaming = Set(state.names.values.flatMap { renamers[$0.sought] ?? [] })
                let candidates =
                    (isAtStart ? [] : [MigrationMap.end])
                    + renaming.subtracting(avoided).subtracting(state.places).sorted()
                // What has been reached with as much is not looked at again.
                for place in candidates where state.names.count > kept[place] ?? 0 {
                    guard let after = step(state, to: place), after.names.count > kept[place] ?? 0 else { continue }
                    kept[place] = after.names.count
                    if place != MigrationMap.end {
                        next.append(after)
                    } else {
                        best = after
                        if after.names.count == names.count { return after }
                    }
                }
            }
            frontier = next
        }
        return best
    }

    /// The way with one more hop; nil where it cannot be inferred, or loses what the way is gone for or what the end has again.
    private func step(_ state: State, to place: Int) -> State? {
        guard let from = state.places.last, let hop = map.hop(from: from, to: place), let difference = hop.difference
        else { return nil }
        let names = state.names.compactMapValues { Self.name(of: $0, after: difference) }
        guard !names.isEmpty, !hop.demandsValues, !map.forgets(from: from, to: place) else { return nil }
        return State(places: state.places + [place], names: names)
    }

    private static func name(of thing: Thing, after difference: ModelDifference) -> Thing? {
        guard let older = difference.source.layout(named: thing.entity),
            let newer = difference.destinationOf[older.index]
        else { return nil }
        let entity = difference.destination.entities[newer].name
        guard let property = thing.property else { return Thing(entity: entity, property: nil) }
        let found = difference.properties[newer].first { $0.value.name == property }
        return found.map { Thing(entity: entity, property: $0.key) }
    }
}
