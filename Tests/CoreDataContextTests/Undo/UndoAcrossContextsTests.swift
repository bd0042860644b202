import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// The faults that random sequences over several contexts found, each by itself.
@Suite("Undo in parents and children", .leavesNothingBehind, .onEveryKindOfStore)
struct UndoAcrossContextsTests {
    /// A parent and its child, each with an undo manager.
    private func withChild(
        _ body: (_ parent: NSManagedObjectContext, _ child: NSManagedObjectContext) throws -> Void
    ) throws {
        let library = try Library()
        let parent = library.context()
        let child = library.child(of: parent)
        for context in [parent, child] { context.performAndWait { context.undoManager = UndoManager() } }
        try body(parent, child)
        for context in [parent, child] { context.performAndWait { context.checkInvariants() } }
    }

    @Test("An object that undo inserts again, as its row is gone, is among its owner's members")
    func memberOfTheRevived() throws {
        let library = try Library()
        let (context, other) = (library.context(), library.context())
        let id = try context.performAndWait {
            let author = context.make("Author", ["name": "a"])
            let (book, kept) = (context.make("Book", ["isbn": "gone"]), context.make("Book", ["isbn": "kept"]))
            let tag = context.make("Tag", ["name": "t"])
            for book in [book, kept] { book.setValue(author, forKey: "author") }
            book.mutableSetValue(forKey: "tags").add(tag)
            try context.save()
            context.undoManager = UndoManager()
            for object in [author, tag] { context.delete(object) }
            context.processPendingChanges()
            return book.objectID
        }
        try other.performAndWait {
            other.delete(other.object(with: id))
            try other.save()
        }
        try context.performAndWait {
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            context.mergeChanges(
                fromContextDidSave: Notification(
                    name: .NSManagedObjectContextDidSave, object: other, userInfo: [NSDeletedObjectIDsKey: Set([id])]))
            context.undo()
            for _ in 0..<2 {
                for (entity, expected) in [("Author", ["gone", "kept"]), ("Tag", ["gone"])] {
                    let owner = try #require(try context.all(entity).first)
                    let books = (owner.value(forKey: "books") as? NSSet)?.allObjects ?? []
                    let isbns = books.compactMap { ($0 as? NSManagedObject)?.value(forKey: "isbn") as? String }
                    #expect(isbns.sorted() == expected, "\(entity)")
                }
                try context.save()
                context.reset()
            }
        }
    }

    /// Calls a function with an author that is a fault, and whose row another context has deleted with that of its
    /// book.
    private func withGoneAuthor(
        _ body: (_ context: NSManagedObjectContext, _ author: NSManagedObject, _ book: NSManagedObject) throws -> Void
    ) throws {
        let library = try Library()
        let (context, other) = (library.context(), library.context())
        let id = try other.performAndWait {
            let author = other.make("Author", ["name": "gone"])
            other.make("Book", ["isbn": "gone"]).setValue(author, forKey: "author")
            try other.save()
            return author.objectID
        }
        try context.performAndWait {
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            context.undoManager = UndoManager()
            let book = try #require(try context.all("Book").first)
            #expect(book.value(forKey: "isbn") as? String == "gone")
            let author = context.object(with: id)
            try other.performAndWait {
                other.delete(other.object(with: id))
                try other.save()
            }
            try body(context, author, book)
            context.checkInvariants()
        }
        let left = try other.performAndWait {
            other.reset()
            return try other.all("Author").compactMap { $0.value(forKey: "name") as? String }
        }
        #expect(left == [])
    }

    @Test("Undo of the deletion of an object without a row does not bring the object back")
    func deletionOfTheGone() throws {
        try withGoneAuthor { context, author, _ in
            context.delete(author)
            context.undo()
            #expect(author.isDeleted)
            try context.save()
        }
    }

    @Test("Undo of a saved deletion of an object without a row inserts nothing")
    func savedDeletionOfTheGone() throws {
        try withGoneAuthor { context, author, _ in
            context.delete(author)
            try context.save()
            context.undo()
            #expect(!context.insertedObjects.contains(author))
            context.rollback()
        }
    }

