import CoreData

// Code of ReadingAnAppleStore.md.
enum AppleStoreSnippets {
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
