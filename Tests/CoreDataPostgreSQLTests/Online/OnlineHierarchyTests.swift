#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

/// Properties that move between an entity and those below it.
@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct OnlineHierarchyTests {
    private static let owner = "\nentity Owner\n  name string"
    private static let thing = "entity Thing\n  name string"
    private static let above = thing + "\n  title string\nentity Book : Thing\n  pages int32" + owner
    private static let below = thing + "\nentity Book : Thing\n  title string\n  pages int32" + owner

    @Test(
        "A property that moves up to the entity above is refused, and keeps its values",
        arguments: [
            (below, above, "Thing.title"),
            (
                thing + "\nentity Book : Thing\n  title string\n  owner one Owner" + owner,
                thing + "\n  owner one Owner\nentity Book : Thing\n  title string" + owner,
                "Thing.owner"
            ),
            (
                thing + "\nentity Book : Thing\n  title string\nentity Film : Thing\n  title string",
                thing + "\n  title string\nentity Book : Thing\n  p int16\nentity Film : Thing\n  q int16",
                "Thing.title"
            ),
        ])
    func upwards(_ older: String, _ newer: String, _ place: String) throws {
        let store = try OnlineStore(older, newer)
        let context = try store.open(older)
        try context.performAndWait {
            context.make("Book", ["name": "B1", "title": "T1"])
            try context.save()
        }
        let error = try #require(throws: NSError.self) { _ = try store.open(newer) }
        #expect(error.code == NSMigrationError, "\(error)")
        #expect(error.localizedDescription.contains("“\(place)”"), "\(error)")
        #expect(error.localizedDescription.contains("an entity below"), "\(error)")
        #expect(try OnlineStore.lines(context, "Book", "name", "title") == ["B1 T1"])
    }

    @Test("A property that moves down keeps its column, which both versions write")
    func downwards() throws {
        let store = try OnlineStore(Self.above, Self.below)
        let older = try store.open(Self.above)
        try older.performAndWait {
            older.make("Book", ["name": "B1", "title": "T1", "pages": 1])
            older.make("Thing", ["name": "X1", "title": "of a thing"])
            try older.save()
        }
        let columns = store.columns("thing")
        let newer = try store.open(Self.below)
        #expect(store.columns("thing") == columns)
        try older.performAndWait {
            older.make("Book", ["name": "B2", "title": "T2"])
            try older.save()
        }
        try newer.performAndWait {
            newer.make("Book", ["name": "B3", "title": "T3"])
            newer.make("Thing", ["name": "X2"])
            try newer.save()
        }
        let books = ["B1 T1", "B2 T2", "B3 T3"]
        #expect(try OnlineStore.lines(newer, "Book", "name", "title") == books)
        #expect(
            try OnlineStore.lines(older, "Thing", "name", "title") == books + ["X1 of a thing", "X2 -"])
        try store.close(older)
        #expect(try store.end())
        #expect(try OnlineStore.lines(newer, "Book", "name", "title") == books)
    }
}
#endif
