import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("A damaged store gives errors and stops no process", .leavesNothingBehind)
struct DamagedStoreTests {
    /// A store of some pages, as one file.
    private static func original() throws -> Data {
        let library = try Library(.sqlite, options: [NSPersistentHistoryTrackingKey: true])
        let context = library.context()
        try context.performAndWait {
            var tags: [NSManagedObject] = []
            for number in 0..<6 { tags.append(context.make("Tag", ["name": "tag \(number)"])) }
            for number in 0..<12 {
                let author = context.make(
                    "Author", ["name": "author \(number)", "joined": Date(timeIntervalSinceReferenceDate: 1000)])
                context.make("Profile", ["text": String(repeating: "profile ", count: 20), "author": author])
                let shelf = context.make(
                    "Shelf", ["name": "shelf \(number)", "bookmarks": NSSet(object: tags[number % 6])])
                let books = (0..<4).map { place in
                    context.make(
                        place == 0 ? "Novel" : "Book",
                        [
                            "title": "book \(number).\(place)", "pages": 100 + place,
                            "note": String(repeating: "note ", count: 30), "author": author, "rating": Float(0.5),
                            "published": Date(timeIntervalSinceReferenceDate: 5000),
                            "price": NSDecimalNumber(value: 12),
                            "identifier": UUID(), "keywords": ["a", "b"], "tags": NSSet(array: Array(tags[0...place])),
                        ])
                }
                shelf.setValue(NSOrderedSet(array: books), forKey: "items")
            }
            try context.save()
        }
        try library.coordinator.remove(library.store)
        return try Data(contentsOf: library.storeURL)
    }

    // MARK: Every way to the rows

