import CoreData
import Testing

// Code of GettingStarted.md.

// snippet: a managed class
class Note: NSManagedObject {
    @NSManaged var text: String
    @NSManaged var createdAt: Date?
    @NSManaged var isDone: Bool
}
// snippet end

// snippet: a whole model in code
enum NoteModel {
    static let shared: NSManagedObjectModel = {
        let note = NSEntityDescription()
        note.name = "Note"
        note.managedObjectClassName = NSStringFromClass(Note.self)
        note.properties = [
            attribute("text", .stringAttributeType),
            attribute("createdAt", .dateAttributeType, isOptional: true),
            attribute("isDone", .booleanAttributeType, default: false),
        ]
        let model = NSManagedObjectModel()
        model.entities = [note]
        return model
    }()

    private static func attribute(
        _ name: String, _ type: NSAttributeType, isOptional: Bool = false, default value: Any? = nil
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = isOptional
        attribute.defaultValue = value
        return attribute
    }
}
// snippet end

// snippet: a store at a path
func openNotes(at path: String) throws -> NSPersistentContainer {
    let container = NSPersistentContainer(name: "Notes", managedObjectModel: NoteModel.shared)
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: URL(fileURLWithPath: path))]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    return container
}
// snippet end

// snippet: a service
struct NoteService: Sendable {
    let container: NSPersistentContainer

    func add(_ text: String) async throws -> URL {
        try await container.performBackgroundTask { context in
            let note = Note(context: context)
            note.text = text
            note.createdAt = Date()
            try context.save()
            return note.objectID.uriRepresentation()
        }
    }

    func search(_ word: String) async throws -> [String] {
        try await container.performBackgroundTask { context in
            let request = NSFetchRequest<Note>(entityName: "Note")
            request.predicate = NSPredicate(format: "isDone == NO AND text CONTAINS[cd] %@", word)
            request.sortDescriptors = [NSSortDescriptor(key: "createdAt", ascending: false)]
            request.fetchLimit = 20
            return try context.fetch(request).map(\.text)
        }
    }
}
// snippet end

// snippet: a list in a tool
@MainActor
func printNotes(of container: NSPersistentContainer) throws {
    for note in try container.viewContext.fetch(NSFetchRequest<Note>(entityName: "Note")) {
        print(note.isDone ? "[x]" : "[ ]", note.text)
    }
}
// snippet end

// snippet: two loops on one thread
@MainActor
func runLoops(handleEvents: () -> Void, isOpen: () -> Bool) {
    while isOpen() {
        handleEvents()  // one turn of the toolkit's loop, which does not block
        _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.005))
    }
}
// snippet end

@Suite("Code of Getting started")
struct GettingStartedSnippets {
    @Test("Notes are added to a store, and found")
    func service() async throws {
        let service = NoteService(container: try openNotes(at: "/dev/null"))
        _ = try await service.add("Water the garden")
        _ = try await service.add("Write to Ada")
        #expect(try await service.search("GARDEN") == ["Water the garden"])
        try await printNotes(of: service.container)
    }

    @MainActor
    static func window(container: NSPersistentContainer) throws -> NSFetchedResultsController<Note> {
        // snippet: a list on the screen
        container.viewContext.automaticallyMergesChangesFromParent = true
        let request = NSFetchRequest<Note>(entityName: "Note")
        request.sortDescriptors = [NSSortDescriptor(key: "createdAt", ascending: true)]
        let list = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: container.viewContext, sectionNameKeyPath: nil,
            cacheName: nil)
        try list.performFetch()
        // snippet end
        return list
    }
}
