import CoreData
import Testing
import TestSupport

@testable import CoreDataTestSupport

@Suite("Undo in a context", .leavesNothingBehind, .onEveryKindOfStore)
struct ContextUndoTests {
    /// Runs the body on a context with an undo manager that has explicit groups.
    private func withContext(_ body: (NSManagedObjectContext, UndoManager) throws -> Void) throws {
        let library = try Library()
        let context = library.context()
        let manager = UndoManager()
        manager.groupsByEvent = false
        try context.performAndWait {
            context.undoManager = manager
            try body(context, manager)
            context.checkInvariants()
        }
    }

    /// One event: the changes of the body are processed and can be undone by themselves.
    @discardableResult
    private func event<Result>(_ context: NSManagedObjectContext, _ body: () throws -> Result) rethrows -> Result {
        context.undoManager?.beginUndoGrouping()
        defer { context.undoManager?.endUndoGrouping() }
        return try body()
    }

    @Test("A context has no undo manager at first, and undo does nothing")
    func noManager() throws {
        let library = try Library()
        let context = library.context()
        context.performAndWait {
            #expect(context.undoManager == nil)
            context.make("Tag", ["name": "a"])
            context.undo()
            context.redo()
            #expect(context.insertedObjects.count == 1)
        }
    }

    @Test("Undo of changes recorded before an object got its permanent id leads to it afterwards")
    func permanentIDs() throws {
        try withContext { context, _ in
            let tag = event(context) { context.make("Tag", ["name": "t"]) }
            let book = event(context) { context.make("Book", ["title": "b"]) }
            event(context) { book.setValue(NSSet(object: tag), forKey: "tags") }
            context.undo()
            try context.obtainPermanentIDs(for: [tag, book])
            context.redo()
            #expect(book.texts("tags", "name") == ["t"])
            #expect(tag.texts("books", "title") == ["b"])
            try context.save()
            context.refreshAllObjects()
            #expect(book.texts("tags", "name") == ["t"])
        }
    }

    @Test("A value goes back and forth, and an object that is as it was has no changes")
    func values() throws {
        try withContext { context, manager in
            let book = event(context) { context.make("Book", ["title": "old", "pages": 1]) }
            try context.save()
            manager.removeAllActions()
            event(context) { book.setValue("new", forKey: "title") }
            event(context) {
                book.setValue("newer", forKey: "title")
                book.setValue(["a"] as NSArray, forKey: "keywords")
            }
            context.undo()
            #expect(book.value(forKey: "title") as? String == "new")
            #expect(book.value(forKey: "keywords") == nil)
            context.undo()
            #expect(book.value(forKey: "title") as? String == "old")
            #expect(!context.hasChanges)
            #expect(!book.hasChanges)
            context.redo()
            context.redo()
            #expect(book.value(forKey: "title") as? String == "newer")
            #expect(book.value(forKey: "keywords") as? [String] == ["a"])
            #expect(context.updatedObjects == [book])
        }
    }

    @Test("An insertion is taken back and made again as the same object")
    func insertion() throws {
        try withContext { context, manager in
            let made = event(context) { context.make("Book", ["title": "t"]) }
            let id = made.objectID
            context.undo()
            #expect(context.insertedObjects.isEmpty)
            #expect(!context.hasChanges)
            #expect(try context.all("Book").isEmpty)
            context.redo()
            #expect(context.insertedObjects == [made])
            #expect(made.value(forKey: "title") as? String == "t")
            #expect(made.objectID == id)
            context.undo()
            try context.save()
            #expect(try context.all("Book").isEmpty)
            context.redo()
            #expect(made.managedObjectContext === context)
            try context.save()
            #expect(try context.all("Book") == [made])
        }
    }

    @Test("A deletion is taken back with everything its rules did")
    func deletion() throws {
        try withContext { context, manager in
            let (author, books, shelf, tag) = event(context) {
                let author = context.make("Author", ["name": "A"])
                let books = ["1", "2"].map { context.make("Book", ["title": $0, "author": author]) }
                let shelf = context.make("Shelf", ["name": "S", "items": NSOrderedSet(array: books)])
                return (author, books, shelf, context.make("Tag", ["name": "T", "books": Set(books)]))
            }
            try context.save()
            manager.removeAllActions()
            event(context) { context.delete(author) }
            #expect(context.deletedObjects.count == 3)
            #expect((shelf.value(forKey: "items") as? NSOrderedSet)?.count == 0)
            context.undo()
            #expect(!context.hasChanges)
            #expect(author.value(forKey: "books") as? Set<NSManagedObject> == Set(books))
            #expect((shelf.value(forKey: "items") as? NSOrderedSet)?.array as? [NSManagedObject] == books)
            #expect(tag.value(forKey: "books") as? Set<NSManagedObject> == Set(books))
            context.redo()
            #expect(context.deletedObjects.count == 3)
            #expect((tag.value(forKey: "books") as? Set<NSManagedObject>)?.isEmpty == true)
        }
    }

