import Foundation

extension NSPersistentStoreCoordinator {
    /// Copies everything that can be read of a damaged SQLite store into a new store.
    ///
    /// The damaged store is read page by page, without SQLite, and is not changed. No other program may write it during
    /// the call. Any thread may call this method.
    ///
    /// Rows keep their numbers, and the new store has the identifier of the old one. Deleted rows do not come back: a
    /// page that belongs to no table is read only if the file says that it is in use. A value that its attribute cannot
    /// hold is nil in the new store, and so is a link to a row that was not found. The history is left out.
    ///
    /// OpenCoreData only.
    ///
    /// - Parameters:
    ///   - url: The file of the damaged store. Its -wal is read too, if it belongs to the file.
    ///   - newURL: The URL of the new store, at which nothing may exist.
    ///   - model: The model that the store was written with; nil for the one that it keeps.
    ///   - options: Options of a new store. A `Progress` under `NSMigrationProgressOption` follows the work, and
    ///     cancelling it ends the work.
    /// - Returns: A report of the contents of the new store, and of the losses.
    /// - Throws: Nothing is left of the new store after each of these errors.
    ///   - `NSMigrationMissingSourceModelError` (134130) if there is no model.
    ///   - `NSPersistentStoreIncompatibleVersionHashError` (134100) if the model is of another version.
    ///   - `NSFileWriteFileExistsError` (516) if something exists at the new URL.
    ///   - The errors of reading and writing files.
    public static func salvage(
        storeAt url: URL, into newURL: URL, model: NSManagedObjectModel? = nil, options: [AnyHashable: Any]? = nil
    ) throws -> StoreSalvageReport {
        try StoreEngines.fileEngine().salvage(url, into: newURL, model: model, options: options)
    }
}
