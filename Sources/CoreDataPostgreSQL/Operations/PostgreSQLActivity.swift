#if PostgreSQL
    import CoreData
    import Foundation

    /// What the connections of a store do, and what they have done since the store was opened.
    ///
    /// `description` is one line for a log. See ``CoreData/NSPersistentStoreCoordinator/postgreSQLActivity(of:)``.
    public struct PostgreSQLActivity: Sendable, Equatable, CustomStringConvertible {
        /// How often something was waited for, and for how many seconds.
        public struct Waits: Sendable, Equatable {
            public internal(set) var count = 0
            public internal(set) var seconds: TimeInterval = 0
            public internal(set) var longest: TimeInterval = 0
        }

        /// A server that follows the one of the store. What the role may not see is nil (`pg_read_all_stats`).
        public struct Standby: Sendable, Equatable {
            /// What the standby calls itself (`application_name`), and where it connects from.
            public internal(set) var name: String
            public internal(set) var client: String
            /// Whether commits wait for it.
            public internal(set) var isSynchronous: Bool?
            /// How many bytes of the log it has not replayed, and how many seconds it is behind.
            public internal(set) var bytesBehind: Int64?
            public internal(set) var secondsBehind: TimeInterval?
        }

        /// A session that has held a snapshot, or the number of a transaction, for long. As long as it does, the server
        /// removes no row that was deleted since, and history ends before it.
        public struct Session: Sendable, Equatable, CustomStringConvertible {
            /// The server's process; nil of a transaction that was prepared for a commit in two phases.
            public internal(set) var processIdentifier: Int?
            /// What it calls itself (`application_name`), or what the prepared transaction is called.
            public internal(set) var name: String
            public internal(set) var user: String
            public internal(set) var client: String
            /// What the server says of it: `active`, `idle in transaction`.
            public internal(set) var state: String
            /// How long its transaction has lasted.
            public internal(set) var seconds: TimeInterval
            /// The beginning of its last statement; nil of a query generation of this framework.
            public internal(set) var statement: String?

            public var description: String {
                let place = processIdentifier.map { "process \($0)" } ?? "prepared transaction"
                return "\(place) “\(name)” of \(user) from \(client), \(state), for \(Int(seconds)) s: "
                    + (statement ?? "a query generation")
            }
        }

        /// The server that takes the store's writes now, with the database.
        public internal(set) var server = ""
        /// The connections that are open, and how many of them are in use. Those that hold query generations, and those
        /// to standbys, are counted apart; the one that hears of others' commits is not counted.
        public internal(set) var connections = 0
        public internal(set) var busyConnections = 0
        /// The most that there may be (`NSPostgreSQLConnectionLimitOption`).
        public internal(set) var connectionLimit = 0
        public internal(set) var connectionsToStandbys = 0
        public internal(set) var queryGenerations = 0

        /// Connections that were made.
        public internal(set) var connectionsMade = 0
        /// Reads that waited for a connection, and writes that waited for another write of this program.
        public internal(set) var waitsToRead = Waits()
        public internal(set) var waitsToWrite = Waits()
        /// Reads that waited for a standby to have what they had to show.
        public internal(set) var waitsForStandbys = Waits()
        /// Pieces of work that wrote: saves, batches, and the taking of keys for new objects.
        public internal(set) var writes = 0
        /// Pieces of work that were run again, for a deadlock, a lock or a connection that was lost.
        public internal(set) var repetitions = 0
        /// Commits whose answer was lost, and of which another connection was asked.
        public internal(set) var commitsInQuestion = 0
        /// How often another server continued.
        public internal(set) var failOvers = 0
        /// Reads from standbys, and those that the primary had to answer in their place.
        public internal(set) var readsFromStandbys = 0
        public internal(set) var readsFromPrimaryInstead = 0

        /// Sessions of the database that wait for a lock now.
        public internal(set) var sessionsWaiting = 0
        /// The servers that follow.
        public internal(set) var standbys: [Standby] = []
        /// Sessions that hold a snapshot longer than `NSPostgreSQLSnapshotWarningOption` says, the oldest first.
        public internal(set) var longSnapshots: [Session] = []

        /// One line for a log. What is nothing is left out.
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
        /// Says what the connections of a store in a PostgreSQL database do, and have done since it was opened.
        ///
        /// It asks the server, by one of the store's connections; it may be called from any thread.
        /// ``NSPostgreSQLLogIntervalOption`` has it written to standard error again and again.
        ///
        /// - Parameter store: a store of this coordinator.
        /// - Returns: the values at this moment.
        /// - Throws: `NSPersistentStoreInvalidTypeError` (134000) for a store of another type or another coordinator,
        ///   or the error of the server.
        public func postgreSQLActivity(of store: NSPersistentStore) throws -> PostgreSQLActivity {
            guard persistentStores.contains(where: { $0 === store }),
                let database = (store as? SQLStore)?.database as? PostgreSQLDatabase
            else {
                throw NSError.coreData(
                    NSPersistentStoreInvalidTypeError,
                    reason: "It is no store of this coordinator that lies in a PostgreSQL database.", url: store.url)
            }
            return try PostgreSQLEngine().reporting { try database.activity() }
        }
    }
#endif
