import Foundation

/// The results of a fetched-results controller: objects in order, divided into sections.
///
/// A value type. The search for an object begins at its last noted place, because changes before the object move it.
/// The places are noted again once objects may have moved far.
struct FetchedArrangement {
    struct Section {
        let name: String
        /// The place of the section's first object among all objects.
        let start: Int
    }

    private(set) var items: [NSObject] = []
    /// The sections; without a section key path always one, which has no name.
    private(set) var sections: [Section] = []
    private var hints: [ObjectIdentifier: Int]?
    private var drift = 0

    init(items: [NSObject], sections: [Section]) {
        self.items = items
        self.sections = sections
    }

    // MARK: Places

    /// The place of an object among all objects; nil when it is not in the results.
    mutating func index(of object: NSObject) -> Int? {
        let hints = notedHints()
        guard let hint = hints[ObjectIdentifier(object)] else { return nil }
        var distance = 0
        while hint - distance >= 0 || hint + distance < items.count {
            let below = hint - distance
            if below >= 0, below < items.count, items[below] === object { return below }
            let above = hint + distance
            if above < items.count, items[above] === object { return above }
            distance += 1
        }
        return nil
    }

    private mutating func notedHints() -> [ObjectIdentifier: Int] {
        if let hints, drift < 1024 { return hints }
        var fresh: [ObjectIdentifier: Int] = [:]
        fresh.reserveCapacity(items.count)
        for (index, item) in items.enumerated() { fresh[ObjectIdentifier(item)] = index }
        hints = fresh
        drift = 0
        return fresh
    }

    func count(ofSection section: Int) -> Int { range(ofSection: section).count }

    func range(ofSection section: Int) -> Range<Int> {
        sections[section].start..<(section + 1 < sections.count ? sections[section + 1].start : items.count)
    }

    /// The section of a place among all objects.
    func section(at index: Int) -> Int {
        var low = 0
        var high = sections.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if sections[middle].start <= index { low = middle } else { high = middle }
        }
        return low
    }

    func indexPath(at index: Int) -> IndexPath {
        let section = section(at: index)
        return IndexPath(indexes: [section, index - sections[section].start])
    }

    // MARK: Replacing

    /// Takes the objects at `removed` (rising) out and puts `added` (rising by their places afterwards) in.
    mutating func replace(removed: [Int], added: [(index: Int, object: NSObject)], sections: [Section]) {
        for index in removed { hints?[ObjectIdentifier(items[index])] = nil }
        if removed.count + added.count <= 16 {
            for index in removed.reversed() { items.remove(at: index) }
            for (index, object) in added { items.insert(object, at: index) }
        } else {
            items = Self.merged(items, removed, added)
        }
        for (index, object) in added { hints?[ObjectIdentifier(object)] = index }
        drift += removed.count + added.count
        self.sections = sections
    }

    private static func merged(
        _ items: [NSObject], _ removed: [Int], _ added: [(index: Int, object: NSObject)]
    ) -> [NSObject] {
        var result: [NSObject] = []
        result.reserveCapacity(items.count - removed.count + added.count)
        var next = 0
        func takeAnchors(_ wanted: Int, _ position: inout Int, _ gone: inout Int) {
            var wanted = wanted
            while wanted > 0 || (gone < removed.count && removed[gone] == position) {
                if gone < removed.count, removed[gone] == position {
                    position += 1
                    gone += 1
                    continue
                }
                let end = gone < removed.count ? removed[gone] : items.count
                let count = min(wanted, end - position)
                result += items[position..<position + count]
                position += count
                wanted -= count
            }
        }
        var position = 0
        var gone = 0
        while next < added.count {
            takeAnchors(added[next].index - result.count, &position, &gone)
            result.append(added[next].object)
            next += 1
        }
        takeAnchors(items.count - position - (removed.count - gone), &position, &gone)
        return result
    }
}
