import CoreData
import Testing
import TestSupport

@testable import CoreDataTestSupport

@Suite("Parent and child contexts", .leavesNothingBehind)
struct NestedContextTests {
    @Test("A child's save is an unsaved change of its parent until the parent saves", arguments: StoreKind.sampled())
    func childSavesIntoParent(kind: StoreKind) throws {
        let library = try Library(kind)
        let root = library.context()
        let child = library.child(of: root)
        try child.performAndWait {
            let author = child.make("Author", ["name": "A"])
            child.make("Book", ["title": "T", "author": author])
            try child.save()
            #expect(!child.hasChanges)
        }
        try root.performAndWait {
            #expect(root.insertedObjects.count == 2)
            let book = try #require(try root.all("Book").first)
            #expect((book.value(forKey: "author") as? NSManagedObject)?.value(forKey: "name") as? String == "A")
        }
        let beside = library.context()
        let unseen = try beside.performAndWait { try beside.all("Book").isEmpty }
        #expect(unseen)
        try root.performAndWait { try root.save() }
        try beside.performAndWait {
            let book = try #require(try beside.all("Book").first)
            #expect((book.value(forKey: "author") as? NSManagedObject)?.value(forKey: "name") as? String == "A")
        }
    }

    @Test("A child sees its parent's unsaved changes", arguments: StoreKind.sampled())
    func childReadsParentChanges(kind: StoreKind) throws {
        let library = try Library(kind)
        let root = library.context()
        let child = library.child(of: root)
        try root.performAndWait {
            let author = root.make("Author", ["name": "old"])
            root.make("Book", ["title": "1", "author": author])
            try root.save()
            author.setValue("new", forKey: "name")
            root.make("Book", ["title": "2", "author": author])
        }
        try child.performAndWait {
            let author = try #require(try child.all("Author", "name == 'new'").first)
            let books = try #require(author.value(forKey: "books") as? Set<NSManagedObject>)
            #expect(Set(books.map { $0.value(forKey: "title") as? String }) == ["1", "2"])
            #expect(try child.all("Author", "name == 'old'").isEmpty)
        }
    }

    @Test(
        "An object that was saved into its parent obtains the permanent id it has there, and stays the same row",
        .onEveryKindOfStore,
        arguments: [false, true], [1, 2])
    func permanentIDsFromAbove(isRootSaved: Bool, levels: Int) throws {
        let library = try Library()
        let root = library.context()
        var chain = [root]
        for level in 0..<levels { chain.append(library.child(of: chain[level])) }
        let child = chain[levels]
        let held = try child.performAndWait {
            let book = child.make("Book", ["title": "T", "author": child.make("Author", ["name": "A"])])
            try child.save()
            return Held(book)
        }
        for context in chain[1..<levels] { try context.performAndWait { try context.save() } }
        if isRootSaved { try root.performAndWait { try root.save() } }
        let id = try child.performAndWait {
            try child.obtainPermanentIDs(for: [held.value])
            return held.value.objectID
        }
        #expect(!id.isTemporaryID)
        if !isRootSaved { try root.performAndWait { try root.save() } }
        let ids = try root.performAndWait { try root.all("Book").map(\.objectID) }
        #expect(ids == [id])
        child.performAndWait {
            let book = held.value
            child.refresh(book, mergeChanges: false)
            #expect(book.value(forKey: "title") as? String == "T")
            #expect((book.value(forKey: "author") as? NSManagedObject)?.value(forKey: "name") as? String == "A")
            child.delete(book)
        }
        for context in chain.reversed() { try context.performAndWait { try context.save() } }
        let beside = library.context()
        let isGone = try beside.performAndWait { try beside.all("Book").isEmpty }
        #expect(isGone)
    }

