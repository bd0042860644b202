import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Undo of deletions of objects that another context has changed", .leavesNothingBehind, .onEveryKindOfStore)
struct UndoneDeletionTests {
    private let library: Library
    private let context: NSManagedObjectContext

    init() throws {
        library = try Library()
        context = library.context()
    }

    /// Deletes an object, saves changes of it in another context, reads them by a merge or by a refresh, and undoes the
    /// deletion. The body checks the object.
    private func undoDeletion(
        of held: Held<NSManagedObject>, changedTo values: [String: Any?], merges: Bool, _ body: () throws -> Void
    ) throws {
        let object = held.value
        let id = context.performAndWait {
            context.delete(object)
            return object.objectID
        }
        let other = library.context()
        try other.performAndWait {
            for (key, value) in values { other.object(with: id).setValue(value, forKey: key) }
            try other.save()
        }
        if merges {
            let updated = [NSUpdatedObjectsKey: [id.uriRepresentation()]]
            NSManagedObjectContext.mergeChanges(fromRemoteContextSave: updated, into: [context])
        }
        try context.performAndWait {
            if !merges { context.refresh(object, mergeChanges: true) }
            context.undo()
            #expect(!object.isDeleted)
            try body()
            context.checkInvariants()
        }
    }

    @Test("The object has the newer value of the store where its own was set back", arguments: [false, true])
    func valueSetBack(merges: Bool) throws {
        let book = try context.performAndWait {
            let book = context.make("Book", ["pages": 1, "note": "mine", "keywords": ["mine"]])
            try context.save()
            context.undoManager = UndoManager()
            return Held(book)
        }
        context.performAndWait {
            #expect(book.value.value(forKey: "keywords") as? [String] == ["mine"])
            for pages in [2, 1] { book.value.setValue(pages, forKey: "pages") }
            book.value.setValue("my own", forKey: "note")
        }
        let values: [String: Any?] = ["pages": 3, "note": "theirs", "keywords": ["theirs"]]
        try undoDeletion(of: book, changedTo: values, merges: merges) {
            // In a program's store a merge leaves the row of a deleted object, and the next save is in conflict.
            let keepsRow = merges && [.atomic, .incremental].contains(library.kind)
            #expect(book.value.value(forKey: "pages") as? Int == (keepsRow ? 1 : 3))
            #expect(book.value.value(forKey: "keywords") as? [String] == (keepsRow ? ["mine"] : ["theirs"]))
            #expect(book.value.text("note") == "my own")
        }
    }

    @Test("The object leads where it led if its reference was set back", arguments: [false, true])
    func referenceSetBack(merges: Bool) throws {
        let held = try context.performAndWait {
            let author = context.make("Author", ["name": "a"])
            let profiles = ["one", "two"].map { context.make("Profile", ["text": $0]) }
            author.setValue(profiles[0], forKey: "profile")
            try context.save()
            context.undoManager = UndoManager()
            return Held((author, profiles))
        }
        let (author, profiles) = held.value
        context.performAndWait {
            for profile in profiles.reversed() { author.setValue(profile, forKey: "profile") }
        }
        try undoDeletion(of: Held(author), changedTo: ["profile": nil], merges: merges) {
            #expect(author.value(forKey: "profile") as? NSManagedObject === profiles[0])
            #expect(profiles[0].value(forKey: "author") as? NSManagedObject === author)
        }
    }
}
