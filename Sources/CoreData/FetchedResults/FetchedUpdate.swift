import Foundation

/// Finds the new places of few changed objects among many that stayed as they were.
///
/// Objects that were neither removed nor changed (the anchors) keep their order. So each changed object's place among
/// them is found by binary search: a change costs comparisons in the order of the logarithm of the results.
struct FetchedUpdate {
    /// An object that will be in the results.
    struct Placement {
        let object: NSObject
        /// The object's place until now; nil when it was not in the results.
        var oldIndex: Int?
        /// Whether the object itself changed, not merely another object on which its place depends.
        var isDirect = true
        /// The number of anchors that were, and will be, before it.
        var oldGap = -1
        var gap = -1
        var newIndex = -1
        var isKept = false
        var sectionName = ""
    }

    private let old: FetchedArrangement
    private let order: FetchedOrder
    private let deleted: [Int]
    /// The places of all objects that are removed or moved, rising.
    let removed: [Int]
    private(set) var placements: [Placement]
    private(set) var sections: [FetchedArrangement.Section] = []
    private(set) var changes = FetchedChanges()
    /// Whether sections and order contradict each other; then only objects have places, and `changes` is empty.
    private(set) var isOutOfOrder = false

    /// `deleted` are the places of objects that leave the results.
    init(_ arrangement: FetchedArrangement, order: FetchedOrder, deleted: [Int], placements: [Placement]) {
        old = arrangement
        self.order = order
        self.deleted = deleted.sorted()
        removed = (deleted + placements.compactMap(\.oldIndex)).sorted()
        self.placements = placements
        findGaps()
        findKept()
        findSections()
        if !isOutOfOrder { describe() }
    }

    var added: [(index: Int, object: NSObject)] { placements.map { ($0.newIndex, $0.object) } }

    /// Whether the results have the objects afterwards that they had before.
    var areMoves: Bool { removed.count == placements.count && deleted.isEmpty }

    // MARK: Places

    private mutating func findGaps() {
        FetchedAnchors.with(old.objects, without: removed, order: order) { anchors in
            findOldGaps(anchors)
            if order.isBySlots {
                reorder { [order] in order.compare($0.pointee.object, $1.pointee.object).rawValue }
            } else if !order.sortDescriptors.isEmpty {
                placements = Self.sorted(placements, order)
            }
            findNewGaps(anchors)
        }
        // Objects in one gap keep their order.
        reorder { $0.pointee.gap - $1.pointee.gap }
        for index in placements.indices { placements[index].newIndex = placements[index].gap + index }
    }

    /// Finds the gaps in which the objects were, and the objects that fit there still.
    ///
    /// Among equal objects, those that stay come first, in the old order. Then come objects that moved, then new ones.
    private mutating func findOldGaps(_ anchors: FetchedAnchors) {
        reorder { ($0.pointee.oldIndex ?? .max) - ($1.pointee.oldIndex ?? .max) }
        if order.isBySlots, placements.count >= FetchedAnchors.manySearches {
            anchors.read(near: placements.compactMap(\.oldIndex))
        }
        var passed = 0
        for index in placements.indices {
            guard let place = placements[index].oldIndex else { break }
            while passed < removed.count, removed[passed] < place { passed += 1 }
            let gap = place - passed
            placements[index].oldGap = gap
            if anchors.fit(placements[index].object, gap, passing: passed) { placements[index].gap = gap }
        }
        let fitting = placements.filter { $0.gap >= 0 }
        if !fitting.isEmpty, fitting.count < placements.count {
            placements = fitting + placements.filter { $0.gap < 0 }
        }
    }