    @Test("An object that is found without a row after it lost a member does not come back by undo")
    func lossOfTheGone() throws {
        try withGoneAuthor { context, author, book in
            let heir = context.make("Author", ["name": "heir"])
            context.processPendingChanges()
            book.setValue(heir, forKey: "author")
            #expect(author.value(forKey: "name") == nil)
            context.processPendingChanges()
            context.undo()
            #expect(author.isDeleted)
            context.rollback()
        }
    }

    @Test("An object deleted again after an undo is another object when its row comes back by itself")
    func replaced() throws {
        try withChild { parent, child in
            let id = parent.performAndWait { parent.make("Tag", ["name": "t"]).objectID }
            let old = try child.performAndWait {
                let tag = child.object(with: id)
                child.delete(tag)
                try child.save()
                return Held(tag)
            }
            child.performAndWait { child.undo() }
            child.performAndWait { child.delete(old.value) }
            parent.performAndWait { parent.undo() }
            try child.performAndWait {
                let found = try child.all("Tag")
                #expect(found.count == 1 && found.first !== old.value)
                #expect(found.first?.isDeleted == false)
                try child.save()
                #expect(try child.all("Tag") == found)
            }
        }
    }

    @Test("Undo of a deletion gives an object its own values back, also after its return with other values")
    func valuesOfTheDead() throws {
        try withChild { parent, _ in
            let tag = try parent.performAndWait {
                let tag = parent.make("Tag", ["name": "one"])
                try parent.save()
                return Held(tag)
            }
            parent.performAndWait { parent.delete(tag.value) }
            parent.performAndWait {
                parent.insert(tag.value)
                tag.value.setValue("two", forKey: "name")
            }
            parent.performAndWait {
                #expect(tag.value.value(forKey: "name") as? String == "two")
                parent.undo()
                #expect(tag.value.isDeleted)
                parent.undo()
                #expect(!tag.value.isDeleted)
                #expect(tag.value.value(forKey: "name") as? String == "one")
                parent.redo()
                parent.redo()
                #expect(tag.value.value(forKey: "name") as? String == "two")
            }
        }
    }

    @Test("A child that undoes its deletion inserts an object that its parents no longer have after their own undo")
    func childBringsBackWhatIsGone() throws {
        let library = try Library()
        let root = library.context()
        let parent = library.child(of: root)
        let child = library.child(of: parent)
        for context in [root, parent, child] { context.performAndWait { context.undoManager = UndoManager() } }
        let id = root.performAndWait { root.make("Tag", ["name": "t"]).objectID }
        try child.performAndWait {
            child.delete(child.object(with: id))
            try child.save()
        }
        parent.performAndWait { parent.undo() }
        root.performAndWait { root.undo() }
        for context in [parent, child] {
            try context.performAndWait {
                context.refreshAllObjects()
                let found = try context.all("Tag")
                #expect(found.isEmpty)
            }
        }
        try child.performAndWait {
            child.undo()
            let found = try child.all("Tag")
            #expect(found.count == 1)
            try child.save()
        }
        try parent.performAndWait {
            parent.undo()
            let without = try parent.all("Tag")
            #expect(without.isEmpty)
            parent.redo()
        }
        for context in [parent, root] {
            try context.performAndWait {
                let names = try context.all("Tag").map { $0.value(forKey: "name") as? String }
                #expect(names == ["t"])
                #expect(context.insertedObjects.count == 1)
                context.checkInvariants()
                try context.save()
            }
        }
        #expect(try library.saved("Tag", "name") == ["t"])
    }

    @Test("A deletion that a child takes back after its save gives the parent the object as the child has it")
    func childBringsBack() throws {
        try withChild { parent, child in
            let id = parent.performAndWait { parent.make("Book", ["title": "first"]).objectID }
            let book = child.performAndWait {
                let book = child.object(with: id)
                _ = book.value(forKey: "title")
                return Held(book)
            }
            parent.performAndWait { parent.object(with: id).setValue("second", forKey: "title") }
            try child.performAndWait {
                child.delete(book.value)
                try child.save()
            }
            try child.performAndWait {
                child.undo()
                #expect(child.object(with: id).value(forKey: "title") as? String == "first")
                try child.save()
            }
            parent.performAndWait {
                #expect(parent.object(with: id).value(forKey: "title") as? String == "first")
            }
        }
    }

