import Foundation

extension NSPersistentStoreCoordinator {
    /// Reads the model that a store keeps: the one with which it was last opened. Nothing on disk changes.
    ///
    /// Use it to open a store without the program or the model files that belong to it. The URL of a database leads to
    /// the product for its scheme. Any thread may call it.
    ///
    /// - Parameters:
    ///   - url: The store's URL.
    ///   - options: `NSPersistentStoreTimeoutOption`, which limits the wait for a program that holds the store.
    /// - Returns: The model.
    /// - Throws: `NSMigrationMissingSourceModelError` (134130) if the store keeps no model, and the errors of reading a
    ///   file that is missing, damaged or no store.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/cachedmodelforpersistentstore(at:options:))
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
