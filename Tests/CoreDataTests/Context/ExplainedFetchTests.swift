import CoreData
import TestSupport
import Testing

@Suite("What the database does for a fetch, and what it says of itself", .leavesNothingBehind, .onEveryKindOfStore)
struct ExplainedFetchTests {
    private let library: Library
    private let context: NSManagedObjectContext

    init() throws {
        library = try Library(options: [NSPersistentHistoryTrackingKey: true])
        context = library.context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "a"])
            for number in 0..<20 {
                context.make("Book", ["title": "t\(number)", "pages": number, "author": author])
                context.make("Novel", ["title": "n\(number)", "pages": number, "author": author])
            }
            try context.save()
        }
    }

    private func books(_ format: String? = nil) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        if let format { request.predicate = NSPredicate(format: format) }
        return request
    }

    @Test("Statement, values and plan of a fetch in SQLite", .onStores(.sqlite))
    func sqlite() throws {
        try context.performAndWait {
            let request = books("title == 't3' AND pages < 5")
            request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)]
            request.fetchLimit = 7
            let found = try context.explain(request)
            let explanation = try #require(found.first)
            #expect(found.count == 1 && explanation.storeURL == library.store.url)
            #expect(explanation.storeIdentifier == library.store.identifier)
            #expect(explanation.statement.hasPrefix("SELECT "))
            #expect(explanation.statement.contains(" ORDER BY t0.ZPAGES DESC LIMIT ?"))
            #expect(explanation.parameters == [.string("t3"), .integer(5), .integer(7)])
            #expect(!explanation.isFinishedByProgram)
            #expect(explanation.plan.first?.depth == 0)
            #expect(explanation.plan.contains { $0.text.contains("TEMP B-TREE FOR ORDER BY") })
        }
    }

    @Test("Counts, ids and dictionaries have statements of their own", .onEveryDatabase)
    func kinds() throws {
        try context.performAndWait {
            let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
            request.resultType = .countResultType
            #expect(try #require(context.explain(request).first).statement.hasPrefix("SELECT COUNT(*) FROM "))
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["title"]
            request.returnsDistinctResults = true
            #expect(try #require(context.explain(request).first).statement.hasPrefix("SELECT DISTINCT "))
            let whole = try #require(context.explain(books()).first)
            request.resultType = .managedObjectIDResultType
            let keys = try #require(context.explain(request).first)
            #expect(keys.statement.utf8.count < whole.statement.utf8.count)
            #expect(!keys.plan.isEmpty && !whole.plan.isEmpty)
        }
    }

    #if PostgreSQL
        @Test(
            "A plan of PostgreSQL's has its steps, and values stand in the places of parameters", .onStores(.postgreSQL)
        )
        func postgreSQL() throws {
            try context.performAndWait {
                let request = books("pages > 3 AND title BEGINSWITH 't'")
                request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
                let explanation = try #require(context.explain(request).first)
                #expect(explanation.statement.hasPrefix("SELECT ") && explanation.statement.contains("$1"))
                #expect(explanation.parameters.contains(.integer(3)))
                #expect(explanation.plan.contains { $0.depth == 0 && $0.text.hasPrefix("Sort") })
                #expect(explanation.plan.contains { $0.depth == 1 && $0.text.contains("Scan") })
            }
        }
    #endif

    @Test("Stores that the program searches have no statements", .onStores(.xml, .binary))
    func none() throws {
        let found = try context.performAndWait { try context.explain(books("pages > 3")) }
        #expect(found.isEmpty)
    }

    @Test("A key that the entity does not have is the error that the fetch has", .onEveryDatabase)
    func unknownKey() throws {
        context.performAndWait {
            let error = #expect(throws: NSError.self) { try context.explain(books("titel == 't'")) }
            #expect(error?.code == 134060 && error?.localizedDescription.contains("titel") == true)
        }
    }

    @Test("Sizes, history and damage of a store in SQLite", .onStores(.sqlite))
    func inspection() throws {
        let all = try library.coordinator.inspect(library.store, for: [.history, .sizes, .damage])
        #expect(all.damage == [])
        #expect(try #require(all.entitySizes["Book"]) >= 4_096)
        #expect(all.entitySizes.keys.sorted() == ["Author", "Book", "Profile", "Shelf", "Tag"])
        let history = try #require(all.history)
        #expect(history.transactionCount == 1 && history.first != nil && history.first == history.last)
        let nothing = try library.coordinator.inspect(library.store, for: [])
        #expect(nothing.damage == nil && nothing.entitySizes.isEmpty && nothing.history == nil)
    }

    #if PostgreSQL
        @Test("Sizes and history of a store in a database", .onStores(.postgreSQL))
        func inspectedDatabase() throws {
            let all = try library.coordinator.inspect(library.store, for: [.history, .sizes, .damage])
            #expect(all.damage == nil)
            #expect(try #require(all.entitySizes["Book"]) >= 8_192)
            #expect(all.history?.transactionCount == 1)
        }
    #endif

    @Test("Damage is told line by line", .onStores(.sqlite))
    func damage() throws {
        let database = try RawDatabase(library.storeURL)
        try database.execute(
            "PRAGMA writable_schema = 1; "
                + "UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'ZTAG') "
                + "WHERE name = 'ZSHELF'")
        let other = try library.beside()
        let damage = try #require(other.coordinator.inspect(other.store, for: .damage).damage)
        #expect(!damage.isEmpty)
    }

    @Test("Stores without a database have nothing to say", .onStores(.xml, .binary))
    func nothing() throws {
        let inspection = try library.coordinator.inspect(library.store, for: [.history, .sizes, .damage])
        #expect(inspection.damage == nil && inspection.entitySizes.isEmpty && inspection.history == nil)
    }

    @Test("A store of another coordinator is an error", .onStores(.sqlite))
    func foreignStore() throws {
        let other = try Library()
        #expect(throws: NSError.self) { try library.coordinator.inspect(other.store, for: .damage) }
    }

    @Test(
        "A row is named as its URI names it, and what a to-one relationship leads to without an object",
        .onEveryDatabase)
    func rowReferences() throws {
        try context.performAndWait {
            let novel = try #require(context.all("Novel").first)
            let reference = try #require(novel.rowReference)
            #expect(reference.entityName == "Novel")
            #expect(novel.objectID.uriRepresentation().lastPathComponent == "p\(reference.number)")
            let author = try #require(context.all("Author").first)
            #expect(novel.rowReference(of: ManagedSlot("author")) == author.rowReference)
            #expect(author.rowReference(of: ManagedSlot("profile")) == nil)
            #expect(context.make("Book").rowReference == nil)
            context.rollback()
        }
    }

    @Test("Records that a store names itself have no rows", .onStores(.xml, .binary))
    func records() throws {
        try context.performAndWait {
            let book = try #require(context.all("Book").first)
            #expect(book.rowReference == nil)
        }
    }

    @Test("A fault that cannot be read is an error where the reading says so", .onStores(.sqlite))
    func unreadableFault() throws {
        // Nobody has the rows in memory.
        let context = try library.beside().context()
        try context.performAndWait {
            let found = try context.fetch(books(), batchSize: 10)
            try RawDatabase(library.storeURL).execute("ALTER TABLE ZBOOK RENAME TO ELSEWHERE")
            let book = found[3]
            #expect(throws: NSError.self) { try context.readingFaults { _ = book.value(forKey: "title") } }
            try RawDatabase(library.storeURL).execute("ALTER TABLE ELSEWHERE RENAME TO ZBOOK")
            #expect(try context.readingFaults { book.value(forKey: "title") as? String } != nil)
        }
    }
}
