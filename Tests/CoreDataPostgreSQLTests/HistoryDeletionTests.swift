#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataPostgreSQL

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct HistoryDeletionTests {
    @Test("A deletion of history ends where history ended when it began, beside commits at that time")
    func bound() throws {
        let library = try Library(.postgreSQL, options: [NSPersistentHistoryTrackingKey: true])
        let (server, database) = (try PostgreSQLServer.shared.get(), library.database)
        let context = library.context()
        func save(_ name: String) throws {
            try context.performAndWait {
                context.make("Tag", ["name": name])
                try context.save()
            }
        }
        try save("first")
        server.awaitHistory(of: database)
        let trigger = """
            CREATE FUNCTION public.waits() RETURNS trigger LANGUAGE plpgsql AS \
            $$ BEGIN PERFORM pg_advisory_xact_lock(42); RETURN NULL; END $$;
            CREATE TRIGGER waits AFTER DELETE ON coredata.changes FOR EACH STATEMENT EXECUTE FUNCTION public.waits()
            """
        #expect(server.psql(database, trigger) != nil)
        // An older transaction than one that is committed: it ends between two statements of the deletion.
        let address = try #require(PostgreSQLAddress(server.url(ofMadeDatabase: database.lowercased())))
        let older = try PostgreSQLConnection(address)
        try older.execute("SELECT pg_advisory_lock(42); BEGIN; INSERT INTO tag (name) VALUES ('older')")
        try save("newer")
        let (failure, group) = (Locked<String?>(nil), DispatchGroup())
        group.enter()
        Thread.detachNewThread {
            let context = library.context()
            context.performAndWait {
                let request = NSPersistentHistoryChangeRequest.deleteHistory(before: .distantFuture)
                do { try context.execute(request) } catch { failure.withLock { $0 = "\(error)" } }
            }
            group.leave()
        }
        let waiting = """
            SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = 42
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """
        while server.psql(database, waiting) != "1", group.wait(timeout: .now()) != .success {}
        try older.execute("COMMIT")
        try older.execute("SELECT pg_advisory_unlock(42)")
        group.wait()
        #expect(failure.withLock { $0 } == nil)
        server.awaitHistory(of: database)
        let found = try context.performAndWait {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            return try #require(result?.result as? [NSPersistentHistoryTransaction])
        }
        #expect(found.map { $0.changes?.count } == [1, 1])
        #expect(server.psql(database, "SELECT count(*) FROM coredata.changes") == "2")
    }
}
#endif
