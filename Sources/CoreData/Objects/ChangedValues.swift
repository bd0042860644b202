/// Values of some of an object's slots: those that were set.
///
/// Few values of a saved object are set: they have places in the order of the slots' numbers. Most values of a new
/// object are set: it has a place for each slot, by number. If there are many new objects, the values are kept in a row
/// instead (`pack`), which takes half as much memory, until another value is set.
struct ChangedValues {
    /// The slots that have a value.
    private(set) var mask = SlotMask()
    private var places: ContiguousArray<SlotValue> = []
    /// The layout of a new object; nil for a saved one.
    private var layout: EntityLayout?
    /// The row that was built with all of these values, until one of them changes.
    private(set) var row: Snapshot?

    /// Whether only the row has the values.
    @inline(__always) var arePacked: Bool { places.isEmpty && layout != nil && row != nil }
    @inline(__always) var canBePacked: Bool { !places.isEmpty && layout != nil }

    /// The value of a slot of `mask`.
    @inline(__always)
    subscript(slot: Int) -> SlotValue {
        guard let layout else { return places[mask.rank(of: slot)] }
        return places.isEmpty ? Self.packedValue(slot, row, layout) : places[slot]
    }

    /// A place for each of the given number of slots, filled for the slots of `mask`. The places of a new object are
    /// not copied.
    func bySlot(_ count: Int) -> ContiguousArray<SlotValue> {
        if layout != nil, !places.isEmpty { return places }
        var all: ContiguousArray<SlotValue> = .nulls(count)
        mask.forEach { all[$0] = self[$0] }
        return all
    }

    /// Whether there is a place for each slot of `mask`, or for each slot of a new object.
    var isWhole: Bool {
        if let layout { return arePacked || places.count == layout.slots.count }
        var count = 0
        mask.forEach { _ in count += 1 }
        return places.count == count
    }

    /// Whether the value of a slot of `mask` is nil.
    @inline(__always)
    func isNull(_ slot: Int) -> Bool {
        if layout == nil { return places[mask.rank(of: slot)].isNull }
        return places.isEmpty ? row?.isNull(slot) ?? true : places[slot].isNull
    }

    /// - Parameter newLayout: the layout of a new object; nil for a saved object.
    @inline(__always)
    mutating func set(_ value: SlotValue, at slot: Int, newLayout: @autoclosure () -> EntityLayout?) {
        if places.isEmpty { makePlaces(newLayout()) }
        if layout != nil {
            places[slot] = value
            mask.insert(slot)
        } else if mask.contains(slot) {
            places[mask.rank(of: slot)] = value
        } else {
            insert(value, at: slot)
        }
        row = nil
    }

    mutating func remove(_ slot: Int) {
        guard mask.contains(slot) else { return }
        forgetRow()
        if layout != nil {
            places[slot] = .null
        } else {
            places.remove(at: mask.rank(of: slot))
        }
        mask.remove(slot)
    }

    private mutating func makePlaces(_ newLayout: EntityLayout?) {
        if arePacked { return unpack() }
        layout = newLayout
        if let newLayout {
            places = .nulls(newLayout.slots.count)
        } else {
            places.reserveCapacity(2)
        }
    }

    private mutating func insert(_ value: SlotValue, at slot: Int) {
        var place = places.count
        let rank = mask.rank(of: slot)
        places.append(value)
        while place > rank {
            places.swapAt(place, place - 1)
            place -= 1
        }
        mask.insert(slot)
    }

    // MARK: The row

    /// Remembers the row that was built with the values.
    mutating func keep(_ row: Snapshot) { self.row = row }

    /// Forgets the row, because its other values have changed.
    mutating func forgetRow() {
        if arePacked { unpack() }
        row = nil
    }

    /// Moves the values of a new object into the row that was built with them.
    mutating func pack(in row: Snapshot) {
        self.row = row
        places = []
    }

    private mutating func unpack() {
        guard let layout else { return }
        places = bySlot(layout.slots.count)
    }

    /// The parameters are only the parts that are needed: a method of the value would retain all of its parts.
    private static func packedValue(_ slot: Int, _ row: Snapshot?, _ layout: EntityLayout) -> SlotValue {
        row?.value(slot, kind: layout.slots[slot].kind) ?? .null
    }
}
