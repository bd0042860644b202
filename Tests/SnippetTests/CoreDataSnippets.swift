import CoreData
import Testing

// Code of the articles of CoreData. The tests in Tests/DocumentationTests compare it with the articles.
@Suite("Code of the articles of CoreData")
struct CoreDataSnippets {
    private static func notes() -> NSManagedObjectModel {
        let text = NSAttributeDescription()
        text.name = "text"
        text.attributeType = .stringAttributeType
        let note = NSEntityDescription()
        note.name = "Note"
        note.properties = [text]
        let model = NSManagedObjectModel()
        model.entities = [note]
        return model
    }

    @MainActor
    static func stack(model: NSManagedObjectModel) -> NSManagedObjectContext {
        // snippet: stack
        let container = NSPersistentContainer(name: "Notes", managedObjectModel: model)
        container.loadPersistentStores { description, error in
            if let error { print("cannot open \(description.url?.path ?? "the store"): \(error)") }
        }
        let context = container.viewContext
        // snippet end
        return context
    }

    private static func saveAndFetch(context: NSManagedObjectContext) throws {
        // snippet: save and fetch
        try context.performAndWait {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue("Water the garden", forKey: "text")
            try context.save()

            let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
            request.predicate = NSPredicate(format: "text CONTAINS[cd] %@", "GARDEN")
            for note in try context.fetch(request) {
                print(note.value(forKey: "text") ?? "")
            }
        }
        // snippet end
    }

    @Test("An object is saved and found")
    func saving() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.notes())
        _ = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try Self.saveAndFetch(context: context)
        let count = try context.performAndWait {
            try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Note"))
        }
        #expect(count == 1)
    }

    static func options(url: URL) -> NSPersistentStoreDescription {
        // snippet: options
        let description = NSPersistentStoreDescription(url: url)
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        description.setOption(["journal_mode": "DELETE"] as NSDictionary, forKey: NSSQLitePragmasOption)
        // snippet end
        return description
    }

    static func validation(context: NSManagedObjectContext) throws {
        // snippet: validation errors
        do {
            try context.save()
        } catch let error as CocoaError where error.code == .validationMultipleErrors {
            for part in error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [] {
                print(part.userInfo[NSValidationKeyErrorKey] ?? "", part.localizedDescription)
            }
        }
        // snippet end
    }
}
