import Foundation

extension NSPersistentStoreCoordinator {
    /// The model that lies in a store: the one it was last opened with. Changes nothing on disk.
    ///
    /// With it a store can be opened whose program, and whose model files, one does not have. A store in a database of
    /// PostgreSQL is found by its URL's scheme.
    ///
    /// - Throws: 134130 when the store keeps no model (those written before 2014 do not); the errors of reading a file
    ///   that is missing, damaged or no store.
    public static func cachedModelForPersistentStore(
        at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> NSManagedObjectModel {
        let engine: any StoreEngine
        if let ofProduct = StoreEngines.engineOfProduct(for: StoreEngines.type(of: url)) {
            engine = ofProduct
        } else {
            try StorePlace.requireFileURL(url)
            engine = StoreEngines.fileEngine()
        }
        guard let model = try engine.cachedModel(at: url, timeout: StoreOptions.timeout(options)) else {
            throw NSError.coreData(
                NSMigrationMissingSourceModelError, reason: "The store keeps no copy of its model", url: url)
        }
        return model
    }
}
