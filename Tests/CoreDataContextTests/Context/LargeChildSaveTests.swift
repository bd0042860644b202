import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// A parent takes a large save of a child over on its own queue, after the child's save has returned. The results are
/// those of a parent that takes it over at once.
@Suite("A child's save that its parent takes over later", .leavesNothingBehind)
struct LargeChildSaveTests {
    /// A saved book in a store, a root that takes everything over later, and a child of it.
    private struct Stage {
        let library: Library
        let root: NSManagedObjectContext
        let child: NSManagedObjectContext
        let book: NSManagedObjectID

        init(_ kind: StoreKind = .sqlite) throws {
            library = try Library(kind)
            root = library.context()
            root.thresholds.childSaveSizeToWait = 0
            child = library.child(of: root)
            let writer = library.context()
            book = try writer.performAndWait {
                let book = writer.make("Book", ["title": "old", "pages": 1])
                try writer.save()
                return book.objectID
            }
        }

        /// Saves a change of the book into the root.
        func change(_ value: Any, of key: String = "title") throws {
            try child.performAndWait {
                child.object(with: book).setValue(value, forKey: key)
                try child.save()
            }
        }
    }

    @Test(
        "Every read of the parent sees the child's save",
        arguments: [StoreKind.sqlite, .inMemory, .atomic, .incremental])
    func isThere(kind: StoreKind) throws {
        let stage = try Stage(kind)
        try stage.change("new")
        try stage.child.performAndWait {
            #expect(!stage.child.hasChanges)
            let author = stage.child.make("Author", ["name": "Ada"])
            try stage.child.save()
            #expect(author.objectID.isTemporaryID)
        }
        let sibling = stage.library.child(of: stage.root)
        try sibling.performAndWait {
            let titles = try sibling.all("Book").map { $0.value(forKey: "title") as? String }
            #expect(titles == ["new"])
            let authors = try sibling.all("Author")
            #expect(authors.count == 1)
        }
        try stage.root.performAndWait {
            #expect(stage.root.hasChanges)
            #expect(stage.root.updatedObjects.map(\.objectID) == [stage.book])
            #expect(stage.root.insertedObjects.count == 1)
            try stage.root.save()
        }
        #expect(try stage.library.saved("Book", "title") == ["new"])
        #expect(try stage.library.saved("Author", "name") == ["Ada"])
    }

    @Test("It is taken over even if the parent is not read, and is in the parent's notification")
    func isAnnounced() throws {
        let stage = try Stage()
        let isTold = DispatchSemaphore(value: 0)
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: stage.root, queue: nil
        ) { note in
            #expect((note.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject>)?.count == 1)
            isTold.signal()
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try stage.change("new")
        #expect(isTold.wait(timeout: .now() + 60) == .success)
    }

    @Test("A child that is made inside a block of the parent saves into the parent at once")
    func isInside() throws {
        let stage = try Stage()
        try stage.root.performAndWait {
            try stage.change("new")
            #expect(stage.root.hasChanges)
            #expect(stage.root.object(with: stage.book).value(forKey: "title") as? String == "new")
        }
    }

    @Test("A conflict with the parent is the child's error, before anything is pushed")
    func conflicts() throws {
        let stage = try Stage()
        let book = stage.child.performAndWait { stage.child.object(with: stage.book) }
        stage.child.performAndWait { #expect(book.value(forKey: "title") as? String == "old") }
        stage.root.performAndWait {
            stage.root.delete(stage.root.object(with: stage.book))
            stage.root.processPendingChanges()
        }
        let error = try #require(#expect(throws: NSError.self) { try stage.change("new") })
        #expect(error.code == NSManagedObjectMergeError)
        stage.root.performAndWait { #expect(stage.root.updatedObjects.isEmpty) }
    }

    @Test("The parent's save finds other saves to the store, also where the child's objects are taken over later")
    func othersSave() throws {
        // The child's save, then another coordinator's, then the parent's: with both ways of taking over.
        func outcome(later: Bool) throws -> Int? {
            let stage = try Stage()
            stage.root.thresholds.childSaveSizeToWait = later ? 0 : .max
            try stage.change("new")
            let other = stage.library.context()
            try other.performAndWait {
                other.object(with: stage.book).setValue(2, forKey: "pages")
                try other.save()
            }
            return stage.root.performAndWait {
                do {
                    try stage.root.save()
                    return nil
                } catch {
                    return (error as NSError).code
                }
            }
        }
        #expect(try outcome(later: false) == NSManagedObjectMergeError)
        #expect(try outcome(later: true) == NSManagedObjectMergeError)
    }

    @Test("Several wait in their order, each an event of the parent's undo manager")
    func order() throws {
        let stage = try Stage()
        stage.root.performAndWait { stage.root.undoManager = UndoManager() }
        try stage.change("first")
        try stage.change("second")
        try stage.change("third")
        stage.root.performAndWait {
            let book = stage.root.object(with: stage.book)
            #expect(book.value(forKey: "title") as? String == "third")
            stage.root.undo()
            #expect(book.value(forKey: "title") as? String == "second")
            stage.root.undo()
            #expect(book.value(forKey: "title") as? String == "first")
        }
    }
}
