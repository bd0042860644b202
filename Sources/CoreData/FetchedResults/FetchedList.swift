import Foundation

/// Objects in order.
///
/// A value type. A change that only moves objects does not copy an array that a program has got: copying counts a
/// reference to each object. Such an array goes on holding the objects, and their new order is noted beside it.
struct FetchedList {
    /// The objects, in order unless `order` has another one.
    private var array: [NSObject]
    /// The order of the objects of `array`, which holds exactly these objects.
    private var order: ContiguousArray<Unmanaged<NSObject>>?

    init(_ objects: [NSObject]) { array = objects }

    var count: Int { array.count }

    /// The objects as an array. `settle` first if it is used more than once.
    var all: [NSObject] { order.map { $0.map { $0.takeUnretainedValue() } } ?? array }

    subscript(index: Int) -> NSObject { order.map { $0[index].takeUnretainedValue() } ?? array[index] }

    subscript(range: Range<Int>) -> [NSObject] {
        order.map { $0[range].map { $0.takeUnretainedValue() } } ?? Array(array[range])
    }

    /// Calls a body with references to the objects in order, which are valid during the call.
    @inline(__always)
    func withReferences<Result>(_ body: (UnsafeBufferPointer<Unmanaged<NSObject>>) throws -> Result) rethrows -> Result
    {
        if let order { return try order.withUnsafeBufferPointer(body) }
        // A reference to an object and an unmanaged one are the same word.
        return try array.withUnsafeBufferPointer { try $0.withMemoryRebound(to: Unmanaged<NSObject>.self, body) }
    }

    /// Brings the array into the order of the objects, so that they can be read without a copy.
    mutating func settle() {
        guard let order else { return }
        self.order = nil
        array.withUnsafeMutableBufferPointer { array in
            order.withUnsafeBufferPointer { order in
                guard let words = UnsafeMutableRawPointer(array.baseAddress), let moved = order.baseAddress else {
                    return
                }
                // The array holds as many references to each object as before, at other places.
                words.copyMemory(from: moved, byteCount: order.count * MemoryLayout<Unmanaged<NSObject>>.stride)
            }
        }
    }

    // MARK: Replacing

    /// Takes the objects at `removed` (rising) out and puts `added` (rising by their places afterwards) in.
    ///
    /// - Parameter areMoves: Whether the objects that are put in are those that are taken out.
    mutating func replace(_ removed: [Int], _ added: [(index: Int, object: NSObject)], areMoves: Bool) {
        if areMoves, order != nil || !isUnshared(&array) { return move(removed, added) }
        settle()
        replace(removed, added)
    }

    /// Notes a new order of the objects, and leaves the array as it is.
    private mutating func move(_ removed: [Int], _ added: [(index: Int, object: NSObject)]) {
        var moved = order ?? withReferences { ContiguousArray($0) }
        order = nil
        moved.withUnsafeMutableBufferPointer { items in
            guard let base = items.baseAddress else { return }
            Self.moveRuns(in: base, count: items.count, between: removed, and: added.map(\.index))
            for (index, object) in added { items[index] = Unmanaged.passUnretained(object) }
        }
        order = moved
    }

    /// Moves the objects between the places that change, without touching them: counting references to 100,000 objects
    /// would take most of the time.
    private mutating func replace(_ removed: [Int], _ added: [(index: Int, object: NSObject)]) {
        var (gaps, fillers) = (removed, added)
        let (count, surplus) = (array.count, removed.count - added.count)
        // As many places are filled as are left. Surplus ones are at the end.
        if let object = added.first?.object ?? removed.first.map({ array[$0] }) {
            if surplus < 0 {
                array.append(contentsOf: repeatElement(object, count: -surplus))
                gaps += count..<count - surplus
            } else {
                fillers += (count - surplus..<count).map { ($0, object) }
            }
        }
        array.withUnsafeMutableBufferPointer { items in
            guard let base = items.baseAddress else { return }
            for gap in gaps { (base + gap).deinitialize(count: 1) }
            Self.moveRuns(in: base, count: items.count, between: gaps, and: fillers.map(\.index))
            for (index, object) in fillers { (base + index).initialize(to: object) }
        }
        if surplus > 0 { array.removeLast(surplus) }
    }

    /// Moves the elements that are at none of the places `gaps`, in their order, to the places that are none of
    /// `fillers`. Both lists are as long as each other and rise.
    private static func moveRuns<Element>(
        in base: UnsafeMutablePointer<Element>, count: Int, between gaps: [Int], and fillers: [Int]
    ) {
        let runs = runs(between: gaps, and: fillers, count: count)
        // A run moves to places that hold nothing then: those that move down go first, the lowest before all, then
        // those that move up, the highest first.
        for run in runs where run.target < run.start {
            (base + run.target).moveInitialize(from: base + run.start, count: run.count)
        }
        for run in runs.reversed() where run.target > run.start {
            (base + run.target).moveInitialize(from: base + run.start, count: run.count)
        }
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
