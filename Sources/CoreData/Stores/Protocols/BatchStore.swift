import Foundation

/// The maker of a change, as persistent history records it.
package struct ChangeOrigin: Sendable {
    /// The context's `transactionAuthor`.
    package var author: String?
    package var contextName: String?
}

/// A store that inserts, updates and deletes rows without objects. Each batch is one transaction, or changes nothing,
/// and never holds all of its rows in memory.
package protocol BatchStore: RowStore {
    /// Whether the store accepts batches at all; a store may still refuse batches of some types.
    var acceptsBatches: Bool { get }
    func insert(_ batch: BatchInsertion) throws -> BatchOutcome
    /// Updates rows. Calls `beforeCommit` when everything is written and checked, even if the store has no rows of the
    /// entity. An error that it throws undoes the batch.
    func update(_ batch: BatchUpdate, beforeCommit: () throws -> Void) throws -> BatchOutcome
    func delete(_ batch: BatchDeletion, beforeCommit: () throws -> Void) throws -> BatchOutcome
}

/// The values that are given for a row, by slot.
package struct GivenValues {
    package var mask = SlotMask()
    /// One place for each slot. Only the places in `mask` are set.
    package var values: ContiguousArray<SlotValue>

    package init(slotCount: Int) {
        values = .nulls(slotCount)
    }

    /// Creates values whose mask is set afterwards.
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
        /// The stored row stays as it is.
        case keepsStored
        /// The given values replace those of the stored row.
        case takesGiven
        /// All attributes of the stored row are replaced. Attributes without a given value get their default values.
        case replaces
    }

    package var layout: EntityLayout
    package var collision = Collision.fails
    package var origin = ChangeOrigin()
    package var wantsKeys = false
    /// The next row; nil after the last one.
    package var next: () throws -> GivenValues?
    /// Makes `next` begin again from the first row. Nil if `next` calls a block of the program, which cannot be
    /// repeated.
    package var restart: (() -> Void)?
}

/// A change of all rows that match a fetch.
package struct BatchUpdate {
    package enum Assigned {
        case constant(SlotValue)
        /// The value of an expression over the row as it was before the batch.
        case expression(NSExpression)
        /// The row that a to-one relationship is set to.
        case reference(BatchReference)
    }

    /// The rows to change.
    package var rows: StoreFetch
    package var assignments: [(slot: Int, value: Assigned)]
    package var origin = ChangeOrigin()
    /// Whether other stores write their parts before this one commits.
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

    /// The error 1550 for this relationship.
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
    /// Whether other stores write their parts before this one commits.
    package var goesWithOthers = false
    package var origin = ChangeOrigin()
    package var wantsKeys = false
}

/// The result of a batch.
package struct BatchOutcome {
    package var count = 0
    /// The keys of the rows, if the batch has `wantsKeys`.
    package var keys: [ObjectKey] = []

    package mutating func merge(_ other: BatchOutcome) {
        count += other.count
        keys += other.keys
    }
}
