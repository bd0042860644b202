import CoreData

// Code of Migrations.md in CoreData.docc.
enum MigrationSnippets {
    static func follow(url: URL, container: NSPersistentContainer) -> MigrationMonitor {
        // snippet: a migration that is followed
        let description = NSPersistentStoreDescription(url: url)  // migrates, and infers a mapping if there is none
        let monitor = MigrationMonitor()
        description.setOption(monitor.progress, forKey: NSMigrationProgressOption)
        container.persistentStoreDescriptions = [description]
        // snippet end
        return monitor
    }

    static func mapping(
        older: NSManagedObjectModel, newer: NSManagedObjectModel, description: NSPersistentStoreDescription
    ) throws {
        // snippet: a mapping model in code
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: older, destinationModel: newer)
        let items = mapping.entityMappings.first { $0.destinationEntityName == "Item" }
        let name = items?.attributeMappings?.first { $0.name == "name" }
        name?.valueExpression = NSExpression(format: "uppercase($source.name)")
        description.setOption(mapping, forKey: NSMigrationMappingModelOption)
        description.setOption(older, forKey: NSMigrationSourceModelOption)
        // snippet end
    }

    static func stages(
        one: NSManagedObjectModel, two: NSManagedObjectModel, three: NSManagedObjectModel,
        description: NSPersistentStoreDescription
    ) {
        // snippet: stages of a migration
        let split = NSCustomMigrationStage(
            migratingFrom: NSManagedObjectModelReference(model: one, versionChecksum: one.versionChecksum),
            to: NSManagedObjectModelReference(model: two, versionChecksum: two.versionChecksum))
        split.didMigrateHandler = { manager, _ in
            guard let context = manager.container?.newBackgroundContext() else { return }
            try context.performAndWait {
                for item in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item")) {
                    item.setValue((item.value(forKey: "name") as? String)?.count, forKey: "length")
                }
                try context.save()
            }
        }
        let rest = NSLightweightMigrationStage([two.versionChecksum, three.versionChecksum])
        description.setOption(
            NSStagedMigrationManager([split, rest]), forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
        // snippet end
    }

    static func forecast(url: URL, model: NSManagedObjectModel) throws {
        // snippet: a forecast
        let forecast = try NSPersistentStoreCoordinator.migrationForecast(forPersistentStoreAt: url, to: model)
        if !forecast.isPossible {
            for obstacle in forecast.obstacles { print(obstacle.reason, obstacle.help) }
        } else if !forecast.hasDiskSpace {
            print("\(forecast.diskSpaceNeeded) bytes of the disk are needed")
        } else if !forecast.isInstant {
            print("about \(Int(forecast.estimatedSeconds)) seconds for \(forecast.rows) rows")
        }
        // snippet end
    }
}
