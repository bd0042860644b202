import Foundation

/// The state of an object at one moment, for undo: pointers to its row and copies of its overlay's arrays, which share
/// memory until either side changes.
struct ObjectState {
    /// Whether the object existed: inserted or fetched, and not deleted.
    var isAlive: Bool
    /// Whether the object did not exist yet.
    let isNew: Bool
    var row: Snapshot?
    let values: ChangedValues
    let boxed: [Int: Any]
    let boxedChanges: SlotMask
    let toManys: [ToManyState.Memento?]

    /// The present state of the object.
    init(of object: NSManagedObject) {
        isAlive = !object.flags.contains(.deleted)
        isNew = false
        row = object.row
        let overlay = object.overlay
        var values = overlay?.values ?? ChangedValues()
        // A value that was set back is no change. Undo must not restore it over a newer row.
        if !object.flags.contains(.inserted) { object.attributesSetBack.forEach { values.remove($0) } }
        self.values = values
        boxed = overlay?.boxed ?? [:]
        boxedChanges = overlay?.boxedChanges ?? SlotMask()
        toManys = overlay?.toManys.map { $0?.memento } ?? []
    }

    /// The state of the object before it had any unsaved change: the values of its row or, when it `isNew`, no object.
    init(cleanStateOf object: NSManagedObject, isNew: Bool) {
        isAlive = !isNew
        self.isNew = isNew
        row = object.row
        values = ChangedValues()
        boxed = [:]
        boxedChanges = SlotMask()
        toManys =
            object.overlay?.toManys.map { state in
                state.map { ToManyState.Memento(base: $0.base, added: [], removed: [], order: nil) }
            } ?? []
    }

    var mask: SlotMask { values.mask }

    /// A value of a slot: the bytes' form, or the object of a transformable attribute that has not been encoded.
    enum Value {
        case slot(SlotValue)
        case boxed(Any?)

        func isSame(as other: Value) -> Bool {
            switch (self, other) {
            case (.slot(let a), .slot(let b)): return a == b
            case (.boxed(nil), .boxed(nil)): return true
            case (.boxed(let a?), .boxed(let b?)):
                if let a = a as? AnyHashable, let b = b as? AnyHashable { return a == b }
                return false
            default: return false
            }
        }
    }

    func value(at slot: Int, kind: SlotKind) -> Value {
        if boxedChanges.contains(slot) { return .boxed(boxed[slot]) }
        if mask.contains(slot) { return .slot(values[slot]) }
        return .slot(row?.value(slot, kind: kind) ?? .null)
    }

    /// The slots that have another value in another state of the same object.
    func slots(otherThanIn other: ObjectState, of object: NSManagedObject) -> [Int] {
        var candidates = mask
        candidates.formUnion(other.mask)
        candidates.formUnion(boxedChanges)
        candidates.formUnion(other.boxedChanges)
        let slots = object.binding.layout.slots
        var changed: [Int] = []
        candidates.forEach { slot in
            let kind = slots[slot].kind
            if !value(at: slot, kind: kind).isSame(as: other.value(at: slot, kind: kind)) { changed.append(slot) }
        }
        return changed
    }

    func toMany(_ index: Int) -> ToManyState.Memento? { index < toManys.count ? toManys[index] : nil }
}

/// The states of an object before and after a change.
struct ObjectChange {
    let object: NSManagedObject
    let before: ObjectState
    let after: ObjectState

    /// The slots that have another value after the change.
    var changedSlots: [Int] { before.slots(otherThanIn: after, of: object) }

    /// The to-many relationships with other members, or another order, after the change.
    var changedToManys: [Int] {
        (0..<max(before.toManys.count, after.toManys.count)).filter { index in
            let isOrdered = object.binding.layout.toManys[index].isOrdered
            guard let new = after.toMany(index) else { return before.toMany(index)?.isClean == false }
            guard let old = before.toMany(index) else { return !new.isClean }
            return !old.isSame(as: new, isOrdered: isOrdered)
        }
    }

    /// Whether there is nothing to undo.
    var isEmpty: Bool {
        if before.isAlive != after.isAlive { return false }
        return !before.isAlive || (changedSlots.isEmpty && changedToManys.isEmpty)
    }
}
