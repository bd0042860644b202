import CoreData
import Testing
import TestSupport

@testable import CoreDataTestSupport

@Suite("Saving and fetching", .leavesNothingBehind)
struct SavingAndFetchingTests {
    @Test("Every kind of attribute comes back as it was saved", arguments: StoreKind.sampled())
    func attributesRoundTrip(kind: StoreKind) throws {
        let library = try Library(kind)
        let identifier = UUID()
        let context = library.context()
        try context.performAndWait {
            context.make(
                "Book",
                [
                    "title": "Über", "isbn": "978", "pages": 321, "price": NSDecimalNumber(string: "10.11"),
                    "published": Date(timeIntervalSinceReferenceDate: 1234.5), "rating": Float(4.5),
                    "cover": Data([1, 2, 3]), "identifier": identifier,
                    "link": URL(string: "https://example.org/a")!, "keywords": ["a", "b"] as NSArray,
                ])
            try context.save()
        }
        let other = library.context()
        try other.performAndWait {
            let book = try #require(try other.all("Book").first)
            #expect(book.value(forKey: "title") as? String == "Über")
            #expect(book.value(forKey: "pages") as? Int == 321)
            #expect(book.value(forKey: "copies") as? Int == 1)
            #expect(book.value(forKey: "price") as? NSDecimalNumber == NSDecimalNumber(string: "10.11"))
            #expect(book.value(forKey: "published") as? Date == Date(timeIntervalSinceReferenceDate: 1234.5))
            #expect(book.value(forKey: "rating") as? Float == 4.5)
            #expect(book.value(forKey: "cover") as? Data == Data([1, 2, 3]))
            #expect(book.value(forKey: "identifier") as? UUID == identifier)
            #expect(book.value(forKey: "link") as? URL == URL(string: "https://example.org/a"))
            #expect(book.value(forKey: "keywords") as? [String] == ["a", "b"])
            #expect(book.value(forKey: "note") == nil)
        }
    }

    @Test(
        "A temporary id becomes permanent with the save, and its URI leads back to the object",
        arguments: StoreKind.sampled())
    func permanentIDs(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        try context.performAndWait {
            let book = context.make("Book", ["title": "T"])
            #expect(book.objectID.isTemporaryID)
            try context.save()
            #expect(!book.objectID.isTemporaryID)
            let uri = book.objectID.uriRepresentation()
            #expect(uri.absoluteString.contains("/Book/p"))
            switch kind {
            case .xml: #expect(uri.absoluteString.hasSuffix("/p102"))
            // It names its records by UUIDs.
            case .atomic: break
            default: #expect(uri.absoluteString.hasSuffix("/p1"))
            }
            let id = try #require(library.coordinator.managedObjectID(forURIRepresentation: uri))
            #expect(id == book.objectID)
            #expect(context.object(with: id) === book)
        }
    }

