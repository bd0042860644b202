import CoreData
import Foundation
import Testing

/// A store of the model's first version comes to the second in a stage with code before and after.
struct StagedMigrationTests {
    private let older = Journal.model(version: "Journal")
    private let newer = Journal.model(version: "Journal 2")

    private func container(_ model: NSManagedObjectModel, at url: URL, _ manager: NSStagedMigrationManager? = nil)
        throws
        -> NSPersistentContainer
    {
        let container = NSPersistentContainer(name: "Journal", managedObjectModel: model)
        let description = NSPersistentStoreDescription(url: url)
        if let manager {
            description.setOption(manager, forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
        }
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }

    private func close(_ container: NSPersistentContainer) throws {
        for store in container.persistentStoreCoordinator.persistentStores {
            try container.persistentStoreCoordinator.remove(store)
        }
    }

    @Test("a custom stage prepares the old data, and finds them in the new version")
    func customStage() throws {
        let url = Journal.temporaryStoreURL()
        defer { Journal.remove(url) }
        let first = try container(older, at: url)
        let context = first.newBackgroundContext()
        try context.performAndWait {
            let traveller = NSEntityDescription.insertNewObject(forEntityName: "Traveller", into: context)
            traveller.setValue("  Ann ", forKey: "name")
            try context.save()
        }
        try close(first)

        let stage = NSCustomMigrationStage(
            migratingFrom: NSManagedObjectModelReference(model: older, versionChecksum: older.versionChecksum),
            to: NSManagedObjectModelReference(model: newer, versionChecksum: newer.versionChecksum))
        stage.label = "Tidy names"
        stage.willMigrateHandler = { manager, _ in
            guard let container = manager.container else { throw CocoaError(.coreData) }
            let context = container.newBackgroundContext()
            try context.performAndWait {
                for traveller in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Traveller")) {
                    let name = traveller.value(forKey: "name") as? String
                    traveller.setValue(name?.trimmingCharacters(in: .whitespaces), forKey: "name")
                }
                try context.save()
            }
        }
        var namesAfter: [String] = []
        stage.didMigrateHandler = { manager, _ in
            guard let context = manager.container?.newBackgroundContext() else { throw CocoaError(.coreData) }
            namesAfter = try context.performAndWait {
                try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Traveller"))
                    .compactMap { $0.value(forKey: "name") as? String }
            }
        }
        let second = try container(newer, at: url, NSStagedMigrationManager([stage]))
        #expect(namesAfter == ["Ann"])
        let view = second.newBackgroundContext()
        try view.performAndWait {
            let count = try view.count(for: NSFetchRequest<NSManagedObject>(entityName: "Traveller"))
            #expect(count == 1)
        }
        try close(second)
    }

    @Test("a model that is in no stage is an error")
    func unknownVersion() throws {
        let url = Journal.temporaryStoreURL()
        defer { Journal.remove(url) }
        try close(container(older, at: url))
        let manager = NSStagedMigrationManager([NSLightweightMigrationStage([newer.versionChecksum])])
        #expect(throws: (any Error).self) { try container(newer, at: url, manager) }
        // The store is as it was.
        try close(container(older, at: url))
    }
}