    @Test("A link removed before an object's deletion does not come back when the child brings the object back")
    func childBringsBackAlone() throws {
        try withChild { parent, child in
            let (bookID, shelfID) = try parent.performAndWait {
                let book = parent.make("Book", ["title": "b"])
                let shelf = parent.make("Shelf", ["name": "s", "items": NSOrderedSet(object: book)])
                try parent.save()
                shelf.setValue(NSOrderedSet(), forKey: "items")
                return (book.objectID, shelf.objectID)
            }
            try child.performAndWait {
                child.delete(child.object(with: shelfID))
                try child.save()
            }
            try child.performAndWait {
                child.undo()
                try child.save()
            }
            parent.performAndWait {
                #expect(parent.object(with: bookID).value(forKey: "shelf") == nil)
                #expect((parent.object(with: shelfID).value(forKey: "items") as? NSOrderedSet)?.count == 0)
            }
        }
    }

    @Test(
        "An object that a child brought gives way when undo brings back the one that the child had taken away",
        arguments: [false, true])
    func olderOneComesBack(isSavedBetween: Bool) throws {
        try withChild { parent, child in
            let old = parent.performAndWait { Held(parent.make("Tag", ["name": "t"])) }
            let id = parent.performAndWait { old.value.objectID }
            try child.performAndWait {
                child.delete(child.object(with: id))
                try child.save()
            }
            try parent.performAndWait { try parent.save() }
            child.performAndWait { child.undo() }
            try child.performAndWait { try child.save() }
            try parent.performAndWait {
                let new = try parent.all("Tag")
                #expect(new.count == 1 && new.first !== old.value)
                if isSavedBetween { try parent.save() }
                parent.undo()
                #expect(try parent.all("Tag").isEmpty)
                parent.undo()
                #expect(try parent.all("Tag").map(ObjectIdentifier.init) == [ObjectIdentifier(old.value)])
                #expect(parent.deletedObjects.isEmpty && old.value.isInserted != isSavedBetween)
                #expect(old.value.value(forKey: "name") as? String == "t")
                parent.checkInvariants()
                parent.redo()
                parent.redo()
                #expect(try parent.all("Tag") == new)
                try parent.save()
            }
        }
    }

    @Test("An author that comes back in a child without its book has no book in the parent either")
    func comesBackWithoutMember() throws {
        try withChild { parent, child in
            let (author, book) = try child.performAndWait {
                let author = child.make("Author", ["name": "a"])
                let book = child.make("Book", ["title": "b", "author": author])
                try child.save()
                return (Held(author), Held(book))
            }
            let id = child.performAndWait { author.value.objectID }
            try child.performAndWait {
                child.delete(author.value)
                child.processPendingChanges()
                #expect(book.value.isDeleted)
                try child.save()
            }
            child.performAndWait { child.undo() }
            try child.performAndWait {
                #expect((author.value.value(forKey: "books") as? Set<NSManagedObject>) == [book.value])
                child.delete(book.value)
                try child.save()
            }
            parent.performAndWait {
                #expect((parent.object(with: id).value(forKey: "books") as? Set<NSManagedObject>)?.isEmpty == true)
            }
        }
    }

