import CoreData

// Code of FilesAndCompatibility.md.
enum FileSnippets {
    static func backUp(model: NSManagedObjectModel, store: URL, backup: URL) throws {
        // snippet: a backup
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.replacePersistentStore(at: backup, withPersistentStoreFrom: store, type: .sqlite)
        // snippet end
    }

    static func synchronous(container: NSPersistentContainer, url: URL) {
        // snippet: a description of a store that waits for the disk
        let description = NSPersistentStoreDescription(url: url)
        description.setOption(["synchronous": "FULL"] as NSDictionary, forKey: NSSQLitePragmasOption)
        container.persistentStoreDescriptions = [description]
        // snippet end
    }

    static func readWithoutModel(url: URL) throws {
        // snippet: a store without its model
        let model = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            type: .sqlite, at: url, options: [NSReadOnlyPersistentStoreOption: true])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            for entity in model.entities where !entity.isAbstract {
                let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
                request.includesSubentities = false
                for object in try context.fetch(request, batchSize: 500) {
                    print(object.objectID, object.committedValues(forKeys: Array(entity.attributesByName.keys)))
                }
            }
        }
        // snippet end
    }
}
