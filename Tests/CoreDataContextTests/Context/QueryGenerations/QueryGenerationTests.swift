import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Query generations", .leavesNothingBehind, .onEveryDatabase)
struct QueryGenerationTests {
    private let library: Library
    private let writer: NSManagedObjectContext
    private let reader: NSManagedObjectContext

    init() throws {
        library = try Library()
        writer = library.context()
        reader = library.context()
        try writer.performAndWait { [writer] in
            let author = writer.make("Author", ["name": "a"])
            writer.make("Book", ["title": "old", "author": author])
            try writer.save()
        }
    }

    private func change(in context: NSManagedObjectContext) throws {
        try context.performAndWait {
            let book = try #require(try context.all("Book").first)
            book.setValue("new", forKey: "title")
            context.make("Book", ["title": "second", "author": book.value(forKey: "author") as Any])
            try context.save()
        }
    }

    private func titles(_ context: NSManagedObjectContext) throws -> [String] {
        try context.performAndWait { try context.all("Book").compactMap { $0.text("title") }.sorted() }
    }

    @Test(
        "A pinned context reads one state beside any writer: fetches, counts, faults, relationships",
        arguments: [true, false])
    func pinned(oneCoordinator: Bool) throws {
        try reader.performAndWait {
            #expect(reader.queryGenerationToken == nil)
            try reader.setQueryGenerationFrom(.current)
            #expect(reader.queryGenerationToken == .current)
            // The first read fixes the state.
            #expect(try reader.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 1)
            #expect(reader.queryGenerationToken != .current)
        }
        try change(in: oneCoordinator ? writer : try Library(in: library.folder).context())
        try reader.performAndWait {
            let books = try reader.all("Book")
            #expect(books.map { $0.text("title") } == ["old"])
            let author = try #require(try reader.all("Author").first)
            #expect(author.texts("books", "title") == ["old"])
            #expect(try reader.all("Book", "title == 'new'").isEmpty)
            try reader.setQueryGenerationFrom(nil)
            reader.refreshAllObjects()
            #expect(books[0].text("title") == "new")
            #expect(author.texts("books", "title") == ["new", "second"])
        }
        #expect(try titles(reader) == ["new", "second"])
    }

    @Test("A save moves a pinned context on, be there anything to save or not")
    func savedWithoutChanges() throws {
        try reader.performAndWait {
            try reader.setQueryGenerationFrom(.current)
            _ = try reader.all("Book")
        }
        try change(in: writer)
        #expect(try titles(reader) == ["old"])
        try reader.performAndWait { try reader.save() }
        #expect(try titles(reader) == ["new", "second"])
    }

    @Test("A token pins only contexts of the coordinator to the same state")
    func shared() throws {
        let token = try reader.performAndWait {
            try reader.setQueryGenerationFrom(.current)
            _ = try reader.all("Book")
            return try #require(reader.queryGenerationToken)
        }
        try change(in: writer)
        let second = library.context()
        try second.performAndWait {
            try second.setQueryGenerationFrom(token)
            #expect(second.queryGenerationToken == token)
        }
        #expect(try titles(second) == ["old"])
        let stranger = try Library(in: library.folder).context()
        stranger.performAndWait {
            let error = #expect(throws: NSError.self) { try stranger.setQueryGenerationFrom(token) }
            #expect(error?.code == NSCoreDataError)
        }
        let child = library.child(of: reader)
        child.performAndWait {
            #expect(throws: NSError.self) { try child.setQueryGenerationFrom(.current) }
            #expect(child.queryGenerationToken == token)
        }
        #expect(try titles(child) == ["old"])
    }

    @Test("Saving, merging and resetting move a pinned context on; an old row is a conflict")
    func movingOn() throws {
        try reader.performAndWait { try reader.setQueryGenerationFrom(.current) }
        #expect(try titles(reader) == ["old"])
        let bag = MergingTests.Mailbag(.NSManagedObjectContextDidSave, of: writer)
        try change(in: writer)
        let note = writer.performAndWait { Held(bag.letters[0]) }
        #expect(try titles(reader) == ["old"])
        reader.performAndWait { reader.mergeChanges(fromContextDidSave: note.value) }
        #expect(try titles(reader) == ["new", "second"])
        try writer.performAndWait {
            writer.make("Book", ["title": "third"])
            try writer.save()
        }
        #expect(try titles(reader) == ["new", "second"])
        reader.performAndWait { reader.reset() }
        #expect(try titles(reader) == ["new", "second", "third"])
        try writer.performAndWait {
            for book in try writer.all("Book") { book.setValue("all", forKey: "title") }
            try writer.save()
        }
        try reader.performAndWait {
            let book = try #require(try reader.all("Book").first)
            #expect(book.text("title") != "all")
            book.setValue("mine", forKey: "title")
            let error = #expect(throws: NSError.self) { try reader.save() }
            #expect(error?.code == NSManagedObjectMergeError)
            reader.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
            try reader.save()
        }
        reader.performAndWait { reader.refreshAllObjects() }
        #expect(try titles(reader) == ["all", "all", "mine"])
    }

