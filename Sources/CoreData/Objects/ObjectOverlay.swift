import Foundation

/// What an object knows beyond its row: changed values, decoded objects, and its to-many relationships.
///
/// Objects that are only read have none. Touched on the context's queue alone.
final class ObjectOverlay {
    /// The slots whose value differs from the row's, or was set.
    @exclusivity(unchecked) var mask = SlotMask()
    /// One place per slot, filled where `mask` says so; empty until the first change.
    @exclusivity(unchecked) var values: ContiguousArray<SlotValue> = []
    /// One place per to-many relationship; empty until one is touched.
    @exclusivity(unchecked) var toManys: ContiguousArray<ToManyState?> = []
    /// The row as it is with all changes, while nothing has changed since it was built (for child contexts).
    @exclusivity(unchecked) var currentRow: Snapshot?
    @exclusivity(unchecked) private var rare: Rare?

    /// What few objects have. It lies apart, so that the others pay eight bytes for it.
    private final class Rare {
        var boxed: [Int: Any] = [:]
        var boxedChanges = SlotMask()
        var fetched: [String: FetchedMembers] = [:]
        var eventBase: EventBase?
    }

    private func ensureRare() -> Rare {
        if let rare { return rare }
        let new = Rare()
        rare = new
        return new
    }

    /// Decoded transformable values and values of transient attributes, by slot. For a slot in `mask` it is the changed
    /// value; for another one it is a cache of the row's.
    var boxed: [Int: Any] {
        get { rare?.boxed ?? [:] }
        _modify {
            if let rare {
                yield &rare.boxed
            } else {
                var new: [Int: Any] = [:]
                yield &new
                if !new.isEmpty { ensureRare().boxed = new }
            }
        }
    }

    /// Slots whose boxed value is the truth and must be turned into bytes when the object is saved.
    var boxedChanges: SlotMask {
        get { rare?.boxedChanges ?? SlotMask() }
        _modify {
            if let rare {
                yield &rare.boxedChanges
            } else {
                var new = SlotMask()
                yield &new
                if !new.isEmpty { ensureRare().boxedChanges = new }
            }
        }
    }

    /// Asked of every object that is saved, and mostly false.
    @inline(__always) var hasBoxedChanges: Bool { rare.map { !$0.boxedChanges.isEmpty } ?? false }

    /// What fetched properties gave when they were last fetched.
    var fetched: [String: FetchedMembers] {
        get { rare?.fetched ?? [:] }
        _modify {
            if let rare {
                yield &rare.fetched
            } else {
                var new: [String: FetchedMembers] = [:]
                yield &new
                if !new.isEmpty { ensureRare().fetched = new }
            }
        }
    }

    /// The changes of earlier events that are not saved yet, as they were when the current event began.
    var eventBase: EventBase? {
        get { rare?.eventBase }
        set { if rare != nil || newValue != nil { ensureRare().eventBase = newValue } }
    }

    /// The changes are the row's now; decoded values and relationships stay.
    func forgetSavedChanges() {
        mask = SlotMask()
        values = []
        currentRow = nil
        if let rare { rare.boxedChanges = SlotMask() }
    }

    /// Whether an attribute or a to-one relationship has an unsaved value.
    @inline(__always) var hasChangedValues: Bool { !mask.isEmpty || hasBoxedChanges }

    /// Whether it says nothing that the object's row does not say.
    var canBeDropped: Bool { mask.isEmpty && toManys.isEmpty && rare == nil }

    @inline(__always)
    func set(_ value: SlotValue, at slot: Int, slotCount: Int) {
        if values.isEmpty { makeRoom(slotCount) }
        values[slot] = value
        mask.insert(slot)
        currentRow = nil
    }

    /// A generic initialiser copies the value it repeats with all the care that a string in it would need.
    private func makeRoom(_ slotCount: Int) {
        values = ContiguousArray(unsafeUninitializedCapacity: slotCount) { buffer, count in
            for slot in 0..<slotCount { buffer.initializeElement(at: slot, to: .null) }
            count = slotCount
        }
    }

    /// Gives up the values while a row that has them is written. One of the next two has to follow.
    ///
    /// - Returns: the slots that led to new objects: the row names these by other keys.
    func giveUpValues(_ layout: EntityLayout) -> SlotMask {
        var leadingToNew = SlotMask()
        for slot in layout.referenceSlots where mask.contains(slot) {
            if case .int(let key) = values[slot], key < 0 { leadingToNew.insert(slot) }
        }
        values = []
        return leadingToNew
    }

    /// The row is the object's now.
    func forgetGivenUpValues() {
        if values.isEmpty { mask = SlotMask() }
    }

    /// Takes the values back from the row that was built of them.
    ///
    /// - Parameters:
    ///   - leadingToNew: what giving them up returned.
    ///   - temporary: the temporary keys of new objects, by their root entities and the keys that the row has.
    func takeBackValues(
        from row: Snapshot, _ layout: EntityLayout, _ leadingToNew: SlotMask, _ temporary: [ObjectKey: Int64]
    ) {
        if mask.isEmpty || !values.isEmpty { return }
        makeRoom(layout.slots.count)
        mask.forEach { slot in
            var value = row.value(slot, kind: layout.slots[slot].kind)
            if leadingToNew.contains(slot), case .int(let key) = value, let destination = layout.destination(of: slot),
                let old = temporary[ObjectKey(layoutIndex: destination.rootIndex, key: key)]
            {
                value = .int(old)
            }
            values[slot] = value
        }
    }

    @inline(__always)
    func value(at slot: Int) -> SlotValue? {
        mask.contains(slot) ? values[slot] : nil
    }

    /// To-many relationships are asked for anew; what was added and removed stays so.
    func forgetBases() {
        toManys.forEach { $0?.forgetBase() }
        currentRow = nil
    }

    /// What a fetched property gave, and the user info that its predicate could ask then.
    struct FetchedMembers {
        let keys: [ObjectKey]
        let userInfo: NSDictionary?
    }

    /// Forgets every change; loaded to-many relationships forget theirs.
    func discardChanges() {
        mask = SlotMask()
        values = []
        boxed = [:]
        boxedChanges = SlotMask()
        currentRow = nil
        toManys = []
        eventBase = nil
    }
}
