#if PostgreSQL
import CoreData
import CoreDataPostgreSQL
import Foundation
import TestSupport
import Testing

/// A store that programs of two versions use: each context has a coordinator of its own, as a process would have.
struct OnlineStore {
    let database: TestDatabase
    /// The address by way of a pooler, where it is used so.
    var pooled: URL?
    var url: URL { pooled ?? database.url }
    var isOn = true
    var older: String
    var newer: String

    init(_ older: String, _ newer: String, isOn: Bool = true) throws {
        database = try TestDatabase()
        (self.older, self.newer, self.isOn) = (older, newer, isOn)
    }

    func options(_ more: [AnyHashable: Any] = [:]) -> [AnyHashable: Any] {
        var options: [AnyHashable: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
            NSMigrationKnownVersionsOption: [ModelText.model(older), ModelText.model(newer)],
            NSPersistentHistoryTrackingKey: true, NSPersistentStoreTimeoutOption: 20,
            NSPostgreSQLOnlineMigrationOption: isOn,
        ]
        for (key, value) in more { options[key] = value }
        return options
    }

    func open(_ text: String, _ more: [AnyHashable: Any] = [:]) throws -> NSManagedObjectContext {
        try open(ModelText.model(text), more)
    }

    func open(_ model: NSManagedObjectModel, _ more: [AnyHashable: Any] = [:]) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSPostgreSQLStoreType, configurationName: nil, at: url, options: options(more))
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.performAndWait { context.persistentStoreCoordinator = coordinator }
        return context
    }

    func close(_ context: NSManagedObjectContext) throws {
        let coordinator = try #require(context.persistentStoreCoordinator)
        context.performAndWait { context.reset() }
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    func end() throws -> Bool {
        try NSPersistentStoreCoordinator.endOlderPostgreSQLVersions(at: url)
    }

    /// The columns of a table, by their names.
    func columns(_ table: String) -> [String] {
        let list = database.psql(
            "SELECT string_agg(attname, ' ' ORDER BY attname) FROM pg_attribute "
                + "WHERE attrelid = '\(table)'::regclass AND attnum > 0 AND NOT attisdropped")
        return (list ?? "").split(separator: " ").map(String.init)
    }

    /// One line for each object of an entity: the values of some of its keys.
    static func lines(
        _ context: NSManagedObjectContext, _ entity: String, _ keys: String...
    ) throws -> [String] {
        try context.performAndWait {
            context.refreshAllObjects()
            return try context.all(entity).map { object in
                keys.map { "\(object.value(forKeyPath: $0) ?? "-")" }.joined(separator: " ")
            }.sorted()
        }
    }
}
#endif
