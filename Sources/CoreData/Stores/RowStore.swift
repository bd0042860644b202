import Foundation

/// A store in terms of rows. Every kind of store conforms, so that contexts know no SQL.
///
/// Any thread may call all methods, several at a time. A store serialises calls where it must.
package protocol RowStore: AnyObject, Sendable {
    /// The store's number within its coordinator. It is part of the keys that the store gives.
    var storeNumber: Int { get }

    /// Keys, dictionaries or a count for a fetch. Throws an `NSError` when the predicate has no translation.
    func fetch(_ request: StoreFetch) throws -> StoreFetchResult

    /// The dictionaries of a fetch as a table; nil where the store makes none of them.
    func fetchTable(_ request: StoreFetch) throws -> FetchedTable?

    /// The explanation of a fetch; nil if the store has no statements. `asRows` means that whole rows are wanted in
    /// place of keys.
    func explained(_ request: StoreFetch, asRows: Bool) throws -> FetchExplanation?

    /// The inspection of the database; empty if the store has none.
    func inspected(for parts: StoreInspection.Parts) throws -> StoreInspection

    /// Mends irregularities, and returns those that it cannot mend.
    func mend(_ irregularities: [StoreIrregularity]) throws -> [StoreIrregularity]

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
    func isCached(_ row: Unmanaged<Snapshot>, for key: Int64, rootIndex: Int) -> Bool

    /// The next read of the row asks the file.
    func forgetCachedRow(_ key: Int64, rootIndex: Int)

    /// Gives back connections and files; called once, when the store is removed from its coordinator.
    func close() throws

    /// Writes a change set in one transaction, or nothing. Throws `SaveConflicts` when rows moved on since they were
    /// read.
    func write(_ changes: ChangeSet) throws

    /// The same. Calls `beforeVisible` before anybody can see the changes, and before anything that readers wait for;
    /// it may be called more than once. Calls `beforeCommit` when all is written and checked. An error of it undoes
    /// the changes, where the store can.
    func write(_ changes: ChangeSet, beforeVisible: () -> Void, beforeCommit: () throws -> Void) throws

    /// The store as it is now, for reading alone; nil when it keeps no past states.
    func pinned() throws -> (any RowStore)?

    /// The store on servers that follow its own (standbys), for reading alone; nil if there are none.
    ///
    /// It shows everything that this store has saved before the read, and everything that was committed before
    /// `requireNewStandbys()`. Later commits of others may not show yet.
    func standby() -> (any RowStore)?

    /// From now on standbys show all commits until now, by anybody.
    func requireNewStandbys()

    /// The row cache notes from now on when it got its rows.
    func trackRowAges()

    /// The time since the row cache got a row; nil when it has none, or does not know.
    func cachedRowAge(for key: Int64, rootIndex: Int) -> TimeInterval?

    /// The number of rows that the row cache holds.
    var cachedRowCount: Int { get }

    /// The first contradiction in the row cache; nil if there is none.
    func rowCacheContradiction() -> String?

    /// Whether the store reads rows in ranges of their keys (`StoreFetch.afterPrimaryKey`).
    var readsRangesOfKeys: Bool { get }

    /// Whether each question is a round trip to a server: one for many objects is better than many for one.
    var isAskedByRoundTrips: Bool { get }

    /// The to-many relationships whose changes raise the version of their owner's row, for somebody else keeps a link
    /// of theirs in the row; nil where there are none.
    var versionedLinks: VersionedLinks? { get }

    /// Further abilities of the store: batches, history. Nil if it does not have them.
    var batches: (any BatchStore)? { get }
    var history: (any HistoryStore)? { get }

    /// Whether metadata were set that only a save would write; `saveMetadata()` writes them without one.
    var hasUnsavedMetadata: Bool { get }
    func saveMetadata() throws

    /// Does one piece of the work that a migration has left for later. False if there is none left.
    func finishDeferredPiece() throws -> Bool
}

extension RowStore {
    package func fetchTable(_ request: StoreFetch) throws -> FetchedTable? { nil }

    package func explained(_ request: StoreFetch, asRows: Bool) throws -> FetchExplanation? { nil }

    package func inspected(for parts: StoreInspection.Parts) throws -> StoreInspection { StoreInspection() }

    package func mend(_ irregularities: [StoreIrregularity]) throws -> [StoreIrregularity] { irregularities }

    package func row(for key: Int64, rootIndex: Int, refreshing: Bool) throws -> Snapshot? {
        try rows(for: [key], rootIndex: rootIndex, refreshing: refreshing).first
    }

    package func cachedRow(for key: Int64, rootIndex: Int) -> Snapshot? { nil }

    package func isCached(_ row: Unmanaged<Snapshot>, for key: Int64, rootIndex: Int) -> Bool {
        cachedRow(for: key, rootIndex: rootIndex).map { Unmanaged.passUnretained($0).toOpaque() } == row.toOpaque()
    }

    package func write(_ changes: ChangeSet, beforeVisible: () -> Void, beforeCommit: () throws -> Void) throws {
        beforeVisible()
        try write(changes)
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
    package var hasUnsavedMetadata: Bool { false }
    package func saveMetadata() throws {}
    package func finishDeferredPiece() throws -> Bool { false }
}
