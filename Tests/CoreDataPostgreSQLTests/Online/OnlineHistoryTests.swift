#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

// History shows programs of two versions each other's changes, and those of versions that were removed.
@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct OnlineHistoryTests {
    private static func token(_ context: NSManagedObjectContext) throws -> NSPersistentHistoryToken? {
        try #require(context.persistentStoreCoordinator).currentPersistentHistoryToken(fromStores: nil)
    }

    /// One line for each update behind a token: the entity, and the changed properties.
    private static func updates(
        _ context: NSManagedObjectContext, after token: NSPersistentHistoryToken?
    ) throws -> [String] {
        try context.performAndWait {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
            return transactions.flatMap { $0.changes ?? [] }.filter { $0.changeType == .update }.map { change in
                let names = change.updatedProperties?.map(\.name).sorted() ?? ["unknown"]
                return "\(change.changedObjectID.entity.name ?? "") \(names.joined(separator: " "))"
            }
        }
    }

    private static func set(
        _ value: Any?, _ key: String, _ entity: String, _ context: NSManagedObjectContext
    ) throws {
        try context.performAndWait {
            context.refreshAllObjects()
            let object = try #require(try context.all(entity).first)
            object.setValue(value, forKey: key)
            try context.save()
        }
    }

    @Test("History has each version's own names where attributes and entities exchange theirs")
    func exchangedNames() throws {
        let older = "entity X\n  a string\n  b string\nentity Y\n  c string"
        let newer = "entity Y was X\n  b string was a\n  a string was b\nentity X was Y\n  c string"
        let store = try OnlineStore(older, newer)
        let x = try store.open(older)
        try x.performAndWait {
            x.make("X", ["a": "A", "b": "B"])
            x.make("Y", ["c": "C"])
            try x.save()
        }
        let token = try Self.token(x)
        try Self.set("A1", "a", "X", x)
        let y = try store.open(newer)
        try Self.set("A2", "b", "Y", y)
        try Self.set("B2", "b", "X", x)
        try Self.set("C2", "c", "X", y)
        // Changes of a program without this framework have the order of the newest version.
        #expect(store.database.psql("UPDATE x SET a = 'A3'") == "UPDATE 1")
        #expect(try Self.updates(x, after: token) == ["X a", "X a", "X b", "Y c", "X a"])
        let heard = ["Y b", "Y b", "Y a", "X c", "Y b"]
        #expect(try Self.updates(y, after: token) == heard)
        try store.close(x)
        #expect(try store.end())
        #expect(try Self.updates(y, after: token) == heard)
        // A third version has the names of the second one.
        try store.close(y)
        var next = store
        (next.older, next.newer) = (newer, newer + "\n  d string")
        let z = try next.open(next.newer)
        try Self.set("B3", "a", "Y", z)
        #expect(try Self.updates(z, after: token) == heard + ["Y a"])
        // A migration that is not online sets unknown properties to null.
        try next.close(z)
        var last = next
        (last.older, last.newer, last.isOn) = (next.newer, next.newer + "\nentity Z\n  z string", false)
        let context = try last.open(last.newer)
        #expect(
            try Self.updates(context, after: nil)
                == ["Y unknown", "Y b", "Y unknown", "X unknown", "Y b", "Y a"])
    }

    @Test("History has each version's own names where entities below another one exchange theirs")
    func exchangedSubentities() throws {
        let older = "entity R\n  n string\nentity S : R\n  p int16\n  q int16\nentity T : R\n  r int16"
        let newer =
            "entity R\n  n string\nentity T : R was S\n  q int16 was p\n  p int16 was q\nentity S : R was T\n  r int16"
        let store = try OnlineStore(older, newer)
        let x = try store.open(older)
        try x.performAndWait {
            x.make("S", ["n": "one", "p": 1, "q": 2])
            x.make("T", ["n": "two", "r": 3])
            try x.save()
        }
        let token = try Self.token(x)
        let y = try store.open(newer)
        try Self.set(4, "p", "S", x)
        try Self.set(5, "p", "T", y)
        try Self.set(6, "r", "S", y)
        try Self.set("three", "n", "T", y)
        #expect(try Self.updates(x, after: token) == ["S p", "S q", "T r", "S n"])
        #expect(try Self.updates(y, after: token) == ["T q", "T p", "S r", "T n"])
    }

    @Test("The older version's updates stay unknown, not empty, where the newer one has split the entity")
    func split() throws {
        let store = try OnlineStore(SplitModel.older, SplitModel.newer)
        let x = try store.open(SplitModel.older)
        try x.performAndWait {
            x.make("Person", ["name": "p", "visits": 0, "street": "s", "city": "c"])
            try x.save()
        }
        let y = try store.open(SplitModel.newer, [NSMigrationMappingModelOption: SplitModel.mapping()])
        let token = try Self.token(y)
        try Self.set("t", "street", "Address", y)
        let (older, newer) = (try Self.updates(x, after: token), try Self.updates(y, after: token))
        #expect(Set(older) == ["Person unknown"])
        #expect(Set(newer) == ["Address street", "Person "])
        let next = try Self.token(y)
        try Self.set("u", "street", "Person", x)
        #expect(try Self.updates(x, after: next).contains("Person street"))
        #expect(try Self.updates(y, after: next).contains("Address street"))
    }

    @Test("A second version reads changes of the first two under its own names, also when the first has gone")
    func secondMigration() throws {
        let first = "entity Item\n  name string\n  count int16"
        let second = "entity Item\n  label string was name\n  count int16"
        let third = "entity Thing was Item\n  title string was label\n  count int64\n  name string"
        let store = try OnlineStore(first, second)
        let a = try store.open(first)
        try a.performAndWait {
            a.make("Item", ["name": "1", "count": 1])
            try a.save()
        }
        let token = try Self.token(a)
        try Self.set("2", "name", "Item", a)
        let b = try store.open(second)
        try Self.set(2, "count", "Item", a)
        try Self.set("3", "label", "Item", b)
        #expect(try Self.updates(a, after: token) == ["Item name", "Item count", "Item name"])
        #expect(try Self.updates(b, after: token) == ["Item label", "Item count", "Item label"])
        try store.close(a)
        #expect(try store.end())
        #expect(try Self.updates(b, after: token) == ["Item label", "Item count", "Item label"])
        var next = store
        (next.older, next.newer) = (second, third)
        let c = try next.open(third)
        try Self.set("4", "label", "Item", b)
        try Self.set("5", "title", "Thing", c)
        try Self.set("new", "name", "Thing", c)
        #expect(
            try Self.updates(b, after: token)
                == ["Item label", "Item count", "Item label", "Item label", "Item label", "Item "])
        let heard = [
            "Thing title", "Thing count", "Thing title", "Thing title", "Thing title", "Thing name",
        ]
        #expect(try Self.updates(c, after: token) == heard)
        try next.close(b)
        #expect(try next.end())
        #expect(try Self.updates(c, after: token) == heard)
    }
}
#endif
