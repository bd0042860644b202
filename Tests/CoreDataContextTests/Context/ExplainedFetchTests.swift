import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("The work of the database for a fetch, and its own account of it", .leavesNothingBehind, .onEveryKindOfStore)
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

    @Test("A fetch in SQLite has its statement, values and plan", .onStores(.sqlite))
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

    @Test(
        "A fetch with an order that PostgreSQL does not have reads all rows, whatever its limit",
        .onStores(.postgreSQL))
    func sortedByProgram() throws {
        try context.performAndWait {
            let request = books()
            request.fetchLimit = 3
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            let sorted = try #require(context.explain(request).first)
            #expect(sorted.statement.contains(" LIMIT ") && !sorted.isFinishedByProgram)
            request.sortDescriptors = [
                NSSortDescriptor(key: "title", ascending: true, selector: .localizedCaseInsensitiveCompare)
            ]
            let unsorted = try #require(context.explain(request).first)
            #expect(!unsorted.statement.contains(" LIMIT ") && unsorted.isFinishedByProgram)
            #expect(try context.fetch(request).count == 3)
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

    @Test("The explanation of a store in SQLite has its sizes, history and damage", .onStores(.sqlite))
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
    @Test("The explanation of a store in a database has its sizes and history", .onStores(.postgreSQL))
    func inspectedDatabase() throws {
        let all = try library.coordinator.inspect(library.store, for: [.history, .sizes, .damage])
        #expect(all.damage == nil)
        #expect(try library.coordinator.inspect(library.store, for: .irregularities).irregularities == nil)
        #expect(try #require(all.entitySizes["Book"]) >= 8_192)
        #expect(all.history?.transactionCount == 1)
    }
    #endif

    @Test("Damage is reported line by line", .onStores(.sqlite))
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

    private func irregularities(_ library: Library) throws -> [StoreIrregularity] {
        try #require(library.coordinator.inspect(library.store, for: .irregularities).irregularities)
    }

    @Test(
        "A fault in the tables that no save writes is reported with its place, and repaired as far as it can be",
        .onStores(.sqlite))
    func irregular() throws {
        try context.performAndWait {
            let books = try NSSet(array: Array(context.all("Novel").prefix(2)))
            let tag = context.make("Tag", ["name": "t", "books": books])
            try context.obtainPermanentIDs(for: [tag])
            try context.save()
        }
        #expect(try irregularities(library) == [])
        #expect(try library.coordinator.inspect(library.store, for: .damage).irregularities == nil)
        let database = try RawDatabase(library.storeURL)
        let author = try #require(try database.integer("SELECT Z_ENT FROM ZAUTHOR"))
        let rows = try database.column("SELECT Z_PK FROM ZBOOK ORDER BY Z_PK").compactMap(\.int)
        let novels = try database.column("SELECT Z_PK FROM ZBOOK WHERE ZTITLE LIKE 'n%' ORDER BY Z_PK")
            .compactMap(\.int)
        let books = rows.filter { !novels.contains($0) }
        let join = try #require(database.tables.first { $0.hasSuffix("TAGS") })
        let columns = try database.column("SELECT name FROM pragma_table_info('\(join)') WHERE name NOT LIKE '%FOK%'")
            .compactMap { if case .text(let name) = $0 { name } else { nil } }
        let bookColumn = try #require(columns.first { $0.hasSuffix("BOOKS") })
        let tagColumn = try #require(columns.first { $0 != bookColumn })
        try database.execute(
            """
            UPDATE Z_PRIMARYKEY SET Z_MAX = 7 WHERE Z_NAME = 'Book';
            UPDATE ZBOOK SET Z_ENT = \(author) WHERE Z_PK = \(books[0]);
            UPDATE ZBOOK SET Z_ENT = NULL WHERE Z_PK = \(books[1]);
            UPDATE ZBOOK SET ZTITLE = CAST(x'61FF' AS TEXT) WHERE Z_PK = \(novels[0]);
            UPDATE ZBOOK SET ZCOPIES = 3000000000, ZPRICE = 'dear' WHERE Z_PK = \(books[2]);
            UPDATE ZBOOK SET ZCOPIES = -3000000000, ZPRICE = 'NaN' WHERE Z_PK = \(books[3]);
            UPDATE ZAUTHOR SET Z_ENT = 99, ZNAME = CAST(x'FF' AS TEXT);
            INSERT INTO \(join) (\(bookColumn), \(tagColumn)) VALUES (\(novels[3]), 77);
            INSERT INTO \(join) (\(bookColumn), \(tagColumn)) VALUES (777, 1);
            INSERT INTO \(join) (\(bookColumn), \(tagColumn)) VALUES (777, 77)
            """)
        let other = try library.beside()
        let highest = try #require(rows.last)
        let found = try irregularities(other)
        typealias Row = StoreIrregularity.Row
        let rowsOfNone: Set<StoreIrregularity> = [
            .init(.entity, Row("Author", 1), found: "99"),
            .init(.entity, Row("Book", books[0]), found: "\(author)"),
            .init(.entity, Row("Book", books[1]), found: "none"),
        ]
        #expect(
            Set(found)
                == rowsOfNone.union([
                    .init(.counter, Row("Book", highest), found: "7"),
                    .init(.encoding, Row("Author", 1), "name", found: "ff"),
                    .init(.encoding, Row("Novel", novels[0]), "title", found: "61ff"),
                    .init(.value, Row("Book", books[2]), "copies", found: "3000000000"),
                    .init(.value, Row("Book", books[2]), "price", found: "dear"),
                    .init(.value, Row("Book", books[3]), "copies", found: "-3000000000"),
                    .init(.link, Row("Novel", novels[3]), "tags", target: Row("Tag", 77), found: "77"),
                    .init(.link, Row("Tag", 1), "books", target: Row("Book", 777), found: "777"),
                    .init(.link, Row("Book", 777), "tags", target: Row("Tag", 77), found: "77"),
                ]))
        #expect(found.count == 12)
        let reader = other.context()
        let novel = try reader.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Novel")
            request.predicate = NSPredicate(format: "pages == 0")
            return try #require(try reader.fetch(request).first)
        }
        // A row that is not there any more is passed over.
        try database.execute("UPDATE ZBOOK SET ZPRICE = 1 WHERE Z_PK = \(books[2])")
        let left = try other.coordinator.mend(found, in: other.store)
        #expect(Set(left) == rowsOfNone)
        #expect(try Set(irregularities(other)) == rowsOfNone)
        #expect(try database.integer("SELECT ZPRICE FROM ZBOOK WHERE Z_PK = \(books[2])") == 1)
        #expect(try database.integer("SELECT COUNT(*) FROM \(join)") == 2)
        #expect(try database.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'") ?? 0 >= highest)
        reader.performAndWait {
            reader.refreshAllObjects()
            #expect(novel.value(forKey: "title") as? String == "a\u{FFFD}")
        }
    }

    @Test("Stores without a database have nothing to say", .onStores(.xml, .binary))
    func nothing() throws {
        let parts: StoreInspection.Parts = [.history, .sizes, .damage, .irregularities]
        let inspection = try library.coordinator.inspect(library.store, for: parts)
        #expect(inspection.damage == nil && inspection.entitySizes.isEmpty && inspection.history == nil)
        #expect(inspection.irregularities == nil)
        let irregularity = StoreIrregularity(.counter, .init("Book", 1), found: "0")
        #expect(try library.coordinator.mend([irregularity], in: library.store) == [irregularity])
    }

    @Test("A store of another coordinator is an error", .onStores(.sqlite))
    func foreignStore() throws {
        let other = try Library()
        #expect(throws: NSError.self) { try library.coordinator.inspect(other.store, for: .damage) }
    }

    @Test(
        "A row reference has the number of the URI, also for the target of a to-one relationship without an object",
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
        // A second coordinator has no rows in its cache.
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
