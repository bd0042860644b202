import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Changes and faults", .leavesNothingBehind)
struct ChangesAndFaultsTests {
    @Test(
        "changedValues has the differences, committedValues the values that were read", arguments: StoreKind.sampled())
    func changedAndCommitted(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "A"])
            let book = context.make("Book", ["title": "old", "pages": 1, "author": author])
            try context.save()
            #expect(book.changedValues().isEmpty)
            book.setValue("new", forKey: "title")
            book.setValue(nil, forKey: "author")
            #expect(book.changedValues()["title"] as? String == "new")
            #expect(book.changedValues()["author"] is NSNull)
            #expect(book.changedValues()["pages"] == nil)
            let committed = book.committedValues(forKeys: ["title", "pages", "author"])
            #expect(committed["title"] as? String == "old")
            #expect(committed["pages"] as? Int == 1)
            #expect(committed["author"] as? NSManagedObject === author)
            #expect(book.hasChanges && book.isUpdated && book.hasPersistentChangedValues)
            #expect(author.changedValues().keys.sorted() == ["books"])
            book.setValue("old", forKey: "title")
            book.setValue(author, forKey: "author")
            #expect(!book.hasPersistentChangedValues)
        }
    }

    @Test("A fetched object is a fault until it is read, and awakes then once", arguments: StoreKind.sampled())
    func faultUntilRead(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "A"])
            context.make("Book", ["title": "T", "author": author])
            try context.save()
        }
        let other = library.context()
        try other.performAndWait {
            let book = try #require(try other.all("Book").first)
            #expect(book.isFault)
            #expect(book.hasFault(forRelationshipNamed: "author"))
            #expect(book.value(forKey: "title") as? String == "T")
            #expect(!book.isFault)
            let author = try #require(book.value(forKey: "author") as? NSManagedObject)
            #expect(author.isFault)
            #expect(author.hasFault(forRelationshipNamed: "books"))
            #expect(author.objectIDs(forRelationshipNamed: "books") == [book.objectID])
            #expect(!author.hasFault(forRelationshipNamed: "books"))
            let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
            request.returnsObjectsAsFaults = false
            #expect(try other.fetch(request).allSatisfy { !$0.isFault })
        }
    }

    @Test("One row is one object in a context, however it is reached", arguments: StoreKind.sampled())
    func uniquing(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "A"])
            context.make("Book", ["author": author])
            try context.save()
        }
        let other = library.context()
        try other.performAndWait {
            let author = try #require(try other.all("Author").first)
            let book = try #require(try other.all("Book").first)
            #expect(book.value(forKey: "author") as? NSManagedObject === author)
            #expect(try other.existingObject(with: author.objectID) === author)
            #expect(other.object(with: author.objectID) === author)
            #expect(other.registeredObject(for: author.objectID) === author)
            #expect(try other.all("Author", "ANY books == %@", book).first === author)
        }
    }

    @Test(
        "refresh reads the row anew: without merging the changes are gone, with merging they stay on top",
        arguments: StoreKind.sampled())
    func refresh(kind: StoreKind) throws {
        let library = try Library(kind)
        let (context, other) = (library.context(), library.context())
        try context.performAndWait {
            context.make("Book", ["title": "one", "pages": 1])
            try context.save()
        }
        let book = try other.performAndWait {
            let book = try #require(try other.all("Book").first)
            #expect(book.value(forKey: "title") as? String == "one")
            return Held(book)
        }
        func saveElsewhere(_ title: String) throws {
            try context.performAndWait {
                try #require(try context.all("Book").first).setValue(title, forKey: "title")
                try context.save()
            }
        }
        try saveElsewhere("two")
        try other.performAndWait {
            let book = book.value
            #expect(book.value(forKey: "title") as? String == "one")
            book.setValue(9, forKey: "pages")
            other.refresh(book, mergeChanges: true)
            #expect(book.value(forKey: "title") as? String == "two")
            #expect(book.value(forKey: "pages") as? Int == 9)
            try other.save()
        }
        context.performAndWait { context.refreshAllObjects() }
        try saveElsewhere("three")
        other.performAndWait {
            let book = book.value
            book.setValue("mine", forKey: "title")
            other.refresh(book, mergeChanges: false)
            #expect(!book.hasChanges)
            #expect(book.value(forKey: "title") as? String == "three")
        }
    }

    @Test("reset cuts every object loose", arguments: StoreKind.sampled())
    func reset(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        try context.performAndWait {
            let book = context.make("Book", ["title": "T"])
            try context.save()
            context.make("Book")
            context.reset()
            #expect(!context.hasChanges)
            #expect(context.registeredObjects.isEmpty)
            #expect(book.managedObjectContext == nil)
            #expect(try context.all("Book").count == 1)
        }
    }

    @Test("Permanent ids can be had before the save, and stay", arguments: StoreKind.sampled())
    func obtainedIDs(kind: StoreKind) throws {
        let library = try Library(kind)
        let context = library.context()
        let child = library.child(of: context)
        let book = try child.performAndWait {
            let author = child.make("Author", ["name": "A"])
            let book = child.make("Book", ["author": author])
            try child.obtainPermanentIDs(for: [book, author])
            #expect(!book.objectID.isTemporaryID && book.isInserted)
            #expect(book.value(forKey: "author") as? NSManagedObject === author)
            #expect(author.value(forKey: "books") as? Set<NSManagedObject> == [book])
            try child.save()
            return Held(book)
        }
        try context.performAndWait { try context.save() }
        let id = child.performAndWait { book.value.objectID }
        let beside = library.context()
        try beside.performAndWait {
            let saved = try beside.existingObject(with: id)
            #expect((saved.value(forKey: "author") as? NSManagedObject)?.value(forKey: "name") as? String == "A")
        }
    }

    @Test("A new object that is refreshed without its changes is a fault, and has the default values then")
    func refreshedNewObject() throws {
        let context = try Library(.inMemory).context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "A"])
            let book = context.make("Book", ["title": "T", "copies": 5, "author": author])
            context.refresh(book, mergeChanges: true)
            #expect(!book.isFault && book.text("title") == "T")
            for _ in 0..<2 {
                context.refresh(book, mergeChanges: false)
                #expect(book.isFault && book.isInserted)
                book.willAccessValue(forKey: nil)
                #expect(!book.isFault)
            }
            #expect(book.text("title") == nil && book.number("copies") == 1)
            #expect(book.one("author") == nil && author.many("books").isEmpty)
            book.setValue("again", forKey: "title")
            try context.save()
            #expect(try context.all("Book").map { $0.text("title") } == ["again"])
        }
    }

    @Test("An object that lost its context is a fault until it is used")
    func faultWithoutContext() throws {
        let context = try Library(.inMemory).context()
        try context.performAndWait {
            let book = context.make("Book", ["title": "T"])
            try context.save()
            context.reset()
            #expect(book.isFault && book.managedObjectContext == nil)
            book.willAccessValue(forKey: nil)
            #expect(!book.isFault && book.text("title") == nil)
        }
    }
}
