#if PostgreSQL
import CoreData
@testable import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

/// Programs that stop in the middle of an online migration, and neither end nor continue.
@Suite(.waiting, .enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct OnlineStoppedTests {
    @Test("A migration that stops within a transaction loses it, and other sessions get its locks")
    func withinTransaction() throws {
        let database = try TestDatabase()
        #expect(database.psql("CREATE TABLE item (id integer, value integer)") != nil)
        #expect(database.psql("INSERT INTO item VALUES (1, 1)") != nil)
        let connection = try PostgreSQLConnection(#require(PostgreSQLAddress(database.url)))
        let shortLockTransaction = PostgreSQLShortLockTransaction(connection: connection, timeout: 20)
        #expect(throws: PostgreSQLError.self) {
            try shortLockTransaction.transaction {
                try connection.execute("UPDATE item SET value = 2")
                // It waits until the server has ended the transaction.
                #expect(database.psql("UPDATE item SET value = 3 WHERE value = 1") != nil)
            }
        }
        #expect(database.psql("SELECT value FROM item") == "3")
    }

    @Test("A migration that stops between two transactions loses the lock for which other programs wait")
    func betweenTransactions() throws {
        let database = try TestDatabase()
        let connection = try PostgreSQLConnection(#require(PostgreSQLAddress(database.url)))
        try connection.endWithProgram()
        #expect(try connection.tryOnlineLock())
        #expect(database.psql("SELECT pg_advisory_lock(\(PostgreSQLConnection.onlineLock))") != nil)
        #expect(throws: PostgreSQLError.self) { try connection.execute("SELECT 1") }
    }

    @Test("Another program ends a migration that has stopped, and programs of the older version save at that time")
    func takenOver() throws {
        let store = try OnlineStore(OnlineModels.older, OnlineModels.newer)
        let older = try store.open(OnlineModels.older)
        let fill =
            "SET session_replication_role = replica; INSERT INTO item (entity, version, name, count) "
            + "SELECT 'Item', 1, 'row ' || n, n % 100 FROM generate_series(1, 20000) n"
        #expect(store.database.psql(fill) != nil)
        let child = try ChildProgram(
            "postgresql-child", [store.url.absoluteString, "migrate", OnlineModels.older, OnlineModels.newer])
        store.database.server.wait(until: "SELECT count(*) > 0 FROM coredata.moves", in: store.database.name)
        kill(child.processIdentifier, SIGSTOP)
        defer { kill(child.processIdentifier, SIGCONT) }
        try older.performAndWait {
            older.make("Item", ["name": "meanwhile", "count": 1])
            try older.save()
        }
        let newer = try store.open(OnlineModels.newer)
        let labels = try OnlineStore.lines(newer, "Thing", "label")
        #expect(labels.count == 20_001)
        #expect(labels.contains("meanwhile"))
    }
}
#endif
