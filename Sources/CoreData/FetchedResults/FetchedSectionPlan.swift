/// The sections after a change: those that stay, those that are deleted and those that are inserted.
///
/// A section with an object that was neither removed nor changed (an anchored section) keeps its place among the
/// anchored sections. An unanchored section gets the place of its first new object. A section that then stands between
/// other sections than before is deleted and inserted.
struct FetchedSectionPlan {
    private(set) var sections: [FetchedArrangement.Section] = []
    private(set) var deleted: [Int] = []
    private(set) var inserted: [Int] = []

    private struct Entry {
        let name: String
        let oldIndex: Int?
        var count: Int
        var isKept = true
    }

    /// The section of an object that is inserted: an anchored one, or an unanchored one behind an anchored one.
    private enum Place {
        case old(Int)
        case behind(Int, Int)
    }

    /// `counts` are the sections until now. `removed` is the section of every object that is removed or moved.
    /// `placements` are the objects that are inserted, in order, with the number of anchors before them.
    init(counts: [(name: String, count: Int)], removed: [Int], placements: [(name: String, gap: Int)]) {
        var left = counts.map(\.count)
        for section in removed { left[section] -= 1 }
        let anchored = left.indices.filter { left[$0] > 0 }
        var ends: [Int] = []
        for section in anchored { ends.append((ends.last ?? 0) + left[section]) }
        let oldIndexes = Dictionary(
            counts.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })

        // The unanchored sections, by the anchored section before them. The first place is for the sections before all
        // anchored ones.
        var behind: [[Entry]] = Array(repeating: [], count: anchored.count + 1)
        var places: [String: Place] = [:]
        var latest: (name: String, place: Place)?
        for (name, gap) in placements {
            // Objects that follow each other are mostly of one section.
            let place: Place
            if let latest, latest.name == name {
                place = latest.place
            } else if let known = places[name] {
                place = known
            } else if let oldIndex = oldIndexes[name], left[oldIndex] > 0 {
                place = .old(oldIndex)
            } else {
                let position = Self.firstIndex(in: ends, reaching: gap)
                place = .behind(position, behind[position].count)
                places[name] = place
                behind[position].append(Entry(name: name, oldIndex: oldIndexes[name], count: 0))
            }
            switch place {
            case .old(let section): left[section] += 1
            case .behind(let position, let index): behind[position][index].count += 1
            }
            latest = (name, place)
        }
        var final: [Entry] = []
        for position in 0...anchored.count {
            if position > 0 {
                let section = anchored[position - 1]
                final.append(Entry(name: counts[section].name, oldIndex: section, count: left[section]))
            }
            var entries = behind[position]
            if entries.isEmpty { continue }
            let lower = position > 0 ? anchored[position - 1] : -1
            let upper = position < anchored.count ? anchored[position] : counts.count
            let candidates = entries.indices.filter { entries[$0].oldIndex.map { $0 > lower && $0 < upper } ?? false }
            let isInOrder = IncreasingRun.members(of: candidates.map { entries[$0].oldIndex ?? 0 })
            for index in entries.indices { entries[index].isKept = false }
            for (index, isInOrder) in zip(candidates, isInOrder) { entries[index].isKept = isInOrder }
            final += entries
        }
        finish(final, oldCount: counts.count)
    }

    private mutating func finish(_ final: [Entry], oldCount: Int) {
        var start = 0
        var kept: Set<Int> = []
        for (index, entry) in final.enumerated() {
            sections.append(FetchedArrangement.Section(name: entry.name, start: start))
            start += entry.count
            if entry.isKept, let oldIndex = entry.oldIndex { kept.insert(oldIndex) } else { inserted.append(index) }
        }
        deleted = (0..<oldCount).filter { !kept.contains($0) }
    }

    /// The number of anchored sections that begin before a gap: those that end at the gap or before, and the section
    /// that contains the gap.
    private static func firstIndex(in ends: [Int], reaching gap: Int) -> Int {
        if gap == 0 { return 0 }
        var low = 0
        var high = ends.count
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] < gap { low = middle + 1 } else { high = middle }
        }
        return low + 1
    }
}