    @Test(
        "Setting a to-one relationship fills the inverse to-many one, in memory and in the store",
        arguments: StoreKind.sampled())
    func toOneAndInverse(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "A"])
            let first = context.make("Book", ["title": "1", "author": author])
            let second = context.make("Novel", ["title": "2", "author": author])
            #expect((author.value(forKey: "books") as? NSSet)?.count == 2)
            second.setValue(nil, forKey: "author")
            #expect(author.value(forKey: "books") as? Set<NSManagedObject> == [first])
            second.setValue(author, forKey: "author")
            try context.save()
        }
        let other = library.context()
        try other.performAndWait {
            let author = try #require(try other.all("Author").first)
            let books = try #require(author.value(forKey: "books") as? Set<NSManagedObject>)
            #expect(Set(books.map { $0.value(forKey: "title") as? String }) == ["1", "2"])
            #expect(Set(books.map { $0.entity.name }) == ["Book", "Novel"])
            #expect(books.allSatisfy { $0.value(forKey: "author") as? NSManagedObject === author })
        }
    }

    @Test("A one-to-one relationship clears the reference of the former partner", arguments: StoreKind.sampled())
    func oneToOne(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        try context.performAndWait {
            let (a, b) = (context.make("Author", ["name": "a"]), context.make("Author", ["name": "b"]))
            let profile = context.make("Profile", ["author": a])
            #expect(a.value(forKey: "profile") as? NSManagedObject === profile)
            b.setValue(profile, forKey: "profile")
            #expect(a.value(forKey: "profile") == nil)
            #expect(profile.value(forKey: "author") as? NSManagedObject === b)
            try context.save()
        }
        let other = library.context()
        try other.performAndWait {
            let profile = try #require(try other.all("Profile").first)
            #expect((profile.value(forKey: "author") as? NSManagedObject)?.value(forKey: "name") as? String == "b")
            let a = try #require(try other.all("Author", "name == 'a'").first)
            #expect(a.value(forKey: "profile") == nil)
        }
    }

    @Test("A many-to-many relationship is kept from both sides", arguments: StoreKind.sampled())
    func manyToMany(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        try context.performAndWait {
            let tags = ["x", "y", "z"].map { context.make("Tag", ["name": $0]) }
            let book = context.make("Book", ["title": "B", "tags": NSSet(array: [tags[0], tags[1]])])
            tags[2].setValue(NSSet(array: [book]), forKey: "books")
            #expect((book.value(forKey: "tags") as? NSSet)?.count == 3)
            try context.save()
            book.setValue(NSSet(array: [tags[1]]), forKey: "tags")
            #expect((tags[0].value(forKey: "books") as? NSSet)?.count == 0)
            try context.save()
        }
        let other = library.context()
        try other.performAndWait {
            let book = try #require(try other.all("Book").first)
            let tags = try #require(book.value(forKey: "tags") as? Set<NSManagedObject>)
            #expect(tags.map { $0.value(forKey: "name") as? String } == ["y"])
        }
    }

    @Test("An ordered relationship keeps its order through insertions and moves", arguments: StoreKind.sampled())
    func ordered(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        func titles(_ shelf: NSManagedObject) -> [String] {
            ((shelf.value(forKey: "items") as? NSOrderedSet)?.array ?? []).compactMap {
                ($0 as? NSManagedObject)?.value(forKey: "title") as? String
            }
        }
        try context.performAndWait {
            let books = ["a", "b", "c"].map { context.make("Book", ["title": $0]) }
            let shelf = context.make("Shelf", ["name": "S", "items": NSOrderedSet(array: [books[2], books[0]])])
            #expect(titles(shelf) == ["c", "a"])
            try context.save()
            books[1].setValue(shelf, forKey: "shelf")
            #expect(titles(shelf) == ["c", "a", "b"])
            try context.save()
            shelf.setValue(NSOrderedSet(array: [books[1], books[2], books[0]]), forKey: "items")
            try context.save()
        }
        let other = library.context()
        try other.performAndWait {
            let shelf = try #require(try other.all("Shelf").first)
            #expect(titles(shelf) == ["b", "c", "a"])
        }
    }

    @Test("A to-many relationship without inverse is kept in the members' rows", arguments: StoreKind.sampled())
    func withoutInverse(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        try context.performAndWait {
            let tag = context.make("Tag", ["name": "t"])
            let shelf = context.make("Shelf", ["name": "S", "bookmarks": NSSet(array: [tag])])
            try context.save()
            #expect((shelf.value(forKey: "bookmarks") as? NSSet)?.count == 1)
        }
        let other = library.context()
        try other.performAndWait {
            let shelf = try #require(try other.all("Shelf").first)
            let bookmarks = try #require(shelf.value(forKey: "bookmarks") as? Set<NSManagedObject>)
            #expect(bookmarks.map { $0.value(forKey: "name") as? String } == ["t"])
        }
    }

    @Test("Unsaved changes count in a fetch: new, changed and deleted objects", arguments: StoreKind.sampled())
    func pendingChanges(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        try context.performAndWait {
            let kept = context.make("Book", ["title": "kept", "pages": 1])
            let changed = context.make("Book", ["title": "changed", "pages": 2])
            let deleted = context.make("Book", ["title": "deleted", "pages": 3])
            try context.save()
            changed.setValue(30, forKey: "pages")
            context.delete(deleted)
            let new = context.make("Novel", ["title": "new", "pages": 4])
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "pages < 10")
            request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)]
            #expect(try context.fetch(request) == [new, kept])
            #expect(try context.count(for: request) == 2)
            request.includesSubentities = false
            #expect(try context.fetch(request) == [kept])
            request.includesSubentities = true
            request.includesPendingChanges = false
            #expect(try context.count(for: request) == 3)
        }
    }

    @Test("Limit and offset count over the sorted result, unsaved objects included", arguments: StoreKind.sampled())
    func limitAndOffset(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        try context.performAndWait {
            for number in 0..<10 where number != 4 { context.make("Book", ["pages": number]) }
            try context.save()
            context.make("Book", ["pages": 4])
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
            request.fetchOffset = 3
            request.fetchLimit = 3
            #expect(try context.fetch(request).map { $0.value(forKey: "pages") as? Int } == [3, 4, 5])
        }
    }

    @Test("A fetch can return ids, counts and dictionaries", arguments: StoreKind.sampled())
    func resultTypes(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "A"])
            let book = context.make("Book", ["title": "T", "pages": 7, "author": author])
            try context.save()
            let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
            ids.resultType = .managedObjectIDResultType
            #expect(try context.fetch(ids) == [book.objectID])
            let counts = NSFetchRequest<NSNumber>(entityName: "Book")
            counts.resultType = .countResultType
            #expect(try context.fetch(counts) == [1])
            let rows = NSFetchRequest<NSDictionary>(entityName: "Book")
            rows.resultType = .dictionaryResultType
            rows.propertiesToFetch = ["title", "pages", "author.name"]
            let row = try #require(try context.fetch(rows).first)
            #expect(row["title"] as? String == "T")
            #expect(row["pages"] as? Int == 7)
            #expect(row["author.name"] as? String == "A")
        }
    }

    @Test("Objects in predicates stand for their rows", arguments: StoreKind.sampled())
    func objectsInPredicates(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        try context.performAndWait {
            let (a, b) = (context.make("Author", ["name": "a"]), context.make("Author", ["name": "b"]))
            let one = context.make("Book", ["title": "1", "author": a])
            let two = context.make("Book", ["title": "2", "author": b])
            try context.save()
            #expect(try context.all("Book", "author == %@", a) == [one])
            #expect(try context.all("Book", "author == %@", b.objectID) == [two])
            #expect(try Set(context.all("Book", "author IN %@", [a, b])) == [one, two])
            #expect(try context.all("Book", "author.name == 'b'") == [two])
            #expect(try context.all("Author", "ANY books.title == '1'") == [a])
            #expect(try context.all("Book", "SELF == %@", two) == [two])
        }
    }

    @Test("A deletion follows the delete rules", arguments: StoreKind.sampled())
    func deleteRules(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "A"])
            let tag = context.make("Tag", ["name": "t"])
            let book = context.make("Book", ["author": author, "tags": NSSet(array: [tag])])
            let profile = context.make("Profile", ["author": author])
            try context.save()
            context.delete(author)
            context.processPendingChanges()
            #expect(book.isDeleted)
            #expect(profile.value(forKey: "author") == nil)
            #expect((tag.value(forKey: "books") as? NSSet)?.count == 0)
            try context.save()
            #expect(book.managedObjectContext == nil)
            #expect(try context.all("Book").isEmpty)
            #expect(try context.all("Tag").count == 1)
        }
        let other = library.context()
        try other.performAndWait {
            #expect(try other.all("Author").isEmpty)
            let tag = try #require(try other.all("Tag").first)
            #expect((tag.value(forKey: "books") as? NSSet)?.count == 0)
        }
    }

    @Test(
        "A missing mandatory value stops the save with error 1570 that names it, and nothing is lost",
        arguments: StoreKind.sampled())
    func validation(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        try context.performAndWait {
            let author = context.make("Author")
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.code == NSValidationMissingMandatoryPropertyError)
            #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "name")
            #expect(context.insertedObjects == [author])
            author.setValue("now", forKey: "name")
            try context.save()
            #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Author")) == 1)
        }
    }

    @Test("Several failures come as error 1560 with all of them inside", arguments: StoreKind.sampled())
    func severalValidationErrors(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        context.performAndWait {
            context.make("Author")
            context.make("Author")
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.code == NSValidationMultipleErrorsError)
            #expect((error?.userInfo[NSDetailedErrorsKey] as? [NSError])?.count == 2)
        }
    }

    @Test(
        "A number that its attribute cannot hold stops the save with error 1610 or 1620", arguments: StoreKind.sampled()
    )
    func numbersOutOfRange(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        try context.performAndWait {
            let book = context.make("Book", ["copies": Int64(Int32.max) + 1])
            let tooLarge = #expect(throws: NSError.self) { try context.save() }
            #expect(tooLarge?.code == NSValidationNumberTooLargeError)
            book.setValue(Int64(Int32.min) - 1, forKey: "copies")
            let tooSmall = #expect(throws: NSError.self) { try context.save() }
            #expect(tooSmall?.code == NSValidationNumberTooSmallError)
            book.setValue(Int32.max, forKey: "copies")
            try context.save()
        }
    }

    @Test(
        "A transformable value that nothing can archive stops the save with entity and attribute in the error",
        arguments: StoreKind.sampled())
    func unarchivableValue(kind: StoreKind) throws {
        final class Opaque {}
        let library = try Library(kind)
        let context = library.context()
        context.performAndWait {
            context.make("Book", ["keywords": Opaque()])
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.localizedDescription.contains("keywords") == true)
            #expect(error?.localizedDescription.contains("Book") == true)
            #expect(context.insertedObjects.count == 1)
        }
    }

    @Test("rollback takes back every unsaved change", arguments: StoreKind.sampled())
    func rollback(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "A"])
            let book = context.make("Book", ["title": "T", "author": author])
            try context.save()
            book.setValue("changed", forKey: "title")
            let new = context.make("Book", ["author": author])
            context.delete(author)
            context.rollback()
            #expect(!context.hasChanges)
            #expect(book.value(forKey: "title") as? String == "T")
            #expect(book.value(forKey: "author") as? NSManagedObject === author)
            #expect(author.value(forKey: "books") as? Set<NSManagedObject> == [book])
            #expect(new.managedObjectContext == nil)
        }
    }

    @Test("existingObject throws 133000 for a row that is not there", arguments: StoreKind.sampled())
    func missingObject(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        try context.performAndWait {
            let book = context.make("Book")
            try context.save()
            let id = book.objectID
            context.delete(book)
            try context.save()
            let error = #expect(throws: NSError.self) { try context.existingObject(with: id) }
            #expect(error?.code == NSManagedObjectReferentialIntegrityError)
        }
    }

    @Test(
        "A row changed by another context since it was read stops the save with error 133020; nothing is written",
        arguments: StoreKind.sampled())
    func optimisticLocking(kind: StoreKind) throws {
        let library = try Library(kind)
        let (first, second) = (library.context(), library.context())
        try first.performAndWait {
            first.make("Book", ["title": "T"])
            try first.save()
        }
        let seen = try second.performAndWait {
            let book = try #require(try second.all("Book").first)
            #expect(book.value(forKey: "title") as? String == "T")
            return Held(book)
        }
        let id = second.performAndWait { seen.value.objectID }
        try first.performAndWait {
            first.object(with: id).setValue("first", forKey: "title")
            try first.save()
        }
        try second.performAndWait {
            let book = seen.value
            book.setValue("second", forKey: "title")
            let error = #expect(throws: NSError.self) { try second.save() }
            #expect(error?.code == NSManagedObjectMergeError)
            second.refresh(book, mergeChanges: false)
            #expect(book.value(forKey: "title") as? String == "first")
            book.setValue("second", forKey: "title")
            try second.save()
        }
    }

    @Test("The notifications have the inserted, updated and deleted objects", arguments: StoreKind.sampled())
    func notifications(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        let log = NotificationLog(of: context)
        try context.performAndWait {
            let book = context.make("Book", ["title": "T"])
            context.processPendingChanges()
            try context.save()
            book.setValue("U", forKey: "title")
            try context.save()
            context.delete(book)
            try context.save()
        }
        #expect(
            log.entries == [
                "didChange inserted 1", "willSave", "didSave inserted 1",
                "didChange updated 1", "willSave", "didSave updated 1",
                "didChange deleted 1", "willSave", "didSave deleted 1",
            ])
    }
}

/// Writes down the notifications of a context as short texts.
final class NotificationLog: @unchecked Sendable {  // written on the context's queue, read afterwards
    private(set) var entries: [String] = []
    private var tokens: [any NSObjectProtocol] = []

    init(of context: NSManagedObjectContext) {
        let names: [(Notification.Name, String)] = [
            (.NSManagedObjectContextWillSave, "willSave"), (.NSManagedObjectContextDidSave, "didSave"),
            (.NSManagedObjectContextObjectsDidChange, "didChange"),
        ]
        for (name, text) in names {
            tokens.append(
                NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { [weak self] note in
                    let counts = [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey].compactMap { key in
                        (note.userInfo?[key] as? Set<NSManagedObject>).map { " \(key) \($0.count)" }
                    }
                    self?.entries.append(text + counts.joined())
                })
        }
    }

    deinit { tokens.forEach(NotificationCenter.default.removeObserver) }
}
