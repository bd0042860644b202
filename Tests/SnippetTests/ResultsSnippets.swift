import CoreData
import Testing

// Code of Observing.md about results, history and notifications.
@Suite("Code of Observing: results, history and notifications")
struct ResultsSnippets {
    // snippet: results as a sequence
    @MainActor static func show(_ container: NSPersistentContainer) async throws {
        let context = container.viewContext
        context.automaticallyMergesChangesFromParent = true
        let request = NSFetchRequest<Note>(entityName: "Note")
        request.predicate = NSPredicate(format: "isDone == NO")
        request.sortDescriptors = [NSSortDescriptor(key: "text", ascending: true)]
        for try await value in context.results(of: request) {
            print(value.results.map(\.text))
        }
    }
    // snippet end

    // snippet: results on a queue
    static func export(from context: NSManagedObjectContext) async throws {
        let request = NSFetchRequest<Note>(entityName: "Note")
        request.sortDescriptors = [NSSortDescriptor(key: "createdAt", ascending: true)]
        for try await value in context.results(of: request) {
            let ids = value.objectIDs
            let texts = await context.perform {
                // A note may have been deleted since the value came. The next value follows.
                ids.compactMap { context.registeredObject(for: $0) as? Note }.filter { !$0.isDeleted }.map(\.text)
            }
            print(texts)
        }
    }
    // snippet end

    // snippet: snapshots of a controller
    @MainActor static func show(_ list: NSFetchedResultsController<Note>) async throws {
        try list.performFetch()
        for try await snapshot in list.snapshots {
            print(snapshot.numberOfItems, snapshot.reloadedItemIdentifiers.count)
        }
    }
    // snippet end

    // snippet: history as it grows
    static func index(_ coordinator: NSPersistentStoreCoordinator, tokenURL: URL) async throws {
        let token = try (try? Data(contentsOf: tokenURL)).map {
            try JSONDecoder().decode(NSPersistentHistoryToken.self, from: $0)
        }
        for try await transaction in coordinator.changes(after: token) {
            print(transaction.author ?? "unknown", transaction.changes?.count ?? 0)
            try JSONEncoder().encode(transaction.token).write(to: tokenURL, options: .atomic)
        }
    }
    // snippet end

    // snippet: notifications as values
    static func log(_ context: NSManagedObjectContext) async {
        for await changes in context.didSave {
            print(changes.insertedObjectIDs.count, changes.updatedObjectIDs.count, changes.deletedObjectIDs.count)
        }
    }
    // snippet end

    // snippet: one object
    static func follow(_ id: NSManagedObjectID, in context: NSManagedObjectContext) async throws {
        for try await value in context.results(ofObjectWith: id) {
            if value.objectIDs.isEmpty { return print("deleted") }
            print("changed")
        }
    }
    // snippet end

    @Test("The sequences end when their task is cancelled, and that of an object when it is deleted")
    func followed() async throws {
        let container = try openNotes(at: "/dev/null")
        let context = container.newBackgroundContext()
        let id = try await context.perform {
            let note = Note(context: context)
            note.text = "Water the garden"
            try context.save()
            return note.objectID
        }
        let object = Task { try await Self.follow(id, in: context) }
        let others: [Task<Void, any Error>] = [
            Task { try await Self.show(container) }, Task { try await Self.export(from: context) },
            Task { await Self.log(context) },
        ]
        try await context.perform {
            context.delete(context.object(with: id))
            try context.save()
        }
        try await object.value
        for task in others { task.cancel() }
        for task in others { try await task.value }
    }
}
