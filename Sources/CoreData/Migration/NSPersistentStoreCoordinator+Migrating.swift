import Foundation

extension NSPersistentStoreCoordinator: StoreMigrating {
    final func prepareStore(
        at url: URL, ofType type: String, _ configuration: String?, _ options: [AnyHashable: Any]?
    ) throws -> (any StoreSummary)? {
        try StoreEngines.migratingEngine(for: type)?.prepare(
            MigrationRequest(at: url, to: managedObjectModel, configuration: configuration, options: options))
    }

    final func openingFile<Result>(
        ofType type: String, at url: URL?, _ configuration: String?, _ options: [AnyHashable: Any]?,
        _ open: () throws -> Result
    ) throws -> Result {
        let file = url.flatMap { url in
            FileMigration(
                MigrationRequest(at: url, to: managedObjectModel, configuration: configuration, options: options),
                ofType: type)
        }
        try file?.removeRemains()
        do {
            return try open()
        } catch let error as NSError
            where error.code == NSPersistentStoreIncompatibleVersionHashError
            && file?.request.isMigrationAllowed == true
        {
            try file?.migrate(after: error)
            return try open()
        }
    }
}
