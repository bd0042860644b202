import Foundation

/// What a context may ask of a store in terms of rows; every kind of store answers it, so that contexts know no SQL.
///
/// All methods may be called from any thread, several at a time; a store serialises what it must.
package protocol RowStore: AnyObject, Sendable {
    /// The store's number within its coordinator: what is folded into the keys it hands out.
    var storeNumber: Int { get }

    /// Keys, dictionaries or a count for a fetch. Throws an `NSError` when the predicate has no translation.
    func fetch(_ request: StoreFetch) throws -> StoreFetchResult

    /// The dictionaries of a fetch as a table; nil where the store makes none of them.
    func fetchTable(_ request: StoreFetch) throws -> FetchedTable?

    /// The rows of a fetch (its `result` does not matter), some hundred at a time: the caller works on them while they
    /// are still in the processor's cache.
    func fetchRows(_ request: StoreFetch, _ body: ([Snapshot]) throws -> Void) throws

    /// The rows with the given keys (all of one root entity), in no particular order; keys without a row are left out.
    /// `refreshing` passes by the row cache.
    func rows(for keys: [Int64], rootIndex: Int, refreshing: Bool) throws -> [Snapshot]

    /// The same for one key.
    func row(for key: Int64, rootIndex: Int, refreshing: Bool) throws -> Snapshot?

    /// The members of a to-many relationship of one owner, in the relationship's order when it has one.
    func members(of toMany: ToManySlot, owner: ObjectKey) throws -> [ObjectKey]

    /// The same for many owners at once (prefetching).
    func members(of toMany: ToManySlot, owners: [ObjectKey]) throws -> [Int64: [ObjectKey]]

    /// Sets so many keys aside for each root entity, with the store's number in them. Their ranges need not adjoin.
    func reserveKeys(_ counts: [Int: Int]) throws -> [Int: [Range<Int64>]]

    /// Drops the rows of the cache that nobody else holds.
    func sweepRowCache()

    /// The row as the row cache has it; nil when the cache has none. Nothing is read.
    func cachedRow(for key: Int64, rootIndex: Int) -> Snapshot?

    /// Whether the row cache has this very row for the key.
    func isCached(_ row: Snapshot, for key: Int64, rootIndex: Int) -> Bool

    /// The next read of the row asks the file.
    func forgetCachedRow(_ key: Int64, rootIndex: Int)

    /// Gives back connections and files; called once, when the store is removed from its coordinator.
    func close() throws

    /// Writes a change set in one transaction, or nothing. Throws `SaveConflicts` when rows moved on since they were
    /// read.
    func write(_ changes: ChangeSet) throws

    /// The same. Calls `takingBack` (more than once does no harm) before anybody can see what is written, and before
    /// anything that readers wait for; and `beforeCommit` when all is written and checked: what it throws undoes it,
    /// where the store can.
    func write(_ changes: ChangeSet, takingBack: () -> Void, beforeCommit: () throws -> Void) throws

    /// The store as it is now, for reading alone; nil when it keeps no past states.
    func pinned() throws -> (any RowStore)?

    /// The row cache notes from now on when it got its rows.
    func trackRowAges()

    /// How long ago the row cache got a row; nil when it has none, or does not know.
    func cachedRowAge(for key: Int64, rootIndex: Int) -> TimeInterval?

    /// How many rows the row cache holds.
    var cachedRowCount: Int { get }

    /// Whether the store reads rows in ranges of their keys (`StoreFetch.afterPrimaryKey`).
    var readsRangesOfKeys: Bool { get }

    /// Whether each question is a round trip to a server: one for many objects is better than many for one.
    var isAskedByRoundTrips: Bool { get }

    /// Whether metadata were set that only a save would write; `saveMetadata()` writes them without one.
    var hasUnsavedMetadata: Bool { get }
    func saveMetadata() throws

    /// Does one piece of what a migration has left for later. False when there is nothing left.
    func finishDeferredPiece() throws -> Bool
}

extension RowStore {
    package func fetchTable(_ request: StoreFetch) throws -> FetchedTable? { nil }

    package func row(for key: Int64, rootIndex: Int, refreshing: Bool) throws -> Snapshot? {
        try rows(for: [key], rootIndex: rootIndex, refreshing: refreshing).first
    }

    package func cachedRow(for key: Int64, rootIndex: Int) -> Snapshot? { nil }

    package func isCached(_ row: Snapshot, for key: Int64, rootIndex: Int) -> Bool {
        cachedRow(for: key, rootIndex: rootIndex) === row
    }

