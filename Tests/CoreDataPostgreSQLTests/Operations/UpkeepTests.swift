#if PostgreSQL
import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataPostgreSQL

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct UpkeepTests {
    private static let due = "UPDATE coredata.upkeep SET time = now() - interval '2 hours'"

    private func database(_ library: Library) throws -> PostgreSQLDatabase {
        try #require((library.store as? SQLStore)?.database as? PostgreSQLDatabase)
    }

    private func save(_ library: Library, _ names: String...) throws {
        let context = library.context()
        try context.performAndWait {
            for name in names {
                context.make("Tag", ["name": name])
                try context.save()
            }
        }
    }

    private func addOldTokens(_ library: Library, _ count: Int = 1) throws {
        let insert = """
            INSERT INTO coredata.saves SELECT gen_random_uuid(), now() - interval '25 hours' \
            FROM generate_series(1, \(count))
            """
        #expect(try library.psql(insert) == "INSERT 0 \(count)")
    }

    private func tokens(_ library: Library) throws -> String? {
        try library.psql("SELECT count(*) FROM coredata.saves")
    }

    @Test("A store that stays open removes the tokens of the day before, once an hour, in any number")
    func tokens() throws {
        let library = try Library(.postgreSQL)
        try addOldTokens(library, 25_000)
        try save(library, "a")
        try database(library).upkeep.poll()
        #expect(try tokens(library) == "25001")
        #expect(try library.psql(Self.due) != nil)
        try database(library).upkeep.poll()
        #expect(try tokens(library) == "1")
        // The work for this hour is done.
        try addOldTokens(library)
        try database(library).upkeep.poll()
        try database(library.beside()).upkeep.poll()
        #expect(try tokens(library) == "2")
    }

    @Test("Programs that open a store for a moment remove them, too")
    func opening() throws {
        let library = try Library(.postgreSQL)
        try addOldTokens(library)
        #expect(try library.psql(Self.due) != nil)
        let other = try library.beside()
        while try tokens(library) != "0" {}
        withExtendedLifetime(other) {}
    }

    @Test("History goes when it is as old as an option says, slice by slice, and its tokens are refused then")
    func history() throws {
        let library = try Library(
            .postgreSQL,
            options: [NSPersistentHistoryTrackingKey: true, NSPostgreSQLHistoryLifetimeOption: 3_600])
        try save(library, "a", "b", "c")
        let server = try PostgreSQLServer.shared.get()
        server.awaitHistory(of: library.database)
        let context = library.context()
        func read(after token: NSPersistentHistoryToken? = nil) throws -> [NSPersistentHistoryTransaction] {
            try context.performAndWait {
                let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
                let result = try context.execute(request) as? NSPersistentHistoryResult
                return try #require(result?.result as? [NSPersistentHistoryTransaction])
            }
        }
        let transactions = try read()
        let (first, second) = (transactions[0], transactions[1])
        // Many from long before, and two hours of three saves.
        let older = """
            INSERT INTO coredata.transactions (id, entity, "time") \
            SELECT -n, 16002, \(Date(timeIntervalSinceNow: -90_000).timeIntervalSinceReferenceDate) \
            FROM generate_series(1, 2500) n; \
            INSERT INTO coredata.changes (entity, "type", of_entity, of_id, "transaction") \
            SELECT 16001, 0, 1, n, -n FROM generate_series(1, 2500) n; \
            UPDATE coredata.transactions SET "time" = "time" - 7200 WHERE id IN \
            (\(first.transactionNumber), \(second.transactionNumber))
            """
        #expect(try library.psql(older) != nil)
        #expect(try library.psql(Self.due) != nil)
        try database(library).upkeep.poll()
        #expect(try read(after: second.token).count == 1)
        #expect(try library.psql("SELECT count(*) FROM coredata.transactions") == "1")
        #expect(try library.psql("SELECT count(DISTINCT \"transaction\") FROM coredata.changes") == "1")
        let error = try #require(throws: NSError.self) { try read(after: first.token) }
        #expect(error.code == NSPersistentHistoryTokenExpiredError)
        // Without the option history stays.
        let plain = try Library(.postgreSQL, options: [NSPersistentHistoryTrackingKey: true])
        try save(plain, "a")
        #expect(try plain.psql("UPDATE coredata.transactions SET \"time\" = 0; \(Self.due)") != nil)
        try database(plain).upkeep.poll()
        #expect(try plain.psql("SELECT count(*) FROM coredata.transactions") == "1")
    }

    @Test("A session that holds a snapshot for long is named in a warning, once")
    func warning() throws {
        let library = try Library(.postgreSQL, options: [NSPostgreSQLSnapshotWarningOption: 0])
        let database = try database(library)
        let lines = Locked<[String]>([])
        database.upkeep.write.withLock { $0 = { line in lines.withLock { $0.append(line) } } }
        let address = try #require(
            PostgreSQLAddress(PostgreSQLServer.shared.get().url(ofMadeDatabase: library.database.lowercased())))
        let session = try PostgreSQLConnection(address)
        try session.execute("SET application_name = 'nightly report'; BEGIN ISOLATION LEVEL REPEATABLE READ")
        try session.execute("SELECT count(*) FROM tag")
        for _ in 0..<2 {
            #expect(try library.psql(Self.due) != nil)
            database.upkeep.poll()
        }
        let named = lines.withLock { $0.filter { $0.contains("nightly report") } }
        #expect(named.count == 1)
        #expect(named.first?.contains("SELECT count(*) FROM tag") == true)
        try session.execute("ROLLBACK")
    }
}
#endif
