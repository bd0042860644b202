import Foundation

/// Migrates stores to the version of a coordinator's model, and moves them to other types. The layer above implements
/// the protocol.
protocol StoreMigrating: AnyObject {
    /// Makes sure that a store of an engine fits the model before it is opened: migrates it, or throws, as the options
    /// say. Returns the store summary of a store that fits, so that the store need not be inspected again.
    func prepareStore(
        at url: URL, ofType type: String, _ configuration: String?, _ options: [AnyHashable: Any]?
    ) throws -> (any StoreSummary)?

    /// Opens a store. If the store is a file of another version that is read and written as a whole, opening it fails;
    /// the file is then migrated and opened again.
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
    /// The coordinator's only access to the implementation in the layer above.
    final var migration: any StoreMigrating { self }
}
