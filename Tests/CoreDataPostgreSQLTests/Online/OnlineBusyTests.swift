#if PostgreSQL
    import CoreData
    @testable import CoreDataPostgreSQL
    import Foundation
    import TestSupport
    import Testing

    /// Programs that wait for somebody else while their leases go on.
    @Suite(.waiting, .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
    struct OnlineBusyTests {
        private static let older = """
            entity Item
              name string
              count int16
            """
        private static let newer = older.replacingOccurrences(of: "int16", with: "int64")

        /// Until when the programs of the older version live.
        private static let lease = """
            (SELECT max(until) FROM coredata.leases WHERE version = \
            (SELECT lock FROM coredata.model_versions ORDER BY number LIMIT 1))
            """

        private func wait(until statement: String, _ database: TestDatabase) {
            while database.psql(statement) != "t" {}
        }

        /// A session of somebody else's, in a transaction. The server ends it where nobody else would.
        private func stranger(_ store: OnlineStore, _ statement: String) throws -> PostgreSQLConnection {
            let connection = try PostgreSQLConnection(#require(PostgreSQLAddress(store.database.url)))
            try connection.execute("SET idle_in_transaction_session_timeout = '90s'; BEGIN; \(statement)")
            return connection
        }

        @Test("A program all of whose readers wait for somebody else's lock lives on, and its version stays")
        func busyReaders() throws {
            let store = try OnlineStore(Self.older, Self.newer)
            let older = try store.open(
                Self.older, [NSPostgreSQLLeaseOption: 12, NSPostgreSQLConnectionLimitOption: 2])
            let newer = try store.open(Self.newer)
            let stranger = try stranger(store, "LOCK TABLE item IN ACCESS EXCLUSIVE MODE")
            let isFetched = DispatchSemaphore(value: 0)
            older.perform {
                #expect((try? older.all("Item").count) == 0)
                isFetched.signal()
            }
            wait(
                until: "SELECT count(*) > 0 FROM pg_locks WHERE relation = 'item'::regclass AND NOT granted",
                store.database)
            let until = try #require(store.database.psql("SELECT \(Self.lease)"))
            wait(until: "SELECT \(Self.lease) > '\(until)'", store.database)
            #expect(try !store.end())
            try stranger.execute("COMMIT")
            isFetched.wait()
            try older.performAndWait {
                older.make("Item", ["name": "saved", "count": 1])
                try older.save()
            }
            #expect(try OnlineStore.lines(newer, "Item", "name", "count") == ["saved 1"])
        }
    }
#endif