    package func write(_ changes: ChangeSet, takingBack: () -> Void, beforeCommit: () throws -> Void) throws {
        takingBack()
        try write(changes)
        try beforeCommit()
    }

    package func pinned() throws -> (any RowStore)? { nil }
    package func trackRowAges() {}
    package var cachedRowCount: Int { 0 }
    package func cachedRowAge(for key: Int64, rootIndex: Int) -> TimeInterval? { nil }
    package var readsRangesOfKeys: Bool { false }
    package var isAskedByRoundTrips: Bool { false }
    package var hasUnsavedMetadata: Bool { false }
    package func saveMetadata() throws {}
    package func finishDeferredPiece() throws -> Bool { false }
}

/// A fetch as a store sees it: no objects, no contexts.
package struct StoreFetch {
    package enum Result {
        case keys
        case count
        /// Values of attributes, to-one relationships, `objectID` or expressions, grouped or distinct.
        case dictionaries(properties: [Column], groupBy: [Column], having: NSPredicate?, distinct: Bool)
    }

    /// What a dictionary fetch returns under one name.
    package enum Column {
        case keyPath(String)
        /// An `NSExpressionDescription`.
        case expression(NSPropertyDescription)

        package var name: String {
            switch self {
            case .keyPath(let path): path
            case .expression(let expression): expression.name
            }
        }
    }

    package var layout: EntityLayout
    package var includesSubentities = true
    /// Constants in it may be objects or object ids (`ObjectKeyConvertible`).
    package var predicate: NSPredicate?
    package var sortDescriptors: [NSSortDescriptor] = []
    package var limit = 0
    package var offset = 0
    /// Only rows with greater primary keys, in the order of their keys, where the store reads such ranges.
    package var afterPrimaryKey: Int64?
    package var result: Result = .keys
    /// Set for stores that programs write, which are shown requests and contexts.
    var origin: FetchOrigin?
}

/// Something that stands for a row in a predicate: a managed object or its id.
protocol ObjectKeyConvertible: AnyObject {
    var objectKey: ObjectKey { get }
}

package enum StoreFetchResult {
    case keys([ObjectKey])
    case count(Int)
    case dictionaries([[String: Any]])
}

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
        /// What was read; nil when the object was deleted as a fault (then no version is compared).
        package var row: Snapshot?
    }

    /// Changes of the members of one owner's many-to-many relationship, told from the naming side only.
    package struct Join {
        package var toMany: ToManySlot
        package var owner: ObjectKey
        package var added: [ObjectKey] = []
        package var removed: [ObjectKey] = []

        package var isEmpty: Bool { added.isEmpty && removed.isEmpty }
    }

    /// The order of one owner's ordered many-to-many relationship, from either side. Pairs that nobody speaks of keep
    /// their places; new ones stand at the ends of both lists, in the order of `joins`, until this says otherwise.
    package struct Arrangement {
        package var toMany: ToManySlot
        package var owner: ObjectKey
        package var members: [ObjectKey]
        /// Whether `members` is the list from its beginning, not what comes at its end.
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
    /// Who makes the changes.
    package var origin = ChangeOrigin()
    /// The objects behind the rows, for stores that programs write.
    var objects: SavedObjects?

    package var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && joins.isEmpty && arrangements.isEmpty
            && unchanged.isEmpty && objects?.isEmpty ?? true
    }

    /// The rows as they will be.
    package var written: [Snapshot] { inserted + updated.map(\.new) }

    /// The rows as they were read, by the keys that the changes are about: what a store must still have.
    package var expected: [(key: ObjectKey, row: Snapshot)] {
        (updated.map(\.old) + unchanged).map { (ObjectKey(layoutIndex: $0.layoutIndex, key: $0.key), $0) }
            + deleted.compactMap { deletion in deletion.row.map { (deletion.key, $0) } }
    }
}

/// Thrown by `write` where somebody else has inserted a row under the key of a new one.
package struct TakenKey: Error {
    package let error: NSError
}

/// Rows that somebody else changed or deleted since they were read. Nothing of the change set was written.
package struct SaveConflicts: Error, @unchecked Sendable {  // snapshots are immutable
    package struct Conflict {
        package var key: ObjectKey
        package var expected: Snapshot?
        /// The row as it is now; nil when it was deleted.
        package var found: Snapshot?
        /// Of a row that is to be deleted: what somebody else has related to it meanwhile.
        package var newMembers: [NewMember] = []
    }
    /// A member of a to-many relationship (a place in the owner's layout) that the saver knows nothing of.
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
    }
    package var conflicts: [Conflict]
    package var constraintConflicts: [ConstraintConflict] = []
}
