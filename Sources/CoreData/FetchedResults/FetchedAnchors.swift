import Foundation
import Synchronization

/// The objects of results that were neither removed nor changed: the anchors, which keep their order. Finds the places
/// of other objects among them.
///
/// It refers to memory of its caller, so it is valid only in the body of `with`.
struct FetchedAnchors {
    /// All objects, in the old order.
    private let objects: UnsafeBufferPointer<Unmanaged<NSObject>>
    /// The places of those that are no anchors, rising.
    private let removed: UnsafeBufferPointer<Int>
    private let order: FetchedOrder
    let count: Int

    static func with<Result>(
        _ objects: FetchedList, without removed: [Int], order: FetchedOrder, _ body: (FetchedAnchors) -> Result
    ) -> Result {
        objects.withReferences { objects in
            removed.withUnsafeBufferPointer { removed in
                body(
                    FetchedAnchors(
                        objects: objects, removed: removed, order: order, count: objects.count - removed.count))
            }
        }
    }

    /// The old place of an anchor. `passed` is a number of removed objects that stood before it, at which the search
    /// begins.
    private func oldIndex(ofAnchor anchor: Int, passing passed: Int) -> Int {
        var low = passed
        var step = 1
        while low + step <= removed.count, removed[low + step - 1] - (low + step - 1) <= anchor {
            low += step
            step *= 2
        }
        var high = min(low + step - 1, removed.count)
        while low < high {
            let middle = (low + high) / 2
            if removed[middle] - middle <= anchor { low = middle + 1 } else { high = middle }
        }
        return anchor + low
    }

    /// Whether an object belongs into a gap, which has as many anchors before it. `passed` removed objects stood before
    /// the gap.
    func fit(_ object: NSObject, _ gap: Int, passing passed: Int) -> Bool {
        if gap > 0 {
            var before = gap + passed - 1
            var last = passed - 1
            while last >= 0, removed[last] == before {
                before -= 1
                last -= 1
            }
            let isBehind = objects[before]._withUnsafeGuaranteedRef { order.compare($0, object) == .orderedDescending }
            if isBehind { return false }
        }
        if gap < count {
            let after = objects[oldIndex(ofAnchor: gap, passing: passed)]
            let isBehind = after._withUnsafeGuaranteedRef { order.compare(object, $0) == .orderedDescending }
            if isBehind { return false }
        }
        return true
    }

    // MARK: One search after another

    /// The number of anchors that come before an object or are its equals; at least `start`. The search begins near
    /// `start`.
    ///
    /// - Parameter passed: The number of removed objects that stood before the anchor `start`, or less.
    func anchors(before object: NSObject, from start: Int, _ passed: inout Int) -> Int {
        var low = start
        var step = 1
        while low + step <= count {
            let place = oldIndex(ofAnchor: low + step - 1, passing: passed)
            if isBehind(objects[place], object) { break }
            passed = place - (low + step - 1)
            low += step
            step *= 2
        }
        var high = min(low + step - 1, count)
        while low < high {
            let middle = (low + high) / 2
            let place = oldIndex(ofAnchor: middle, passing: passed)
            if isBehind(objects[place], object) {
                high = middle
            } else {
                low = middle + 1
                passed = place - middle
            }
        }
        return low
    }

    private func isBehind(_ anchor: Unmanaged<NSObject>, _ object: NSObject) -> Bool {
        anchor._withUnsafeGuaranteedRef { order.compare($0, object) == .orderedDescending }
    }

    // MARK: Many searches at once

    /// From so many objects on, their places are searched at once.
    static var manySearches: Int { 16 }

    private struct Search {
        let object: NSObject
        let values: SlotOrder.Values?
        var low = 0
        var high: Int
    }

    /// The numbers of anchors that come before each object or are its equals.
    ///
    /// A search among many objects mostly waits for memory. So all searches take each step together, after the memory
    /// for the step was read: the processor reads at many places at a time, as long as no decision depends on it.
    func anchors(beforeEach sought: [NSObject]) -> [Int] {
        var all = ContiguousArray<Unmanaged<NSObject>>()
        all.reserveCapacity(count)
        var start = 0
        for place in removed {
            all.append(contentsOf: UnsafeBufferPointer(rebasing: objects[start..<place]))
            start = place + 1
        }
        all.append(contentsOf: UnsafeBufferPointer(rebasing: objects[start...]))
        var searches = sought.map { Search(object: $0, values: order.values(of: $0), high: count) }
        searches.withUnsafeMutableBufferPointer { searches in
            all.withUnsafeBufferPointer { anchors in
                while step(searches, anchors) {}
            }
        }
        return searches.map(\.low)
    }

    /// Halves the range of each search. Returns whether any is left.
    private func step(
        _ searches: UnsafeMutableBufferPointer<Search>, _ anchors: UnsafeBufferPointer<Unmanaged<NSObject>>
    ) -> Bool {
        var words: Int64 = 0
        for place in searches.indices where searches[place].low < searches[place].high {
            words &+= order.word(of: anchors[(searches[place].low + searches[place].high) / 2])
        }
        Self.wordsRead.store(words, ordering: .relaxed)
        var isLeft = false
        for place in searches.indices where searches[place].low < searches[place].high {
            let middle = (searches[place].low + searches[place].high) / 2
            let result = order.compare(anchors[middle], searches[place].object, searches[place].values)
            if result == .orderedDescending {
                searches[place].high = middle
            } else {
                searches[place].low = middle + 1
            }
            if searches[place].low < searches[place].high { isLeft = true }
        }
        return isLeft
    }

    /// Reads memory of the objects at some places and beside them, before they are compared one by one.
    func read(near places: [Int]) {
        var words: Int64 = 0
        for place in places {
            if place > 0 { words &+= order.word(of: objects[place - 1]) }
            if place + 1 < objects.count { words &+= order.word(of: objects[place + 1]) }
        }
        Self.wordsRead.store(words, ordering: .relaxed)
    }

    /// Takes words that are read for the time of the reading alone, so that the compiler does not drop it.
    private static let wordsRead = Atomic<Int64>(0)
}
