#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataPostgreSQL

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct PostgreSQLGenerationTests {
    private func pinned(_ library: Library) throws -> NSManagedObjectContext {
        let context = library.context()
        try context.performAndWait {
            context.make("Tag", ["name": "a"])
            try context.save()
            try context.setQueryGenerationFrom(.current)
            #expect(try context.all("Tag").count == 1)
        }
        return context
    }

    /// The server's processes that hold a state while no statement reads.
    private func holders(_ library: Library) throws -> [String] {
        let text = try library.psql(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() "
                + "AND state = 'idle in transaction' AND query LIKE '%pg_export_snapshot%'")
        return text?.split(separator: "\n").map(String.init) ?? []
    }

    @Test(
        "A generation that has lasted as long as it may is an error that says so; the context can be pinned anew")
    func expiry() throws {
        let library = try Library(.postgreSQL, options: [NSPostgreSQLGenerationLifetimeOption: 2])
        let context = library.context()
        try context.performAndWait {
            context.make("Tag", ["name": "a"])
            try context.save()
            try context.setQueryGenerationFrom(.current)
            // On a machine that is busy it may have ended already.
            _ = try? context.all("Tag")
        }
        while try !holders(library).isEmpty {}
        try context.performAndWait {
            let error = try #require(throws: NSError.self) { try context.all("Tag") }
            #expect(
                error.userInfo[NSPostgreSQLFailureKey] as? String == PostgreSQLFailure.generationEnded.rawValue)
            #expect(error.code == NSPersistentStoreOperationError)
            try context.setQueryGenerationFrom(nil)
            #expect(try context.all("Tag").count == 1)
        }
    }

    @Test("A state is held by one connection as long as its token exists, and given back then")
    func release() throws {
        let library = try Library(.postgreSQL)
        let context = try pinned(library)
        #expect(try holders(library).count == 1)
        let second = library.context()
        let token = try context.performAndWait { try #require(context.queryGenerationToken) }
        try second.performAndWait {
            try second.setQueryGenerationFrom(token)
            #expect(try second.all("Tag").count == 1)
        }
        #expect(try holders(library).count == 1)
        for other in [context, second] { try other.performAndWait { try other.setQueryGenerationFrom(nil) } }
        #expect(try holders(library).count == 1)
        // The token itself goes with this scope's last use of it.
        withExtendedLifetime(token) {}
    }

    @Test("A statement that fails does not end the generation")
    func failingStatement() throws {
        let library = try Library(.postgreSQL)
        let context = try pinned(library)
        let url = try #require(StoreKind.postgreSQL.url(in: library.folder.url))
        let other = try PostgreSQLConnection(#require(PostgreSQLAddress(url)))
        try other.execute("INSERT INTO tag (name) VALUES ('b')")
        try other.execute("BEGIN; LOCK TABLE tag")
        let end = DispatchSemaphore(value: 0)
        context.perform {
            #expect(throws: NSError.self) { try context.all("Tag") }
            end.signal()
        }
        try PostgreSQLServer.shared.get().cancelWhoeverWaits(in: library.database)
        end.wait()
        try context.performAndWait {
            other.rollback()
            #expect(try context.all("Tag").count == 1)
            try context.setQueryGenerationFrom(nil)
            #expect(try context.all("Tag").count == 2)
        }
    }
}
#endif
