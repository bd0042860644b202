#if PostgreSQL
import CoreData
import CoreDataPostgreSQL

// Code of FromOneFileToManyMachines.md.
enum ManyMachinesSnippets {
    static func move(coordinator: NSPersistentStoreCoordinator, url: URL) throws -> NSPersistentStore {
        // snippet: a move from a file to a server
        let progress = Progress(totalUnitCount: 1)
        let store = coordinator.persistentStores[0]
        let moved = try coordinator.migratePersistentStore(
            store, to: url, options: [NSMigrationProgressOption: progress], type: .postgreSQL)
        // snippet end
        return moved
    }

    static func open(container: NSPersistentContainer) {
        // snippet: options of a server
        let description = NSPersistentStoreDescription(url: URL(string: "postgresql://app@db1/shop")!)
        description.setOption(10 as NSNumber, forKey: NSPostgreSQLConnectTimeoutOption)
        description.setOption(8 as NSNumber, forKey: NSPostgreSQLConnectionLimitOption)
        container.persistentStoreDescriptions = [description]
        // snippet end
    }

    static func read(reports: NSManagedObjectContext) {
        // snippet: reports from standbys
        reports.readsFromStandbys = true
        // snippet end
    }

    static func migrate(description: NSPersistentStoreDescription, url: URL) throws -> Bool {
        // snippet: an online migration
        description.setOption(true as NSNumber, forKey: NSPostgreSQLOnlineMigrationOption)
        // snippet end
        // snippet: the end of an older version
        let isOnlyNewest = try NSPersistentStoreCoordinator.endOlderPostgreSQLVersions(at: url)
        // snippet end
        return isOnlyNewest
    }
}
#endif
