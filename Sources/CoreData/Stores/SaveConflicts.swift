import Foundation

/// Thrown by `write` where somebody else has inserted a row under the key of a new one.
package struct TakenKey: Error {
    package let error: NSError
}

/// Thrown by `write` where a database does not accept a row. The context adds the object to the error.
package struct RefusedRow: Error {
    package let object: ObjectKey
    package let error: NSError
}

/// Rows that somebody else changed or deleted since they were read. Nothing of the change set was written.
package struct SaveConflicts: Error, @unchecked Sendable {  // snapshots are immutable
    package struct Conflict {
        package var key: ObjectKey
        package var expected: Snapshot?
        /// The row as it is now; nil when it was deleted.
        package var found: Snapshot?
        /// Objects that somebody else has related meanwhile to a row that is to be deleted.
        package var newMembers: [NewMember] = []
        /// Whether the row was read from a server that was lost, and `found` may be of an earlier time.
        package var wentBack = false
    }
    /// A member of a to-many relationship (a place in the owner's layout) that the saver does not know.
    package struct NewMember {
        package var toMany: Int
        package var key: ObjectKey
    }
    /// A uniqueness constraint that an inserted or updated row breaks.
    package struct ConstraintConflict {
        package var constraint: [String]
        package var key: ObjectKey
        package var existing: ObjectKey?
        /// The row that has the values, as the save's transaction sees it.
        package var existingRow: Snapshot?
        /// Whether the store's model has the constraint. One that only another version has is nothing that a merge
        /// policy was meant for.
        package var isOfModel = true
    }
    package var conflicts: [Conflict]
    package var constraintConflicts: [ConstraintConflict] = []
}
