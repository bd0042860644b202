import Foundation

extension NSPersistentStoreCoordinator {
    /// The model that lies in a store: the one it was last opened with. Changes nothing on disk.
    ///
    /// With it a store can be opened whose program, and whose model files, one does not have.
    ///
    /// - Throws: 134130 when the store keeps no model (those written before 2014 do not); the errors of reading a file
    ///   that is missing, damaged or no store.
    public static func cachedModelForPersistentStore(
        at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> NSManagedObjectModel {
        try StorePlace.requireFileURL(url)
        let timeout = StoreOptions.timeout(options)
        guard let model = try StoreEngines.fileEngine().cachedModel(at: url, timeout: timeout) else {
            throw NSError.coreData(
                NSMigrationMissingSourceModelError, reason: "The store keeps no copy of its model", url: url)
        }
        return model
    }
}
