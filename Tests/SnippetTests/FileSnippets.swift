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
}
