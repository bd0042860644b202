import Foundation

// Files are migrated in place if SQL can do the work, and as copies otherwise.
extension SQLiteEngine: MigratingEngine {
    func prepare(
        at url: URL, for model: NSManagedObjectModel, _ configuration: String?, _ options: [AnyHashable: Any]?
    ) throws -> (any StoreSummary)? {
        try StoreMigration.prepare(
            url: url.standardizedFileURL, model: model, configuration: configuration, options: options)
    }

    func forecast(
        at url: URL, to model: NSManagedObjectModel, _ configuration: String?,
        through versions: [NSManagedObjectModel], _ options: [AnyHashable: Any]?
    ) throws -> MigrationForecast {
        try StorePlace.requireFileURL(url)
        return try MigrationForecaster(url: url, model: model, configuration: configuration, options: options)
            .forecast(through: versions)
    }
}
