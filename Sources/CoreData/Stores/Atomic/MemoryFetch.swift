import Foundation

/// Computes a fetch from rows in memory, as SQL does for a database.
struct MemoryFetch {
    typealias Row = any KeyValueReadable & ObjectKeyConvertible

    let request: StoreFetch

    /// The rows that match, before limit and offset are applied. They are sorted, unless dictionaries are made of them.
    func matching<Element: KeyValueReadable & ObjectKeyConvertible>(_ rows: [Element]) throws -> [Element] {
        try requireDecidable()
        var found = rows
        if let predicate = request.predicate {
            found = try UndecidedPredicate.throwing { found.filter { predicate.evaluate(with: $0) } }
        }
        if !request.sortDescriptors.isEmpty, !givesDictionaries {
            found = try UndecidedPredicate.throwing { found.sorted(byDescriptors: request.sortDescriptors) }
        }
        return found
    }

    private var givesDictionaries: Bool { if case .dictionaries = request.result { true } else { false } }

    /// The elements that remain after the fetch's offset and limit.
    func page<Element>(_ elements: [Element]) -> [Element] {
        let rest = elements.dropFirst(request.offset)
        return Array(request.limit > 0 ? rest.prefix(request.limit) : rest)
    }

    /// Makes the dictionaries of the fetch from the rows that match.
    func dictionaries(_ rows: [Row]) throws -> [[String: Any]] {
        try UndecidedPredicate.throwing {
            guard let table = try MemoryTable(request) else { return [] }
            return page(try table.dictionaries(rows))
        }
    }

    /// Throws 134060 if a key path of the predicate or the order leads to no property, or if a pattern is no regular
    /// expression. Evaluating such a key path on an object would stop the process.
    func requireDecidable() throws {
        try request.predicate?.requirePatterns()
        for path in request.predicate?.keyPaths ?? [] { try request.layout.requireProperty(path) }
        // Dictionaries can also be sorted by names that only their columns have.
        if givesDictionaries { return }
        for path in request.sortDescriptors.compactMap(\.sortKey) { try request.layout.requireProperty(path) }
    }
}

extension EntityLayout {
    /// The properties along a list of keys, with the entity of each. The list ends at a key that is no property or no
    /// relationship.
    func way(along keys: [String]) -> [(access: PropertyAccess?, layout: EntityLayout)] {
        var layout = self
        var way: [(access: PropertyAccess?, layout: EntityLayout)] = []
        for key in keys {
            let access = layout.access[key]
            way.append((access, layout))
            switch access {
            case .toOne(let slot)?: layout = layout.model.entities[layout.destinations[slot].layoutIndex]
            case .toMany(let index)?: layout = layout.model.entities[layout.toManys[index].destinationIndex]
            case .attribute?, .composite?, .fetched?, nil: return way
            }
        }
        return way
    }

    /// Throws 134060 if a key path leads to no property. It may end in an attribute of a subentity.
    func requireProperty(_ path: String) throws {
        let keys = KeyValuePath(path).keys
        let way = way(along: keys)
        guard let (access, last) = way.last, access == nil else { return }
        let key = keys[way.count - 1]
        if Self.keysOfRows.contains(key) || key.first == "@" || last.slotOfSubentity(key) != nil { return }
        throw NSError.coreData(NSCoreDataError, reason: "keypath \(path) not found in entity \(name)")
    }

    /// The keys of rows that are no properties.
    private static let keysOfRows: Set<String> = ["self", "SELF", "objectID", "entity"]

    /// An attribute that only a subentity has.
    func slotOfSubentity(_ key: String) -> Slot? {
        for index in subtree.dropFirst() {
            let lower = model.entities[index]
            if case .attribute(let slot)? = lower.access[key] { return lower.slots[slot] }
        }
        return nil
    }
}

extension PropertyAccess? {
    var isToMany: Bool { if case .toMany? = self { true } else { false } }
}
