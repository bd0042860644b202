#if PostgreSQL
    import CoreData
    import CoreDataPostgreSQL
    import Foundation
    import TestSupport
    import Testing

    @Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
    struct OnlineNamesTests {
        private static let older = """
            entity Item
              name string
              count int16
            """
        private static let newer = older.replacingOccurrences(of: "int16", with: "int64")

        @Test(
            "A column whose name is as long as the server has them gets another one beside it, and keeps its values",
            arguments: [String(repeating: "x", count: 63), String(repeating: "ä", count: 31) + "x"])
        func longNames(_ name: String) throws {
            func model(_ text: String) -> NSManagedObjectModel {
                let model = ModelText.model(text)
                model.entitiesByName["Item"]?.attributesByName["count"]?.userInfo = ["PostgreSQLName": name]
                return model
            }
            let known: [AnyHashable: Any] = [
                NSMigrationKnownVersionsOption: [model(Self.older), model(Self.newer)]
            ]
            let store = try OnlineStore(Self.older, Self.newer)
            let older = try store.open(model(Self.older), known)
            try older.performAndWait {
                older.make("Item", ["name": "o", "count": 1])
                try older.save()
            }
            #expect(store.columns("item").contains(name))
            let newer = try store.open(model(Self.newer), known)
            try newer.performAndWait {
                newer.make("Item", ["name": "n", "count": 2])
                try newer.save()
            }
            #expect(try OnlineStore.lines(older, "Item", "name", "count") == ["n 2", "o 1"])
            #expect(try OnlineStore.lines(newer, "Item", "name", "count") == ["n 2", "o 1"])
            try store.close(older)
            #expect(try store.end())
            #expect(!store.columns("item").contains(name))
            #expect(try OnlineStore.lines(newer, "Item", "name", "count") == ["n 2", "o 1"])
        }
    }
#endif