    @Test(
        "New objects get their permanent ids in every context of the chain when the root saves",
        arguments: StoreKind.sampled())
    func permanentIDsComeDown(kind: StoreKind) throws {
        let library = try Library(kind)
        let root = library.context()
        let middle = library.child(of: root)
        let child = library.child(of: middle)
        let pair = try child.performAndWait {
            let author = child.make("Author", ["name": "A"])
            let book = child.make("Book", ["title": "T", "author": author])
            try child.save()
            return Held((author, book))
        }
        try middle.performAndWait { try middle.save() }
        try root.performAndWait { try root.save() }
        try child.performAndWait {
            child.processPendingChanges()
            let (author, book) = pair.value
            #expect(!author.objectID.isTemporaryID)
            #expect(book.value(forKey: "author") as? NSManagedObject === author)
            #expect(author.value(forKey: "books") as? Set<NSManagedObject> == [book])
            book.setValue("U", forKey: "title")
            try child.save()
        }
        try middle.performAndWait { try middle.save() }
        try root.performAndWait { try root.save() }
        let beside = library.context()
        let titles = try beside.performAndWait { try beside.all("Book").map { $0.value(forKey: "title") as? String } }
        #expect(titles == ["U"])
    }

    @Test("A child's deletion reaches the store through the chain", arguments: StoreKind.sampled())
    func deletionThroughChain(kind: StoreKind) throws {
        let library = try Library(kind)
        let root = library.context()
        let child = library.child(of: root)
        try root.performAndWait {
            let author = root.make("Author", ["name": "A"])
            root.make("Book", ["author": author])
            try root.save()
        }
        try child.performAndWait {
            child.delete(try #require(try child.all("Author").first))
            try child.save()
        }
        try root.performAndWait {
            #expect(root.deletedObjects.count == 2)
            try root.save()
            #expect(try root.all("Book").isEmpty)
        }
    }

    @Test(
        "A child's change of an object that its parent deleted in between is error 133020, and nothing is pushed",
        arguments: StoreKind.sampled())
    func conflictWithDeletion(kind: StoreKind) throws {
        let library = try Library(kind)
        let root = library.context()
        let child = library.child(of: root)
        try root.performAndWait {
            root.make("Tag", ["name": "a"])
            try root.save()
        }
        let tag = try child.performAndWait {
            let tag = try #require(try child.all("Tag").first)
            tag.setValue("b", forKey: "name")
            child.make("Tag", ["name": "new"])
            return Held(tag)
        }
        for isSaved in [false, true] {
            try root.performAndWait {
                for object in try root.all("Tag") { root.delete(object) }
                if isSaved { try root.save() }
            }
            child.performAndWait {
                let error = #expect(throws: NSError.self) { try child.save() }
                #expect(error?.code == NSManagedObjectMergeError)
                #expect(error?.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObjectID] == [tag.value.objectID])
                #expect(child.hasChanges)
            }
            let inserted = root.performAndWait { root.insertedObjects.count }
            #expect(inserted == 0)
        }
    }

    @Test(
        "Relationships changed in a child arrive in the parent: to-many, many-to-many, ordered",
        arguments: StoreKind.sampled())
    func relationshipsThroughChain(kind: StoreKind) throws {
        let library = try Library(kind)
        let root = library.context()
        let child = library.child(of: root)
        try root.performAndWait {
            root.make("Shelf", ["name": "S"])
            for title in ["a", "b", "c"] { root.make("Book", ["title": title]) }
            root.make("Tag", ["name": "t"])
            try root.save()
        }
        try child.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
            let books = try child.fetch(request)
            let shelf = try #require(try child.all("Shelf").first)
            shelf.setValue(NSOrderedSet(array: books), forKey: "items")
            let tag = try #require(try child.all("Tag").first)
            tag.setValue(NSSet(array: Array(books.prefix(2))), forKey: "books")
            try child.save()
        }
        try root.performAndWait { try root.save() }
        let beside = library.context()
        try beside.performAndWait {
            let shelf = try #require(try beside.all("Shelf").first)
            let items = try #require(shelf.value(forKey: "items") as? NSOrderedSet)
            #expect(items.array.map { ($0 as? NSManagedObject)?.value(forKey: "title") as? String } == ["c", "b", "a"])
            let tag = try #require(try beside.all("Tag").first)
            let tagged = try #require(tag.value(forKey: "books") as? Set<NSManagedObject>)
            #expect(Set(tagged.map { $0.value(forKey: "title") as? String }) == ["c", "b"])
        }
    }

