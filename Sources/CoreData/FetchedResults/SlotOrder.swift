import Foundation

/// The order of objects of one entity by attributes that are found in slots: no name is looked up, and no value is
/// boxed.
struct SlotOrder {
    private struct Key {
        let slot: Int
        let kind: SlotKind
        let ascending: Bool
    }

    private let layout: EntityLayout
    private let keys: [Key]

    /// Nil if a descriptor compares something else than an attribute by its own order.
    init?(_ descriptors: [NSSortDescriptor], of layout: EntityLayout) {
        var keys: [Key] = []
        for descriptor in descriptors {
            guard let descriptor = descriptor as? KeySortDescriptor, let name = descriptor.plainName,
                case .attribute(let slot)? = layout.access[name],
                NSManagedObject.isOrdered(layout.slots[slot].kind)
            else { return nil }
            keys.append(Key(slot: slot, kind: layout.slots[slot].kind, ascending: descriptor.ascending))
        }
        self.layout = layout
        self.keys = keys
    }

    /// The order of two managed objects. Nil if the slots do not decide: an object has another entity, its class
    /// overrides the reading of keys, or a value is not a number.
    func compare(_ a: NSObject, _ b: NSObject) -> ComparisonResult? {
        let (a, b) = (unsafeDowncast(a, to: NSManagedObject.self), unsafeDowncast(b, to: NSManagedObject.self))
        guard a.binding.layout === layout, b.binding.layout === layout, a.isReadFromSlots, b.isReadFromSlots else {
            return nil
        }
        for key in keys {
            guard let result = a.order(with: b, at: key.slot, key.kind) else { return nil }
            if result != .orderedSame { return key.ascending ? result : result.reversed }
        }
        return .orderedSame
    }

    // MARK: Comparing with many objects

    /// The values of one object by which it is ordered.
    struct Values {
        fileprivate enum Value {
            case null
            case int(Int64)
            case double(Double)
            /// Bytes in the row.
            case bytes(UnsafeRawBufferPointer)
        }
        fileprivate var values: ContiguousArray<Value> = []
        // Held for the bytes in it.
        fileprivate let row: Snapshot
    }

    /// The values of an object; nil if the slots do not decide, or if a text is changed.
    func values(of item: NSObject) -> Values? {
        let object = unsafeDowncast(item, to: NSManagedObject.self)
        guard object.binding.layout === layout, object.isReadFromSlots, !object.flags.contains(.tracksReads) else {
            return nil
        }
        object.checkConfinement("reading")
        var found = Values(row: object.firedRow())
        for key in keys {
            let value: Values.Value
            if object.overlay?.mask.contains(key.slot) == true || key.kind != .string {
                switch object.slotValue(at: key.slot) {
                case .null: value = .null
                case .int(let number): value = .int(key.kind == .boolean && number != 0 ? 1 : number)
                case .double(let number) where !number.isNaN: value = .double(number)
                default: return nil
                }
            } else {
                value = found.row.isNull(key.slot) ? .null : .bytes(found.row.bytes(key.slot))
            }
            found.values.append(value)
        }
        return found
    }

    /// The order of an object and one of the given values. Nil if the slots do not decide, or if the object is a fault
    /// or has changes.
    @inline(__always)
    func compare(_ item: Unmanaged<NSObject>, _ values: Values) -> ComparisonResult? {
        item._withUnsafeGuaranteedRef { item in
            let object = unsafeDowncast(item, to: NSManagedObject.self)
            guard object.binding.layout === layout, object.isReadFromSlots, let row = object.plainRow else {
                return nil
            }
            // Nothing here releases the object's row.
            return row._withUnsafeGuaranteedRef { compare($0, values) }
        }
    }

    @inline(__always)
    private func compare(_ row: Snapshot, _ values: Values) -> ComparisonResult? {
        for (place, key) in keys.enumerated() {
            let result: ComparisonResult
            switch values.values[place] {
            case .null: result = row.isNull(key.slot) ? .orderedSame : .orderedDescending
            case _ where row.isNull(key.slot): result = .orderedAscending
            case .int(let value):
                let own = row.int(key.slot)
                result = NSManagedObject.order(key.kind == .boolean && own != 0 ? 1 : own, value)
            case .double(let value):
                guard let order = NSManagedObject.order(of: row.double(key.slot), value, key.kind) else { return nil }
                result = order
            case .bytes(let bytes): result = NSManagedObject.order(of: row.bytes(key.slot), bytes)
            }
            if result != .orderedSame { return key.ascending ? result : result.reversed }
        }
        return .orderedSame
    }

    /// The word of an object's row that is compared first.
    ///
    /// All objects of the results are of the layout's entity or of one below it, whose rows have the slot, too.
    @inline(__always)
    func word(of item: Unmanaged<NSObject>) -> Int64 {
        guard let slot = keys.first?.slot else { return 0 }
        return item._withUnsafeGuaranteedRef { item in
            let row = unsafeDowncast(item, to: NSManagedObject.self).heldRow
            return row?._withUnsafeGuaranteedRef { $0.int(slot) } ?? 0
        }
    }
}
