// Implementation notes: Migration.
//
// - `Planning/` makes plans without a connection, `Running/` carries them out over any driver, and `Files/` has the
//   parts that only files need. `SourceLayerTests` lists the names that each of the three folders may use. `Ways/`,
//   `Losses/`, `Forecast/`, `Progress/`, `Staged/`, `Online/` and `Moving/` are named after their subjects.
// - A `MigrationRequest` has the store, the version to reach and the options; each type here receives it whole.
// - One verb stands for one station. `prepare` makes sure that a store fits before it is opened; the result is a
//   summary of the store, or an error (`StoreMigration` for files, `InPlaceMigration` for databases). `migrate` brings
//   a store that does not fit to the version. `MigrationStrategy` chooses the hops, and `carryOut` performs them:
//   `apply` in one transaction, or `make` for the new file of a copy stage. The conformances of engines are here, above
//   the stores.
// - No type of these stations uses one of an earlier station, so that a forecast can be made within a migration.
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
    /// Makes sure that a store fits the request's model before it is opened. Depending on the options, it migrates a
    /// store that does not fit, or throws.
    ///
    /// - Returns: The summary of a store that fits; nil if there is no store, or the engine has not read it.
    func prepare(_ request: MigrationRequest) throws -> (any StoreSummary)?

    /// Forecasts the steps and the cost of a migration, and the obstacles. Changes nothing.
    func forecast(_ request: MigrationRequest) throws -> MigrationForecast

    /// Makes two copies of a store, passes their addresses to a body, and removes them.
    func withTrialCopies<Result>(of url: URL, _ body: (_ first: URL, _ second: URL) throws -> Result) throws -> Result

    /// Runs the statements of a forecast on a copy.
    func run(_ statements: [MigrationForecast.Statement], at url: URL, _ options: [AnyHashable: Any]?) throws

    /// The differences of one copy from another one, in words, without the given columns.
    func differences(of first: URL, from second: URL, leavingOut columns: Set<String>) throws -> [String]
}

// Stores in databases are migrated in place.
extension MigratingEngine where Self: InPlaceEngine {
    package func prepare(_ request: MigrationRequest) throws -> (any StoreSummary)? {
        try InPlaceMigration(engine: self, request).prepare()
    }

    package func forecast(_ request: MigrationRequest) throws -> MigrationForecast {
        try MigrationForecaster(request.shown(as: shown(request.address))).forecast(of: self)
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
