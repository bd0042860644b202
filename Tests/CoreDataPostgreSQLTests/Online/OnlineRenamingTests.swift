#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct OnlineRenamingTests {
    private static let older = """
        entity Book
          title string! = untitled
          pages int32
          author one Person.books
          tags many Tag.books
          unique title
        entity Person
          name string
          books many Book.author
        entity Tag
          label string
          books many Book.tags
        """
    private static let newer = """
        entity Volume was Book
          name string! = untitled was title
          pageCount int32 was pages
          writer one Person.works was author
          labels many Tag.volumes was tags
          unique name
        entity Person
          name string
          works many Volume.writer was books
        entity Tag
          label string
          volumes many Volume.labels was books
        """

    private static func store() throws -> OnlineStore { try OnlineStore(older, newer) }

    private static func fill(_ context: NSManagedObjectContext) throws {
        try context.performAndWait {
            let anna = context.make("Person", ["name": "Anna"])
            let red = context.make("Tag", ["label": "red"])
            for number in 0..<3 {
                let book = context.make("Book", ["title": "Book \(number)", "pages": number, "author": anna])
                if number > 0 { book.setValue(NSSet(object: red), forKey: "tags") }
            }
            try context.save()
        }
    }

    @Test("A renaming changes no table, and programs of both versions continue, each with its names")
    func bothVersions() throws {
        let store = try Self.store()
        let older = try store.open(Self.older)
        try Self.fill(older)
        let columns = store.columns("book")
        let newer = try store.open(Self.newer)
        #expect(store.columns("book") == columns)
        #expect(
            try OnlineStore.lines(newer, "Volume", "name", "pageCount", "writer.name", "labels.@count")
                == ["Book 0 0 Anna 0", "Book 1 1 Anna 1", "Book 2 2 Anna 1"])
        try newer.performAndWait {
            let volume = try #require(try newer.all("Volume", "name == 'Book 1'").first)
            volume.setValue(100, forKey: "pageCount")
            newer.make("Volume", ["name": "Volume 3", "pageCount": 3])
            try newer.save()
        }
        try older.performAndWait {
            older.make("Book", ["title": "Book 4", "pages": 4])
            let deleted = try #require(try older.all("Book", "title == 'Book 0'").first)
            older.delete(deleted)
            try older.save()
        }
        let lines = ["Book 1 100", "Book 2 2", "Book 4 4", "Volume 3 3"]
        #expect(try OnlineStore.lines(older, "Book", "title", "pages") == lines)
        #expect(try OnlineStore.lines(newer, "Volume", "name", "pageCount") == lines)
        // The store may be opened as either version.
        let another = try store.open(Self.older)
        #expect(try OnlineStore.lines(another, "Book", "title", "pages") == lines)
        #expect(store.database.psql("SELECT DISTINCT entity FROM book") == "Book")
    }

    @Test("Versions of rows and unique values hold in both versions")
    func conflicts() throws {
        let store = try Self.store()
        let older = try store.open(Self.older)
        try Self.fill(older)
        let newer = try store.open(Self.newer)
        try newer.performAndWait {
            let volume = try #require(try newer.all("Volume", "name == 'Book 1'").first)
            try older.performAndWait {
                let book = try #require(try older.all("Book", "title == 'Book 1'").first)
                book.setValue(7, forKey: "pages")
                try older.save()
            }
            volume.setValue(8, forKey: "pageCount")
            let error = #expect(throws: NSError.self) { try newer.save() }
            #expect(error?.code == NSManagedObjectMergeError)
            newer.rollback()
            newer.make("Volume", ["name": "Book 2"])
            let twice = #expect(throws: NSError.self) { try newer.save() }
            #expect(twice?.code == NSManagedObjectConstraintMergeError, "\(String(describing: twice))")
        }
    }

    @Test("History gives a program the changes of the other version, in the program's own names")
    func history() throws {
        let store = try Self.store()
        let older = try store.open(Self.older)
        try Self.fill(older)
        let newer = try store.open(Self.newer)
        let token = try #require(newer.persistentStoreCoordinator).currentPersistentHistoryToken(fromStores: nil)
        func changed(_ context: NSManagedObjectContext) throws -> [String] {
            try context.performAndWait {
                let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
                let result = try context.execute(request) as? NSPersistentHistoryResult
                let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
                return transactions.flatMap { $0.changes ?? [] }.map { change in
                    let names = change.updatedProperties?.map(\.name).sorted() ?? ["unknown"]
                    return "\(change.changedObjectID.entity.name ?? "") \(names.joined(separator: " "))"
                }
            }
        }
        try older.performAndWait {
            let book = try #require(try older.all("Book", "title == 'Book 1'").first)
            book.setValue("Another", forKey: "title")
            book.setValue(9, forKey: "pages")
            try older.save()
        }
        #expect(try changed(newer) == ["Volume name pageCount"])
        try newer.performAndWait {
            let volume = try #require(try newer.all("Volume", "name == 'Book 2'").first)
            volume.setValue(10, forKey: "pageCount")
            try newer.save()
        }
        #expect(try changed(older) == ["Book pages title", "Book pages"])
    }

    @Test("The older version goes when its last program has gone, on demand, and a later program of it is refused")
    func end() throws {
        let store = try Self.store()
        let older = try store.open(Self.older)
        try Self.fill(older)
        let newer = try store.open(Self.newer)
        #expect(try !store.end())
        #expect(try OnlineStore.lines(older, "Book", "title").count == 3)
        try store.close(older)
        #expect(try store.end())
        let error = #expect(throws: NSError.self) {
            _ = try store.open(Self.older, [NSMigratePersistentStoresAutomaticallyOption: false])
        }
        #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
        #expect(try OnlineStore.lines(newer, "Volume", "name").count == 3)
    }

    @Test("A later migration that is not online gives tables, columns and rows the names that a new store has")
    func laterMigration() throws {
        let store = try Self.store()
        let older = try store.open(Self.older)
        try Self.fill(older)
        let newer = try store.open(Self.newer)
        try store.close(older)
        try store.close(newer)
        var last = store
        last.isOn = false
        last.newer = Self.newer + "\nentity Shelf\n  room string"
        last.older = Self.newer
        let context = try last.open(last.newer)
        #expect(
            try OnlineStore.lines(context, "Volume", "name", "pageCount", "writer.name", "labels.@count")
                == ["Book 0 0 Anna 0", "Book 1 1 Anna 1", "Book 2 2 Anna 1"])
        #expect(store.columns("volume") == ["entity", "id", "name", "page_count", "version", "writer_id"])
        #expect(store.database.psql("SELECT DISTINCT entity FROM volume") == "Volume")
        #expect(
            store.database.psql(
                "SELECT count(*) FROM pg_class WHERE relname = 'book' OR relname LIKE 'book%idx'") == "0")
    }

    @Test("A store that serves two versions is destroyed with all its tables")
    func destruction() throws {
        let store = try Self.store()
        let older = try store.open(Self.older)
        try Self.fill(older)
        let newer = try store.open(Self.newer)
        try store.close(older)
        try store.close(newer)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelText.model(Self.newer))
        try coordinator.destroyPersistentStore(at: store.database.url, type: .postgreSQL)
        let left = store.database.psql("SELECT count(*) FROM pg_tables WHERE schemaname IN ('public', 'coredata')")
        #expect(left == "0")
    }
}
#endif
