import CoreData
import Testing

// Code of Concurrency.md.
@Suite("Code of Concurrency")
struct ConcurrencySnippets {
    private static func container() throws -> NSPersistentContainer { try openNotes(at: "/dev/null") }

    // snippet: a chain of contexts
    static func chain(
        above coordinator: NSPersistentStoreCoordinator
    ) -> (root: NSManagedObjectContext, main: NSManagedObjectContext) {
        let root = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        root.name = "root"
        root.persistentStoreCoordinator = coordinator
        let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        main.name = "main"
        main.parent = root
        return (root, main)
    }
    // snippet end

    // snippet: a save down to the store
    static func saveToStore(_ context: NSManagedObjectContext) async throws {
        var next: NSManagedObjectContext? = context
        while let current = next {
            try await current.perform {
                if current.hasChanges { try current.save() }
            }
            next = current.parent
        }
    }
    // snippet end

    @Test("A save goes up the chain, and is in the store then")
    func savedToStore() async throws {
        let container = try Self.container()
        let (_, main) = Self.chain(above: container.persistentStoreCoordinator)
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = main
        await child.perform { Note(context: child).text = "Water the garden" }
        try await Self.saveToStore(child)
        #expect(try await Self.counts(container) == 1)
    }

    private static func counts(_ container: NSPersistentContainer) async throws -> Int {
        try await container.performBackgroundTask { try $0.count(for: NSFetchRequest<Note>(entityName: "Note")) }
    }

    static func siblings(container: NSPersistentContainer) {
        // snippet: contexts beside each other
        container.viewContext.automaticallyMergesChangesFromParent = true
        let imports = container.newBackgroundContext()
        imports.name = "imports"
        imports.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        // snippet end
    }

    // snippet: an id across queues
    @MainActor
    static func finish(_ note: Note, in container: NSPersistentContainer) async throws {
        if note.objectID.isTemporaryID { try note.managedObjectContext?.obtainPermanentIDs(for: [note]) }
        let id = note.objectID
        try await container.performBackgroundTask { context in
            let same = try context.existingObject(with: id) as? Note
            same?.isDone = true
            try context.save()
        }
    }
    // snippet end

    @Test("An id leads to the same object in another context")
    @MainActor
    func finished() async throws {
        let container = try Self.container()
        let note = Note(context: container.viewContext)
        note.text = "Write to Ada"
        try container.viewContext.save()
        try await Self.finish(note, in: container)
        container.viewContext.refresh(note, mergeChanges: false)
        #expect(note.isDone)
    }

    static func conflicts(context: NSManagedObjectContext) throws {
        // snippet: conflicts of a save
        do {
            try context.save()
        } catch let error as CocoaError where error.code == .managedObjectMerge {
            for conflict in error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict] ?? [] {
                context.refresh(conflict.sourceObject, mergeChanges: false)  // the store's values again
            }
        }
        // snippet end
    }

    static func report(container: NSPersistentContainer) async throws -> (Int, Int) {
        // snippet: a report over one state
        let counts = try await container.performBackgroundTask { context in
            try context.setQueryGenerationFrom(.current)
            let all = NSFetchRequest<Note>(entityName: "Note")
            let done = NSFetchRequest<Note>(entityName: "Note")
            done.predicate = NSPredicate(format: "isDone == YES")
            return (try context.count(for: all), try context.count(for: done))
        }
        // snippet end
        return counts
    }

    @Test("A report reads one state")
    func reported() async throws {
        let counts = try await Self.report(container: Self.container())
        #expect(counts.0 == 0 && counts.1 == 0)
    }

    static func strict(container: NSPersistentContainer) {
        // snippet: a strict context
        container.viewContext.confinementResponse = .stop
        // snippet end
    }
}
