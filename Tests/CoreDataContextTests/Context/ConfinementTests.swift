import CoreData
import Testing
import TestSupport

@testable import CoreDataTestSupport

@Suite("Queues and confinement", .leavesNothingBehind, .onEveryKindOfStore)
struct ConfinementTests {
    @Test("performAndWait runs on the calling thread and may be nested")
    func performAndWaitIsReentrant() throws {
        let library = try Library()
        let context = library.context()
        let outside = pthread_self()
        let inside = context.performAndWait { context.performAndWait { pthread_self() } }
        #expect(inside == outside)
    }

    @Test("A private child saves from the main queue into the main context, and on to the root, without a deadlock")
    @MainActor
    func saveChainFromMain() throws {
        let library = try Library()
        let root = library.context()
        let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        main.parent = root
        let child = library.child(of: main)
        try child.performAndWait {
            child.make("Book", ["title": "T"])
            try child.save()
            try main.performAndWait {
                try main.save()
                try root.performAndWait { try root.save() }
            }
        }
        #expect(try main.all("Book").count == 1)
    }

    @Test("The main context's performAndWait runs on the main queue when a background thread calls it")
    func mainContextFromBackground() async throws {
        let library = try Library()
        let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        await main.perform { main.persistentStoreCoordinator = library.coordinator }
        let count = try await Task.detached {
            try main.performAndWait {
                main.make("Book")
                try main.save()
                return try main.all("Book").count
            }
        }.value
        #expect(count == 1)
    }

    @Test("The asynchronous perform returns results and throws errors, immediate and enqueued")
    func asyncPerform() async throws {
        struct Failure: Error {}
        let library = try Library()
        let context = library.context()
        let count = try await context.perform {
            context.make("Book")
            try context.save()
            return try context.all("Book").count
        }
        #expect(count == 1)
        await #expect(throws: Failure.self) {
            try await context.perform(schedule: .enqueued) { throw Failure() }
        }
        let order = await context.perform(schedule: .immediate) { 7 }
        #expect(order == 7)
    }

    @Test("A context with children saves off its queue where the check lets it, and its queue works on")
    func savingOffTheQueue() throws {
        let library = try Library()
        let root = library.context()
        let child = library.child(of: root)
        // Without the lock of the root nothing may release it.
        root.confinementResponse = .ignore
        for title in ["A", "B"] {
            root.make("Book", ["title": title])
            try root.save()
        }
        #expect(try root.performAndWait { try root.all("Book").count } == 2)
        #expect(try child.performAndWait { try child.all("Book").count } == 2)
    }

    @Test("Using a private context off its queue stops the process with the context's name", .onStores(.sqlite))
    func wrongQueueStops() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.confinementResponse = .stop
            context.performAndWait { context.name = "importer" }
            _ = context.hasChanges
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("__Multithreading_Violation_AllThatIsLeftToUsIsHonor__"))
        #expect(text.contains("importer"))
    }

    @Test("The environment switches the check off where a program has no say in its arguments", .onStores(.sqlite))
    func checkSwitchedOff() async throws {
        await #expect(processExitsWith: .success) {
            setenv("OPENCOREDATA_CONCURRENCY_DEBUG", "0", 1)
            let library = try Library()
            let context = library.context()
            _ = context.performAndWait { context.make("Author", ["name": "A"]).objectID }
            guard context.hasChanges, context.insertedObjects.count == 1 else { exit(1) }
        }
    }

    @Test("A relationship between objects of different contexts stops the process with both URIs", .onStores(.sqlite))
    func crossContextStops() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let library = try Library()
            let (one, other) = (library.context(), library.context())
            let author = other.performAndWait { Held(other.make("Author", ["name": "A"])) }
            one.performAndWait {
                let book = one.make("Book")
                other.performAndWait { book.setValue(author.value, forKey: "author") }
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            text.contains("Illegal attempt to establish a relationship 'author' between objects in different contexts"))
    }

    @Test("A context that goes away leaves its objects without a context, and nothing leaks")
    func contextGoes() throws {
        let library = try Library()
        weak var released: NSManagedObjectContext?
        weak var released2: NSManagedObject?
        do {
            let context = library.context()
            released = context
            try context.performAndWait {
                let author = context.make("Author", ["name": "A"])
                let book = context.make("Book", ["author": author])
                try context.save()
                released2 = book
                #expect(author.value(forKey: "books") as? Set<NSManagedObject> == [book])
            }
        }
        #expect(released == nil)
        #expect(released2 == nil)
    }

    @Test("A report names the call of the program, not the framework's call", .onStores(.sqlite))
    func reportedOperations() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let library = try Library()
            let context = library.context()
            context.confinementResponse = .report
            let author = context.performAndWait { Held(context.make("Author", ["name": "A"])) }
            _ = context.make("Book", ["author": author.value])
            try context.save()
            context.delete(author.value)
            context.processPendingChanges()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            let list = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
            try list.performFetch()
            _ = (list.fetchedObjects, list.sections, list.indexPath(forObject: author.value))
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        for name in ["insert(_:)", "save()", "processPendingChanges()", "performFetch()", "fetchedObjects", "sections"]
        {
            #expect(text.contains("was used (\(name)) from"), "\(name)")
        }
        for name in ["insertNew", "noteUpdate", "isBeforeSave", "performFetch(_:)", "items", "sectionInfos", "(of:)"] {
            #expect(!text.contains(name), "\(name)")
        }
    }
}
