import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Merging saves of other contexts", .leavesNothingBehind, .onEveryKindOfStore)
struct MergingTests {
    /// Collects the notifications of one name and context. Read on the context's queue.
    final class Mailbag: @unchecked Sendable {  // filled and read on one context's queue
        private(set) var letters: [Notification] = []
        private var token: (any NSObjectProtocol)?

        init(_ name: Notification.Name, of context: NSManagedObjectContext) {
            token = NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { [weak self] in
                self?.letters.append($0)
            }
        }

        deinit { token.map { NotificationCenter.default.removeObserver($0) } }

        func objects(_ key: String) -> [Set<NSManagedObject>] {
            letters.map { $0.userInfo?[key] as? Set<NSManagedObject> ?? [] }
        }

        func ids(_ key: String) -> [Set<NSManagedObjectID>] {
            letters.map { $0.userInfo?[key] as? Set<NSManagedObjectID> ?? [] }
        }
    }

    /// A library of three authors with a book each, read by a second context, which may have a coordinator of its own.
    private struct Shelf {
        let library: Library
        let saver: NSManagedObjectContext
        let reader: NSManagedObjectContext
        let authors: Held<[NSManagedObject]>
        let books: Held<[NSManagedObject]>

        init(oneCoordinator: Bool) throws {
            library = try Library()
            saver = library.context()
            try saver.performAndWait { [saver] in
                for name in ["a", "b", "c"] {
                    let author = saver.make("Author", ["name": name])
                    saver.make("Book", ["title": "\(name)1", "pages": 1, "author": author])
                }
                try saver.save()
            }
            // An atomic store is read as a whole when it is opened: another coordinator's later saves are not in it.
            let isShared = oneCoordinator || library.kind == .atomic
            reader = (isShared ? library : try library.beside()).context()
            (authors, books) = try reader.performAndWait { [reader] in
                let authors = try Shelf.sorted("Author", by: "name", in: reader)
                for author in authors { _ = author.texts("books", "title") }
                return (Held(authors), Held(try Shelf.sorted("Book", by: "title", in: reader)))
            }
        }

        static func sorted(_ entity: String, by key: String, in context: NSManagedObjectContext) throws
            -> [NSManagedObject]
        {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
            return try context.fetch(request)
        }

        /// Changes the first book, moves the second to the first author, deletes the third and its author, adds one.
        func change() throws -> Held<Notification> {
            try saver.performAndWait {
                let bag = Mailbag(.NSManagedObjectContextDidSave, of: saver)
                let authors = try Self.sorted("Author", by: "name", in: saver)
                let books = try Self.sorted("Book", by: "title", in: saver)
                books[0].setValuesForKeys(["title": "a2", "pages": 2])
                books[1].setValue(authors[0], forKey: "author")
                saver.delete(authors[2])
                saver.make("Book", ["title": "new", "author": authors[1]])
                try saver.save()
                return Held(try #require(bag.letters.first))
            }
        }
    }

    @Test(
        "A did-save notification brings new rows, registers new objects and takes deleted ones",
        arguments: [true, false])
    func fromDidSave(oneCoordinator: Bool) throws {
        let shelf = try Shelf(oneCoordinator: oneCoordinator)
        let note = try shelf.change()
        try shelf.reader.performAndWait {
            let (reader, authors, books) = (shelf.reader, shelf.authors.value, shelf.books.value)
            // A change of its own stays on top of the new row.
            books[0].setValue("mine", forKey: "title")
            reader.processPendingChanges()
            let changes = Mailbag(.NSManagedObjectContextObjectsDidChange, of: reader)
            let merges = Mailbag(.NSManagedObjectContextDidMergeChangesObjectIDs, of: reader)
            reader.mergeChanges(fromContextDidSave: note.value)
            #expect(books[0].text("title") == "mine")
            #expect(books[0].number("pages") == 2)
            #expect(authors[0].texts("books", "title") == ["b1", "mine"])
            #expect(authors[1].texts("books", "title") == ["new"])
            #expect(authors[2].managedObjectContext == nil)
            #expect(books[2].managedObjectContext == nil)
            #expect(reader.updatedObjects == [books[0]])
            #expect(reader.deletedObjects.isEmpty)
            // One notification has all changes.
            #expect(changes.letters.count == 1)
            let inserted = try #require(changes.objects(NSInsertedObjectsKey).first)
            #expect(inserted.count == 1)
            #expect(inserted.first?.text("title") == "new")
            #expect(changes.objects(NSDeletedObjectsKey) == [[authors[2], books[2]]])
            #expect(changes.objects(NSRefreshedObjectsKey) == [[books[0], books[1], authors[0], authors[1]]])
            #expect(merges.ids(NSInsertedObjectIDsKey) == [[try #require(inserted.first).objectID]])
            #expect(merges.ids(NSUpdatedObjectIDsKey).first?.contains(books[0].objectID) == true)
            #expect(merges.ids(NSDeletedObjectIDsKey).first?.count == 2)
            // A merged change is no conflict.
            try reader.save()
            reader.checkInvariants()
        }
        #expect(try shelf.library.saved("Book", "title") == ["b1", "mine", "new"])
    }

    @Test("New references to an object that another context deleted become nil")
    func danglingReferences() throws {
        let shelf = try Shelf(oneCoordinator: true)
        let (note, book) = try shelf.reader.performAndWait {
            let book = shelf.reader.make("Book", ["title": "mine", "author": shelf.authors.value[2]])
            return (try shelf.change(), Held(book))
        }
        try shelf.reader.performAndWait {
            shelf.reader.mergeChanges(fromContextDidSave: note.value)
            #expect(book.value.value(forKey: "author") == nil)
            try shelf.reader.save()
        }
        let beside = try shelf.library.beside().context()
        try beside.performAndWait {
            let mine = try #require(try beside.all("Book", "title == 'mine'").first)
            #expect(mine.value(forKey: "author") == nil)
        }
        guard shelf.library.kind == .sqlite else { return }
        #expect(
            try RawDatabase(shelf.library.storeURL).integer(
                "SELECT count(*) FROM ZBOOK WHERE ZAUTHOR NOT IN (SELECT Z_PK FROM ZAUTHOR)") == 0)
    }

