import Foundation

/// Thrown by `write` if another context or process has inserted a row under the key of a new one.
package struct TakenKey: Error {
    package let error: NSError
}

/// Thrown by `write` if a database refuses a row. The context adds the object to the error.
package struct RefusedRow: Error {
    package let object: ObjectKey
    package let error: NSError
}

/// Rows that another context or process changed or deleted since they were read. Nothing of the change set was written.
package struct SaveConflicts: Error, @unchecked Sendable {  // snapshots are immutable
    package struct Conflict {
        package var key: ObjectKey
        package var expected: Snapshot?
        /// The present row; nil if it was deleted.
        package var found: Snapshot?
        /// Objects that another context or process has related to a row that this save deletes.
        package var newMembers: [NewMember] = []
        /// Whether the row was read from a server that was lost, so that `found` may be older than the row that was
        /// read.
        package var wentBack = false
    }
    /// A member of a to-many relationship (a place in the owner's layout) that the saving context has not read.
    package struct NewMember {
        package var toMany: Int
        package var key: ObjectKey
    }
    /// A uniqueness constraint that an inserted or updated row breaks.
    package struct ConstraintConflict {
        package var constraint: [String]
        package var key: ObjectKey
        package var existing: ObjectKey?
        /// The row that has the values, as the save's transaction reads it.
        package var existingRow: Snapshot?
        /// Whether the store's model has the constraint. Merge policies do not apply to a constraint that only another
        /// version has.
        package var isOfModel = true
    }
    package var conflicts: [Conflict]
    package var constraintConflicts: [ConstraintConflict] = []
}
