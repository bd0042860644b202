#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

/// Writes of psql into the tables of a store that serves two versions, or has served them.
@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct OnlineOtherWritersTests {
    private static let older = """
        entity Item
          name string
          rank int16! = 7
          note string
          mark string = first
        """
    private static let newer = """
        entity Item
          name string
          rank int32! = 7
          note string! = none
          mark string = second
          added string! = new
        """

    @Test("Columns have the defaults of a new store when the older version has gone: psql leaves them out")
    func defaults() throws {
        let store = try OnlineStore(Self.older, Self.newer)
        let older = try store.open(Self.older)
        let newer = try store.open(Self.newer)
        func insert(_ name: String) -> String? {
            store.database.psql("INSERT INTO item (name) VALUES ('\(name)')")
        }
        #expect(insert("both") == "INSERT 0 1")
        try store.close(older)
        #expect(try store.end())
        #expect(insert("one") == "INSERT 0 1")
        #expect(
            try OnlineStore.lines(newer, "Item", "name", "rank", "note", "mark", "added") == [
                "both 7 none first new", "one 7 none second new",
            ])
        let fresh = try OnlineStore(Self.newer, Self.newer)
        let other = try fresh.open(Self.newer)
        func defaults(_ store: OnlineStore) -> String? {
            store.database.psql(
                "SELECT col_description(adrelid, adnum), pg_get_expr(adbin, adrelid) FROM pg_attrdef "
                    + "WHERE adrelid = 'item'::regclass AND col_description(adrelid, adnum) <> '' ORDER BY 1")
        }
        #expect(defaults(store)?.contains("Item.rank.") == true)
        #expect(defaults(store) == defaults(fresh))
        try fresh.close(other)
    }

    @Test("A value that psql writes into a column of either version is read by both; the newer one's counts of two")
    func columns() throws {
        let store = try OnlineStore(Self.older, Self.newer)
        let older = try store.open(Self.older)
        let newer = try store.open(Self.newer)
        func run(_ statement: String) -> String? { store.database.psql(statement) }
        func expect(_ lines: [String], _ location: SourceLocation = #_sourceLocation) throws {
            for context in [older, newer] {
                #expect(
                    try OnlineStore.lines(context, "Item", "name", "rank", "note") == lines,
                    sourceLocation: location)
            }
        }
        let published = "SELECT \"column\" FROM coredata.columns WHERE property IN ('rank', 'note') ORDER BY 1"
        #expect(run(published) == "note2\nrank2")
        #expect(run("INSERT INTO item (name, rank2, note2) VALUES ('published', 2, 'p')") == "INSERT 0 1")
        #expect(run("INSERT INTO item (name, rank, note) VALUES ('former', 3, 'f')") == "INSERT 0 1")
        #expect(
            run("INSERT INTO item (name, rank, rank2, note, note2) VALUES ('two', 4, 5, 'f', 'p')")
                == "INSERT 0 1")
        try expect(["former 3 f", "published 2 p", "two 5 p"])
        #expect(run("UPDATE item SET rank2 = 12, note2 = 'q' WHERE name = 'published'") == "UPDATE 1")
        #expect(run("UPDATE item SET rank = 13, note = 'g' WHERE name = 'former'") == "UPDATE 1")
        #expect(run("UPDATE item SET rank = 14, rank2 = 15, note = 'g' WHERE name = 'two'") == "UPDATE 1")
        try expect(["former 13 g", "published 12 q", "two 15 g"])
        // The older version has no place for it.
        #expect(run("UPDATE item SET rank2 = 100000 WHERE name = 'two'") == nil)
        for (context, rank) in [(older, 21), (newer, 22)] {
            try context.performAndWait {
                let item = try #require(try context.all("Item", "name == 'former'").first)
                item.setValue(rank, forKey: "rank")
                try context.save()
            }
            try expect(["former \(rank) g", "published 12 q", "two 15 g"])
        }
    }
}
#endif
