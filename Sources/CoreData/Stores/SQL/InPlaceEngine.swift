import Foundation

/// An engine whose stores are migrated in place, in one transaction of their database.
package protocol InPlaceEngine: StoreEngine {
    /// Runs a body in a transaction that has the store for itself, and commits it. Other processes that begin to
    /// migrate or open the store wait until it ends, and receive its progress.
    ///
    /// - Parameters:
    ///   - metadata: The metadata with the version of the store. This waits for processes that have the store open in
    ///     this version.
    ///   - changesTables: Whether the body changes tables. If not, other processes can read them until `rebuild` is
    ///     called.
    ///   - timeout: How long to wait for other processes. After that the error is `NSPersistentStoreTimeoutError` and
    ///     names them.
    func migrating(
        at url: URL, from metadata: [String: Any], changesTables: Bool, timeout: TimeInterval, _ progress: Progress?,
        _ body: (any SQLConnection) throws -> Void
    ) throws

    /// The statements of such a transaction before and after those of a body that changes tables, without the locks of
    /// versions that other processes hold.
    func frame(on connection: any SQLConnection) throws -> InPlaceFrame

    /// Replaces the tables of a store by new ones in the transaction of a migration, and lets a body fill them.
    func rebuild(
        on connection: any SQLConnection, for layout: ModelLayout, entities: Set<String>?, metadata: [String: Any],
        timeout: TimeInterval, progress: Progress?, fill: (TransferEnd) throws -> Void
    ) throws

    /// Lets a body fill a store that does not exist yet, or that an earlier attempt with this note has begun. No
    /// process can open the store before it is finished. An attempt that fails leaves nothing; a killed process leaves
    /// the rows that it has committed.
    func filling(
        _ opening: StoreOpening, note: String, timeout: TimeInterval, _ progress: Progress?,
        _ body: (any UnfinishedStore) throws -> Void
    ) throws

    /// The error for the first row that the database's own checks of tables refuse when the checks are created; nil if
    /// there is none. A migration creates the checks that are missing.
    func refusedRow(of schema: SQLSchema, _ layout: ModelLayout, on connection: any SQLConnection) throws -> NSError?

    /// The limits of its stores for tables with this schema.
    func limits(of schema: SQLSchema, _ layout: ModelLayout) -> TransferLimits

    /// Estimates the bytes of the rows of tables, with their indexes.
    func sizes(of tables: Set<String>, on connection: any SQLConnection) throws -> [String: Int64]

    /// An address in the form that errors show, without a password.
    func shown(_ url: URL) -> URL

    /// Runs a body with a connection that reads one state of the store.
    func looking<Result>(at url: URL, _ body: (any SQLConnection) throws -> Result) throws -> Result

    /// Creates an empty database on the server of the one at an address, passes its address to a body, and drops it.
    func withDatabase<Result>(beside url: URL, _ body: (_ url: URL) throws -> Result) throws -> Result

    /// One line for each item in the database of a store: columns, indexes, constraints, triggers, entities, and their
    /// names; with rows, a checksum of those of each table. The order of columns is left out.
    func inventory(on connection: any SQLConnection, withRows: Bool) throws -> [String]
}

/// The statements of a migration in place before and after those of its steps.
package struct InPlaceFrame {
    package struct Part {
        package enum Kind {
            /// Begins, sets up or ends the transaction.
            case transaction
            /// Takes the lock that is held until the commit.
            case lock
            case definition
            /// Work that no statement does.
            case program
        }

        package var kind: Kind
        package var text: String
        package var summary: String

        package init(_ kind: Kind, _ text: String, _ summary: String) {
            self.kind = kind
            self.text = text
            self.summary = summary
        }
    }

    /// The reason why a forecast cannot give the statements; nil if it can.
    package var reason: String?
    package var before: [Part] = []
    /// - Parameters:
    ///   - schema: the tables at the end.
    ///   - definitions: the changes of tables that lead to them.
    package var after: (_ schema: SQLSchema, _ layout: ModelLayout, _ definitions: [SQLDefinition]) throws -> [Part] =
        { _, _, _ in [] }

    package init() {}
}

/// A store that is being filled.
package protocol UnfinishedStore: AnyObject {
    var end: TransferEnd { get }
    /// Whether an earlier attempt has left rows in it.
    var isResumed: Bool { get }
    /// Commits everything that was written, so that a kill does not undo it. Called often; it commits only from time to
    /// time.
    func keep() throws
    /// Completes the store, so that it can be opened. The program's metadata are added to its own.
    func finish(_ metadata: [String: Any]) throws
}

extension StoreEngine {
    /// The engine, if its stores are migrated and filled in place; nil for an engine of files.
    package var inPlace: (any InPlaceEngine)? { self as? any InPlaceEngine }
}
