import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// A book that fetches as soon as it is inserted.
final class FetchingBook: NSManagedObject {
    override func awakeFromInsert() {
        super.awakeFromInsert()
        setPrimitiveValue((try? managedObjectContext?.all("Book").count) ?? 0, forKey: "pages")
    }
}

/// Writes down the did-change notifications of a context.
private final class ChangeLog {
    private(set) var events: [[String: Set<NSManagedObject>]] = []
    private var token: (any NSObjectProtocol)?

    init(_ context: NSManagedObjectContext) {
        // Not Sendable: the notification comes on the context's queue, where the log is used.
        let log = Held(Weak(log: self))
        token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
        ) { notification in
            var event: [String: Set<NSManagedObject>] = [:]
            for (key, value) in notification.userInfo ?? [:] {
                if let key = key as? String, let objects = value as? Set<NSManagedObject> { event[key] = objects }
            }
            log.value.log?.events.append(event)
        }
    }

    deinit {
        if let token { NotificationCenter.default.removeObserver(token) }
    }

    private struct Weak {
        weak var log: ChangeLog?
    }
}

@Suite("A fetch in the middle of a block", .leavesNothingBehind, .onEveryKindOfStore)
struct FetchWithinBlockTests {
    private func request(_ entity: String, _ type: NSFetchRequestResultType) -> NSFetchRequest<NSFetchRequestResult> {
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: entity)
        request.resultType = type
        return request
    }

    @Test("It posts nothing; the notification comes at the end and has all that the block did, each in its place")
    func oneNotification() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            let kept = context.make("Book", ["title": "kept"])
            let gone = context.make("Book", ["title": "gone"])
            try context.save()
            let log = ChangeLog(context)

            let new = context.make("Book")
            #expect(try context.all("Book").count == 3)
            new.setValue("new", forKey: "title")
            #expect(try context.count(for: request("Book", .countResultType)) == 3)
            kept.setValue("changed", forKey: "title")
            #expect(try context.all("Book", "title == 'changed'") == [kept])
            _ = try context.fetch(request("Book", .managedObjectIDResultType))
            if library.kind.hasTables { _ = try context.fetch(request("Book", .dictionaryResultType)) }
            context.delete(gone)
            #expect(try context.all("Book").count == 2)
            _ = try context.existingObject(with: kept.objectID)
            // An object that comes and goes within the block was never there.
            let passing = context.make("Book")
            #expect(try context.all("Book").count == 3)
            context.delete(passing)
            try context.obtainPermanentIDs(for: [new])
            context.refresh(kept, mergeChanges: true)
            #expect(log.events.isEmpty)

            context.processPendingChanges()
            #expect(log.events.count == 1)
            #expect(log.events.first?[NSInsertedObjectsKey] == [new])
            #expect(log.events.first?[NSUpdatedObjectsKey] == [kept])
            #expect(log.events.first?[NSRefreshedObjectsKey] == [kept])
            #expect(log.events.first?[NSDeletedObjectsKey] == [gone])
            try context.save()
            #expect(log.events.count == 1)
        }
    }

    @Test(
        "An object that is inserted, found and deleted is in no notification, unless changes are processed")
    func asAfterAFetch() throws {
        for processes in [false, true] {
            let library = try Library()
            let context = library.context()
            try context.performAndWait {
                let log = ChangeLog(context)
                let book = context.make("Book", ["title": "passing"])
                let count = try context.count(for: request("Book", .countResultType))
                let books = try context.all("Book")
                #expect(count == 1 && books == [book])
                if processes { context.processPendingChanges() }
                context.delete(book)
                context.processPendingChanges()
                #expect(log.events.map { $0[NSInsertedObjectsKey]?.count ?? 0 } == (processes ? [1, 0] : []))
                #expect(log.events.map { $0[NSDeletedObjectsKey]?.count ?? 0 } == (processes ? [0, 1] : []))
            }
        }
    }

    @Test("The delete rules have run when it reads, and the notification names the objects that they reached")
    func deleteRules() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "A"])
            let book = context.make("Book", ["title": "T", "author": author])
            let shelf = context.make("Shelf", ["name": "S", "items": NSOrderedSet(array: [book])])
            try context.save()
            let log = ChangeLog(context)
            context.delete(author)
            #expect(try context.all("Book").isEmpty)
            #expect(shelf.mutableOrderedSetValue(forKey: "items").count == 0)
            #expect(log.events.isEmpty)
            try context.save()
            #expect(log.events.count == 1)
            #expect(log.events.first?[NSDeletedObjectsKey] == [author, book])
            #expect(log.events.first?[NSUpdatedObjectsKey] == [shelf])
        }
    }

    @Test("A block that ends posts by itself")
    func endOfBlock() async throws {
        let library = try Library()
        let context = library.context()
        let log = await context.perform { Held(ChangeLog(context)) }
        try await context.perform {
            let book = context.make("Book")
            _ = try context.all("Book")
            book.setValue("whole", forKey: "title")
            #expect(log.value.events.isEmpty)
        }
        await context.perform { #expect(log.value.events.map { $0[NSInsertedObjectsKey]?.count } == [1]) }
    }

    @Test("A controller shows an object whose awakeFromInsert fetches only when it is whole")
    func controllers() throws {
        let model = LibraryModel.make()
        model.entitiesByName["Book"]?.managedObjectClassName = "CoreDataContextTests.FetchingBook"
        let library = try Library(model: model)
        let context = library.context()
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "title", cacheName: nil)
            try controller.performFetch()
            let delegate = RecordingDelegate(copying: controller)
            controller.delegate = delegate
            context.make("Book", ["title": "b"])
            let other = context.make("Book")
            _ = try context.all("Book")
            other.setValue("a", forKey: "title")
            #expect(delegate.events.isEmpty)
            context.processPendingChanges()
            #expect(delegate.copy.map(\.name) == ["a", "b"])
            #expect(delegate.changes.map(\.type) == [.insert, .insert])
            #expect(delegate.faults.isEmpty)

            // One that fetches anew within the block has the new objects already: nothing comes twice.
            let third = context.make("Book", ["title": "c"])
            try controller.performFetch()
            #expect(controller.fetchedObjects?.count == 3)
            let second = RecordingDelegate(copying: controller)
            controller.delegate = second
            third.setValue("d", forKey: "title")
            context.processPendingChanges()
            #expect(second.copy.map(\.name) == ["a", "b", "d"])
            #expect(second.faults.isEmpty)
            #expect(controller.sections?.map(\.name) == ["a", "b", "d"])
            #expect(controller.fetchedObjects?.count == 3)
        }
    }

    @Test("A child that reads through its parent makes the parent post nothing")
    func children() throws {
        let library = try Library()
        let parent = library.context()
        try parent.performAndWait {
            let author = parent.make("Author", ["name": "A"])
            let gone = parent.make("Author", ["name": "gone"])
            parent.make("Book", ["title": "T", "author": gone])
            try parent.save()
            let log = ChangeLog(parent)
            let new = parent.make("Book", ["author": author])
            parent.delete(gone)
            let child = library.child(of: parent)
            try child.performAndWait {
                #expect(try child.all("Book").count == 1)
                #expect(try child.count(for: request("Book", .countResultType)) == 1)
                _ = try child.fetch(request("Book", .managedObjectIDResultType))
                let seen = try child.existingObject(with: author.objectID)
                #expect((seen.value(forKey: "books") as? Set<NSManagedObject>)?.count == 1)
            }
            new.setValue("whole", forKey: "title")
            #expect(log.events.isEmpty)
            parent.processPendingChanges()
            #expect(log.events.count == 1)
            #expect(log.events.first?[NSInsertedObjectsKey] == [new])
        }
    }

    @Test("Undo takes back the whole block, and an undo group that the block opens keeps its changes over fetches")
    func undo() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            let book = context.make("Book", ["title": "one"])
            try context.save()
            let manager = UndoManager()
            context.undoManager = manager
            book.setValue("two", forKey: "title")
            _ = try context.all("Book")
            let new = context.make("Book", ["title": "new"])
            _ = try context.all("Book")
            manager.beginUndoGrouping()
            book.setValue("three", forKey: "title")
            _ = try context.all("Book")
            context.delete(new)
            _ = try context.all("Book")
            manager.endUndoGrouping()
            manager.undoNestedGroup()
            #expect(book.value(forKey: "title") as? String == "two")
            #expect(try context.all("Book").count == 2)
            context.undo()
            #expect(book.value(forKey: "title") as? String == "one")
            #expect(try context.all("Book") == [book])
        }
    }

    @Test("The values at the beginning of the event are those at the beginning of the block")
    func eventBases() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            let book = context.make("Book", ["title": "one"])
            try context.save()
            book.setValue("two", forKey: "title")
            _ = try context.all("Book")
            book.setValue("three", forKey: "title")
            #expect(book.changedValuesForCurrentEvent()["title"] as? String == "one")
        }
    }
}