    @Test(
        "Changes merged by ids or URIs reach several contexts, on their own queues",
        arguments: [0, 1, 2])
    func remote(form: Int) throws {
        let shelf = try Shelf(oneCoordinator: false)
        let second = shelf.library.context()
        let counted = try second.performAndWait { Held(try second.all("Book")) }
        let ids = try shelf.saver.performAndWait {
            let bag = Mailbag(.NSManagedObjectContextDidSaveObjectIDs, of: shelf.saver)
            _ = try shelf.change()
            return Held(bag)
        }
        let info = shelf.saver.performAndWait { Held(ids.value.letters.first?.userInfo ?? [:]) }.value
        var changes: [AnyHashable: Any] = [:]
        for (plain, key) in [
            (NSInsertedObjectsKey, NSInsertedObjectIDsKey), (NSUpdatedObjectsKey, NSUpdatedObjectIDsKey),
            (NSDeletedObjectsKey, NSDeletedObjectIDsKey),
        ] {
            let found = try #require(info[key] as? Set<NSManagedObjectID>)
            switch form {
            case 0: changes[key] = found
            case 1: changes[plain] = Array(found)
            default: changes[plain] = found.map { $0.uriRepresentation() }
            }
        }
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: changes, into: [shelf.reader, second])
        shelf.reader.performAndWait {
            #expect(shelf.books.value[0].text("title") == "a2")
            #expect(shelf.authors.value[0].texts("books", "title") == ["a2", "b1"])
            #expect(shelf.books.value[2].managedObjectContext == nil)
            shelf.reader.checkInvariants()
        }
        second.performAndWait {
            #expect(counted.value.filter { $0.managedObjectContext == nil }.count == 1)
        }
    }

    @Test("Main and private contexts that merge each other's saves do not wait for each other")
    @MainActor
    func noDeadlock() async throws {
        let library = try Library()
        let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        main.persistentStoreCoordinator = library.coordinator
        let background = library.context()
        let tokens = [(main, background), (background, main)].map { from, to in
            NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSaveObjectIDs, object: from, queue: nil
            ) { note in
                NSManagedObjectContext.mergeChanges(fromRemoteContextSave: note.userInfo ?? [:], into: [to])
            }
        }
        defer { tokens.forEach { NotificationCenter.default.removeObserver($0) } }
        async let work: Void = background.perform {
            for number in 0..<50 {
                background.make("Tag", ["name": "b\(number)"])
                try background.save()
            }
        }
        for number in 0..<50 {
            main.make("Tag", ["name": "m\(number)"])
            try main.save()
            await Task.yield()
        }
        try await work
        #expect(try main.all("Tag").count == 100)
        let count = try await background.perform { try background.all("Tag").count }
        #expect(count == 100)
    }

    @Test(
        "A saved deletion leaves the relationships to which another context has added the object",
        arguments: [true, false])
    func membersSinceDeletion(merges: Bool) throws {
        let library = try Library()
        let (context, other) = (library.context(), library.context())
        let ids = try other.performAndWait {
            let tag = other.make("Tag", ["name": "t"])
            let author = other.make("Author", ["name": "a"])
            let book = other.make("Book", ["isbn": "b"])
            try other.save()
            return [tag, author, book].map(\.objectID)
        }
        try context.performAndWait {
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            let (tag, author, book) = (
                context.object(with: ids[0]), context.object(with: ids[1]), context.object(with: ids[2])
            )
            #expect((tag.value(forKey: "books") as? NSSet)?.count == 0)
            context.delete(book)
            context.processPendingChanges()
            try other.performAndWait {
                let book = other.object(with: ids[2])
                book.mutableSetValue(forKey: "tags").add(other.object(with: ids[0]))
                book.setValue(other.object(with: ids[1]), forKey: "author")
                try other.save()
            }
            if merges {
                context.mergeChanges(
                    fromContextDidSave: Notification(
                        name: .NSManagedObjectContextDidSave, object: other,
                        userInfo: [NSUpdatedObjectIDsKey: Set(ids)]))
            } else {
                context.refresh(tag, mergeChanges: true)
                context.refresh(author, mergeChanges: true)
            }
            for owner in [tag, author] { _ = owner.value(forKey: "books") }
            try context.save()
            #expect((tag.value(forKey: "books") as? NSSet)?.count == 0)
            #expect((author.value(forKey: "books") as? NSSet)?.count == 0)
            #expect(try context.all("Book").isEmpty)
        }
    }

    @Test("An own save, an unknown object and an empty notification change nothing")
    func nothing() throws {
        let shelf = try Shelf(oneCoordinator: true)
        let note = try shelf.change()
        shelf.saver.performAndWait {
            let changes = Mailbag(.NSManagedObjectContextObjectsDidChange, of: shelf.saver)
            shelf.saver.mergeChanges(fromContextDidSave: note.value)
            shelf.saver.mergeChanges(fromContextDidSave: Notification(name: .NSManagedObjectContextDidSave))
            #expect(changes.letters.isEmpty)
        }
        let other = try Library().context()
        other.performAndWait {
            other.mergeChanges(fromContextDidSave: note.value)
            #expect(other.registeredObjects.isEmpty)
        }
    }
}
