import CoreData

/// The open store and the floors of contexts above it: a private root that writes, the main-queue context below it.
///
/// The main context never waits for the disk: saving it moves its changes into the root, and the root writes on a queue
/// of its own. Background contexts are children of the main one, so that it always shows the newest state.
final class ContextHierarchy: Sendable {
    let coordinator: NSPersistentStoreCoordinator
    let root: NSManagedObjectContext
    let main: NSManagedObjectContext

    /// Opens the store and makes the contexts. The store must be of the model's version: nothing migrates here.
    init(model: NSManagedObjectModel, storeURL: URL, configuration: CoreDataManager.Configuration) throws {
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: configuration.storeType, configurationName: configuration.modelConfiguration, at: storeURL,
            options: configuration.optionsForOpening)
        root = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        root.name = "CoreDataManager.root"
        root.persistentStoreCoordinator = coordinator
        main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        main.name = "CoreDataManager.main"
        main.parent = root
    }

    /// A new private context below the main one.
    func newBackgroundContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.name = "CoreDataManager.background"
        context.parent = main
        return context
    }
}
