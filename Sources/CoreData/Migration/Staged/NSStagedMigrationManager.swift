import Foundation

/// The stages by which a store comes from any earlier version to the present one.
///
/// Give it to a store's description under `NSPersistentStoreStagedMigrationManagerOptionKey`. Source: Apple's
/// documentation of staged migration.
// @unchecked Sendable: the stages are immutable; the container is set and read on the thread that adds the store.
open class NSStagedMigrationManager: NSObject, @unchecked Sendable {
    /// The stages, the oldest first.
    open private(set) var stages: [NSMigrationStage]
    /// While a handler runs: a container with the store as it is at that moment; nil otherwise.
    ///
    /// The store of the handlers is a copy, which takes the place of the original when every stage is done. What a
    /// handler saves is lost with it when a later one fails.
    open private(set) var container: NSPersistentContainer?

    /// A manager of these stages.
    public init(_ stages: [NSMigrationStage]) {
        self.stages = stages
        super.init()
    }

    /// Runs a handler while a store is open with a model.
    final func withContainer(
        _ model: NSManagedObjectModel, store url: URL, configuration: String?, options: [AnyHashable: Any],
        _ body: () throws -> Void
    ) throws {
        let container = NSPersistentContainer(
            name: url.deletingPathExtension().lastPathComponent, managedObjectModel: model)
        let store = try container.persistentStoreCoordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: configuration, at: url, options: options)
        self.container = container
        defer { self.container = nil }
        let result = Result { try body() }
        try container.persistentStoreCoordinator.remove(store)
        try result.get()
    }
}
