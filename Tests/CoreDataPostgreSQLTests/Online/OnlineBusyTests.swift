#if PostgreSQL
import CoreData
@testable import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

/// Programs that wait for a lock of another session while their leases are renewed.
@Suite(.waiting, .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct OnlineBusyTests {
    private static let older = """
        entity Item
          name string
          count int16
        """
    private static let newer = older.replacingOccurrences(of: "int16", with: "int64")

    /// The time at which the last lease of the older version expires.
    private static let lease = """
        (SELECT max(until) FROM coredata.leases WHERE version = \
        (SELECT lock FROM coredata.model_versions ORDER BY number LIMIT 1))
        """

    private func wait(until statement: String, _ database: TestDatabase) {
        database.server.wait(until: statement, in: database.name)
    }

    /// A session of another program, in a transaction. The server ends it after a time if the test does not.
    private func stranger(_ store: OnlineStore, _ statement: String) throws -> PostgreSQLConnection {
        let connection = try PostgreSQLConnection(#require(PostgreSQLAddress(store.database.url)))
        try connection.execute("SET idle_in_transaction_session_timeout = '90s'; BEGIN; \(statement)")
        return connection
    }

    @Test("A program continues, and keeps its version, while all of its readers wait for a lock of another session")
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

    @Test("A program renews its lease later where the table of leases is locked, and reads at that time")
    func lockedLeases() throws {
        let store = try OnlineStore(Self.older, Self.newer)
        let context = try store.open(
            Self.older, [NSPostgreSQLLeaseOption: 1, NSPostgreSQLConnectionLimitOption: 2])
        let stranger = try stranger(store, "LOCK TABLE coredata.leases IN SHARE ROW EXCLUSIVE MODE")
        let waits = "SELECT count(*) > 0 FROM pg_locks WHERE relation = 'coredata.leases'::regclass AND NOT granted"
        wait(until: waits, store.database)
        wait(until: "SELECT NOT (\(waits))", store.database)
        #expect(try OnlineStore.lines(context, "Item", "name").isEmpty)
        let time = try #require(store.database.psql("SELECT clock_timestamp()"))
        try stranger.execute("COMMIT")
        wait(until: "SELECT max(until) - interval '1 second' > '\(time)' FROM coredata.leases", store.database)
    }

    @Test("A program that removes an older version still renews its lease, and reads at that time")
    func removing() throws {
        let store = try OnlineStore(Self.older, Self.newer)
        try store.close(store.open(Self.older))
        try store.close(store.open(Self.newer))
        // Columns that the older version needs cannot be dropped as long as another session reads the table.
        let stranger = try stranger(store, "SELECT count(*) FROM item")
        let newer = try store.open(
            Self.newer,
            [
                NSPostgreSQLLeaseOption: 1, NSPostgreSQLOlderVersionDelayOption: 0,
                NSPostgreSQLConnectionLimitOption: 2,
            ])
        wait(until: "SELECT count(*) = 1 FROM coredata.model_versions WHERE state = 'ended'", store.database)
        let remover = """
            SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1 \
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) \
            AND ((classid::bigint << 32) | objid::bigint) = \(PostgreSQLConnection.onlineLock)
            """
        let process = try #require(store.database.psql(remover))
        let until = try #require(store.database.psql("SELECT max(until) FROM coredata.leases"))
        wait(until: "SELECT max(until) > '\(until)' FROM coredata.leases", store.database)
        #expect(try OnlineStore.lines(newer, "Item", "name").isEmpty)
        #expect(store.database.psql(remover) == process)
        try stranger.execute("COMMIT")
        wait(until: "SELECT count(*) = 1 FROM coredata.model_versions WHERE state = 'removed'", store.database)
        #expect(store.columns("item") == ["count2", "entity", "id", "name", "version"])
    }
}
#endif
