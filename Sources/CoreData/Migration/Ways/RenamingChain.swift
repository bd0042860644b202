/// Looks for a way through other versions that keeps what the direct hop would lose.
///
/// A thing that was renamed twice has, in the newest version, the name of the middle one as its renaming identifier, or no
/// longer any; only the version between them tells what it was called before.
struct RenamingChain {
    private let places: [NSManagedObjectModel]
    /// What the direct hop loses and some version on the way has renamed.
    private let wanted: [Thing]

    /// An entity, or a property of one.
    private struct Thing: Hashable {
        var entity: String
        var property: String?
    }

    /// How far a way has come, and what the wanted things are called there.
    private struct State {
        var place: Int
        var names: [Thing: Thing]
        var hops: [MigrationHop]
    }

    /// Nil where the direct hop loses nothing, or no version has a new name for any of it.
    ///
    /// - Parameter versions: those that the way may lead through; asked for only where the direct hop loses something.
    init?(direct hop: MigrationHop, through versions: () -> [NSManagedObjectModel]) {
        guard let direct = try? ModelDifference(from: hop.source.layout, to: hop.target.layout) else { return nil }
        let lost = direct.changes.compactMap { change -> Thing? in
            switch change {
            case .entityRemoved(let name): Thing(entity: name, property: nil)
            case .propertyRemoved(let entity, let property): Thing(entity: entity, property: property)
            default: nil
            }
        }
        if lost.isEmpty { return nil }
        let others = versions()
        let wanted = lost.filter { thing in others.contains { Self.renames(thing, $0) } }
        if wanted.isEmpty { return nil }
        self.wanted = wanted
        places = [hop.source] + others + [hop.target]
    }

    private static func renames(_ thing: Thing, _ version: NSManagedObjectModel) -> Bool {
        version.entities.contains { entity in
            guard let property = thing.property else {
                return entity.renamingIdentifier == thing.entity && entity.name != thing.entity
            }
            return entity.properties.contains { $0.renamingIdentifier == property && $0.name != property }
        }
    }

    /// The hops of the shortest way that keeps the most; nil where none keeps more than the direct one.
    func find() -> [MigrationHop]? {
        let last = places.count - 1
        var frontier = [State(place: 0, names: Dictionary(uniqueKeysWithValues: wanted.map { ($0, $0) }), hops: [])]
        var kept: [Int: Int] = [:]
        var best: State?
        while !frontier.isEmpty, best.map({ $0.names.count < wanted.count }) ?? true {
            var next: [State] = []
            for state in frontier {
                for place in 1..<places.count where place != state.place && !(state.place == 0 && place == last) {
                    guard let after = step(state, to: place), after.names.count > kept[place] ?? 0 else { continue }
                    kept[place] = after.names.count
                    if place == last { best = after } else { next.append(after) }
                }
            }
            frontier = next
        }
        return best?.hops
    }

    /// The way with one more hop; nil where it cannot be inferred, or loses what the way is gone for or what the end has again.
    private func step(_ state: State, to place: Int) -> State? {
        let (source, target) = (places[state.place], places[place])
        guard let difference = try? ModelDifference(from: source.layout, to: target.layout) else { return nil }
        let hop = MigrationHop(source: source, target: target, means: .inferred)
        let names = state.names.compactMapValues { Self.name(of: $0, after: difference) }
        guard !names.isEmpty, !hop.demandsValues,
            place == places.count - 1 || !hop.forgets(what: places[places.count - 1])
        else { return nil }
        return State(place: place, names: names, hops: state.hops + [hop])
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
