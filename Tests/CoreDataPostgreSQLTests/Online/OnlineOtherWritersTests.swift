#if PostgreSQL
    import CoreData
    import CoreDataPostgreSQL
    import Foundation
    import TestSupport
    import Testing

    /// What psql writes into the tables of a store that serves two versions, or has served them.
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
    }
#endif
