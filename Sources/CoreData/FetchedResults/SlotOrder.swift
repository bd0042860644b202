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
}
