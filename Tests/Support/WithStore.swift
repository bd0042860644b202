import CoreData
import Foundation

/// Opens a store, runs a body on the queue of a context of its own, and closes the store.
@discardableResult
public func withStore<Result>(
    _ url: URL, _ model: NSManagedObjectModel, type: String = NSSQLiteStoreType, options: [AnyHashable: Any]? = nil,
    _ body: (NSManagedObjectContext) throws -> Result
) throws -> Result {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
        ofType: type, configurationName: nil, at: url, options: options)
    defer { try? coordinator.remove(store) }
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return try context.performAndWait { try body(context) }
}
