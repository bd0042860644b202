import Foundation

/// What an object knows beyond its row: changed values, decoded objects, and its to-many relationships.
///
/// Objects that are only read have none. Touched on the context's queue alone.
final class ObjectOverlay {
    /// The slots whose value differs from the row's, or was set.
    @exclusivity(unchecked) var mask = SlotMask()
    /// One place per slot, filled where `mask` says so; empty until the first change.
    @exclusivity(unchecked) var values: ContiguousArray<SlotValue> = []
    /// Decoded transformable values and values of transient attributes, by slot. For a slot in `mask` it is the changed
    /// value; for another one it is a cache of the row's.
    var boxed: [Int: Any] = [:]
    /// Slots whose boxed value is the truth and must be turned into bytes when the object is saved.
    @exclusivity(unchecked) var boxedChanges = SlotMask()
    /// One place per to-many relationship; empty until one is touched.
    @exclusivity(unchecked) var toManys: ContiguousArray<ToManyState?> = []
    /// What fetched properties gave when they were last fetched.
    var fetched: [String: FetchedMembers] = [:]
    /// The row as it is with all changes, while nothing has changed since it was built (for child contexts).
    @exclusivity(unchecked) var currentRow: Snapshot?
    /// The changes of earlier events that are not saved yet, as they were when the current event began.
    var eventBase: EventBase?

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
