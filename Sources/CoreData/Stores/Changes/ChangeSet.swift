/// Everything that one save writes to one store.
package struct ChangeSet {
    package struct Update {
        package var old: Snapshot
        /// The new row. Its version is the old row's plus one.
        package var new: Snapshot
        /// The slots that differ.
        package var changed: SlotMask
    }

    package struct Deletion {
        package let key: ObjectKey
        /// The row as it was read; nil if the object was deleted as a fault, in which case no version is compared.
        package let row: Snapshot?
        /// The version of the row. Where deletions are ordered, their rows are in no cache of the processor.
        package let version: Int32

        package init(key: ObjectKey, row: Snapshot?) {
            self.key = key
            self.row = row
            version = row?.version ?? 0
        }
    }

    /// Changes of the members of one owner's many-to-many relationship. Only the side that names the relationship gives
    /// them.
    package struct Join {
        package var toMany: ToManySlot
        package var owner: ObjectKey
        package var added: [ObjectKey] = []
        package var removed: [ObjectKey] = []

        package var isEmpty: Bool { added.isEmpty && removed.isEmpty }
    }

    /// The order of one owner's ordered many-to-many relationship, from either side. Pairs that it does not name keep
    /// their places. New pairs are added to the ends of both lists, in the order of `joins`, unless an arrangement
    /// gives them another place.
    package struct Arrangement {
        package var toMany: ToManySlot
        package var owner: ObjectKey
        package var members: [ObjectKey]
        /// Whether `members` is the whole list, or only its end.
        package var isWhole: Bool
    }

    /// Drops the references to the rows, because the changes have been written.
    mutating func releaseRows() {
        updated.removeAllAhead { update in
            MemoryHint.load(row: Unmanaged.passUnretained(update.pointee.old))
            MemoryHint.load(row: Unmanaged.passUnretained(update.pointee.new))
        }
        inserted.removeAllAhead { MemoryHint.load(row: Unmanaged.passUnretained($0.pointee)) }
    }

    /// New rows with their final keys and version 1.
    package var inserted: [Snapshot] = []
    package var updated: [Update] = []
    package var deleted: [Deletion] = []
    package var joins: [Join] = []
    package var arrangements: [Arrangement] = []
    /// Rows that are not written, but must not have changed since they were read.
    package var unchanged: [Snapshot] = []
    /// Whether other stores are written before this part is committed. The part is then not repeated.
    package var goesWithOthers = false
    /// The maker of the changes.
    package var origin = ChangeOrigin()
    /// The objects of the rows, for custom stores.
    var objects: SavedObjects?

    package var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && joins.isEmpty && arrangements.isEmpty
            && unchanged.isEmpty && objects?.isEmpty ?? true
    }

    /// The rows that the save writes.
    package var written: [Snapshot] { inserted + updated.map(\.new) }

    /// The rows as they were read, by the keys of the changes. The store must still have them.
    package var expected: [(key: ObjectKey, row: Snapshot)] {
        (updated.map(\.old) + unchanged).map { (ObjectKey(layoutIndex: $0.layoutIndex, key: $0.key), $0) }
            + deleted.compactMap { deletion in deletion.row.map { (deletion.key, $0) } }
    }
}
