import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// Counts how often it was read.
final class CountedBook: NSManagedObject {
    var awakenings = 0

    override func awakeFromFetch() {
        super.awakeFromFetch()
        awakenings += 1
    }
}

@Suite("The reads of fetches in batches and of prefetching", .leavesNothingBehind, .onEveryKindOfStore)
struct BatchedFetchTests {
    /// 600 books of 30 authors with a profile each: twenty books of an author follow each other.
    private let library: Library
    private let context: NSManagedObjectContext

    init() throws {
        library = try Library()
        let writer = library.context()
        try writer.performAndWait {
            for number in 0..<30 {
                let author = writer.make("Author", ["name": "a\(number / 10)\(number % 10)"])
                writer.make("Profile", ["text": "p\(number)", "author": author])
                for book in 0..<20 {
                    let place = number * 20 + book
                    let tag = writer.make("Tag", ["name": "tag \(place)"])
                    writer.make(
                        "Book",
                        [
                            "title": "t\(place)", "pages": place, "copies": number, "author": author,
                            "tags": NSSet(object: tag),
                        ])
                }
            }
            try writer.save()
            writer.reset()
        }
        context = library.context()
    }

    private func books(
        _ batchSize: Int, by keys: [String] = ["pages"], ascending: Bool = true
    ) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = keys.map { NSSortDescriptor(key: $0, ascending: ascending) }
        request.fetchBatchSize = batchSize
        return request
    }

    private var cachedRows: Int { library.coordinator.cachedRowCount }

    @Test("A fetch in batches whose objects are released leaves nothing behind", .onStores(.sqlite, .inMemory))
    func finishedFetches() throws {
        for _ in 0..<20 { try context.performAndWait { _ = try context.fetch(books(7)) } }
        let held = try context.performAndWait { try context.fetch(books(50)) }
        try context.performAndWait {
            #expect(context.fetchState.batches.count == 1)
            #expect(held[99].text("title") == "t99")
            #expect(cachedRows == 50)
            let others = try context.fetch(books(7))
            #expect(context.fetchState.batches.count == 2)
            // A fetch whose objects were all read leaves no batch pending.
            for book in others { _ = book.text("title") }
            _ = try context.fetch(books(7, by: ["copies"]))
            #expect(context.fetchState.batches.count == 1)
            withExtendedLifetime(held) {}
        }
    }

    @Test(
        "Count, first, last, iteration and slices of the results read only the batches that they use",
        .onStores(.sqlite, .inMemory))
    func reading() throws {
        try context.performAndWait {
            let found = try context.fetch(books(25, ascending: false))
            #expect(found.count == 600)
            #expect(!found.isEmpty)
            #expect(found.map(\.objectID).count == 600)
            #expect(cachedRows == 0)
            #expect(found.last?.number("pages") == 0)
            #expect(cachedRows == 25)
            #expect(found.first?.number("pages") == 599)
            #expect(cachedRows == 50)
            var seen = 0
            for book in found {
                #expect(book.number("pages") == 599 - seen)
                seen += 1
                if seen == 60 { break }
            }
            #expect(cachedRows == 100)
            #expect(found[300..<310].compactMap { $0.number("pages") } == Array((290..<300).reversed()))
            #expect(cachedRows == 125)
        }
    }

    @Test(
        "A context has the batches of its latest 16 fetches, and an object of an older one is read alone",
        .onStores(.sqlite, .inMemory))
    func latestFetches() throws {
        try context.performAndWait {
            let found = try (0..<17).map { number -> [NSManagedObject] in
                let request = books(10)
                request.predicate = NSPredicate(format: "pages >= %d AND pages < %d", number * 30, number * 30 + 30)
                return try context.fetch(request)
            }
            #expect(context.fetchState.batches.count == 16)
            #expect(found[0][0].number("pages") == 0)
            #expect(cachedRows == 1)
            #expect(found[1][0].number("pages") == 30)
            #expect(cachedRows == 11)
            withExtendedLifetime(found) {}
        }
    }

    @Test("An asynchronous fetch reads all rows, whatever its batch size is", .onStores(.sqlite, .inMemory))
    func asynchronous() async throws {
        let (context, request) = (self.context, books(25))
        let (stream, continuation) = AsyncStream.makeStream(of: [Int].self)
        try context.performAndWait {
            _ = try context.execute(
                NSAsynchronousFetchRequest(fetchRequest: request) { result in
                    let found = result.finalResult ?? []
                    let read = found.filter { $0.row != nil }
                    continuation.yield([found.count, read.count, context.fetchState.batches.count])
                })
        }
        for await counts in stream {
            #expect(counts == [600, 600, 0])
            break
        }
    }

    @Test("An offset and a limit count before the batches", .onStores(.sqlite, .inMemory))
    func limits() throws {
        try context.performAndWait {
            let request = books(10)
            request.fetchOffset = 100
            request.fetchLimit = 35
            let found = try context.fetch(request)
            #expect(found.count == 35)
            #expect(found[34].number("pages") == 134)
            #expect(cachedRows == 5)
            #expect(found[0].number("pages") == 100)
            #expect(cachedRows == 15)
        }
    }

    @Test(
        "An object that comes with its batch is a fault until it is used, and awakes once then",
        .onStores(.sqlite))
    func awaking() throws {
        let model = LibraryModel.make()
        model.entitiesByName["Book"]?.managedObjectClassName = NSStringFromClass(CountedBook.self)
        let second = try Library(in: library.folder, model: model)
        let context = second.context()
        try context.performAndWait {
            let request = books(10)
            request.relationshipKeyPathsForPrefetching = ["author"]
            let found = try context.fetch(request).compactMap { $0 as? CountedBook }
            #expect(found.count == 600)
            #expect(found[3].text("title") == "t3")
            #expect(found.map(\.awakenings).reduce(0, +) == 1)
            #expect(found[2].isFault)
            #expect(found[2].text("title") == "t2")
            #expect(found[2].awakenings == 1)
            #expect(found[3].awakenings == 1)
            context.refresh(found[2], mergeChanges: false)
            #expect(found[2].isFault)
            _ = try context.fetch(books(0))
            #expect(found[2].isFault)
            #expect(found[2].text("title") == "t2")
            #expect(found[2].awakenings == 2)
        }
    }

    // MARK: Sections

    private func controller(
        _ context: NSManagedObjectContext, batchSize: Int, by keys: [String] = ["copies", "pages"],
        section: String = "copies"
    ) throws -> NSFetchedResultsController<NSManagedObject> {
        let controller = NSFetchedResultsController(
            fetchRequest: books(batchSize, by: keys), managedObjectContext: context, sectionNameKeyPath: section,
            cacheName: nil)
        try controller.performFetch()
        return controller
    }

    private func contents(_ controller: NSFetchedResultsController<NSManagedObject>) -> [String] {
        (controller.sections ?? []).map { "\($0.name): \($0.numberOfObjects)" }
    }

    @Test(
        "Sections are counted by the store: a table of them reads the batches that it shows",
        .onStores(.sqlite, .inMemory),
        arguments: [false, true])
    func sections(isChild: Bool) throws {
        let context = isChild ? library.child(of: context) : context
        try context.performAndWait {
            let controller = try controller(context, batchSize: 10)
            #expect(contents(controller) == (0..<30).map { "\($0): 20" })
            #expect(cachedRows == 0)
            #expect(controller.object(at: IndexPath(indexes: [7, 3])).number("pages") == 143)
            #expect(cachedRows == 10)
            #expect(controller.object(at: IndexPath(indexes: [29, 19])).number("pages") == 599)
            #expect(cachedRows == 20)
        }
    }

    @Test("Sections are the same with and without batches, from any source of their names")
    func sameSections() throws {
        let writer = library.context()
        try writer.performAndWait {
            for book in try writer.all("Book", "pages < 40") {
                book.setValue((book.number("pages") ?? 0) < 20 ? nil : "", forKey: "note")
            }
            for book in try writer.all("Book", "pages >= 40") {
                book.setValue("n\((book.number("pages") ?? 0) / 200)", forKey: "note")
            }
            for author in try writer.all("Author") {
                author.setValue((author.text("name") ?? "") > "a15", forKey: "active")
            }
            try writer.save()
        }
        try context.performAndWait {
            for (keys, section) in [
                (["note", "pages"], "note"), (["author.name", "pages"], "author.name"), (["pages"], "copies"),
                (["author.active", "pages"], "author.active"), (["copies", "pages"], "author.name"),
            ] {
                let plain = contents(try controller(context, batchSize: 0, by: keys, section: section))
                #expect(plain.count > 1)
                #expect(contents(try controller(context, batchSize: 10, by: keys, section: section)) == plain)
            }
        }
    }

    @Test("Sections of batches count unsaved objects, here and in a parent")
    func unsavedSections() throws {
        try context.performAndWait {
            try #require(try context.all("Book", "pages == 0").first).setValue(31, forKey: "copies")
        }
        let child = library.child(of: context)
        for context in [context, child] {
            let found = try context.performAndWait { contents(try controller(context, batchSize: 10)) }
            #expect(found == ["0: 19"] + (1..<30).map { "\($0): 20" } + ["31: 1"])
        }
    }

    // MARK: Prefetching

    /// Empties the tables by SQL: values that are read afterwards were in memory before.
    private func emptyTables(_ tables: [String]) throws {
        let raw = try RawDatabase(library.storeURL)
        for table in tables { try raw.execute("DELETE FROM \(table)") }
    }

    @Test(
        "Prefetched key paths are in memory, to-one and to-many, nested, for children too", .onStores(.sqlite),
        arguments: [0, 1, 2])
    func prefetching(depth: Int) throws {
        var context = context
        for _ in 0..<depth { context = library.child(of: context) }
        try context.performAndWait {
            let request = books(0)
            request.predicate = NSPredicate(format: "pages < 60")
            request.relationshipKeyPathsForPrefetching = ["author.profile", "tags.books", "author.books"]
            let found = try context.fetch(request)
            #expect(found.allSatisfy { $0.isFault })
            try emptyTables(["ZAUTHOR", "ZPROFILE", "ZTAG", "ZBOOK"])
            for (place, book) in found.enumerated() {
                #expect(book.text("title") == "t\(place)")
                let author = try #require(book.value(forKey: "author") as? NSManagedObject)
                #expect(author.text("name")?.count == 3)
                #expect((author.value(forKey: "profile") as? NSManagedObject)?.text("text") == "p\(place / 20)")
                #expect(author.texts("books", "title").count == 20)
                #expect(book.texts("tags", "name") == ["tag \(place)"])
            }
        }
    }

    @Test("A fetch with batches prefetches with each batch", .onStores(.sqlite))
    func prefetchingBatches() throws {
        try context.performAndWait {
            let request = books(20)
            request.relationshipKeyPathsForPrefetching = ["author.profile"]
            let found = try context.fetch(request)
            #expect(cachedRows == 0)
            #expect(found[47].text("title") == "t47")
            #expect(cachedRows == 22)
            try emptyTables(["ZAUTHOR", "ZPROFILE"])
            let author = try #require(found[50].value(forKey: "author") as? NSManagedObject)
            #expect((author.value(forKey: "profile") as? NSManagedObject)?.text("text") == "p2")
        }
    }

    // MARK: Single objects

    @Test("existingObject gives no fault; object(with:) gives one; registeredObject gives the registered object")
    func singleObjects() throws {
        let ids = try context.performAndWait { try context.fetch(books(0)).map(\.objectID) }
        for context in [library.context(), library.child(of: library.context())] {
            try context.performAndWait {
                #expect(context.registeredObject(for: ids[0]) == nil)
                let fault = context.object(with: ids[0])
                #expect(fault.isFault)
                #expect(context.registeredObject(for: ids[0]) === fault)
                #expect(try context.existingObject(with: ids[0]) === fault)
                #expect(!fault.isFault)
                let other = try context.existingObject(with: ids[1])
                #expect(!other.isFault)
                #expect(context.object(with: ids[1]) === other)
                context.refresh(other, mergeChanges: false)
                #expect(other.isFault)
                #expect(try !context.existingObject(with: ids[1]).isFault)
            }
        }
    }

    @Test(
        "refreshAllObjects gives every object the store's values, under the unsaved changes",
        .onStores(.sqlite, .incremental))
    func refreshingAll() throws {
        try context.performAndWait {
            let found = try context.fetch(books(50))
            #expect(found[10].text("title") == "t10")
            #expect(found[11].text("title") == "t11")
            found[11].setValue("mine", forKey: "title")
            let author = try #require(found[10].value(forKey: "author") as? NSManagedObject)
            #expect(author.texts("books", "title").count == 20)
            let new = context.make("Book", ["title": "new"])
            let other = try library.beside().context()
            try other.performAndWait {
                for book in try other.all("Book", "pages IN {10, 11}") {
                    book.setValue("theirs", forKey: "title")
                    book.setValue("noted", forKey: "note")
                }
                try #require(try other.all("Book", "pages == 12").first).setValue(nil, forKey: "author")
                try other.save()
            }
            #expect(found[10].text("title") == "t10")
            context.refreshAllObjects()
            #expect(found[10].isFault)
            #expect(found[10].text("title") == "theirs")
            #expect(found[11].text("title") == "mine")
            #expect(found[11].text("note") == "noted")
            #expect(author.texts("books", "title").count == 19)
            #expect(new.text("title") == "new")
            #expect(context.updatedObjects == [found[11]])
            #expect(context.insertedObjects == [new])
        }
    }

    @Test(
        "Permanent ids that a child, grandchild or their child obtains are those that the root saves",
        arguments: [1, 2, 3])
    func permanentIDs(depth: Int) throws {
        var chain = [context]
        for level in 0..<depth { chain.append(library.child(of: chain[level])) }
        let lowest = chain[depth]
        let (id, book) = try lowest.performAndWait {
            let author = lowest.make("Author", ["name": "new"])
            let book = lowest.make("Book", ["title": "new", "author": author])
            try lowest.obtainPermanentIDs(for: [book, author])
            #expect(!book.objectID.isTemporaryID)
            #expect(!author.objectID.isTemporaryID)
            #expect(book.isInserted)
            return (book.objectID, Held(book))
        }
        for context in chain.reversed() { try context.performAndWait { try context.save() } }
        try context.performAndWait {
            let saved = try #require(try context.all("Book", "title == 'new'").first)
            #expect(saved.objectID == id)
            #expect((saved.value(forKey: "author") as? NSManagedObject)?.text("name") == "new")
        }
        lowest.performAndWait {
            lowest.refresh(book.value, mergeChanges: false)
            #expect(book.value.text("title") == "new")
            #expect(book.value.objectID == id)
            lowest.checkInvariants()
        }
    }
}
