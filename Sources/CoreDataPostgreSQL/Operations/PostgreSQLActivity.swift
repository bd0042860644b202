#if PostgreSQL
import CoreData
import Foundation

/// The activity of a store's connections, now and since the store was opened.
///
/// ``description`` is one line for a log. The coordinator's method `postgreSQLActivity(of:)` makes a value.
public struct PostgreSQLActivity: Sendable, Equatable, CustomStringConvertible {
    /// The number and the length of waits of one kind.
    public struct Waits: Sendable, Equatable {
        /// The number of waits.
        public internal(set) var count = 0
        /// The number of seconds of all waits together.
        public internal(set) var seconds: TimeInterval = 0
        /// The number of seconds of the longest wait.
        public internal(set) var longest: TimeInterval = 0
    }

    /// A server that follows the server of the store.
    ///
    /// A role without `pg_read_all_stats` cannot see all values.
    public struct Standby: Sendable, Equatable {
        /// The name that the standby gives itself (`application_name`).
        public internal(set) var name: String
        /// The address from which the standby connects; empty if the role cannot see it.
        public internal(set) var client: String
        /// Whether commits wait for the standby; nil if the role cannot see it.
        public internal(set) var isSynchronous: Bool?
        /// The number of bytes of the log that the standby has not replayed; nil if the role cannot see it.
        public internal(set) var bytesBehind: Int64?
        /// The number of seconds that the standby is behind; nil if it is unknown.
        public internal(set) var secondsBehind: TimeInterval?
    }

    /// A session that has held a snapshot, or the number of a transaction, for long.
    ///
    /// As long as it does, the server keeps the rows that were deleted since, and history ends before it.
    public struct Session: Sendable, Equatable, CustomStringConvertible {
        /// The process on the server; nil for a transaction that was prepared for a two-phase commit.
        public internal(set) var processIdentifier: Int?
        /// The name that the session gives itself (`application_name`), or the name of the prepared transaction.
        public internal(set) var name: String
        /// The role of the session.
        public internal(set) var user: String
        /// The address from which the session connects.
        public internal(set) var client: String
        /// The state of the session as the server names it, such as `active` or `idle in transaction`.
        public internal(set) var state: String
        /// The number of seconds that its transaction has lasted.
        public internal(set) var seconds: TimeInterval
        /// The beginning of its last statement; nil for a query generation of this framework.
        public internal(set) var statement: String?

        /// The process, the names, the state, the time and the statement in one line.
        public var description: String {
            let place = processIdentifier.map { "process \($0)" } ?? "prepared transaction"
            return "\(place) “\(name)” of \(user) from \(client), \(state), for \(Int(seconds)) s: "
                + (statement ?? "a query generation")
        }
    }

    /// The server that takes the store's writes now, with the database.
    public internal(set) var server = ""
    /// The number of open connections.
    ///
    /// Connections of query generations and connections to standbys count separately. The connection that listens
    /// for commits of other programs does not count.
    public internal(set) var connections = 0
    /// The number of open connections that are in use.
    public internal(set) var busyConnections = 0
    /// The maximum number of connections (``NSPostgreSQLConnectionLimitOption``).
    public internal(set) var connectionLimit = 0
    /// The number of connections to standbys.
    public internal(set) var connectionsToStandbys = 0
    /// The number of query generations.
    public internal(set) var queryGenerations = 0

    /// The number of connections that were made since the store was opened.
    public internal(set) var connectionsMade = 0
    /// The waits of reads for a connection.
    public internal(set) var waitsToRead = Waits()
    /// The waits of writes for another write of this program.
    public internal(set) var waitsToWrite = Waits()
    /// The waits of reads until a standby was up to date.
    public internal(set) var waitsForStandbys = Waits()
    /// The number of writes: saves, batches, and requests of keys for new objects.
    public internal(set) var writes = 0
    /// The number of transactions that were run again, because of a deadlock, a lock or a lost connection.
    public internal(set) var repetitions = 0
    /// The number of commits whose answer was lost. The framework found out their outcome through another
    /// connection.
    public internal(set) var commitsInQuestion = 0
    /// The number of times that another server took over.
    public internal(set) var failOvers = 0
    /// The number of reads that standbys answered.
    public internal(set) var readsFromStandbys = 0
    /// The number of reads that the primary answered in place of a standby.
    public internal(set) var readsFromPrimaryInstead = 0

    /// The number of the database's sessions that wait for a lock now.
    public internal(set) var sessionsWaiting = 0
    /// The servers that follow.
    public internal(set) var standbys: [Standby] = []
    /// The sessions that hold a snapshot for longer than ``NSPostgreSQLSnapshotWarningOption``, the oldest first.
    public internal(set) var longSnapshots: [Session] = []

    /// One line for a log. It leaves out values of 0.
    public var description: String {
        var parts = ["PostgreSQL \(server)", "connections \(busyConnections)/\(connections)/\(connectionLimit)"]
        func add(_ name: String, _ count: Int) { if count > 0 { parts.append("\(name) \(count)") } }
        func add(_ name: String, _ waits: Waits) {
            guard waits.count > 0 else { return }
            parts.append(
                "\(name) \(waits.count) (\(Self.text(waits.seconds)) s, longest \(Self.text(waits.longest)) s)")
        }
        add("to standbys", connectionsToStandbys)
        add("generations", queryGenerations)
        add("made", connectionsMade)
        add("writes", writes)
        add("waits to read", waitsToRead)
        add("waits to write", waitsToWrite)
        add("waits for standbys", waitsForStandbys)
        add("repetitions", repetitions)
        add("commits in question", commitsInQuestion)
        add("fail-overs", failOvers)
        add("reads from standbys", readsFromStandbys)
        add("from the primary instead", readsFromPrimaryInstead)
        add("sessions waiting for locks", sessionsWaiting)
        for standby in standbys {
            let lag =
                standby.bytesBehind.map { "\($0) bytes, \(Self.text(standby.secondsBehind ?? 0)) s behind" }
                ?? "lag not shown to the role"
            parts.append("standby \(standby.name)\(standby.isSynchronous == true ? " (synchronous)" : ""): \(lag)")
        }
        for session in longSnapshots { parts.append("long snapshot: \(session)") }
        return parts.joined(separator: ", ").replacingOccurrences(of: "\n", with: " ")
    }

    private static func text(_ seconds: TimeInterval) -> String { String(format: "%.3f", seconds) }
}

extension NSPersistentStoreCoordinator {
    /// Reads the activity of the connections of a store in a PostgreSQL database. OpenCoreData only.
    ///
    /// The method queries the server through one of the store's connections. Call it from any thread. With
    /// ``NSPostgreSQLLogIntervalOption`` the framework writes the activity to standard error regularly.
    ///
    /// - Parameter store: A store of this coordinator.
    /// - Returns: The current activity.
    /// - Throws: `NSPersistentStoreInvalidTypeError` (134000) for a store of another type or another coordinator,
    ///   or the error of the server.
    public func postgreSQLActivity(of store: NSPersistentStore) throws -> PostgreSQLActivity {
        guard persistentStores.contains(where: { $0 === store }),
            let database = (store as? SQLStore)?.database as? PostgreSQLDatabase
        else {
            throw NSError.coreData(
                NSPersistentStoreInvalidTypeError,
                reason: "The store is not in a PostgreSQL database, or belongs to another coordinator.",
                url: store.url)
        }
        return try PostgreSQLEngine().reporting { try database.activity() }
    }
}
#endif
