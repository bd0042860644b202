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
    private var noted: NotedPlaces?
    private var drift = 0

    init(items: [NSObject], sections: [Section]) {
        self.items = items
        self.sections = sections
    }

    // MARK: Places

    /// The place of an object among all objects; nil when it is not in the results.
    mutating func index(of object: NSObject) -> Int? {
        if noted == nil || drift >= 1024 {
            noted = NotedPlaces(items)
            drift = 0
        }
        guard let hint = noted?.place(of: object) else { return nil }
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
        for index in removed { noted?.remove(items[index]) }
        replace(removed, added)
        for (index, object) in added where noted?.note(object, at: index) == false { noted = nil }
        drift += removed.count + added.count
        self.sections = sections
    }

    /// Moves the objects between the places that change, without touching them: counting references to 100,000 objects
    /// would take most of the time.
    private mutating func replace(_ removed: [Int], _ added: [(index: Int, object: NSObject)]) {
        var (gaps, fillers) = (removed, added)
        let (count, surplus) = (items.count, removed.count - added.count)
        // As many places are filled as are left. Surplus ones are at the end.
        if let object = added.first?.object ?? removed.first.map({ items[$0] }) {
            if surplus < 0 {
                items.append(contentsOf: repeatElement(object, count: -surplus))
                gaps += count..<count - surplus
            } else {
                fillers += (count - surplus..<count).map { ($0, object) }
            }
        }
        items.withUnsafeMutableBufferPointer { items in
            guard let base = items.baseAddress else { return }
            for gap in gaps { (base + gap).deinitialize(count: 1) }
            let runs = Self.runs(between: gaps, and: fillers.map(\.index), count: items.count)
            // A run moves to places that hold nothing then: those that move down go first, the lowest before all, then
            // those that move up, the highest first.
            for run in runs where run.target < run.start {
                (base + run.target).moveInitialize(from: base + run.start, count: run.count)
            }
            for run in runs.reversed() where run.target > run.start {
                (base + run.target).moveInitialize(from: base + run.start, count: run.count)
            }
            for (index, object) in fillers { (base + index).initialize(to: object) }
        }
        if surplus > 0 { items.removeLast(surplus) }
    }

    /// Objects that stay together.
    private struct Run {
        var start: Int
        var target: Int
        var count: Int
    }

    /// The runs of places that are in neither list, which are as long as each other and rise: the places before and
    /// after.
    private static func runs(between gaps: [Int], and fillers: [Int], count: Int) -> [Run] {
        var runs: [Run] = []
        var (gap, filler, start, target) = (0, 0, 0, 0)
        while start < count {
            if gap < gaps.count, gaps[gap] == start {
                start += 1
                gap += 1
            } else if filler < fillers.count, fillers[filler] == target {
                target += 1
                filler += 1
            } else {
                let left = (gap < gaps.count ? gaps[gap] : count) - start
                let room = (filler < fillers.count ? fillers[filler] : count) - target
                let length = min(left, room)
                runs.append(Run(start: start, target: target, count: length))
                start += length
                target += length
            }
        }
        return runs
    }
}