    @Test("The record outlasts a save: a saved deletion comes back under its id, a saved insertion is deleted")
    func afterSave() throws {
        try withContext { context, manager in
            let made = event(context) {
                let author = context.make("Author", ["name": "A"])
                let books = ["1", "2"].map { context.make("Book", ["title": $0, "author": author]) }
                context.make("Tag", ["name": "T", "books": Set(books)])
                return [author] + books
            }
            try context.save()
            let ids = made.map(\.objectID)
            event(context) { context.delete(made[0]) }
            try context.save()
            #expect(try context.all("Book").isEmpty)
            context.undo()
            #expect(context.insertedObjects == Set(made))
            #expect(made.map(\.objectID) == ids)
            #expect(made[0].value(forKey: "books") as? Set<NSManagedObject> == Set(made.dropFirst()))
            try context.save()
            context.reset()
            let author = try #require(try context.all("Author").first)
            #expect(author.objectID == ids[0])
            let books = try #require(author.value(forKey: "books") as? Set<NSManagedObject>)
            #expect(Set(books.map(\.objectID)) == Set(ids.dropFirst()))
            let tag = try #require(try context.all("Tag").first)
            #expect((tag.value(forKey: "books") as? Set<NSManagedObject>) == books)
        }
    }

    @Test("A saved insertion is deleted by undo and inserted by redo")
    func savedInsertion() throws {
        try withContext { context, manager in
            let made = event(context) { context.make("Book", ["title": "t"]) }
            try context.save()
            context.undo()
            #expect(context.deletedObjects == [made])
            try context.save()
            #expect(try context.all("Book").isEmpty)
            context.redo()
            try context.save()
            #expect(try context.all("Book") == [made])
        }
    }

    @Test("The order of an ordered relationship goes back, saved or not")
    func order() throws {
        try withContext { context, manager in
            let books = event(context) { (0..<4).map { context.make("Book", ["title": "\($0)"]) } }
            let shelf = event(context) { context.make("Shelf", ["name": "S", "items": NSOrderedSet(array: books)]) }
            try context.save()
            manager.removeAllActions()
            func items() -> [NSManagedObject]? {
                (shelf.value(forKey: "items") as? NSOrderedSet)?.array as? [NSManagedObject]
            }
            event(context) { shelf.setValue(NSOrderedSet(array: books.reversed()), forKey: "items") }
            event(context) { shelf.setValue(NSOrderedSet(array: [books[2], books[0]]), forKey: "items") }
            context.undo()
            #expect(items() == books.reversed())
            context.undo()
            #expect(items() == books)
            context.redo()
            try context.save()
            #expect(items() == books.reversed())
            context.undo()
            try context.save()
            context.refreshAllObjects()
            #expect(items() == books)
        }
    }

    @Test("Changes made while registration is disabled stay")
    func disabled() throws {
        try withContext { context, manager in
            let book = event(context) { context.make("Book", ["title": "a", "note": "a"]) }
            try context.save()
            manager.removeAllActions()
            event(context) { book.setValue("b", forKey: "title") }
            context.processPendingChanges()
            manager.disableUndoRegistration()
            book.setValue("b", forKey: "note")
            context.processPendingChanges()
            manager.enableUndoRegistration()
            context.undo()
            #expect(book.value(forKey: "title") as? String == "a")
            #expect(book.value(forKey: "note") as? String == "b")
            #expect(!manager.canUndo)
        }
    }

    @Test("Groups by event: a block on the context's queue is one; undo closes the running one")
    func events() throws {
        let library = try Library()
        let context = library.context()
        context.performAndWait { context.undoManager = UndoManager() }
        let tag = context.performAndWait { context.make("Tag", ["name": "a"]).objectID }
        context.performAndWait { context.object(with: tag).setValue("b", forKey: "name") }
        context.performAndWait {
            #expect(context.undoManager?.groupingLevel == 0)
            context.object(with: tag).setValue("c", forKey: "name")
            context.undo()
            #expect(context.object(with: tag).value(forKey: "name") as? String == "b")
            context.undo()
            #expect(context.object(with: tag).value(forKey: "name") as? String == "a")
            context.undo()
            #expect(!context.hasChanges)
        }
    }

