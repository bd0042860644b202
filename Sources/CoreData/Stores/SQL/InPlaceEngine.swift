import Foundation

/// An engine whose stores are migrated where they lie, in one transaction of their database.
package protocol InPlaceEngine: StoreEngine {
    /// Runs a body in a transaction beside which nobody uses the store, and commits it. Others that begin to migrate or
    /// open the store wait until it ends, and see its progress.
    ///
    /// - Parameters:
    ///   - metadata: The metadata with the version of the store. Processes that have it open as this version are waited
    ///     for.
    ///   - changesTables: Whether the body changes tables. Otherwise others read them until `rebuild` is called.
    ///   - timeout: How long to wait for others. After that the error is `NSPersistentStoreTimeoutError` and names
    ///     them.
    func migrating(
        at url: URL, from metadata: [String: Any], changesTables: Bool, timeout: TimeInterval, _ progress: Progress?,
        _ body: (any SQLConnection) throws -> Void
    ) throws

    /// Puts other tables in the place of those that a store has, in the transaction of a migration, and lets a body
    /// fill them.
    func rebuild(
        on connection: any SQLConnection, _ layout: ModelLayout, entities: Set<String>?, _ metadata: [String: Any],
        timeout: TimeInterval, _ progress: Progress?, _ fill: (TransferEnd) throws -> Void
    ) throws

    /// Lets a body fill a store that is not there yet, or that an earlier attempt with the same note has begun. Nobody
    /// can open it before it is finished. One that fails leaves nothing; a killed process leaves the rows that it has
    /// kept.
    func filling(
        _ opening: StoreOpening, note: String, timeout: TimeInterval, _ progress: Progress?,
        _ body: (any UnfinishedStore) throws -> Void
    ) throws

    /// The error of the first row that the database's own checks of tables refuse as soon as they are made; nil where
    /// there is none. A migration makes those that are missing.
    func refusedRow(of schema: SQLSchema, _ layout: ModelLayout, on connection: any SQLConnection) throws -> NSError?

    /// The limits of its stores for tables with this schema.
    func limits(of schema: SQLSchema, _ layout: ModelLayout) -> TransferLimits

    /// About how many bytes the rows of tables take, with their indexes.
    func sizes(of tables: Set<String>, on connection: any SQLConnection) throws -> [String: Int64]

    /// An address as errors show it, without a password.
    func shown(_ url: URL) -> URL

    /// Runs a body with a connection that reads the store in one state.
    func looking<Result>(at url: URL, _ body: (any SQLConnection) throws -> Result) throws -> Result

    /// Gives a body the address of an empty database of its own, on the server of the one at an address, and drops it.
    func withDatabase<Result>(beside url: URL, _ body: (_ url: URL) throws -> Result) throws -> Result

    /// One line for each thing that the database of a store has: columns, indexes, constraints, triggers, entities, and
    /// their names; with rows, a sum of those of each table. The order of columns is left out.
    func inventory(on connection: any SQLConnection, withRows: Bool) throws -> [String]
}

/// A store that is being filled.
package protocol UnfinishedStore: AnyObject {
    var end: TransferEnd { get }
    /// Whether an earlier attempt has left rows in it.
    var isResumed: Bool { get }
    /// Commits everything that was written, so that it outlives a killed process. Called often; it happens now and
    /// then.
    func keep() throws
    /// Ends it: from now on it can be opened. The program's metadata become its own.
    func finish(_ metadata: [String: Any]) throws
}

extension StoreEngine {
    /// The engine as one whose stores are migrated, and filled, where they lie; nil for one of files.
    package var inPlace: (any InPlaceEngine)? { self as? any InPlaceEngine }
}
