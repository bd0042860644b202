import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Fetches that have no SQL", .leavesNothingBehind)
struct ClientEvaluationTests {
    private func context(_ kind: StoreKind) throws -> NSManagedObjectContext {
        let context = try Library(kind).context()
        try context.performAndWait {
            for (title, prices) in [("a", [1.0, 3.0]), ("b", [10, 20]), ("c", [2, 2])] {
                context.make("Book", ["title": title, "keywords": prices])
            }
            try context.save()
        }
        return context
    }

    @Test(
        "An in-memory store evaluates transformable values, for objects, ids and counts, with order, limit and offset",
        arguments: [true, false])
    func intoTransformables(isChild: Bool) throws {
        let root = try context(.inMemory)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        if isChild {
            context.parent = root
        } else {
            context.persistentStoreCoordinator = root.persistentStoreCoordinator
        }
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
            request.predicate = NSPredicate(format: "average(keywords) == 2")
            #expect(try context.fetch(request).map { $0.value(forKey: "title") as? String } == ["c", "a"])
            #expect(try context.count(for: request) == 2)
            request.fetchLimit = 1
            request.fetchOffset = 1
            #expect(try context.fetch(request).map { $0.value(forKey: "title") as? String } == ["a"])
            request.predicate = NSPredicate(format: "keywords[FIRST] == 10")
            request.fetchOffset = 0
            let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
            ids.resultType = .managedObjectIDResultType
            ids.predicate = request.predicate
            let first = try context.fetch(request)
            #expect(try context.fetch(ids) == first.map(\.objectID))
            context.make("Book", ["title": "new", "keywords": [10.0]])
            ids.predicate = NSPredicate(format: "keywords[0] == 10")
            #expect(try context.fetch(ids).count == 2)
        }
    }

    @Test("A predicate without SQL sees unsaved values of related objects, and one with SQL sees saved ones")
    func unsavedOthers() throws {
        let context = try Library(.inMemory).context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "saved"])
            context.make("Book", ["title": "a", "author": author])
            try context.save()
            author.setValue("unsaved", forKey: "name")
            let formats = ["author.name == 'unsaved'", "author.name == 'unsaved' AND title.length == 1"]
            #expect(try formats.map { try context.all("Book", $0).count } == [0, 1])
        }
    }

    @Test(
        "ANY, ALL, NONE and CONTAINS evaluate arrays in transformable attributes",
        arguments: [
            ("ANY keywords == 10", ["b"]), ("ANY keywords >= 3", ["a", "b"]), ("ALL keywords < 3", ["c"]),
            ("NONE keywords == 2", ["a", "b"]), ("keywords CONTAINS 3", ["a"]),
            ("NOT (ANY keywords == 2)", ["a", "b"]),
            ("ANY keywords IN {1, 20}", ["a", "b"]),
        ])
    func elements(format: String, titles: [String]) throws {
        let context = try context(.inMemory)
        try context.performAndWait {
            let found = try context.all("Book", format).compactMap { $0.value(forKey: "title") as? String }
            #expect(found.sorted() == titles)
        }
    }

    @Test(
        "A SQLite store refuses them with error 134060",
        arguments: ["average(keywords) == 2", "ANY keywords == 10", "ALL keywords < 3", "keywords CONTAINS 3"])
    func refused(format: String) throws {
        let context = try context(.sqlite)
        context.performAndWait {
            let error = #expect(throws: NSError.self) { try context.all("Book", format) }
            #expect(error?.code == NSCoreDataError)
        }
    }

    @Test("[SIZE] of a to-many relationship or a SUBQUERY counts in SQL")
    func size() throws {
        let context = try context(.sqlite)
        try context.performAndWait {
            let author = context.make("Author", ["name": "A"])
            for book in try context.all("Book", "title IN %@", ["a", "b"]) { book.setValue(author, forKey: "author") }
            context.make("Author", ["name": "B"])
            try context.save()
            #expect(try context.all("Author", "books[SIZE] == 2") == [author])
            #expect(try context.all("Author", "SUBQUERY(books, $b, $b.title == 'a')[SIZE] == 1") == [author])
            #expect(try context.all("Author", "books[SIZE] == 0").count == 1)
        }
    }
}
