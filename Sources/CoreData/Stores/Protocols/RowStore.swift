import Foundation

/// A store in terms of rows. Every kind of store conforms, so that contexts need no SQL.
///
/// Any thread may call all methods, several at a time. A store serialises calls where necessary.
package protocol RowStore: AnyObject, Sendable {
    /// The store's number within its coordinator. It is part of the keys that the store gives.
    var storeNumber: Int { get }

    /// Returns keys, dictionaries or a count for a fetch. Throws an `NSError` if the predicate has no translation.
    func fetch(_ request: StoreFetch) throws -> StoreFetchResult

    /// Whether the store's database has a statement for a fetch. Stores that evaluate objects of their own need none.
    func translation(of request: StoreFetch) -> FetchTranslation

    /// Returns the dictionaries of a fetch as a table; nil if the store does not make tables.
    func fetchTable(_ request: StoreFetch) throws -> FetchedTable?

    /// Calls a body with each row of a fetch of dictionaries. False, without a call, if the store does not stream them.
    func streamColumns(_ request: StoreFetch, _ body: (FetchedRow) throws -> Void) throws -> Bool

    /// The explanation of a fetch; nil if the store has no statements. `asRows` means that the fetch reads whole rows
    /// instead of keys.
    func explained(_ request: StoreFetch, asRows: Bool) throws -> FetchExplanation?

    /// The inspection of the database; empty if the store has none.
    func inspected(for parts: StoreInspection.Parts) throws -> StoreInspection

    /// Repairs irregularities, and returns those that it cannot repair.
    func repair(_ irregularities: [StoreIrregularity]) throws -> [StoreIrregularity]

    /// Reads the rows of a fetch (whose `result` is ignored), some hundred at a time, so that the caller works on rows
    /// that are still in the processor's cache.
    func fetchRows(_ request: StoreFetch, _ body: ([Snapshot]) throws -> Void) throws

    /// The rows with the given keys (all of one root entity), in no particular order. Keys without a row are left out.
    /// `refreshing` bypasses the row cache.
    func rows(for keys: [Int64], rootIndex: Int, refreshing: Bool) throws -> [Snapshot]

    /// The row with a key of a root entity; nil if there is none. `refreshing` bypasses the row cache.
    func row(for key: Int64, rootIndex: Int, refreshing: Bool) throws -> Snapshot?

    /// The members of a to-many relationship of one owner, in the relationship's order if it has one.
    func members(of toMany: ToManySlot, owner: ObjectKey) throws -> [ObjectKey]

    /// The members of a to-many relationship for many owners in one call (prefetching), by the keys of the owners.
    func members(of toMany: ToManySlot, owners: [ObjectKey]) throws -> [Int64: [ObjectKey]]

    /// The rows of the members of a to-many relationship for many owners, read in one pass. Nil, and nothing is read,
    /// if the members' rows do not hold the keys of their owners, or if the row cache is likely to have the rows.
    func memberRows(of toMany: ToManySlot, owners: [ObjectKey]) throws -> MemberRows?

    /// Reserves a number of keys for each root entity, which contain the store's number. Their ranges need not adjoin.
    func reserveKeys(_ counts: [Int: Int]) throws -> [Int: [Range<Int64>]]

    /// Removes the rows from the row cache that no context holds.
    func sweepRowCache()

    /// The row in the row cache; nil if the cache has none. Nothing is read from the store.
    func cachedRow(for key: Int64, rootIndex: Int) -> Snapshot?

    /// Whether the row cache has exactly this row object for the key.
    func isCached(_ row: Unmanaged<Snapshot>, for key: Int64, rootIndex: Int) -> Bool

    /// Removes a row from the row cache, so that the next read of it goes to the database.
    func forgetCachedRow(_ key: Int64, rootIndex: Int)

    /// Closes connections and files. Called once, when the store is removed from its coordinator.
    func close() throws

    /// Writes a change set in one transaction, or nothing. Throws `SaveConflicts` if rows have changed since they were
    /// read.
    func commit(_ changes: ChangeSet) throws

    /// Writes a change set in one transaction, or nothing, and calls two bodies. `beforeVisible` is called before any
    /// reader can see the changes, and before any lock that readers wait for is taken; it may be called more than once.
    /// `beforeCommit` is called when everything is written and checked. An error that it throws undoes the changes, if
    /// the store can do that.
    func commit(_ changes: ChangeSet, beforeVisible: () -> Void, beforeCommit: () throws -> Void) throws

    /// The present state of the store, for reading only; nil if the store keeps no past states.
    func pinned() throws -> (any RowStore)?

    /// The store on servers that replicate its own (standbys), for reading only; nil if there are none.
    ///
    /// It shows everything that this store has saved before the read, and everything that was committed before
    /// `requireNewStandbys()`. Later commits of other processes may be missing.
    func standby() -> (any RowStore)?

    /// Requires that reads of standbys show all commits until this call, whichever process made them.
    func requireNewStandbys()

    /// Makes the row cache record the time of each row from this call on.
    func trackRowAges()

    /// The time since the row cache got a row; nil if it has no such row, or no time for it.
    func cachedRowAge(for key: Int64, rootIndex: Int) -> TimeInterval?

    /// The number of rows that the row cache holds.
    var cachedRowCount: Int { get }

    /// The first contradiction in the row cache; nil if there is none.
    func rowCacheContradiction() -> String?

    /// Whether the store reads rows in ranges of their keys (`StoreFetch.afterPrimaryKey`).
    var readsRangesOfKeys: Bool { get }

    /// Whether each request is a round trip to a server, so that one request for many objects is better than many
    /// requests.
    var isAskedByRoundTrips: Bool { get }

    /// The to-many relationships whose changes raise the version of their owner's row, because programs of another
    /// version keep a link of theirs in the row; nil if there are none.
    var versionedLinks: VersionedLinks? { get }

    /// Further abilities of the store: batches, history. Nil if it does not have them.
    var batches: (any BatchStore)? { get }
    var history: (any HistoryStore)? { get }

    /// Begins to watch for commits of all connections, whichever process they belong to; nil if only the store itself
    /// can commit. `post` is called after commits, with the number of the newest transaction if history is kept.
    func watchCommits(_ post: @escaping @Sendable (_ transaction: Int64?) -> Void) throws -> (any CommitWatch)?

    /// A number that is another one after each commit of a connection that is not this store's own; nil where the store
    /// does not know.
    var foreignVersion: Int64? { get }

    /// Whether metadata are set that are written only with the next save. `saveMetadata()` writes them without a save.
    var hasUnsavedMetadata: Bool { get }
    func saveMetadata() throws

    /// Does one piece of the work that a migration has deferred. False if there is none left.
    func finishDeferredPiece() throws -> Bool
}

