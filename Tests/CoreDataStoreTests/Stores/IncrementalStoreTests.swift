import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Incremental stores that a program writes", .leavesNothingBehind)
struct IncrementalStoreTests {
    /// Runs a body and gives the requests it made of the service.
    private func requests(_ library: Library, _ body: () throws -> Void) rethrows -> [String] {
        let before = library.service.requests.count
        try body()
        return Array(library.service.requests.dropFirst(before))
    }

    /// An author with two books, saved: records 1, 2 and 3.
    private func filled() throws -> Library {
        let library = try Library(.incremental)
        let context = library.context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "A"])
            let first = context.make("Book", ["title": "1", "author": author])
            let second = context.make("Book", ["title": "2", "author": author])
            try context.obtainPermanentIDs(for: [author])
            try context.obtainPermanentIDs(for: [first])
            try context.obtainPermanentIDs(for: [second])
            try context.save()
        }
        return library
    }

    @Test("An asynchronous fetch passes another context: the fetching one is used only on its queue")
    func asynchronousFetch() async throws {
        let library = try filled()
        let context = library.context()
        context.name = "asking"
        let (stream, continuation) = AsyncStream.makeStream(of: [String].self)
        for resultType in [NSFetchRequestResultType.managedObjectResultType, .dictionaryResultType] {
            let before = library.service.askers.count
            try context.performAndWait {
                let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
                request.resultType = resultType
                request.propertiesToFetch = ["title"]
                request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
                let asynchronous = NSAsynchronousFetchRequest(fetchRequest: request) { result in
                    let found = (result.finalResult ?? []).map { ($0 as? NSObject)?.value(forKey: "title") as? String }
                    continuation.yield(found.map { $0 ?? "" })
                }
                try context.execute(asynchronous)
            }
            for await titles in stream {
                #expect(titles == ["1", "2"])
                break
            }
            let askers = library.service.askers.dropFirst(before)
            #expect(!askers.isEmpty && !askers.contains("asking"), "\(askers)")
        }
    }

    @Test("A fetch gives faults; the values are asked for when one fires, once for all contexts")
    func faults() throws {
        let library = try filled()
        let other = try Library(.incremental, in: library.folder)
        let (first, second) = (other.context(), other.context())
        let asked = try requests(other) {
            try first.performAndWait {
                // Counting requests only the number.
                let author = try #require(first.existingAuthor(other))
                #expect(author.isFault)
                #expect(author.value(forKey: "name") as? String == "A")
                #expect(!author.isFault)
                try second.performAndWait {
                    let same = try #require(second.existingAuthor(other))
                    #expect(same.value(forKey: "name") as? String == "A")
                }
            }
        }
        #expect(asked.filter { $0.hasPrefix("values") } == ["values Author/1"])
    }

    @Test("A to-many relationship is asked for when it is read, to-one ones that a node leaves out with its values")
    func relationships() throws {
        let library = try filled()
        let context = try Library(.incremental, in: library.folder).context()
        let asked = try requests(library) {
            try context.performAndWait {
                let coordinator = try #require(context.persistentStoreCoordinator)
                let author = try #require(context.existingAuthor(coordinator))
                #expect((author.value(forKey: "books") as? NSSet)?.count == 2)
                let book = try #require((author.value(forKey: "books") as? NSSet)?.anyObject() as? NSManagedObject)
                #expect(book.value(forKey: "author") as? NSManagedObject === author)
                #expect(book.value(forKey: "shelf") == nil)
            }
        }
        #expect(asked.filter { $0.hasPrefix("members Author") }.count == 1)
        // `shelf` has five letters: the node has no value for it.
        #expect(asked.contains { $0.hasPrefix("members Book") && $0.hasSuffix(".shelf") })
        #expect(!asked.contains { $0.hasSuffix(".author") })
    }

    @Test("A record that is saved during a read is read once more, and no later save is in conflict")
    func savedWhileRead() throws {
        let library = try Library(.incremental)
        let (writer, reader) = (library.context(), library.context())
        let book = try writer.performAndWait {
            let book = writer.make("Book", ["title": "b", "pages": 1])
            try writer.save()
            return Held(book)
        }
        let id = writer.performAndWait { book.value.objectID }
        let copy = try reader.performAndWait { Held(try reader.existingObject(with: id)) }
        @Sendable func save(_ pages: Int) throws {
            try writer.performAndWait {
                book.value.setValue(pages, forKey: "pages")
                try writer.save()
            }
        }
        try save(2)
        // The node of the book exists already when the store is asked for its shelf.
        let saved = Locked<[Result<Void, any Error>]>([])
        library.service.setWhenAsked { request in
            guard request.hasSuffix(".shelf"), saved.withLock({ $0.isEmpty }) else { return }
            saved.withLock { $0 = [.success(())] }
            let result = Result { try save(3) }
            saved.withLock { $0 = [result] }
        }
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSUpdatedObjectIDsKey: [id]], into: [reader])
        reader.performAndWait { #expect(copy.value.number("pages") == 3) }
        library.service.setWhenAsked(nil)
        try #require(saved.withLock { $0.first }).get()
        try save(4)
        try #expect(writer.performAndWait { try writer.existingObject(with: id).number("pages") } == 4)
    }

    @Test("A save is one request with the objects, whose ids are permanent already")
    func saving() throws {
        let library = try filled()
        let context = library.context()
        let asked = try requests(library) {
            try context.performAndWait {
                let books = try context.all("Book")
                books[0].setValue("changed", forKey: "title")
                context.delete(books[1])
                context.make("Tag", ["name": "new"])
                try context.save()
            }
        }
        #expect(asked.filter { $0.hasPrefix("save") } == ["save 1 2 1"])
        #expect(library.service.record(.init(entity: "Tag", number: 4))?.values["name"] as? String == "new")
        #expect(library.service.record(.init(entity: "Author", number: 1))?.links["books"]?.count == 1)
        #expect(library.service.record(.init(entity: "Book", number: 2))?.values["title"] as? String == "changed")
        #expect(library.service.record(.init(entity: "Book", number: 3)) == nil)
    }

    @Test("An error of the store comes out of fetches and saves as it is, and nothing is lost")
    func errors() throws {
        let library = try filled()
        let context = library.context()
        try context.performAndWait {
            let book = try #require(try context.all("Book").first)
            book.setValue("changed", forKey: "title")
            context.make("Tag", ["name": "t"])
            library.service.setDown(true)
            #expect(throws: URLError.self) { try context.all("Author") }
            #expect(throws: URLError.self) { try context.save() }
            #expect(context.hasChanges)
            library.service.setDown(false)
            try context.save()
            #expect(!context.hasChanges)
        }
        library.service.setDown(true)
        #expect(throws: URLError.self) { _ = try Library(.incremental, in: library.folder) }
    }

    @Test("A record that the service does not have is error 133000")
    func missing() throws {
        let library = try filled()
        let context = library.context()
        try context.performAndWait {
            let book = try #require(try context.all("Book").first)
            let id = book.objectID
            context.reset()
            library.service.remove(.init(entity: "Book", number: 2))
            let error = #expect(throws: NSError.self) { _ = try context.existingObject(with: id) }
            #expect(error?.code == NSManagedObjectReferentialIntegrityError)
        }
    }

    @Test("refresh asks for the values anew, and a save over values that were newer is error 133020")
    func newerValues() throws {
        let library = try filled()
        let (first, second) = (library.context(), library.context())
        let name = RecordService.Name(entity: "Book", number: 2)
        let held = try first.performAndWait {
            let book = try #require(try first.all("Book", "title == '1'").first)
            #expect(book.value(forKey: "title") as? String == "1")
            return Held(book)
        }
        var record = try #require(library.service.record(name))
        record.values["title"] = "elsewhere"
        library.service.put(record, as: name)
        try second.performAndWait {
            let book = second.object(with: first.performAndWait { held.value.objectID })
            #expect(book.value(forKey: "title") as? String == "1")
            second.refresh(book, mergeChanges: false)
            #expect(book.value(forKey: "title") as? String == "elsewhere")
            book.setValue("second", forKey: "title")
            try second.save()
        }
        first.performAndWait {
            held.value.setValue("first", forKey: "title")
            let error = #expect(throws: NSError.self) { try first.save() }
            #expect(error?.code == NSManagedObjectMergeError)
        }
        #expect(library.service.record(name)?.values["title"] as? String == "second")
    }

    @Test("A deletion that a context reads anew before it saves it deletes the record, however new the record is")
    func deletionOfAReadRecord() throws {
        let library = try Library(.incremental)
        let (first, second) = (library.context(), library.context())
        for context in [first, second] {
            context.performAndWait { context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump }
        }
        let book = try first.performAndWait {
            let book = first.make("Book", ["isbn": "b", "pages": 1])
            try first.save()
            return Held(book)
        }
        try second.performAndWait {
            let same = try #require(second.all("Book").first)
            same.setValue(2, forKey: "pages")
            try second.save()
        }
        try first.performAndWait {
            first.delete(book.value)
            first.processPendingChanges()
            first.refreshAllObjects()
            let shown = try first.all("Book")
            #expect(shown.isEmpty)
            try first.save()
            let left = try first.all("Book")
            #expect(left.isEmpty)
        }
        try second.performAndWait {
            second.refreshAllObjects()
            let left = try second.all("Book")
            #expect(left.isEmpty)
        }
    }

    @Test("A child context's fetch gives faults, too, whose values come when they are read")
    func children() throws {
        let library = try filled()
        let other = try Library(.incremental, in: library.folder)
        let root = other.context()
        let child = other.child(of: root)
        let asked = try requests(other) {
            let count = try child.performAndWait {
                try child.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).count
            }
            #expect(count == 2)
        }
        #expect(asked.filter { $0.hasPrefix("values") }.isEmpty)
        try child.performAndWait {
            let author = try #require(child.existingAuthor(other))
            #expect(author.value(forKey: "name") as? String == "A")
        }
    }

    @Test("The store is notified of records that come into use in a context, and of those that go")
    func usage() throws {
        let library = try filled()
        let other = try Library(.incremental, in: library.folder)
        let asked = try requests(other) {
            let context = other.context()
            try context.performAndWait {
                let author = try #require(context.existingAuthor(other))
                _ = author.value(forKey: "name")
            }
        }
        #expect(asked.first { $0.hasPrefix("using") } == "using Author/1")
        #expect(asked.filter { $0.hasPrefix("done") } == ["done with Author/1"])
    }

    @Test("Reference objects of text and of numbers are kept apart in URIs, with any characters")
    func references() throws {
        let library = try filled()
        let store = try #require(library.store as? ServiceStore)
        let entity = try #require(library.coordinator.managedObjectModel.entitiesByName["Tag"])
        for reference in ["a/b", "ü 1", "p%2F", "x?y#z"] {
            let id = store.newObjectID(for: entity, referenceObject: reference)
            let uri = id.uriRepresentation()
            #expect(library.coordinator.managedObjectID(forURIRepresentation: uri) == id)
            #expect(store.referenceObject(for: id) as? String == reference)
            #expect(store.newObjectID(for: entity, referenceObject: reference) == id)
        }
        let uri = try #require(URL(string: "x-coredata://\(store.identifier ?? "")/Tag/p77"))
        let id = try #require(library.coordinator.managedObjectID(forURIRepresentation: uri))
        #expect(store.referenceObject(for: id) as? Int == 77)
        #expect(!id.isTemporaryID && id.persistentStore === store)
    }

    @Test("A request that the coordinator cannot serve for such a store is error 134070")
    func unsupported() throws {
        let library = try filled()
        let url = try #require(library.store.url)
        let type = ServiceStore.storeType
        for error in [
            #expect(throws: NSError.self) { try library.coordinator.destroyPersistentStore(at: url, ofType: type) },
            #expect(throws: NSError.self) {
                _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
            },
        ] {
            #expect(error?.code == NSPersistentStoreOperationError)
        }
    }

    @Test("A store without an address has none")
    func withoutAddress() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        let store = try coordinator.addPersistentStore(
            ofType: StoreKind.incremental.type, configurationName: nil, at: nil)
        #expect(store.url == nil)
        #expect(store.type == ServiceStore.storeType)
        #expect(store.persistentStoreCoordinator === coordinator)
        try coordinator.remove(store)
        #expect(store.persistentStoreCoordinator == nil)
    }
}

extension NSManagedObjectContext {
    /// The author of the filled service, as a fault, without asking for it.
    fileprivate func existingAuthor(_ library: Library) -> NSManagedObject? { existingAuthor(library.coordinator) }

    fileprivate func existingAuthor(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObject? {
        guard let store = coordinator.persistentStores.first as? ServiceStore,
            let entity = coordinator.managedObjectModel.entitiesByName["Author"]
        else { return nil }
        return object(with: store.newObjectID(for: entity, referenceObject: 1))
    }
}
