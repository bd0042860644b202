/// A source object of an entity mapping.
struct AssociatedSource: Hashable {
    var mapping: Int
    var key: ObjectKey
}

/// The associations since the last save, whose destination objects have no permanent keys yet.
///
/// Most migrations read source objects in the order of their keys and make one new object of each. As long as that is
/// so, both are found by binary search. Tables are made when an association comes in another order, or twice.
struct PendingAssociations {
    struct Entry {
        var source: AssociatedSource
        var sourceObject: NSManagedObject
        var destination: NSManagedObject
        /// The key that the destination had when it was associated.
        var destinationKey: Int64
        /// Whether the destination object has been associated in this mapping before.
        var isRepeated: Bool
    }

    private struct Tables {
        var bySource: [AssociatedSource: [Int]] = [:]
        var byDestination: [ObjectIdentifier: [Int]] = [:]

        mutating func note(_ entry: Entry, at place: Int) {
            bySource[entry.source, default: []].append(place)
            byDestination[ObjectIdentifier(entry.destination), default: []].append(place)
        }
    }

    /// The associations in the order in which they were made.
    private(set) var entries: [Entry] = []
    private var tables: Tables?

    var isEmpty: Bool { entries.isEmpty }

    mutating func append(_ entry: Entry) {
        if tables == nil, let last = entries.last, !isInOrder(entry, after: last) {
            var tables = Tables()
            for (place, entry) in entries.enumerated() { tables.note(entry, at: place) }
            self.tables = tables
        }
        tables?.note(entry, at: entries.count)
        entries.append(entry)
    }

    /// Whether an entry follows the last one in order. Temporary keys decrease.
    private func isInOrder(_ entry: Entry, after last: Entry) -> Bool {
        entry.source.mapping == last.source.mapping && entry.source.key.layoutIndex == last.source.key.layoutIndex
            && entry.source.key.key > last.source.key.key && entry.destinationKey < last.destinationKey
    }

    /// Removes all associations; the capacity of the array stays.
    mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        tables = nil
    }

    /// The destinations of a source, in the order in which they were associated.
    func destinations(of source: AssociatedSource) -> [NSManagedObject] {
        if let tables { return (tables.bySource[source] ?? []).map { entries[$0].destination } }
        guard let last = entries.last, last.source.mapping == source.mapping,
            last.source.key.layoutIndex == source.key.layoutIndex
        else { return [] }
        // Callers mostly request the destination of the present object.
        if last.source.key.key == source.key.key { return [last.destination] }
        let place = firstPlace { $0.source.key.key >= source.key.key }
        guard place < entries.count, entries[place].source == source else { return [] }
        return [entries[place].destination]
    }

    /// The destination of a source, if the source is the last one and all are in order, so that there can be no other
    /// destination.
    func onlyDestination(of source: NSManagedObject, mapping: Int) -> NSManagedObject? {
        guard tables == nil, let last = entries.last, last.sourceObject === source, last.source.mapping == mapping
        else { return nil }
        return last.destination
    }

    /// The associations that lead to a destination.
    func entries(of destination: NSManagedObject) -> [Entry] {
        if let tables {
            return (tables.byDestination[ObjectIdentifier(destination)] ?? []).map { entries[$0] }
        }
        guard let last = entries.last else { return [] }
        let key = destination.key
        // Keys that were made permanent before the save are in no order.
        if key > 0 { return entries.filter { $0.destination === destination } }
        if key < last.destinationKey { return [] }
        let place = firstPlace { $0.destinationKey <= key }
        return place < entries.count && entries[place].destination === destination ? [entries[place]] : []
    }

    /// The first index at which a condition holds. It must hold for all indexes that follow.
    private func firstPlace(where holds: (Entry) -> Bool) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if holds(entries[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
