import CoreData

/// The open store and the contexts above it, in one of two layouts.
///
/// Siblings have no root: each writes by itself, and the main context merges the changes that the background contexts
/// wrote.
final class ContextHierarchy: Sendable {
    let coordinator: NSPersistentStoreCoordinator
    /// The context that writes for all contexts; nil among siblings.
    let root: NSManagedObjectContext?
    let main: NSManagedObjectContext
    private let obtainsPermanentIDs: Bool
    private let confinement: CoreDataManager.Configuration.Confinement

    /// Opens the store and makes the contexts. The store must be of the model's version, because this does not migrate.
    init(model: NSManagedObjectModel, storeURL: URL, configuration: CoreDataManager.Configuration) throws {
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: configuration.storeType, configurationName: configuration.modelConfiguration, at: storeURL,
            options: configuration.optionsForOpening)
        obtainsPermanentIDs = configuration.obtainsPermanentIDs && configuration.layout == .chain
        confinement = configuration.confinement
        main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        confinement.apply(to: main)
        main.name = "CoreDataManager.main"
        switch configuration.layout {
        case .chain:
            let root = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            confinement.apply(to: root)
            root.name = "CoreDataManager.root"
            root.persistentStoreCoordinator = coordinator
            main.parent = root
            self.root = root
        case .siblings:
            root = nil
            Self.attach(main, to: coordinator)
        }
    }

    private static func attach(_ context: NSManagedObjectContext, to coordinator: NSPersistentStoreCoordinator) {
        context.mergePolicy = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        context.persistentStoreCoordinator = coordinator
        // This must be the last setting. From here on the context's queue works with the context whenever another one
        // saves.
        context.automaticallyMergesChangesFromParent = true
    }

    /// Makes a private context: a child of the main one, or its sibling.
    func newBackgroundContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        confinement.apply(to: context)
        context.name = "CoreDataManager.background"
        if root == nil {
            Self.attach(context, to: coordinator)
        } else {
            context.parent = main
        }
        return context
    }

    /// Saves a context's own changes, if there are any, with the permanent ids that its new objects get. Call it on the
    /// context's queue.
    func save(_ context: NSManagedObjectContext) throws {
        guard context.hasChanges else { return }
        if obtainsPermanentIDs && context !== root {
            let new = context.insertedObjects.filter { $0.objectID.isTemporaryID }
            if !new.isEmpty {
                try context.obtainPermanentIDs(for: Array(new))
            }
        }
        try context.save()
    }
}
