import Foundation

extension NSPersistentStoreCoordinator: StoreMigrating {
    final func prepareStore(
        at url: URL, ofType type: String, _ configuration: String?, _ options: [AnyHashable: Any]?
    ) throws -> (any StoreSummary)? {
        try StoreEngines.migratingEngine(for: type)?.prepare(at: url, for: managedObjectModel, configuration, options)
    }

    final func openingFile<Result>(
        ofType type: String, at url: URL?, _ configuration: String?, _ options: [AnyHashable: Any]?,
        _ open: () throws -> Result
    ) throws -> Result {
        let file = FileMigration(
            type: type, at: url, model: managedObjectModel, configuration: configuration, options: options)
        try file?.removeRemains()
        do {
            return try open()
        } catch let error as NSError
            where error.code == NSPersistentStoreIncompatibleVersionHashError && file?.isWanted == true
        {
            try file?.run(after: error)
            return try open()
        }
    }
}
