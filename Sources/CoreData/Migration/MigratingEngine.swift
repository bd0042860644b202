// Implementation notes: Migration.
//
// - `Planning/` makes plans without a connection, `Running/` carries them out over any driver, and `Files/` has the
//   parts that only files need. `SourceLayerTests` lists the names that each of the three folders may use. `Ways/`,
//   `Losses/`, `Forecast/`, `Progress/`, `Staged/`, `Online/` and `Moving/` are named after their subjects.
// - A coordinator calls `MigratingEngine.prepare` before it opens a store. The result is a summary of the store, a
//   migration, or an error. Files are prepared by `StoreMigration`, databases (`InPlaceEngine`) by `InPlaceMigration`.
//   The conformances of engines are here, above the stores.
// - A migration reads no row into the program, except for mapping models, stages with handlers, and derived attributes
//   that the database does not compute.
// - `MigrationMoment` names the moments of every kind of migration. `MigrationTestKit` ends child processes at each of
//   them and at random, and checks the files that remain (`KillTrialTests`, `KilledMigrationTests`).
// - `DeferredStatements` keeps statements that can wait in the store's metadata, where they disappear as they run. The
//   next migration runs the rest first.

import Foundation

/// An engine that brings its stores to other versions. The layer of the stores does not use migrations, so the
/// conformances are in this one.
package protocol MigratingEngine: StoreEngine {
    /// Makes sure that a store fits a model before it is opened. Depending on the options, it migrates a store that
    /// does not fit, or throws.
    ///
    /// - Returns: The summary of a store that fits; nil if there is no store, or the engine has not read it.
    func prepare(
        at url: URL, for model: NSManagedObjectModel, _ configuration: String?, _ options: [AnyHashable: Any]?
    ) throws -> (any StoreSummary)?

    /// Forecasts the steps and the cost of bringing a store to a model, and the obstacles. Changes nothing.
    ///
    /// - Parameter versions: Versions that the migration may lead through.
    func forecast(
        at url: URL, to model: NSManagedObjectModel, _ configuration: String?,
        through versions: [NSManagedObjectModel], _ options: [AnyHashable: Any]?
    ) throws -> MigrationForecast
}

// Stores in databases are migrated in place.
extension MigratingEngine where Self: InPlaceEngine {
    package func prepare(
        at url: URL, for model: NSManagedObjectModel, _ configuration: String?, _ options: [AnyHashable: Any]?
    ) throws -> (any StoreSummary)? {
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
        // Without this the engine's stores would be opened as they are, in any version.
        require(migrating != nil, "\(Swift.type(of: engine)) does not say how it migrates its stores")
        return migrating
    }
}
