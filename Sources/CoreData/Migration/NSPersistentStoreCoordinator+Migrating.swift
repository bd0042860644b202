import Foundation

extension NSPersistentStoreCoordinator: StoreMigrating {
    final func prepareStore(
        at url: URL, ofType type: String, _ configuration: String?, _ options: [AnyHashable: Any]?
    ) throws -> (any StoreLook)? {
        if let engine = StoreEngines.engine(for: type)?.inPlace {
            return try InPlaceMigration(
                engine: engine, at: url, model: managedObjectModel, configuration: configuration, options: options
            ).prepare()
        }
        guard StoreEngines.form(of: type) == .file else { return nil }
        return try StoreMigration.prepare(
            url: url.standardizedFileURL, model: managedObjectModel, configuration: configuration, options: options)
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
