import Foundation

extension NSPersistentStoreCoordinator {
    /// Forecasts what a migration of a store to a model would do and cost, and the obstacles to it.
    ///
    /// OpenCoreData only. For a SQLite store the forecast takes milliseconds at any size. It reads the metadata, the
    /// archived model, the schema and some sample rows. Neither the main file nor the -wal changes. A store that is
    /// read and written as a whole (XML, binary, or a class of the program's own) is read. The forecast finds its model
    /// among `versions` and the program's resources. Any thread may call the function, and the store may be open.
    ///
    /// - Parameters:
    ///   - url: The store's main file, or the URL of its database. A store that does not exist needs no migration.
    ///   - model: The model to reach.
    ///   - configuration: The configuration of the store; nil for the default one.
    ///   - versions: Versions that the migration may lead through if the direct hop is impossible, beside those among
    ///     the program's resources.
    ///   - options: The options for adding the store, such as a timeout, a staged migration manager or allowed losses.
    /// - Returns: The forecast. A migration that is impossible is no error: ``MigrationForecast/obstacles`` gives the
    ///   reasons.
    /// - Throws: The error of reading a file that is damaged or no store. `NSPersistentStoreInvalidTypeError` (134000)
    ///   if the URL needs a product that is not among the target's dependencies.
    public static func migrationForecast(
        forPersistentStoreAt url: URL, to model: NSManagedObjectModel, configuration: String? = nil,
        through versions: [NSManagedObjectModel] = [], options: [AnyHashable: Any]? = nil
    ) throws -> MigrationForecast {
        let type = StoreEngines.type(of: url)
        guard let engine = StoreEngines.migratingEngine(for: type) else {
            throw unsupported(type, at: url)
        }
        var forecast = try engine.forecast(
            MigrationRequest(at: url, to: model, configuration: configuration, options: options, through: versions))
        if !forecast.isPossible { forecast.statements = [] }
        return forecast
    }
}