    /// Reads and writes in every way that can throw. Every error has to be one of Core Data; everything else goes
    /// on.
    private func drive(_ context: NSManagedObjectContext, _ note: Comment) {
        func attempt(_ body: () throws -> Void) {
            do { try body() } catch {
                let error = error as NSError
                #expect(error.domain == NSCocoaErrorDomain && error.code != 0, note)
            }
        }
        let model = context.persistentStoreCoordinator?.managedObjectModel
        for entity in ["Author", "Book", "Tag", "Shelf", "Profile"] {
            let relationships = model?.entitiesByName[entity]?.relationshipsByName.keys.sorted() ?? []
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            attempt { _ = try context.count(for: request) }
            request.returnsObjectsAsFaults = false
            request.relationshipKeyPathsForPrefetching = relationships
            attempt { _ = try context.fetch(request) }
            context.reset()
            let faults = NSFetchRequest<NSManagedObject>(entityName: entity)
            faults.fetchBatchSize = 5
            attempt {
                let objects = try context.fetch(faults)
                try context.fulfillFaults(of: objects, relationshipKeyPaths: relationships)
                for object in objects {
                    for key in object.entity.propertiesByName.keys.sorted() { _ = object.value(forKey: key) }
                }
            }
            context.reset()
            let ids = NSFetchRequest<NSManagedObjectID>(entityName: entity)
            ids.resultType = .managedObjectIDResultType
            attempt {
                for id in try context.fetch(ids) { attempt { _ = try context.existingObject(with: id) } }
            }
            let dictionaries = NSFetchRequest<NSDictionary>(entityName: entity)
            dictionaries.resultType = .dictionaryResultType
            attempt { _ = try context.fetch(dictionaries) }
        }
        attempt {
            let grouped = NSFetchRequest<NSDictionary>(entityName: "Book")
            grouped.resultType = .dictionaryResultType
            grouped.propertiesToFetch = ["author.name"]
            grouped.propertiesToGroupBy = ["author.name"]
            _ = try context.fetch(grouped)
        }
        attempt { _ = try context.all("Book", "author.name BEGINSWITH 'a' AND ANY tags.name == 'tag 1'") }
        attempt { try changeAll(context) }
        attempt { try deleteAll(context, "Shelf") }
        attempt { try deleteAll(context, "Author") }
        attempt { try control(context) }
        attempt { try merge(context) }
        attempt {
            let update = NSBatchUpdateRequest(entityName: "Book")
            update.propertiesToUpdate = ["pages": NSExpression(format: "pages + 1")]
            try context.execute(update)
        }
        attempt {
            try context.execute(NSBatchInsertRequest(entityName: "Author", objects: [["name": "new"]]))
        }
        attempt { try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast)) }
        attempt {
            try context.execute(NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Author")))
        }
    }

    /// Changes attributes and relationships, with a fetch and a count between, and saves.
    private func changeAll(_ context: NSManagedObjectContext) throws {
        defer { context.reset() }
        let books = try context.all("Book")
        try context.fulfillFaults(of: books, relationshipKeyPaths: ["author", "shelf.items", "tags.books"])
        let author = context.make("Author", ["name": "zero"])
        for book in books {
            book.setValue(1, forKey: "pages")
            book.setValue(author, forKey: "author")
        }
        _ = try context.all("Author", "ANY books.pages == 1")
        _ = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book"))
        context.refreshAllObjects()
        try context.save()
    }

    /// Deletes objects that were not read: the delete rules read them.
    private func deleteAll(_ context: NSManagedObjectContext, _ entity: String) throws {
        defer { context.reset() }
        for object in try context.all(entity) { context.delete(object) }
        context.processPendingChanges()
        do { try context.save() } catch {
            // The deletion is still pending, and its error repeats.
            #expect(context.hasChanges)
            context.rollback()
            throw error
        }
    }

    private func control(_ context: NSManagedObjectContext) throws {
        defer { context.reset() }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = ["author.name", "title"].map { NSSortDescriptor(key: $0, ascending: true) }
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "author.name", cacheName: nil)
        try controller.performFetch()
        let delegate = RecordingDelegate(copying: controller)
        controller.delegate = delegate
        context.make("Book", ["title": "new"])
        context.processPendingChanges()
        context.refreshAllObjects()
        context.processPendingChanges()
    }

    private func merge(_ context: NSManagedObjectContext) throws {
        defer { context.reset() }
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
        ids.resultType = .managedObjectIDResultType
        let all = try context.fetch(ids)
        let books = try context.all("Book")
        try context.fulfillFaults(of: books, relationshipKeyPaths: ["author", "shelf.items"])
        for book in books { book.setValue(nil, forKey: "author") }
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSUpdatedObjectIDsKey: all], into: [context])
        try context.save()
    }

    /// Opens a copy of the damaged file and drives everything in it, in a context and in a child.
    private func open(_ data: Data, _ note: Comment) throws {
        let folder = try TemporaryFolder()
        try data.write(to: folder.url.appendingPathComponent("Library.sqlite"))
        let library: Library
        do {
            library = try Library(.sqlite, in: folder, options: [NSPersistentHistoryTrackingKey: true])
        } catch {
            #expect((error as NSError).domain == NSCocoaErrorDomain, note)
            return
        }
        let context = library.context()
        let child = library.child(of: context)
        child.performAndWait { drive(child, note) }
        context.performAndWait {
            context.reset()
            context.undoManager = UndoManager()
            drive(context, note)
        }
        do {
            let moved = folder.url.appendingPathComponent("Moved.xml")
            _ = try library.coordinator.migratePersistentStore(library.store, to: moved, withType: NSXMLStoreType)
        } catch {
            #expect((error as NSError).domain == NSCocoaErrorDomain, note)
        }
        if let store = library.coordinator.persistentStores.first { try? library.coordinator.remove(store) }
    }

    @Test("A migration object by object ends with the error of a relationship that cannot be read")
    func migration() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Library.sqlite")
        try Self.original().write(to: url)
        let library = try Library(.sqlite, in: folder)
        let table = try #require(
            try RawDatabase(url).column("SELECT name FROM sqlite_master WHERE name LIKE 'Z\\__%S' ESCAPE '\\'").first)
        guard case .text(let name) = table else { throw CocoaError(.featureUnsupported) }
        try RawDatabase(url).execute("DROP TABLE \(name)")
        let moved = folder.url.appendingPathComponent("Moved.xml")
        #expect(throws: NSError.self) {
            try library.coordinator.migratePersistentStore(library.store, to: moved, withType: NSXMLStoreType)
        }
        #expect(!FileManager.default.fileExists(atPath: moved.path))
    }

    @Test("Bytes and pages damaged at random stop no process")
    func random() throws {
        let original = try Self.original()
        let pageSize = 4096
        for seed in Sample.seeds(6, long: 600) {
            var random = SplitMix(state: UInt64(seed))
            var data = original
            // The header and the schema stay in most runs: without them nothing opens.
            let start = Int.random(in: 0..<10, using: &random) == 0 ? 0 : pageSize
            for _ in 0..<Int.random(in: 1...30, using: &random) {
                let place = Int.random(in: start..<data.count, using: &random)
                switch Int.random(in: 0..<6, using: &random) {
                case 0: data[place] = UInt8.random(in: 0...255, using: &random)
                case 1: data[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 2:
                    for byte in place..<min(place + 40, data.count) {
                        data[byte] = UInt8.random(in: 0...255, using: &random)
                    }
                case 3:
                    // The head of a page: its kind, its cells.
                    let page = place / pageSize * pageSize
                    if page > 0 { data[page + Int.random(in: 0..<12, using: &random)] = 0xFF }
                case 4: for byte in place..<min(place + 200, data.count) { data[byte] = 0 }
                default:
                    let page = place / pageSize * pageSize
                    guard page > 0, seed % 4 == 0 else { continue }
                    for byte in page..<min(page + pageSize, data.count) { data[byte] = 0 }
                }
            }
            try open(data, "seed \(seed)")
        }
    }

    // MARK: Directed damage

    /// A store on which statements have been run, opened.
    private func damaged(_ statements: String) throws -> Library {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Library.sqlite")
        try Self.original().write(to: url)
        try RawDatabase(url).execute(statements)
        return try Library(.sqlite, in: folder)
    }

    @Test(
        "Rows of an entity that is not there, and with keys and versions that cannot be, stop no process",
        arguments: [0, 99, -1, 1 << 40, 1 << 62])
    func wrongBookkeeping(value: Int) throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("Library.sqlite")
        try Self.original().write(to: url)
        // One column of a table: the error of one row hides those behind it.
        try RawDatabase(url).execute(
            """
            UPDATE ZBOOK SET Z_ENT = \(value) WHERE Z_PK % 5 = 2;
            UPDATE ZPROFILE SET ZAUTHOR = \(value) WHERE Z_PK % 5 = 2;
            UPDATE ZTAG SET Z_OPT = \(value) WHERE Z_PK % 5 = 2;
            UPDATE ZSHELF SET Z_PK = \(value) WHERE Z_PK = 2;
            """)
        try open(try Data(contentsOf: url), "\(value)")
    }

    @Test("A number of an entity that cannot be is error 259, which names the entity", arguments: [-1, 0, 1 << 40])
    func wrongNumbers(of entity: Int) throws {
        let error = #expect(throws: NSError.self) {
            try damaged("UPDATE Z_PRIMARYKEY SET Z_ENT = \(entity) WHERE Z_NAME = 'Author'")
        }
        #expect(error?.code == CocoaError.Code.fileReadCorruptFile.rawValue)
        #expect(error?.localizedDescription.contains("“Author”") == true, "\(error?.localizedDescription ?? "")")
    }

    @Test(
        "A value that its column cannot hold is error 259, which names file, entity, row and attribute",
        arguments: [
            ("ZPAGES = 'many'", "pages"), ("ZPUBLISHED = x'0102'", "published"), ("ZRATING = 'good'", "rating"),
            ("ZIDENTIFIER = x'01'", "identifier"), ("ZPRICE = 'dear'", "price"), ("ZAUTHOR = 'somebody'", "author"),
            ("ZCOPIES = x'FF'", "copies"),
        ])
    func wrongValues(assignment: String, attribute: String) throws {
        let library = try damaged("UPDATE ZBOOK SET \(assignment) WHERE Z_PK = 7")
        let context = library.context()
        try context.performAndWait {
            func expect(_ body: () throws -> Void, _ place: SourceLocation = #_sourceLocation) {
                let error = #expect(throws: NSError.self, sourceLocation: place) { try body() }
                #expect(error?.code == CocoaError.Code.fileReadCorruptFile.rawValue, sourceLocation: place)
                for word in ["Library.sqlite", "row 7", attribute] {
                    #expect(error?.localizedDescription.contains(word) == true, sourceLocation: place)
                }
            }
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            expect { _ = try context.fetch(request) }
            request.returnsObjectsAsFaults = false
            expect { _ = try context.fetch(request) }
            let shelves = try context.all("Shelf")
            let prefetching = NSFetchRequest<NSManagedObject>(entityName: "Shelf")
            prefetching.relationshipKeyPathsForPrefetching = ["items"]
            expect { _ = try context.fetch(prefetching) }
            expect { try context.fulfillFaults(of: shelves, relationshipKeyPaths: ["items"]) }
            let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
            ids.resultType = .managedObjectIDResultType
            let bad = try #require(
                try context.fetch(ids).first { $0.uriRepresentation().lastPathComponent == "p7" })
            expect { _ = try context.existingObject(with: bad) }
            let fault = context.object(with: bad)
            expect { try context.fulfillFaults(of: [fault]) }
            #expect(fault.isFault)
            do { try context.fulfillFaults(of: [fault]) } catch {
                #expect((error as NSError).userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObjectID] == [bad])
            }
            // A delete rule that has to read it: the deletion stays due, and nothing is written.
            for shelf in shelves { context.delete(shelf) }
            context.processPendingChanges()
            expect { try context.save() }
            expect { try context.save() }
            expect { _ = try context.all("Author") }
            #expect(context.deletedObjects.count == shelves.count)
            context.rollback()
        }
        #expect(try library.saved("Shelf", "name").count == 12)
    }

    @Test("A number that is kept as text is read, as SQLite would compute with it")
    func numbersAsText() throws {
        let library = try damaged(
            "UPDATE ZBOOK SET ZIDENTIFIER = '5C3C2F3E-0A4B-4C55-8E7D-1D8B3C7B0F11', ZNOTE = 5 WHERE Z_PK = 7")
        let context = library.context()
        try context.performAndWait {
            let book = try #require(try context.all("Book", "note == '5'").first)
            #expect((book.value(forKey: "identifier") as? UUID)?.uuidString.hasPrefix("5C3C") == true)
        }
    }

    @Test("An archive that its transformer cannot read is an error of fulfillFaults, which names the attribute")
    func archives() throws {
        let library = try damaged("UPDATE ZBOOK SET ZKEYWORDS = x'62706C6973743030FF' WHERE Z_PK = 7")
        let context = library.context()
        try context.performAndWait {
            let books = try context.all("Book")
            let error = #expect(throws: NSError.self) { try context.fulfillFaults(of: books) }
            #expect(error?.code == NSCoreDataError)
            #expect(error?.localizedDescription.contains("keywords") == true)
            let whole = books.filter { $0.objectID.uriRepresentation().lastPathComponent != "p7" }
            try context.fulfillFaults(of: whole)
            #expect(whole.allSatisfy { $0.value(forKey: "keywords") as? [String] == ["a", "b"] })
        }
    }

    @Test("Objects of a store whose identifier is damaged have ids that can be printed and found again")
    func identifiers() throws {
        let library = try Library(.sqlite)
        let context = library.context()
        try context.performAndWait {
            context.make("Tag", ["name": "t"])
            try context.save()
        }
        for identifier in ["no ^ uuid", "\u{1}[%", "ü"] {
            var metadata = library.coordinator.metadata(for: library.store)
            metadata[NSStoreUUIDKey] = identifier
            library.coordinator.setMetadata(metadata, for: library.store)
            let again = library.context()
            try again.performAndWait {
                let tag = try #require(try again.all("Tag").first)
                let uri = tag.objectID.uriRepresentation()
                #expect(tag.objectID.description.contains("/Tag/p1"))
                #expect(library.coordinator.managedObjectID(forURIRepresentation: uri)?.uriRepresentation() == uri)
            }
        }
    }

    @Test("Objects whose rows are gone are 133000 with their ids, and all remaining ones are there")
    func missingRows() throws {
        let library = try Library(.sqlite)
        let context = library.context()
        try context.performAndWait {
            let tags = (0..<3).map { context.make("Tag", ["name": "\($0)"]) }
            let book = context.make("Book", ["tags": NSSet(array: tags)])
            try context.save()
            context.refreshAllObjects()
            try RawDatabase(library.storeURL).execute("DELETE FROM ZTAG WHERE ZNAME = '1'")
            let error = #expect(throws: NSError.self) { try context.fulfillFaults(of: tags) }
            #expect(error?.code == NSManagedObjectReferentialIntegrityError)
            #expect(error?.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObjectID] == [tags[1].objectID])
            #expect([tags[0], tags[2]].allSatisfy { !$0.isFault })
            try context.fulfillFaults(of: [book], relationshipKeyPaths: ["tags", "author"])
            #expect(!book.hasFault(forRelationshipNamed: "tags"))
        }
    }

    @Test("Many objects are read by few statements", .onEveryKindOfStore)
    func manyAtOnce() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            for number in 0..<30 {
                let author = context.make("Author", ["name": "\(number)"])
                context.make("Book", ["title": "\(number)", "author": author])
            }
            try context.save()
        }
        let other = try library.beside().context()
        try other.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
            request.fetchBatchSize = 2
            let authors = try other.fetch(request)
            try other.fulfillFaults(of: authors, relationshipKeyPaths: ["books.shelf", "nothing"])
            #expect(authors.allSatisfy { !$0.isFault && !$0.hasFault(forRelationshipNamed: "books") })
            let books = authors.flatMap { ($0.value(forKey: "books") as? Set<NSManagedObject>) ?? [] }
            #expect(books.count == 30 && books.allSatisfy { !$0.isFault })
        }
    }
}
