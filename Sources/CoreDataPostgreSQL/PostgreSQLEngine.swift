// Implementation notes: CoreDataPostgreSQL.
//
// - This product is a store over the SQL layer (`Stores/SQL`). What an engine needs of that layer is `package`: the
//   statements and their printer, the protocols of drivers, the schema and its names (`SQLSchemaStyle`), snapshots and
//   their shapes, and `SQLStore.opened`. The coordinator finds the engine by its name (`StoreEngines`).
// - The sources are compiled only with the package trait `PostgreSQL`, which is off by default. A package without the
//   trait does not need libpq.
// - Text of SQL stands in `Driver/` and `Functions/` alone. Queries of the catalog are methods of the connection, and
//   changes of tables are values (`PostgreSQLChange`). `Functions/` has the functions, triggers and views that run in
//   the server, and the statements that create and maintain them.
// - A store has several connections: one writes, several read, and each query generation holds its state by one more
//   (`PostgreSQLGeneration`), in a transaction in which nothing else happens. Readers import that snapshot by its name,
//   so a statement that fails ends no generation.
// - One connection listens (`PostgreSQLListener`), always to the server itself. Behind a transaction pooler it also
//   holds the lock of the store's version. There each transaction sets the settings of the session again. A transaction
//   that reads also compares the version of the metadata, because the next connection may lead to another store that
//   has replaced this one.
// - On every engine, the watch over commits ends in `CommitNotices`. It gathers events and keeps the number of the
//   newest transaction that it has reported.
// - `Operations/` is for people who run programs and servers (the article `Operations`). `PostgreSQLCounters` has the
//   counters of the connections' work. `PostgreSQLActivity` has these counters, and what the server reports about
//   standbys and sessions. `PostgreSQLUpkeep` removes rows that no program needs any more. One of the programs that
//   have the store open does each piece of work: the first that claims it in `coredata.upkeep`.
// - Programs without this framework write into the same tables. Triggers record their changes (`PostgreSQLTriggers`).
//   The framework marks its own transactions, and the triggers pass over those.
// - A store can lie over existing tables that another program has made. It reads them through views with a key, an
//   entity and a version, so nothing above the schema depends on the difference (`Existing/`). Where every statement
//   checks their foreign keys, a save writes its rows in another order (`SaveOrder`).

#if PostgreSQL
import CoreData
import Foundation

/// The type of a store in a PostgreSQL database. OpenCoreData only.
public let NSPostgreSQLStoreType = "PostgreSQL"

extension NSPersistentStore.StoreType {
    /// The type of a store in a PostgreSQL database. OpenCoreData only.
    public static let postgreSQL = NSPersistentStore.StoreType(rawValue: NSPostgreSQLStoreType)
}

/// Stores in PostgreSQL databases. `CoreData` finds this class by its name when a program adds a store of the type.
final class PostgreSQLEngine: ProductStoreEngine, InPlaceEngine, MigratingEngine {
    init() {}

    var forms: [String: StoreForm] { [NSPostgreSQLStoreType: .database] }
    var storeClass: NSPersistentStore.Type { SQLStore.self }

    func open(
        _ opening: StoreOpening, copying other: NSPersistentStore?
    ) throws -> any NSPersistentStore & RowStore {
        guard let url = opening.url else {
            throw NSError.coreData(
                NSPersistentStoreOpenError, reason: "A store in a PostgreSQL database needs the URL of one.")
        }
        // The opened store would have none of the other store's rows.
        if other != nil { throw Self.unsupported("opened in the place of another", url) }
        return try reporting {
            var address = try Self.address(of: url)
            address.take(opening.options)
            do {
                return try Self.awaitingAnother { try PostgreSQLOpening(opening, address, url).store() }
            } catch let error as PostgreSQLError where error.isOfMissingPart {
                throw SQLStoreMetadata.damaged(shown(url), because: error.message)
            }
        }
    }

    func metadata(at url: URL, timeout: TimeInterval) throws -> [String: Any] {
        try reporting {
            let connection = try Self.connection(to: url)
            var metadata = try SQLStoreMetadata.read(from: connection, url: url)
            metadata[NSPostgreSQLSynchronousReplicationKey] = try connection.isSynchronous()
            return metadata
        }
    }

    func setMetadata(_ metadata: [String: Any], at url: URL, timeout: TimeInterval) throws {
        try reporting {
            let connection = try Self.connection(to: url)
            try connection.transaction {
                let present = try SQLStoreMetadata.read(from: connection, url: url)
                try SQLStoreMetadata.write(
                    SQLStoreMetadata.merging(metadata, over: present), to: connection, url: url)
            }
        }
    }

    func cachedModel(at url: URL, timeout: TimeInterval) throws -> NSManagedObjectModel? {
        try reporting {
            try PostgreSQLOpening.cachedModel(on: Self.connection(to: url))
        }
    }

    func destroy(at place: StorePlace, _ url: URL, timeout: TimeInterval, force: Bool) throws {
        try reporting {
            let connection = try Self.connection(to: url)
            try alone(on: connection, url, timeout: timeout, force: force) { _ in
                try PostgreSQLOpening.dropTables(on: connection)
            }
        }
    }

    /// How long is waited at least for those who have a store open: the server ends what this process has just
    /// closed a moment later.
    static var closingTime: TimeInterval { 3 }

