import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("The changes since the last did-change notification", .leavesNothingBehind, .onEveryKindOfStore)
struct EventChangesTests {
    @Test("The values at the beginning of the event: of the store, or of earlier events that are not saved")
    func oldValues() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "A"])
            let book = context.make("Book", ["title": "one", "author": author])
            try context.save()
            #expect(book.changedValuesForCurrentEvent().isEmpty)

            book.setValue("two", forKey: "title")
            book.setValue(nil, forKey: "author")
            #expect(book.changedValuesForCurrentEvent()["title"] as? String == "one")
            #expect(book.changedValuesForCurrentEvent()["author"] as? NSManagedObject === author)
            #expect(author.changedValuesForCurrentEvent()["books"] as? Set<NSManagedObject> == [book])
            #expect(book.changedValuesForCurrentEvent().count == 2)

            context.processPendingChanges()
            #expect(book.changedValuesForCurrentEvent().isEmpty)
            book.setValue("three", forKey: "title")
            book.setValue(["k"], forKey: "keywords")
            #expect(book.changedValuesForCurrentEvent()["title"] as? String == "two")
            #expect(book.changedValuesForCurrentEvent()["keywords"] is NSNull)
            #expect(book.changedValuesForCurrentEvent().count == 2)

            context.processPendingChanges()
            book.setValue(author, forKey: "author")
            #expect(book.changedValuesForCurrentEvent()["author"] is NSNull)
            #expect((author.changedValuesForCurrentEvent()["books"] as? NSSet)?.count == 0)

            context.rollback()
            book.setValue("four", forKey: "title")
            #expect(book.changedValuesForCurrentEvent()["title"] as? String == "one")
        }
    }

    @Test("The changes during the notification are those of its event, for deleted objects too")
    func duringNotification() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "A"])
            let book = context.make("Book", ["title": "T", "author": author])
            try context.save()
            // nonisolated(unsafe): written by the observer, which runs within `processPendingChanges`, and read after
            // it.
            nonisolated(unsafe) var seen: [String: Any] = [:]
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
            ) { notification in
                let deleted = notification.userInfo?[NSDeletedObjectsKey] as? Set<NSManagedObject>
                seen = deleted?.first?.changedValuesForCurrentEvent() ?? [:]
            }
            book.setValue(nil, forKey: "author")
            context.delete(book)
            context.processPendingChanges()
            NotificationCenter.default.removeObserver(token)
            #expect(seen["author"] as? NSManagedObject === author)
            #expect(book.changedValuesForCurrentEvent().isEmpty)
        }
    }

    @Test("Changes that an observer of the notification drops are no changes of the next event")
    func droppedDuringNotification() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            let book = context.make("Book", ["title": "A", "pages": 1])
            try context.save()
            nonisolated(unsafe) let held = book
            nonisolated(unsafe) var count = 0
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
            ) { _ in
                count += 1
                if count == 1 { held.managedObjectContext?.refresh(held, mergeChanges: false) }
            }
            defer { NotificationCenter.default.removeObserver(token) }
            book.setValue("B", forKey: "title")
            book.setValue(NSSet(array: [context.make("Tag", ["name": "t"])]), forKey: "tags")
            context.processPendingChanges()
            #expect(book.text("title") == "A")
            book.setValue(2, forKey: "pages")
            #expect(Array(book.changedValuesForCurrentEvent().keys) == ["pages"])
            context.rollback()
        }
    }
}