    @Test("Members of an ordered relationship that redo put where they stood are no change that outlasts the parent's")
    func returnedMembers() throws {
        try withChild { parent, child in
            let shelfID = parent.performAndWait { parent.make("Shelf", ["name": "s"]).objectID }
            parent.performAndWait {
                let book = parent.make("Book", ["title": "b"])
                parent.object(with: shelfID).setValue(NSOrderedSet(object: book), forKey: "items")
            }
            let shelf = child.performAndWait { Held(child.object(with: shelfID)) }
            let items = child.performAndWait {
                let members = (shelf.value.value(forKey: "items") as? NSOrderedSet)?.array ?? []
                return Held(shelf.value, NSOrderedSet(array: members))
            }
            child.performAndWait { shelf.value.setValue(NSOrderedSet(), forKey: "items") }
            child.performAndWait { shelf.value.setValue(items.members, forKey: "items") }
            child.performAndWait { child.undo() }
            child.performAndWait { child.redo() }
            child.performAndWait { #expect(!child.hasChanges) }
            parent.performAndWait { parent.undo() }
            child.performAndWait {
                child.refreshAllObjects()
                #expect((shelf.value.value(forKey: "items") as? NSOrderedSet)?.count == 0)
            }
        }
    }

    @Test("A changed object whose insertion the parent takes back has no unsaved changes after a save")
    func changedAndGone() throws {
        try withChild { parent, child in
            let id = parent.performAndWait { parent.make("Tag", ["name": "t"]).objectID }
            let book = child.performAndWait {
                let book = child.make("Book", ["title": "b"])
                book.setValue(Set([child.object(with: id)]), forKey: "tags")
                return Held(book)
            }
            let tag = child.performAndWait {
                child.delete(book.value)
                return Held(child.object(with: id))
            }
            parent.performAndWait { parent.undo() }
            try child.performAndWait {
                #expect(tag.value.isUpdated)
                child.refreshAllObjects()
                #expect(tag.value.value(forKey: "name") == nil)
                try child.save()
                #expect(!tag.value.isUpdated && !child.hasChanges)
                child.checkInvariants()
            }
        }
    }

    @Test("A later undo does not go behind a change that the parent made in between")
    func changedMeanwhile() throws {
        try withChild { parent, child in
            let book = parent.performAndWait { Held(parent.make("Book", ["title": "old"])) }
            let id = book.value.objectID
            let copy = child.performAndWait { Held(child.object(with: id)) }
            child.performAndWait { child.delete(copy.value) }
            child.performAndWait { child.undo() }
            parent.performAndWait { book.value.setValue("new", forKey: "title") }
            child.performAndWait { child.refresh(copy.value, mergeChanges: true) }
            child.performAndWait { copy.value.setValue("mine", forKey: "title") }
            child.performAndWait { child.undo() }
            child.performAndWait { #expect(copy.value.value(forKey: "title") as? String == "new") }
        }
    }

    @Test("An object that comes back by undo in a child has the same members in the parent as in the child")
    func cameBackWithout() throws {
        try withChild { parent, child in
            let ids = parent.performAndWait { ["s", "t"].map { parent.make("Tag", ["name": $0]).objectID } }
            let book = try child.performAndWait {
                let book = child.make("Book", ["title": "b"])
                book.setValue(Set(ids.map(child.object(with:))), forKey: "tags")
                try child.save()
                return Held(book)
            }
            try child.performAndWait {
                child.delete(book.value)
                try child.save()
            }
            child.performAndWait { child.undo() }
            try child.performAndWait {
                book.value.setValue(Set([child.object(with: ids[1])]), forKey: "tags")
                try child.save()
            }
            parent.performAndWait {
                #expect(parent.object(with: book.value.objectID).many("tags") == [parent.object(with: ids[1])])
                #expect(parent.object(with: ids[0]).many("books").isEmpty)
            }
        }
    }

    @Test("Undo finds under their permanent ids the members it took away under temporary ones")
    func renamedMembers() throws {
        try withChild { parent, child in
            let (shelfID, bookID) = parent.performAndWait {
                let book = parent.make("Book", ["title": "b"])
                return (
                    parent.make("Shelf", ["name": "s", "items": NSOrderedSet(object: book)]).objectID, book.objectID
                )
            }
            let shelf = child.performAndWait { Held(child.object(with: shelfID)) }
            child.performAndWait { shelf.value.setValue(NSOrderedSet(), forKey: "items") }
            try parent.performAndWait { try parent.save() }
            child.performAndWait { child.undo() }
            child.performAndWait {
                #expect(shelf.value.ordered("items") == [child.object(with: bookID)])
                #expect(!child.hasChanges)
            }
        }
    }

    // @unchecked Sendable: used on the context's queue alone.
    private final class Held: @unchecked Sendable {
        let value: NSManagedObject
        let members: NSOrderedSet?
        init(_ value: NSManagedObject, _ members: NSOrderedSet? = nil) {
            self.value = value
            self.members = members
        }
    }
}
