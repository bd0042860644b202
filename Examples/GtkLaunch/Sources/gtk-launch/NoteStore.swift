import CoreData
import CoreDataManager

/// A notebook in two versions, and a migration that takes as long as one of 2011.
enum NoteStore {
    static func model(hasColour: Bool) -> NSManagedObjectModel {
        let note = NSEntityDescription()
        note.name = "Note"
        note.properties = (hasColour ? ["text", "colour"] : ["text"]).map { name in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = .stringAttributeType
            attribute.isOptional = true
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [note]
        return model
    }

    /// Makes a store of the first version.
    static func make(at url: URL) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model(hasColour: false))
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            for text in ["Water the garden", "Write to Ada", "Buy coffee"] {
                NSEntityDescription.insertNewObject(forEntityName: "Note", into: context).setValue(text, forKey: "text")
            }
            try context.save()
        }
        try coordinator.remove(store)
    }

    static func texts(in context: NSManagedObjectContext) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        request.sortDescriptors = [NSSortDescriptor(key: "text", ascending: true)]
        return try context.fetch(request).compactMap { $0.value(forKey: "text") as? String }
    }
}

/// Counts slowly to a hundred before the real migration, which takes a few milliseconds.
struct SlowAdapter: MigrationAdapter {
    let seconds: Double

    func forecast(_ job: MigrationJob) throws -> LaunchForecast {
        LaunchForecast(isMigrationRequired: try job.isMigrationRequired())
    }

    func migrate(_ job: MigrationJob, begun: (any MigrationProgressReporting) -> Void) throws {
        let progress = Progress(totalUnitCount: 100)
        begun(ProgressAdapter(progress))
        for unit in 1...100 {
            Thread.sleep(forTimeInterval: seconds / 100)
            if progress.isCancelled { throw CancellationError() }
            progress.completedUnitCount = Int64(unit)
        }
        try job.migrateByOpening()
    }
}
