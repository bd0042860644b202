import Foundation

/// The stages that bring a store of any earlier version to the present version of its model.
///
/// Pass it under ``NSPersistentStoreStagedMigrationManagerOptionKey`` when you add the store. Adding the store then
/// fails with one of these errors if the stages do not fit:
///
/// - `NSManagedObjectModelReferenceNotFoundError` (134504): the version of the store or of the model is in none of the
///   stages, or a model cannot be found.
/// - `NSStagedMigrationBackwardMigrationError` (134506): the store is of a later version than the model.
/// - `NSMigrationError` (134110): two stages have the same version, or a handler failed.
///
/// Without handlers the store is migrated in place, in one transaction. With handlers a copy of the store is migrated
/// stage by stage, and takes the place of the store at the end.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsstagedmigrationmanager)
// @unchecked Sendable: the stages are immutable; the container is set and read on the thread that adds the store.
open class NSStagedMigrationManager: NSObject, @unchecked Sendable {
    /// The stages, the oldest first.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsstagedmigrationmanager/stages)
    open private(set) var stages: [NSMigrationStage]
    /// A container with the store as it is while a handler runs; nil at other times.
    ///
    /// Its store is a copy, which takes the place of the original after the last stage. If a later stage fails, changes
    /// that a handler has saved are lost with the copy.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsstagedmigrationmanager/container)
    open private(set) var container: NSPersistentContainer?

    /// Creates a manager of some stages.
    ///
    /// - Parameter stages: The stages, the oldest first. Each begins with the version that the stage before it ends
    ///   with.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsstagedmigrationmanager/init(_:))
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
        do {
            try body()
        } catch {
            // The handler's error is more useful than the error of a store that does not close.
            try? container.persistentStoreCoordinator.remove(store)
            throw error
        }
        try container.persistentStoreCoordinator.remove(store)
    }
}
