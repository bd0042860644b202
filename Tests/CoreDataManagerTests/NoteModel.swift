import CoreData

/// The schema of these tests: a note with a text. The second version has twelve more optional columns.
enum NoteModel {
    static func first() -> NSManagedObjectModel { make(extraAttributes: 0) }
    static func second() -> NSManagedObjectModel { make(extraAttributes: 12) }

    private static func make(extraAttributes: Int) -> NSManagedObjectModel {
        let note = NSEntityDescription()
        note.name = "Note"
        let text = NSAttributeDescription()
        text.name = "text"
        text.attributeType = .stringAttributeType
        text.isOptional = false
        note.properties =
            [text]
            + (0..<extraAttributes).map { number in
                let attribute = NSAttributeDescription()
                attribute.name = "extra\(number)"
                attribute.attributeType = .stringAttributeType
                attribute.isOptional = true
                return attribute
            }
        let model = NSManagedObjectModel()
        model.entities = [note]
        return model
    }

    /// Makes a store of the first version with `count` notes "note 0", "note 1" …
    static func makeStore(at url: URL, notes count: Int = 0) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: first())
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            for number in 0..<count {
                insert("note \(number)", into: context)
            }
            try context.save()
        }
        try coordinator.remove(store)
    }

    /// Makes a note in a context, on its queue.
    static func insert(_ text: String?, into context: NSManagedObjectContext) {
        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
        note.setValue(text, forKey: "text")
    }

    /// The texts of all notes that a new coordinator reads from the file, sorted.
    static func texts(inStoreAt url: URL, model: NSManagedObjectModel = first()) throws -> [String] {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let texts = try context.performAndWait {
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))
                .compactMap { $0.value(forKey: "text") as? String }
        }
        try coordinator.remove(store)
        return texts.sorted()
    }
}
