import Foundation

extension NSPersistentStoreCoordinator {
    /// Brings everything that can be read of a damaged SQLite store into a new one.
    ///
    /// An addition to Apple's API. May be called on any thread; nobody else may write the store meanwhile. The store is
    /// read page by page, without SQLite, and is not changed. Rows keep their numbers, and the new store has the
    /// identifier of the old one. Rows that were deleted do not come back: pages that no table leads to are read only
    /// where the file tells that they are in use. A value that its attribute cannot hold is nil in the new store, and
    /// so is a link to a row that was not found. The history is left out.
    ///
    /// - Parameters:
    ///   - url: The file of the store. Its -wal is read, too, where it belongs to it.
    ///   - newURL: Where the new store is made; nothing may be there.
    ///   - model: The model that the store was written with; nil for the one that it keeps.
    ///   - options: Those of a new store. `NSMigrationProgressOption` follows the work, and ends it.
    /// - Returns: What is in the new store, and what is not.
    /// - Throws: An `NSError`: 134130 without a model, 134100 for a model that is another version's, 516 where
    ///   something is in the new store's place, and the errors of reading and writing files. Nothing is left of the new
    ///   store then.
    public static func salvage(
        storeAt url: URL, into newURL: URL, model: NSManagedObjectModel? = nil, options: [AnyHashable: Any]? = nil
    ) throws -> StoreSalvageReport {
        try StoreEngines.fileEngine().salvage(url, into: newURL, model: model, options: options)
    }
}