    /// Finds the gaps of the other objects, which are in order.
    private mutating func findNewGaps(_ anchors: FetchedAnchors) {
        let moved = placements.indices.filter { placements[$0].gap < 0 }
        var reached = 0
        if order.isBySlots, moved.count >= FetchedAnchors.manySearches {
            let gaps = anchors.anchors(beforeEach: moved.map { placements[$0].object })
            for (index, gap) in zip(moved, gaps) {
                reached = max(reached, gap)
                placements[index].gap = reached
            }
            return
        }
        var passed = 0
        for index in moved {
            reached = anchors.anchors(before: placements[index].object, from: reached, &passed)
            placements[index].gap = reached
        }
    }

    /// Sorts the placements by a comparison: negative where the first comes first, 0 for equals. Equals keep their
    /// order, which the standard library's sort does not guarantee.
    private mutating func reorder(_ compare: (UnsafePointer<Placement>, UnsafePointer<Placement>) -> Int) {
        let isOrdered = placements.withUnsafeBufferPointer { placements in
            guard let base = placements.baseAddress else { return true }
            return placements.indices.dropFirst().allSatisfy { compare(base + $0 - 1, base + $0) <= 0 }
        }
        if isOrdered { return }
        let order = placements.withUnsafeBufferPointer { placements in
            guard let base = placements.baseAddress else { return [Int]() }
            return placements.indices.sorted { a, b in
                let result = compare(base + a, base + b)
                return result == 0 ? a < b : result < 0
            }
        }
        placements = order.map { placements[$0] }
    }

    private static func sorted(_ placements: [Placement], _ order: FetchedOrder) -> [Placement] {
        let byObject = Dictionary(
            placements.map { (ObjectIdentifier($0.object), $0) }, uniquingKeysWith: { first, _ in first })
        return placements.map(\.object).sorted(byDescriptors: order.sortDescriptors)
            .compactMap { byObject[ObjectIdentifier($0)] }
    }

    /// Finds the objects that have not moved: those in their old gap, in the old order with the other objects of the
    /// gap.
    private mutating func findKept() {
        var start = 0
        while start < placements.count {
            var end = start
            while end < placements.count, placements[end].gap == placements[start].gap { end += 1 }
            let candidates = (start..<end).filter { placements[$0].oldGap == placements[$0].gap }
            let isInOrder = IncreasingRun.members(of: candidates.map { placements[$0].oldIndex ?? 0 })
            for (index, isInOrder) in zip(candidates, isInOrder) { placements[index].isKept = isInOrder }
            start = end
        }
    }

    // MARK: Sections

    private mutating func findSections() {
        guard order.isSectioned else {
            sections = old.sections
            return
        }
        var names = FetchedOrder.SectionNames(order)
        for index in placements.indices { placements[index].sectionName = names.name(of: placements[index].object) }
        let plan = FetchedSectionPlan(
            counts: old.sections.enumerated().map { ($1.name, old.count(ofSection: $0)) },
            removed: removed.map { old.section(at: $0) }, placements: placements.map { ($0.sectionName, $0.gap) })
        sections = plan.sections
        let places = FetchedArrangement(items: [], sections: sections)
        isOutOfOrder = placements.contains { sections[places.section(at: $0.newIndex)].name != $0.sectionName }
        changes.deletedSections = plan.deleted
        changes.insertedSections = plan.inserted
    }

    // MARK: The changes

    private mutating func describe() {
        let deletedSections = Set(changes.deletedSections)
        for index in deleted {
            changes.objects.append(
                FetchedChanges.Object(object: old.objects[index], type: .delete, oldIndex: index, newIndex: nil))
        }
        for placement in placements {
            var type = NSFetchedResultsChangeType.insert
            if let place = placement.oldIndex {
                let section = old.section(at: place)
                let isStill =
                    placement.isKept && !deletedSections.contains(section)
                    && (!order.isSectioned || old.sections[section].name == placement.sectionName)
                if isStill, !placement.isDirect { continue }
                type = isStill ? .update : .move
            }
            changes.objects.append(
                FetchedChanges.Object(
                    object: placement.object, type: type, oldIndex: placement.oldIndex, newIndex: placement.newIndex))
        }
        changes.sortObjects()
    }
}
