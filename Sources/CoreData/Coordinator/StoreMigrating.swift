import Foundation

/// Brings stores to the version of a coordinator's model, and into other kinds. The floor above implements it.
protocol StoreMigrating: AnyObject {
    /// Makes sure that a store of an engine fits the model before it is opened: migrates it, or throws, as the options
    /// say. Returns the findings about a store that fits, so that it need not be read again.
    func prepareStore(
        at url: URL, ofType type: String, _ configuration: String?, _ options: [AnyHashable: Any]?
    ) throws -> (any StoreLook)?

    /// Opens a store. One that is a file of another version, read and written as a whole, is migrated when it is
    /// refused, and opened again.
    func openingFile<Result>(
        ofType type: String, at url: URL?, _ configuration: String?, _ options: [AnyHashable: Any]?,
        _ open: () throws -> Result
    ) throws -> Result

    /// Moves a store to another address and another type. Does the work of
    /// `migratePersistentStore(_:to:options:withType:)` unless a subclass overrides it.
    func moveStore(
        _ store: NSPersistentStore, to url: URL, _ options: [AnyHashable: Any]?, withType storeType: String
    ) throws -> NSPersistentStore
}

extension NSPersistentStoreCoordinator {
    /// The coordinator's only way to the work of the floor above.
    final var migration: any StoreMigrating { self }
}
