import Foundation

/// An engine that brings its stores to other versions, in the way of its kind. The floor of the stores does not know
/// migrations: the conformances stand above it.
package protocol MigratingEngine: StoreEngine {
    /// Makes sure that a store fits a model before it is opened: migrates it, or throws, as the options say.
    ///
    /// - Returns: The look at a store that fits; nil if there is no store, or nobody looked.
    func prepare(
        at url: URL, for model: NSManagedObjectModel, _ configuration: String?, _ options: [AnyHashable: Any]?
    ) throws -> (any StoreLook)?

    /// The steps and the cost of bringing a store to a model, and the obstacles. Changes nothing.
    ///
    /// - Parameter versions: Versions that the way may lead through.
    func forecast(
        at url: URL, to model: NSManagedObjectModel, _ configuration: String?,
        through versions: [NSManagedObjectModel], _ options: [AnyHashable: Any]?
    ) throws -> MigrationForecast
}

// Stores in databases are migrated where they lie.
extension MigratingEngine where Self: InPlaceEngine {
    package func prepare(
        at url: URL, for model: NSManagedObjectModel, _ configuration: String?, _ options: [AnyHashable: Any]?
    ) throws -> (any StoreLook)? {
        try InPlaceMigration(engine: self, at: url, model: model, configuration: configuration, options: options)
            .prepare()
    }

    package func forecast(
        at url: URL, to model: NSManagedObjectModel, _ configuration: String?,
        through versions: [NSManagedObjectModel], _ options: [AnyHashable: Any]?
    ) throws -> MigrationForecast {
        try MigrationForecaster(url: shown(url), model: model, configuration: configuration, options: options)
            .forecast(of: self, at: url, through: versions)
    }
}

extension StoreEngines {
    /// The engine of a type, which brings its stores to other versions; nil for types that no engine has.
    static func migratingEngine(for type: String) -> (any MigratingEngine)? {
        guard let engine = engine(for: type) else { return nil }
        let migrating = engine as? any MigratingEngine
        // Its stores would be opened as they are, in any version.
        require(migrating != nil, "\(Swift.type(of: engine)) does not say how it migrates its stores")
        return migrating
    }
}
