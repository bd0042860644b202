import Foundation

/// The state of an object beyond its row: changed values, decoded objects, and its to-many relationships.
///
/// Objects that are only read have none. Used on the context's queue only.
final class ObjectOverlay {
    /// The values that differ from the row's, or were set.
    @exclusivity(unchecked) var values = ChangedValues()
    /// One place per to-many relationship; empty until one is touched.
    @exclusivity(unchecked) var toManys: ContiguousArray<ToManyState?> = []
    @exclusivity(unchecked) private var rare: Rare?
    /// The changes of earlier events that are not saved yet, as they were when the current event began.
    @exclusivity(unchecked) var eventBase: EventBase?

    /// Values that few objects have. They are in an object of their own, so that they cost the other overlays eight
    /// bytes.
    private final class Rare {
        var boxed: [Int: Any] = [:]
        var boxedChanges = SlotMask()
        var fetched: [String: FetchedMembers] = [:]
    }

    /// The slots whose value differs from the row's, or was set.
    var mask: SlotMask {
        @inline(__always) _read { yield values.mask }
    }

    /// The changed slots among the first 64, as bits. Reading them retains nothing.
    var changedAmongFirst: UInt64 {
        @inline(__always) get { values.mask.low }
    }

    /// Whether the value of a slot of `mask` is nil.
    @inline(__always) func isNull(_ slot: Int) -> Bool { values.isNull(slot) }

    /// The row as it is with all changes, while nothing has changed since it was built (for child contexts).
    var currentRow: Snapshot? {
        get { values.row }
        set {
            if let newValue { values.keep(newValue) } else { values.forgetRow() }
        }
    }

    /// Forgets what belongs to the object's former row.
    @inline(__always)
    func forgetFormerRow() {
        values.forgetRow()
        eventBase = nil
    }

    /// Whether a row can hold the values of a new object. Objects that were not encoded yet cannot be in a row.
    var canBePacked: Bool { values.canBePacked && rare == nil && eventBase == nil }

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

    /// Slots whose boxed value is newer than their bytes and must be encoded when the object is saved.
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

    /// Read for every object that is saved, and mostly false.
    @inline(__always) var hasBoxedChanges: Bool { rare.map { !$0.boxedChanges.isEmpty } ?? false }

    /// The results of fetched properties when they were last fetched.
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

    /// Forgets values that the row has now; decoded values and relationships stay.
    func forgetSavedChanges() {
        values = ChangedValues()
        if let rare { rare.boxedChanges = SlotMask() }
    }

    /// Whether an attribute or a to-one relationship has an unsaved value.
    @inline(__always) var hasChangedValues: Bool { !mask.isEmpty || hasBoxedChanges }

    /// Whether the overlay holds nothing beyond the object's row.
    var canBeDropped: Bool { mask.isEmpty && toManys.isEmpty && rare == nil && eventBase == nil }

    /// - Parameter newLayout: the layout of a new object; nil for a saved object.
    @inline(__always)
    func set(_ value: SlotValue, at slot: Int, newLayout: @autoclosure () -> EntityLayout? = nil) {
        values.set(value, at: slot, newLayout: newLayout())
    }

    @inline(__always)
    func value(at slot: Int) -> SlotValue? {
        mask.contains(slot) ? values[slot] : nil
    }

    /// Makes to-many relationships be read again; added and removed members stay.
    func forgetBases() {
        toManys.forEach { $0?.forgetBase() }
        currentRow = nil
    }

    /// The results of a fetched property, and the user info that its predicate used.
    struct FetchedMembers {
        var keys: [ObjectKey] = []
        /// The results of a request for anything but objects.
        var others: [Any]?
        let userInfo: NSDictionary?
    }

    /// Forgets every change, also those of loaded to-many relationships.
    func discardChanges() {
        values = ChangedValues()
        boxed = [:]
        boxedChanges = SlotMask()
        toManys = []
        eventBase = nil
    }
}