/// The rows of the members of a to-many relationship of many owners, owner by owner.
package struct MemberRows {
    package let rows: [Snapshot]
    /// The places of each owner's members in `rows`, in the order of the relationship, if it has one.
    package let places: [Int64: Range<Int>]
}

extension RowStore {
    package func memberRows(of toMany: ToManySlot, owners: [ObjectKey]) throws -> MemberRows? { nil }

    package func translation(of request: StoreFetch) -> FetchTranslation { .unneeded }

    package func fetchTable(_ request: StoreFetch) throws -> FetchedTable? { nil }

    package func streamColumns(_ request: StoreFetch, _ body: (FetchedRow) throws -> Void) throws -> Bool { false }

    package func explained(_ request: StoreFetch, asRows: Bool) throws -> FetchExplanation? { nil }

    package func inspected(for parts: StoreInspection.Parts) throws -> StoreInspection { StoreInspection() }

    package func repair(_ irregularities: [StoreIrregularity]) throws -> [StoreIrregularity] { irregularities }

    package func row(for key: Int64, rootIndex: Int, refreshing: Bool) throws -> Snapshot? {
        try rows(for: [key], rootIndex: rootIndex, refreshing: refreshing).first
    }

    package func cachedRow(for key: Int64, rootIndex: Int) -> Snapshot? { nil }

    package func isCached(_ row: Unmanaged<Snapshot>, for key: Int64, rootIndex: Int) -> Bool {
        cachedRow(for: key, rootIndex: rootIndex).map { Unmanaged.passUnretained($0).toOpaque() } == row.toOpaque()
    }

    package func commit(_ changes: ChangeSet, beforeVisible: () -> Void, beforeCommit: () throws -> Void) throws {
        beforeVisible()
        try commit(changes)
        try beforeCommit()
    }

    package func pinned() throws -> (any RowStore)? { nil }
    package func standby() -> (any RowStore)? { nil }
    package func requireNewStandbys() {}
    package func trackRowAges() {}
    package var cachedRowCount: Int { 0 }
    package func rowCacheContradiction() -> String? { nil }
    package func cachedRowAge(for key: Int64, rootIndex: Int) -> TimeInterval? { nil }
    package var readsRangesOfKeys: Bool { false }
    package var isAskedByRoundTrips: Bool { false }
    package var versionedLinks: VersionedLinks? { nil }
    package var batches: (any BatchStore)? { nil }
    package var history: (any HistoryStore)? { nil }
    package func watchCommits(
        _ post: @escaping @Sendable (_ transaction: Int64?) -> Void
    ) throws -> (any CommitWatch)? { nil }
    package var foreignVersion: Int64? { nil }
    package var hasUnsavedMetadata: Bool { false }
    package func saveMetadata() throws {}
    package func finishDeferredPiece() throws -> Bool { false }
}