    @Test(
        "Stores that keep no states are read as they are: SQLite's without a -wal, and all other types",
        .onStores(.sqlite), arguments: StoreKind.sampled().filter { !$0.isDatabase || $0 == .sqlite })
    func withoutStates(kind: StoreKind) throws {
        let library = try Library(kind, options: [NSSQLitePragmasOption: ["journal_mode": "DELETE"]])
        let contexts = (0..<2).map { _ in library.context() }
        try contexts[0].performAndWait {
            try contexts[0].setQueryGenerationFrom(.current)
            #expect(try contexts[0].all("Tag").isEmpty)
        }
        try contexts[1].performAndWait {
            contexts[1].make("Tag", ["name": "a"])
            try contexts[1].save()
        }
        let count = try contexts[0].performAndWait { try contexts[0].all("Tag").count }
        #expect(count == 1)
    }

    @Test("The did-save notification of a pinned context has the state with its save; other contexts have none")
    func notification() throws {
        let bags = [reader, writer].map { MergingTests.Mailbag(.NSManagedObjectContextDidSave, of: $0) }
        for context in [reader, writer] {
            try context.performAndWait {
                if context === reader { try context.setQueryGenerationFrom(.current) }
                context.make("Book", ["title": context === reader ? "read" : "written"])
                try context.save()
            }
        }
        #expect(bags[1].letters[0].userInfo?[NSManagedObjectContextQueryGenerationKey] == nil)
        let token = bags[0].letters[0].userInfo?[NSManagedObjectContextQueryGenerationKey] as? NSQueryGenerationToken
        reader.performAndWait { #expect(reader.queryGenerationToken == token) }
        #expect(try titles(reader) == ["old", "read"])
    }

    @Test("A token can be read from an archive as long as its state is held; the present one always")
    func archiving() throws {
        func decoded(_ data: Data) throws -> NSQueryGenerationToken? {
            try NSKeyedUnarchiver.unarchivedObject(ofClass: NSQueryGenerationToken.self, from: data)
        }
        func archive(_ token: NSQueryGenerationToken) throws -> Data {
            try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
        }
        #expect(try decoded(archive(.current)) == .current)
        let data = try reader.performAndWait {
            try reader.setQueryGenerationFrom(.current)
            _ = try reader.all("Book")
            let token = try #require(reader.queryGenerationToken)
            let data = try archive(token)
            #expect(try decoded(data) == token)
            return data
        }
        try reader.performAndWait { try reader.setQueryGenerationFrom(nil) }
        #expect((try? decoded(data)) == nil)
    }

    @Test("A pinned context reads a file of external data that was replaced since as nil", .onStores(.sqlite))
    func replacedFile() throws {
        let parcels = try Library(model: ParcelModel.make())
        let other = try Library(in: parcels.folder, model: ParcelModel.make()).context()
        let pinned = parcels.context()
        let parcel = try other.performAndWait {
            let parcel = other.make("Parcel", ["name": "old", "content": Data(repeating: 1, count: 200_000)])
            try other.save()
            return Held(parcel)
        }
        try pinned.performAndWait {
            try pinned.setQueryGenerationFrom(.current)
            #expect(try pinned.count(for: NSFetchRequest<NSManagedObject>(entityName: "Parcel")) == 1)
        }
        try other.performAndWait {
            parcel.value.setValue("new", forKey: "name")
            parcel.value.setValue(Data(repeating: 2, count: 200_000), forKey: "content")
            try other.save()
        }
        try pinned.performAndWait {
            let parcel = try #require(try pinned.all("Parcel").first)
            #expect(parcel.text("name") == "old")
            #expect(parcel.value(forKey: "content") == nil)
        }
    }

    @Test("A store is removed, and a pinned context throws an error; a state without a token is given back")
    func closing() throws {
        try reader.performAndWait { try reader.setQueryGenerationFrom(.current) }
        #expect(try titles(reader) == ["old"])
        let store = try #require(library.coordinator.persistentStores.first)
        try library.coordinator.remove(store)
        reader.performAndWait {
            reader.reset()
            #expect(throws: NSError.self) { try reader.all("Book") }
        }
        // Nothing holds the file any more: the last connection has taken the -wal along.
        #expect(!FileManager.default.fileExists(atPath: library.storeURL.path + "-wal"))
    }
}
