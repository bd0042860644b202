/// Values of some of an object's slots: those that were set.
///
/// Few values of a saved object are set. One or two numbers or nils, which are most changes, take no memory of their
/// own (`ShortValues`); otherwise they have places in the order of the slots' numbers. Most values of a new object are
/// set: it has a place for each slot, by number. If there are many new objects, the values are kept in a row instead
/// (`pack`), which takes half as much memory, until another value is set.
struct ChangedValues {
    /// The slots that have a value.
    private(set) var mask = SlotMask()
    /// The values of a saved object, in the order of the slots' numbers, as long as `places` is empty.
    private var short = ShortValues()
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
        guard let layout else {
            return places.isEmpty ? short[mask.rank(of: slot)] : places[mask.rank(of: slot)]
        }
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
        return places.isEmpty ? short.count == count : places.count == count
    }

    /// Whether the value of a slot of `mask` is nil.
    @inline(__always)
    func isNull(_ slot: Int) -> Bool {
        if layout == nil {
            return places.isEmpty ? short.isNull(mask.rank(of: slot)) : places[mask.rank(of: slot)].isNull
        }
        return places.isEmpty ? row?.isNull(slot) ?? true : places[slot].isNull
    }

    /// - Parameter newLayout: the layout of a new object; nil for a saved object.
    @inline(__always)
    mutating func set(_ value: SlotValue, at slot: Int, newLayout: @autoclosure () -> EntityLayout?) {
        if places.isEmpty {
            // The first value decides whether the object is a new one.
            if mask.isEmpty, layout == nil { layout = newLayout() }
            if layout == nil, setShort(value, at: slot) {
                row = nil
                return
            }
            makePlaces()
        }
        if layout != nil {
            places[slot] = value
            mask.insert(slot)
        } else {
            setPlaced(value, at: slot)
        }
        row = nil
    }

    mutating func remove(_ slot: Int) {
        guard mask.contains(slot) else { return }
        forgetRow()
        if layout != nil {
            places[slot] = .null
        } else if places.isEmpty {
            short.remove(at: mask.rank(of: slot))
        } else {
            places.remove(at: mask.rank(of: slot))
        }
        mask.remove(slot)
    }

    /// Sets a value without `places`. Returns false if that is not possible.
    @inline(__always)
    private mutating func setShort(_ value: SlotValue, at slot: Int) -> Bool {
        if mask.contains(slot) { return short.replace(mask.rank(of: slot), by: value) }
        guard short.insert(value, at: mask.rank(of: slot)) else { return false }
        mask.insert(slot)
        return true
    }

    private mutating func makePlaces() {
        if arePacked { return unpack() }
        if let layout {
            places = .nulls(layout.slots.count)
        } else {
            places.reserveCapacity(short.count + 1)
            for place in 0..<short.count { places.append(short[place]) }
            short = ShortValues()
        }
    }

    /// Sets a value of a saved object that has `places`.
    @inline(never)
    private mutating func setPlaced(_ value: SlotValue, at slot: Int) {
        if mask.contains(slot) {
            places[mask.rank(of: slot)] = value
            return
        }
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

/// One or two values that are numbers or nil.
private struct ShortValues {
    private enum Kind: UInt8 {
        case null
        case int
        case double
    }

    private var first: UInt64 = 0
    private var second: UInt64 = 0
    private var firstKind = Kind.null
    private var secondKind = Kind.null
    private var number: UInt8 = 0

    var count: Int { Int(number) }

    @inline(__always)
    subscript(place: Int) -> SlotValue {
        let bits = place == 0 ? first : second
        return switch place == 0 ? firstKind : secondKind {
        case .null: .null
        case .int: .int(Int64(bitPattern: bits))
        case .double: .double(Double(bitPattern: bits))
        }
    }

    @inline(__always)
    func isNull(_ place: Int) -> Bool { (place == 0 ? firstKind : secondKind) == .null }

    /// Replaces a value. Returns false, and changes nothing, if the new one is neither a number nor nil.
    @inline(__always)
    mutating func replace(_ place: Int, by value: SlotValue) -> Bool {
        guard let (bits, kind) = Self.bits(of: value) else { return false }
        if place == 0 { (first, firstKind) = (bits, kind) } else { (second, secondKind) = (bits, kind) }
        return true
    }

    /// Inserts a value. Returns false, and changes nothing, if it is neither a number nor nil, or if there are two.
    @inline(__always)
    mutating func insert(_ value: SlotValue, at place: Int) -> Bool {
        guard number < 2, let (bits, kind) = Self.bits(of: value) else { return false }
        if place == 0 {
            (second, secondKind) = (first, firstKind)
            (first, firstKind) = (bits, kind)
        } else {
            (second, secondKind) = (bits, kind)
        }
        number += 1
        return true
    }

    mutating func remove(at place: Int) {
        if place == 0 { (first, firstKind) = (second, secondKind) }
        number -= 1
    }

    @inline(__always)
    private static func bits(of value: SlotValue) -> (UInt64, Kind)? {
        switch value {
        case .null: (0, .null)
        case .int(let number): (UInt64(bitPattern: number), .int)
        case .double(let number): (number.bitPattern, .double)
        case .string, .data, .uuid, .decimal: nil
        }
    }
}
