#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct OnlineDependentTests {
    private static let older = """
        entity Item
          name string
          count int16! = 1
          size int16
        entity Gone
          word string
        """
    private static let newer = """
        entity Item
          name string
          count int64! = 1
          size int64
        """
    private static let views =
        "CREATE VIEW report AS SELECT name, count FROM item; CREATE VIEW words AS SELECT word FROM gone; "
        + "CREATE TABLE mine (id int, gone_id bigint REFERENCES gone (id))"

    @Test("Other programs' views and foreign keys on parts of the older version are named before the migration")
    func refusal() throws {
        let store = try OnlineStore(Self.older, Self.newer)
        let older = try store.open(Self.older)
        #expect(store.database.psql(Self.views) != nil)
        let columns = store.columns("item")
        let error = try #require(throws: NSError.self) { _ = try store.open(Self.newer) }
        #expect(error.code == NSMigrationError, "\(error)")
        for word in ["view report", "“count”", "view words", "mine_gone_id_fkey"] {
            #expect("\(error) \(error.userInfo)".contains(word), "\(error)")
        }
        #expect(store.columns("item") == columns)
        try older.performAndWait {
            older.make("Item", ["name": "o", "count": 1])
            try older.save()
        }
        #expect(store.database.psql("DROP VIEW report, words; DROP TABLE mine") != nil)
        let newer = try store.open(Self.newer)
        #expect(try OnlineStore.lines(newer, "Item", "name", "count") == ["o 1"])
    }

    @Test("A later view keeps only the columns that it needs; the end names it until it has gone")
    func later() throws {
        let store = try OnlineStore(Self.older, Self.newer)
        let older = try store.open(Self.older)
        let newer = try store.open(Self.newer)
        #expect(store.database.psql(Self.views) != nil)
        try store.close(older)
        for _ in 0..<2 {
            let error = try #require(throws: NSError.self) { _ = try store.end() }
            #expect(error.code == NSMigrationError, "\(error)")
            for word in ["view report", "“count”", "view words", "mine_gone_id_fkey"] {
                #expect(error.localizedDescription.contains(word), "\(error)")
            }
        }
        #expect(store.columns("item") == ["count", "count2", "entity", "id", "name", "size2", "version"])
        #expect(store.database.psql("SELECT count(*) FROM pg_views WHERE schemaname = 'public'") == "2")
        #expect(
            store.database.psql("SELECT count(*) FROM pg_constraint WHERE conname = 'mine_gone_id_fkey'") == "1")
        // The parts of the older version that remain do not disturb programs of the newer one.
        try newer.performAndWait {
            newer.make("Item", ["name": "n", "count": 100_000, "size": 100_000])
            try newer.save()
        }
        #expect(store.database.psql("DROP VIEW report, words; DROP TABLE mine") != nil)
        #expect(try store.end())
        #expect(store.columns("item") == ["count2", "entity", "id", "name", "size2", "version"])
        #expect(store.database.psql("SELECT to_regclass('gone') IS NULL") == "t")
        #expect(try OnlineStore.lines(newer, "Item", "name", "count", "size") == ["n 100000 100000"])
    }
}
#endif