    /// Runs a body in a transaction while no other program has the store open. The argument of the body is true
    /// where the database has a complete store, according to its metadata.
    func alone(
        on connection: PostgreSQLConnection, _ url: URL, timeout: TimeInterval, force: Bool,
        _ body: (_ isWhole: Bool) throws -> Void
    ) throws {
        var isDone = false
        var repetitions = Repetitions()
        while !isDone {
            let held = try takeAlone(connection, url, timeout, force: force)
            do {
                isDone = try connection.transaction {
                    let wanted = try Self.lock(connection, url)
                    // Another process may have made a store where there was none, and may have it open.
                    if !force, wanted != held { return false }
                    try body(wanted != nil)
                    return true
                }
            } catch let error as PostgreSQLError where error.state == PostgreSQLError.deadlock {
                // Programs that read by way of a pooler continue to read, and lock tables in another order.
                guard repetitions.goOn(after: error) else { throw error }
            }
        }
    }

    /// Waits until no program has the store open, fills or migrates it, and keeps programs from opening it. With
    /// `force` the method ends their connections, as far as the role has the right to.
    ///
    /// - Returns: the lock that is held; nil where there is no store.
    private func takeAlone(
        _ connection: PostgreSQLConnection, _ url: URL, _ timeout: TimeInterval, force: Bool
    ) throws -> Int64? {
        let timeout = max(timeout, Self.closingTime)
        if force {
            guard let lock = try Self.lock(connection, url) else { return nil }
            for lock in try [lock] + connection.locksOfVersions(besides: lock) {
                try connection.endUsers(ofVersion: lock, within: Self.closingTime)
            }
            return lock
        }
        while let wanted = try Self.lock(connection, url) {
            for lock in try [wanted] + connection.locksOfVersions(besides: wanted) {
                try connection.takeAlone(version: lock, timeout: timeout, nil)
            }
            // A migration, or a move, may have ended while the lock was waited for.
            if try Self.lock(connection, url) == wanted { return wanted }
        }
        return nil
    }

    /// The lock that users of the store hold; nil if there is no store, or a damaged one, whose version is unknown.
    private static func lock(_ connection: PostgreSQLConnection, _ url: URL) throws -> Int64? {
        do {
            // A transaction may be open, which continues.
            let metadata = try connection.trying { try SQLStoreMetadata.read(from: connection, url: url) }
            return metadata[SQLStoreMetadata.unfinishedKey] == nil
                ? PostgreSQLConnection.versionLock(of: metadata) : PostgreSQLConnection.fillingLock
        } catch let error as NSError where error.isOfMissingOrDamagedStore {
            return nil
        }
    }

    /// No store's file can be copied as a whole: rows move one by one.
    func owns(_ store: NSPersistentStore) -> Bool { false }

    func copy(_ store: NSPersistentStore, to url: URL, replacing: Bool, _ progress: Progress?) throws {
        throw Self.unsupported("copied as it lies", url)
    }

    // MARK: Inspecting

    func shown(_ url: URL) -> URL {
        PostgreSQLAddress(url)?.shown ?? URL(fileURLWithPath: "/dev/null")
    }

    func looking<Result>(at url: URL, _ body: (any SQLConnection) throws -> Result) throws -> Result {
        try reporting {
            let connection = try Self.connection(to: url)
            connection.beginReading()
            defer { connection.rollback() }
            // A read before opening does not wait until a migration ends.
            try connection.waitBriefly()
            do {
                connection.places = try connection.newestVersionIfThere()?.places
                return try body(connection)
            } catch let error as PostgreSQLError where error.isPassing {
                throw NSError.coreData(
                    NSPersistentStoreTimeoutError,
                    reason: "The tables at \(connection.address) are locked: most likely by a migration.")
            }
        }
    }

    private static func unsupported(_ what: String, _ url: URL) -> NSError {
        .coreData(
            NSPersistentStoreOperationError,
            reason: "A store in a PostgreSQL database cannot be \(what).",
            userInfo: [NSURLErrorKey: PostgreSQLAddress(url)?.description ?? ""])
    }

    static func address(of url: URL) throws -> PostgreSQLAddress {
        if let address = PostgreSQLAddress(url) { return address }
        throw NSError.coreData(
            NSPersistentStoreOpenError,
            reason:
                "“\(url.shown.absoluteString)” is no URL of a PostgreSQL database: it begins with postgresql://.",
            url: url)
    }

    static func connection(to url: URL) throws -> PostgreSQLConnection {
        // Locks of a session, and work that is done once, need the server itself.
        let address = try address(of: url).direct
        return try awaitingAnother { try PostgreSQLConnection(address) }
    }

    /// Runs a body without effects, or one that can be repeated, again when a server is lost and another one takes
    /// over.
    static func awaitingAnother<Result>(_ body: () throws -> Result) throws -> Result {
        try awaitingAnother { _ in try body() }
    }

    /// Runs a long body once more where a server is lost. The body calls `advanced` whenever a part is done for
    /// good: another server is waited for as long as ever after that.
    static func awaitingAnother<Result>(_ body: (_ advanced: () -> Void) throws -> Result) throws -> Result {
        var repetitions = Repetitions()
        while true {
            do {
                return try body { repetitions = Repetitions() }
            } catch let error as PostgreSQLError where error.patience != nil {
                if !repetitions.goOn(after: error) { throw error }
            }
        }
    }

    func reporting<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as PostgreSQLError {
            throw error.nsError(doing: .opening)
        }
    }
}
#endif
