import Foundation

/// The maker of a change, as persistent history remembers it.
package struct ChangeOrigin: Sendable {
    /// The context's `transactionAuthor`.
    package var author: String?
    package var contextName: String?
}

/// A store that inserts, updates and deletes rows without objects: each batch is one transaction or nothing, and none
/// of them holds all of its rows at once.
package protocol BatchStore: RowStore {
    /// Whether the store takes batches at all; those of a type that does not refuse them.
    var acceptsBatches: Bool { get }
    func insert(_ batch: BatchInsertion) throws -> BatchOutcome
    /// Calls `beforeCommit` when all is written and checked, in a store without rows of the entity too. An error of it
    /// undoes the batch.
    func update(_ batch: BatchUpdate, beforeCommit: () throws -> Void) throws -> BatchOutcome
    func delete(_ batch: BatchDeletion, beforeCommit: () throws -> Void) throws -> BatchOutcome
}

/// The values that are given for a row, by slot.
package struct GivenValues {
    package var mask = SlotMask()
    /// One place per slot, filled where `mask` says so.
    package var values: ContiguousArray<SlotValue>

    package init(slotCount: Int) {
        values = .nulls(slotCount)
    }

    /// Values whose mask is set afterwards.
    package init(values: ContiguousArray<SlotValue>) {
        self.values = values
    }

    package mutating func set(_ value: SlotValue, at slot: Int) {
        values[slot] = value
        mask.insert(slot)
    }
}

/// Rows to insert.
package struct BatchInsertion {
    /// The handling of a row that breaks a uniqueness constraint.
    package enum Collision {
        /// The whole batch fails.
        case fails
        /// The row that is there stays as it is.
        case keepsStored
        /// The given values replace those of the row that is there.
        case takesGiven
        /// All attributes of the row that is there are replaced, those that are not given by their default values.
        case replaces
    }

    package var layout: EntityLayout
    package var collision = Collision.fails
    package var origin = ChangeOrigin()
    package var wantsKeys = false
    /// The next row; nil after the last one.
    package var next: () throws -> GivenValues?
    /// Has `next` begin anew, where that calls no block of the program's; nil where it does.
    package var restart: (() -> Void)?
}

/// A change of all rows that match.
package struct BatchUpdate {
    package enum Assigned {
        case constant(SlotValue)
        /// The value of an expression over the row as it was before the batch.
        case expression(NSExpression)
        /// The row that a to-one relationship shall lead to.
        case reference(BatchReference)
    }

    /// The rows to change.
    package var rows: StoreFetch
    package var assignments: [(slot: Int, value: Assigned)]
    package var origin = ChangeOrigin()
    /// Whether other stores do their part before this one commits.
    package var goesWithOthers = false
    package var wantsKeys = false
}

/// An object that a batch update sets a to-one relationship to.
package struct BatchReference {
    /// Its key in the coordinator that executes the batch.
    package let key: ObjectKey
    package let id: NSManagedObjectID
    package let relationship: NSRelationshipDescription
    /// The name of the entity that is updated.
    package let entityName: String

    /// Error 1550.
    package func failure(_ reason: String) -> NSError {
        NSError.coreData(
            NSManagedObjectValidationError,
            reason: "Unacceptable value for the relationship \(relationship.name) of \(entityName): "
                + "\(id.uriRepresentation().absoluteString) \(reason)",
            userInfo: [NSValidationKeyErrorKey: relationship.name])
    }
}

/// The rows to delete.
package struct BatchDeletion {
    package var rows: StoreFetch
    /// Whether other stores do their part before this one commits.
    package var goesWithOthers = false
    package var origin = ChangeOrigin()
    package var wantsKeys = false
}

/// The result of a batch.
package struct BatchOutcome {
    package var count = 0
    /// Filled where the batch wanted them.
    package var keys: [ObjectKey] = []

    package mutating func merge(_ other: BatchOutcome) {
        count += other.count
        keys += other.keys
    }
}