    @Test("Rollback and reset drop the record")
    func dropping() throws {
        try withContext { context, manager in
            let book = event(context) { context.make("Book", ["title": "a"]) }
            try context.save()
            event(context) { book.setValue("b", forKey: "title") }
            context.rollback()
            #expect(!manager.canUndo)
            context.undo()
            #expect(book.value(forKey: "title") as? String == "a")
            event(context) { book.setValue("b", forKey: "title") }
            context.reset()
            #expect(!manager.canUndo)
        }
    }

    @Test("Objects hear of the changes that undo puts back, and observers of the context too")
    func awake() throws {
        final class Log: @unchecked Sendable { var entries: [String] = [] }  // used on the context's queue alone
        try withContext { context, manager in
            let kept = event(context) { context.make("Tag", ["name": "kept"]) }
            let lost = event(context) { context.make("Tag", ["name": "lost"]) }
            try context.save()
            manager.removeAllActions()
            event(context) {
                kept.setValue("other", forKey: "name")
                context.delete(lost)
                context.make("Tag", ["name": "new"])
            }
            let log = Log()
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
            ) { notification in
                for key in [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey] {
                    let objects = notification.userInfo?[key] as? Set<NSManagedObject> ?? []
                    log.entries += objects.map { "\(key) \($0.value(forKey: "name") ?? "")" }
                }
            }
            defer { NotificationCenter.default.removeObserver(token) }
            context.undo()
            #expect(Set(log.entries) == ["inserted lost", "updated kept", "deleted new"])
        }
    }

    @Test("A value of an object that was related to while it was a fault comes back by undo")
    func relatedFault() throws {
        let library = try Library()
        let context = library.context()
        let id = try context.performAndWait {
            let author = context.make("Author", ["name": "old"])
            try context.save()
            context.reset()
            context.undoManager = UndoManager()
            return author.objectID
        }
        let author = context.performAndWait { Held(context.object(with: id)) }
        context.performAndWait { _ = context.make("Book", ["title": "b", "author": author.value]) }
        context.performAndWait { author.value.setValue("new", forKey: "name") }
        context.performAndWait {
            context.undo()
            #expect(author.value.text("name") == "old")
            #expect(author.value.texts("books", "title") == ["b"])
            context.undo()
            #expect(author.value.texts("books", "title") == [])
            context.redo()
            context.redo()
            #expect(author.value.text("name") == "new")
        }
    }

    @Test("A relationship without inverse keeps a member that comes back, undone, saved and set again")
    func withoutInverse() throws {
        let library = try Library()
        let context = library.context()
        let held = try context.performAndWait {
            let shelf = context.make("Shelf", ["name": "s"])
            let tags = ["a", "b", "c", "d"].map { context.make("Tag", ["name": $0]) }
            shelf.setValue(Set(tags[0...1]), forKey: "bookmarks")
            try context.save()
            context.undoManager = UndoManager()
            return Held((shelf, tags))
        }
        let (shelf, tags) = held.value
        // Saved between the events, so that undo finds another state than the one it noted.
        for set in [Set(tags[1...2]), Set([tags[3], tags[0]])] {
            try context.performAndWait {
                shelf.setValue(set, forKey: "bookmarks")
                context.processPendingChanges()
                try context.save()
            }
        }
        context.performAndWait {
            context.undo()
            #expect(shelf.texts("bookmarks", "name") == ["b", "c"])
            context.undo()
            #expect(shelf.texts("bookmarks", "name") == ["a", "b"])
            shelf.setValue(Set<NSManagedObject>(), forKey: "bookmarks")
            shelf.setValue(Set(tags), forKey: "bookmarks")
            #expect(shelf.texts("bookmarks", "name") == ["a", "b", "c", "d"])
        }
        let new = context.performAndWait {
            let new = context.make("Tag", ["name": "new"])
            shelf.setValue(Set([new]), forKey: "bookmarks")
            return Held(new)
        }
        context.performAndWait { context.delete(new.value) }
        try context.performAndWait {
            try context.save()
            context.undo()
            #expect(shelf.texts("bookmarks", "name") == ["new"])
            try context.save()
            #expect(shelf.texts("bookmarks", "name") == ["new"])
            context.refreshAllObjects()
            #expect(shelf.texts("bookmarks", "name") == ["new"])
        }
    }

    @Test("A value that a save adds to an object, and a refresh drops, is no change to undo")
    func refreshedAfterSave() throws {
        let library = try Library()
        let context = library.context()
        let held = try context.performAndWait {
            let books = ["a", "b"].map { context.make("Book", ["title": $0]) }
            let shelves = ["one", "two"].map { context.make("Shelf", ["name": $0]) }
            shelves[0].setValue(NSOrderedSet(array: books), forKey: "items")
            try context.save()
            context.undoManager = UndoManager()
            return Held((books, shelves))
        }
        let (books, shelves) = held.value
        context.performAndWait { shelves[1].setValue(NSOrderedSet(array: books), forKey: "items") }
        try context.performAndWait {
            try context.save()
            context.refreshAllObjects()
        }
        context.performAndWait { shelves[0].setValue(NSOrderedSet(array: books.reversed()), forKey: "items") }
        try context.performAndWait {
            try context.save()
            context.refreshAllObjects()
        }
        context.performAndWait {
            context.undo()
            for book in books { #expect(book.value(forKey: "shelf") as? NSManagedObject === shelves[1]) }
            context.undo()
            for book in books { #expect(book.value(forKey: "shelf") as? NSManagedObject === shelves[0]) }
            context.checkInvariants()
        }
    }

    @Test("Links that another context has made to a new object go once its insertion is undone, and come back")
    func unrecordedTies() throws {
        let library = try Library()
        let root = library.context()
        let child = library.child(of: root)
        child.performAndWait { child.undoManager = UndoManager() }
        let (authorID, shelfID) = try child.performAndWait {
            let made = ["Author", "Shelf"].map { child.make($0, ["name": "x"]) }
            try child.save()
            return (made[0].objectID, made[1].objectID)
        }
        let bookID = try root.performAndWait {
            let book = root.make("Book", ["title": "b", "author": root.object(with: authorID)])
            root.object(with: shelfID).setValue(NSOrderedSet(object: book), forKey: "items")
            try root.save()
            return book.objectID
        }
        try child.performAndWait {
            child.refreshAllObjects()
            let book = child.object(with: bookID)
            let (author, shelf) = (child.object(with: authorID), child.object(with: shelfID))
            #expect(book.value(forKey: "author") as? NSManagedObject === author)
            child.undo()
            #expect(author.isDeleted && shelf.isDeleted && !book.isDeleted)
            #expect(book.value(forKey: "author") == nil && book.value(forKey: "shelf") == nil)
            child.redo()
            #expect(book.value(forKey: "author") as? NSManagedObject === author)
            #expect(book.value(forKey: "shelf") as? NSManagedObject === shelf)
            #expect((shelf.value(forKey: "items") as? NSOrderedSet)?.array as? [NSManagedObject] == [book])
            child.undo()
            try child.save()
            child.checkInvariants()
        }
        try root.performAndWait { try root.save() }
        let fresh = try library.beside().context()
        try fresh.performAndWait {
            let book = try #require(try fresh.all("Book").first)
            #expect(book.value(forKey: "author") == nil && book.value(forKey: "shelf") == nil)
            #expect(try fresh.all("Author").isEmpty)
        }
    }

    @Test("A child's save can be undone in the child, and in its parent")
    func children() throws {
        let library = try Library()
        let root = library.context()
        let child = library.child(of: root)
        root.performAndWait { root.undoManager = UndoManager() }
        child.performAndWait { child.undoManager = UndoManager() }
        let id = try child.performAndWait {
            let book = child.make("Book", ["title": "a"])
            try child.save()
            return book.objectID
        }
        try child.performAndWait {
            child.object(with: id).setValue("b", forKey: "title")
            try child.save()
        }
        root.performAndWait {
            #expect(root.object(with: id).value(forKey: "title") as? String == "b")
            root.undo()
            #expect(root.object(with: id).value(forKey: "title") as? String == "a")
            root.redo()
        }
        try child.performAndWait {
            child.undo()
            try child.save()
            child.delete(child.object(with: id))
            try child.save()
        }
        let isGone = try root.performAndWait { try root.all("Book").isEmpty }
        #expect(isGone)
        try child.performAndWait {
            child.undo()
            try child.save()
        }
        try root.performAndWait {
            #expect(try root.all("Book").map { $0.value(forKey: "title") as? String } == ["a"])
            try root.save()
            root.reset()
            #expect(try root.all("Book").count == 1)
        }
    }
}
