/// Everything one save writes to one store.
package struct ChangeSet {
    package struct Update {
        package var old: Snapshot
        /// The row as it shall be; its version is the old one's plus one.
        package var new: Snapshot
        /// The slots that differ.
        package var changed: SlotMask
    }

    package struct Deletion {
        package var key: ObjectKey
        /// The row as it was read; nil if the object was deleted as a fault (then no version is compared).
        package var row: Snapshot?
    }

    /// Changes of the members of one owner's many-to-many relationship, given from the naming side only.
    package struct Join {
        package var toMany: ToManySlot
        package var owner: ObjectKey
        package var added: [ObjectKey] = []
        package var removed: [ObjectKey] = []

        package var isEmpty: Bool { added.isEmpty && removed.isEmpty }
    }

    /// The order of one owner's ordered many-to-many relationship, from either side. Pairs that it does not name keep
    /// their places. New ones stand at the ends of both lists, in the order of `joins`, until this gives another place.
    package struct Arrangement {
        package var toMany: ToManySlot
        package var owner: ObjectKey
        package var members: [ObjectKey]
        /// Whether `members` is the list from its beginning, not its end alone.
        package var isWhole: Bool
    }

    /// New rows with their final keys and version 1.
    package var inserted: [Snapshot] = []
    package var updated: [Update] = []
    package var deleted: [Deletion] = []
    package var joins: [Join] = []
    package var arrangements: [Arrangement] = []
    /// Rows that are not written, but have to be as they were read.
    package var unchanged: [Snapshot] = []
    /// Whether other stores are written before this part is committed: then it is not repeated.
    package var goesWithOthers = false
    /// The maker of the changes.
    package var origin = ChangeOrigin()
    /// The objects behind the rows, for stores that programs write.
    var objects: SavedObjects?

    package var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && joins.isEmpty && arrangements.isEmpty
            && unchanged.isEmpty && objects?.isEmpty ?? true
    }

    /// The rows as they will be.
    package var written: [Snapshot] { inserted + updated.map(\.new) }

    /// The rows as they were read, by the keys that the changes are about. The store must still have them.
    package var expected: [(key: ObjectKey, row: Snapshot)] {
        (updated.map(\.old) + unchanged).map { (ObjectKey(layoutIndex: $0.layoutIndex, key: $0.key), $0) }
            + deleted.compactMap { deletion in deletion.row.map { (deletion.key, $0) } }
    }
}
