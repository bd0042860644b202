#if PostgreSQL
    import CoreData
    import CoreDataPostgreSQL
    import Foundation
    import TestSupport
    import Testing

    @Suite(
        .enabled(
            if: PostgreSQLServer.reasonOfAbsence == nil && PostgreSQLPooler.reasonOfAbsence == nil,
            "\(PostgreSQLServer.reasonOfAbsence ?? PostgreSQLPooler.reasonOfAbsence ?? "")"))
    struct OnlinePoolerTests {
        @Test(
            "By way of a transaction pooler programs of two versions work beside each other, until the older one ends")
        func pooled() throws {
            var store = try OnlineStore(OnlineModels.older, OnlineModels.newer)
            store.pooled = try PostgreSQLPooler.shared.get().url(ofDatabase: store.database.name)
            let older = try store.open(OnlineModels.older)
            try older.performAndWait {
                older.make("Item", ["name": "a", "count": 1])
                try older.save()
            }
            let newer = try store.open(OnlineModels.newer)
            try newer.performAndWait {
                newer.make("Thing", ["label": "b", "total": 2])
                try newer.save()
            }
            try older.performAndWait {
                older.make("Item", ["name": "c", "count": 3])
                try older.save()
            }
            #expect(try OnlineStore.lines(older, "Item", "name", "count") == ["a 1", "b 2", "c 3"])
            let lines = ["a 1 none", "b 2 none", "c 3 none"]
            #expect(try OnlineStore.lines(newer, "Thing", "label", "total", "note") == lines)
            #expect(try !store.end())
            try store.close(older)
            #expect(try store.end())
            #expect(!store.columns("item").contains("count"))
            #expect(try OnlineStore.lines(newer, "Thing", "label", "total", "note") == lines)
        }
    }
#endif
