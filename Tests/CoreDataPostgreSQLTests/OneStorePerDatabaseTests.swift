#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.reasonOfAbsence == nil, "\(PostgreSQLServer.reasonOfAbsence ?? "")"))
struct OneStorePerDatabaseTests {
    private let database: TestDatabase

    init() throws { database = try TestDatabase() }

    private func add(
        to coordinator: NSPersistentStoreCoordinator, at url: URL, _ configuration: String? = nil,
        _ options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try coordinator.addPersistentStore(
            ofType: NSPostgreSQLStoreType, configurationName: configuration, at: url, options: options)
    }

    @Test("A database by two addresses is one store, and each of its rows is fetched once")
    func twoAddresses() throws {
        let other = try #require(
            URL(string: database.url.absoluteString.replacingOccurrences(of: "postgresql:", with: "postgres:")))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        let store = try add(to: coordinator, at: database.url)
        #expect(try add(to: coordinator, at: other) === store)
        #expect(coordinator.persistentStores == [store])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        try context.performAndWait {
            context.persistentStoreCoordinator = coordinator
            context.make("Tag", ["name": "a"])
            try context.save()
            #expect(try context.all("Tag").count == 1)
        }
    }

    /// A model with two configurations, of an entity each.
    private func model() -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = ["A", "B"].map { name in
            let (entity, attribute) = (NSEntityDescription(), NSAttributeDescription())
            (attribute.name, attribute.attributeType) = ("name", .stringAttributeType)
            (entity.name, entity.properties) = (name, [attribute])
            return entity
        }
        for entity in model.entities { model.setEntities([entity], forConfigurationName: "only \(entity.name!)") }
        return model
    }

    @Test("Another configuration of a model is refused in its database, and not taken for another version")
    func configurations() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
        let migrating: [AnyHashable: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
        ]
        let store = try add(to: coordinator, at: database.url, "only A", migrating)
        for isOpen in [true, false] {
            for options in [migrating, nil] {
                let error = try #require(throws: NSError.self) {
                    try add(
                        to: NSPersistentStoreCoordinator(managedObjectModel: model()), at: database.url, "only B",
                        options)
                }
                #expect(error.code == NSPersistentStoreOpenError)
                #expect(error.localizedDescription.contains("'A'"), "\(error.localizedDescription)")
                #expect(error.localizedDescription.contains("'only B' needs a database of its own"))
            }
            if isOpen { try coordinator.remove(store) }
        }
        #expect(database.psql("SELECT count(*) FROM a") == "0")
    }
}
#endif
