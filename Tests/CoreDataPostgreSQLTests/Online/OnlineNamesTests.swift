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

    @Test("Defaults and names may contain the marks that quote the texts of functions")
    func dollars() throws {
        let text = Self.newer + "\n  note string! = none\nentity Part : Item\n  word string! = none"
        let (oldText, value) = (Self.older + "\nentity Part : Item", "it's $body$ \\ $body_$ %s $drop$ $")
        func model(_ text: String) -> NSManagedObjectModel {
            let model = ModelText.model(text)
            let item = model.entitiesByName["Item"]
            item?.userInfo = ["PostgreSQLName": "item $body$ $drop$"]
            item?.attributesByName["count"]?.userInfo = ["PostgreSQLName": "$body$"]
            item?.attributesByName["note"]?.defaultValue = value
            model.entitiesByName["Part"]?.attributesByName["word"]?.defaultValue = value
            return model
        }
        let known: [AnyHashable: Any] = [NSMigrationKnownVersionsOption: [model(oldText), model(text)]]
        let store = try OnlineStore(oldText, text)
        let older = try store.open(model(oldText), known)
        func make(_ name: String) throws {
            try older.performAndWait {
                older.make("Part", ["name": name, "count": 1])
                try older.save()
            }
        }
        try make("before")
        let newer = try store.open(model(text), known)
        try make("behind")
        #expect(
            try OnlineStore.lines(newer, "Part", "name", "note", "word", "count")
                == ["before", "behind"].map { "\($0) \(value) \(value) 1" })
        try store.close(older)
        #expect(try store.end())
        try store.close(newer)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model(text))
        try coordinator.destroyPersistentStore(at: store.url, type: .postgreSQL)
        #expect(store.database.psql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == "0")
    }
}
#endif
