import Foundation

extension NSPersistentStoreCoordinator {
    /// What bringing a store to a model would do and cost, and what stands in its way.
    ///
    /// An addition to Apple's API. For a SQLite store it takes milliseconds at any size: metadata, archived model,
    /// schema and some sample rows are read. Neither the main file nor the -wal changes. A store that is read and
    /// written as a whole (XML, binary, a class of the program's own) is read, and its model looked for among
    /// `versions` and the program's resources. May be called on any thread; the store may be open.
    ///
    /// - Parameters:
    ///   - url: the store's main file, or the URL of its database, which is only read. A store that is not there needs
    ///     no migration.
    ///   - model: the model to reach.
    ///   - configuration: the configuration the store belongs to; nil for the default one.
    ///   - versions: versions that the way may lead through, should the direct one be impossible, beside those among
    ///     the program's resources.
    ///   - options: as for adding the store: a time-out, a staged migration manager, whether a mapping may be inferred,
    ///     what may be lost.
    /// - Throws: the errors of reading a file that is damaged or no store, and `NSPersistentStoreInvalidTypeError`
    ///   where the product that the URL needs is not among the target's dependencies. A migration that is impossible is
    ///   no error but the forecast's `obstacles`.
    public static func migrationForecast(
        forPersistentStoreAt url: URL, to model: NSManagedObjectModel, configuration: String? = nil,
        through versions: [NSManagedObjectModel] = [], options: [AnyHashable: Any]? = nil
    ) throws -> MigrationForecast {
        let type = StoreEngines.type(of: url)
        guard let engine = StoreEngines.migratingEngine(for: type) else {
            throw unsupported(type, at: url)
        }
        return try engine.forecast(at: url, to: model, configuration, through: versions, options)
    }
}