    @Test(
        "An object with unsaved changes at every level is one object after the root gave it its permanent id",
        .onEveryKindOfStore)
    func permanentIDOfChangedObjects() throws {
        let library = try Library()
        let root = library.context()
        let middle = library.child(of: root)
        let child = library.child(of: middle)
        try child.performAndWait {
            child.make("Book", ["isbn": "1"])
            try child.save()
        }
        try middle.performAndWait { try middle.save() }
        try child.performAndWait {
            try child.all("Book").first?.setValue("changed", forKey: "title")
            try child.save()
        }
        try root.performAndWait { try root.save() }
        try child.performAndWait {
            let book = try #require(try child.all("Book").first)
            book.setValue(7, forKey: "pages")
            #expect(try child.all("Book") == [book])
        }
        let areTemporary = try middle.performAndWait { try middle.all("Book").map(\.objectID.isTemporaryID) }
        #expect(areTemporary == [false])
    }

    @Test(
        "A member that leaves an ordered relationship and comes back stands at its end, in the parent too",
        .onEveryKindOfStore)
    func memberComesBack() throws {
        let library = try Library()
        let parent = library.context()
        let child = library.child(of: parent)
        func titles(_ context: NSManagedObjectContext) throws -> [String?] {
            let items = try context.all("Shelf").first?.value(forKey: "items") as? NSOrderedSet
            return (items?.array as? [NSManagedObject] ?? []).map { $0.value(forKey: "title") as? String }
        }
        try parent.performAndWait {
            let books = ["1", "2"].map { parent.make("Book", ["title": $0]) }
            parent.make("Shelf", ["items": NSOrderedSet(array: books)])
            try parent.save()
        }
        try child.performAndWait {
            let shelf = try #require(try child.all("Shelf").first)
            let first = try #require(try child.all("Book", "title == '1'").first)
            first.setValue(nil, forKey: "shelf")
            try child.save()
            first.setValue(shelf, forKey: "shelf")
            #expect(try titles(child) == ["2", "1"])
            try child.save()
        }
        let inParent = try parent.performAndWait { try titles(parent) }
        #expect(inParent == ["2", "1"])
    }

    @Test("A value that a child set and set back does not undo its parent's later write", .onEveryKindOfStore)
    func valueSetBack() throws {
        let library = try Library()
        let parent = library.context()
        let child = library.child(of: parent)
        parent.performAndWait { _ = parent.make("Book", ["isbn": "1"]) }
        try child.performAndWait {
            let book = try #require(try child.all("Book").first)
            book.setValue("child", forKey: "title")
            book.setValue(nil, forKey: "title")
            book.setValue(7, forKey: "pages")
        }
        try parent.performAndWait { try #require(try parent.all("Book").first).setValue("parent", forKey: "title") }
        try child.performAndWait {
            child.refreshAllObjects()
            #expect(try child.all("Book").first?.value(forKey: "title") as? String == "parent")
            try child.save()
        }
        try parent.performAndWait {
            let book = try #require(try parent.all("Book").first)
            #expect(book.value(forKey: "title") as? String == "parent")
            #expect(book.value(forKey: "pages") as? Int == 7)
        }
    }

    @Test(
        "A change that follows a dropped one is listed again, with or without a save of other objects between",
        .onEveryKindOfStore)
    func changeAfterDroppedChange() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            let book = context.make("Book", ["title": "A"])
            try context.save()
            book.setValue("dropped", forKey: "title")
            context.refresh(book, mergeChanges: false)
            context.make("Tag", ["name": "T"])
            try context.save()
            book.setValue("B", forKey: "title")
            #expect(context.updatedObjects == [book])
            context.checkInvariants()
            try context.save()
        }
        let beside = library.context()
        let titles = try beside.performAndWait { try beside.all("Book").map { $0.value(forKey: "title") as? String } }
        #expect(titles == ["B"])
    }

    @Test(
        "An object that a deleted one had lost in the child stays in the parent, though the delete rule is cascade",
        .onEveryKindOfStore)
    func deletionAfterClearingReferences() throws {
        let library = try Library()
        let parent = library.context()
        let child = library.child(of: parent)
        parent.performAndWait {
            let author = parent.make("Author", ["name": "A"])
            parent.make("Book", ["title": "T", "author": author])
        }
        try child.performAndWait {
            let author = try #require(try child.all("Author").first)
            try #require(try child.all("Book").first).setValue(nil, forKey: "author")
            child.delete(author)
            try child.save()
        }
        try parent.performAndWait {
            let authors = try parent.all("Author")
            let titles = try parent.all("Book").map { $0.value(forKey: "title") as? String }
            #expect(authors.isEmpty)
            #expect(titles == ["T"])
        }
    }
}
