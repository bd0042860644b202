import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

/// A book that records the events that it gets.
final class NotedBook: NSManagedObject {
    var events: [NSSnapshotEventType] = []
    override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
        super.awake(fromSnapshotEvents: flags)
        events.append(flags)
    }
}

/// A book that is changed by keys that its entity does not have.
final class WatchedBook: NSManagedObject {
    override class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { false }
}

/// The observers' events, in order.
// @unchecked Sendable: the notifications are posted on the thread that changes the stores.
private final class Log: @unchecked Sendable {
    var counts: [Int] = []
    var additions: [Bool] = []
    func add(_ count: Int, _ isAddition: Bool) {
        counts.append(count)
        additions.append(isAddition)
    }
}

@Suite("The calls that notify objects of their own changes", .leavesNothingBehind, .onEveryKindOfStore)
struct SnapshotEventTests {
    private func context(_ kind: NSManagedObject.Type) throws -> NSManagedObjectContext {
        let model = LibraryModel.make()
        model.entitiesByName["Book"]?.managedObjectClassName = NSStringFromClass(kind)
        return try Library(model: model).context()
    }

    @Test("A rollback and a refresh that keeps changes call the object, a refresh without changes does not")
    func snapshotEvents() throws {
        let context = try context(NotedBook.self)
        try context.performAndWait {
            let book = try #require(context.make("Book", ["title": "1"]) as? NotedBook)
            try context.save()
            context.refresh(book, mergeChanges: true)
            #expect(book.events == [])
            book.setValue("2", forKey: "title")
            context.refresh(book, mergeChanges: true)
            #expect(book.events == [.refresh])
            #expect(book.value(forKey: "title") as? String == "2")
            context.rollback()
            #expect(book.events == [.refresh, .rollback])
            #expect(book.value(forKey: "title") as? String == "1")
        }
    }

    @Test("A change of a key that the entity does not have leaves the object clean unless its class says otherwise")
    func unmodeledProperties() throws {
        for kind in [NSManagedObject.self, WatchedBook.self] {
            let context = try context(kind)
            try context.performAndWait {
                let book = context.make("Book", ["title": "1"])
                try context.save()
                book.willChangeValue(forKey: "mood")
                book.didChangeValue(forKey: "mood")
                #expect(book.hasChanges == (kind == WatchedBook.self))
                book.willChangeValue(forKey: "title")
                book.didChangeValue(forKey: "title")
                #expect(book.hasChanges)
            }
        }
    }

    @Test("A fetch request executes itself by the context of the running block")
    func execute() throws {
        let context = try context(NSManagedObject.self)
        try context.performAndWait {
            let book = context.make("Book", ["title": "1"])
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            let found = try request.execute()
            #expect(found == [book])
            let child = NSManagedObjectContext(.privateQueue)
            child.performAndWait { child.parent = context }
            try child.performAndWait {
                let found = try request.execute()
                #expect(found.first?.managedObjectContext === child)
            }
        }
    }

    @Test("Delete rules are applied with the event, or with the save where the context has that setting")
    func propagation() throws {
        for atEndOfEvent in [true, false] {
            let context = try context(NSManagedObject.self)
            try context.performAndWait {
                context.propagatesDeletesAtEndOfEvent = atEndOfEvent
                let author = context.make("Author", ["name": "A"])
                let book = context.make("Book", ["author": author])
                try context.save()
                context.delete(author)
                context.processPendingChanges()
                #expect(book.isDeleted == atEndOfEvent)
                try context.save()
                let books = try context.all("Book")
                #expect(books.isEmpty)
            }
        }
    }

    @Test("A coordinator posts after its stores have changed, and before only if iCloud does so", .onStores(.inMemory))
    func storesWillChange() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        let log = Log()
        let observers = [
            Notification.Name.NSPersistentStoreCoordinatorStoresWillChange,
            .NSPersistentStoreCoordinatorStoresDidChange,
        ].map { name in
            NotificationCenter.default.addObserver(forName: name, object: coordinator, queue: nil) { note in
                let count = (note.object as? NSPersistentStoreCoordinator)?.persistentStores.count ?? -1
                log.add(count, note.userInfo?[NSAddedPersistentStoresKey] != nil)
            }
        }
        defer { observers.forEach(NotificationCenter.default.removeObserver) }
        let store = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        try coordinator.remove(store)
        #expect(log.counts == [1, 0])
        #expect(log.additions == [true, false])
    }

    @Test("A context of a kind of queue is tied to such a queue", .onStores(.inMemory))
    func concurrencyTypes() {
        #expect(NSManagedObjectContext(.privateQueue).concurrencyType == .privateQueueConcurrencyType)
        #expect(NSManagedObjectContext(.mainQueue).concurrencyType == .mainQueueConcurrencyType)
    }
}
