import Foundation

/// The result of a comparison: the statements of a migration on one copy of a store, and the migration on another one.
///
/// OpenCoreData only. `verifyMigrationStatements(forPersistentStoreAt:to:configuration:through:options:)` of
/// ``NSPersistentStoreCoordinator`` makes one.
public struct MigrationStatementsVerification: Sendable, Equatable {
    /// The forecast with the statements.
    public var forecast: MigrationForecast
    /// The differences of the copy on which the statements ran from the migrated copy, in words. Empty if there are
    /// none.
    public var differences: [String] = []
    /// Work that no statement does, so that it was not compared.
    public var notCompared: [String] = []

    /// Whether the statements ran, and gave the store that the migration makes.
    public var isVerified: Bool { differences.isEmpty && forecast.statements.contains { $0.kind != .program } }
}

extension NSPersistentStoreCoordinator {
    /// Runs the statements of a migration on a copy of a store, migrates another copy, and compares the two.
    ///
    /// OpenCoreData only. The store itself is only read. A file is copied into the temporary folder, which needs twice
    /// the space of the store. A database is copied into two new databases on its server, which are dropped afterwards:
    /// the role needs the right to make databases (`CREATEDB`). Any thread may call the function.
    ///
    /// - Parameters:
    ///   - url: The store's main file, or the URL of its database.
    ///   - model: The model to reach.
    ///   - configuration: The configuration of the store; nil for the default one.
    ///   - versions: Versions that the migration may lead through, beside those among the program's resources.
    ///   - options: The options for adding the store.
    /// - Returns: The forecast and the differences. A migration that is impossible, or in which code of the program
    ///   takes part, has nothing to compare.
    /// - Throws: The error of a statement that fails, of the migration, or of making a copy.
    public static func verifyMigrationStatements(
        forPersistentStoreAt url: URL, to model: NSManagedObjectModel, configuration: String? = nil,
        through versions: [NSManagedObjectModel] = [], options: [AnyHashable: Any]? = nil
    ) throws -> MigrationStatementsVerification {
        var options = options ?? [:]
        options[NSMigrationForecastStatementsOption] = true
        for key in [NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption] {
            options[key] = true
        }
        let known = options[NSMigrationKnownVersionsOption] as? [NSManagedObjectModel] ?? []
        options[NSMigrationKnownVersionsOption] = known + versions
        let forecast = try migrationForecast(
            forPersistentStoreAt: url, to: model, configuration: configuration, through: versions, options: options)
        var verification = MigrationStatementsVerification(forecast: forecast)
        let work = forecast.statements.filter { $0.kind == .program }
        verification.notCompared = work.map(\.summary)
        guard !work.contains(where: { $0.columns.isEmpty && $0.phase != .contract }), !forecast.statements.isEmpty,
            let engine = StoreEngines.migratingEngine(for: StoreEngines.type(of: url))
        else { return verification }
        // The end of the older version comes later.
        let (now, later) = (
            forecast.statements.filter { $0.phase != .contract }, forecast.statements.filter { $0.phase == .contract }
        )
        let columns = Set(work.flatMap(\.columns))
        verification.differences = try engine.withTrialCopies(of: url) { first, second in
            try engine.run(now, at: first, options)
            _ = try engine.prepare(
                MigrationRequest(at: second, to: model, configuration: configuration, options: options))
            let differences = try engine.differences(of: first, from: second, leavingOut: columns)
            guard differences.isEmpty, !later.isEmpty, let online = engine as? any OnlineEngine else {
                return differences
            }
            try engine.run(later, at: first, options)
            try online.endOlderVersions(ofCopyAt: second)
            return try engine.differences(of: first, from: second, leavingOut: columns)
                .map { "after the end of the older version: \($0)" }
        }
        return verification
    }
}

extension MigrationForecast.Statement {
    /// The error of a check that has found a row.
    package func failure(_ url: URL) -> NSError {
        .coreData(NSMigrationError, reason: "The check has found a row: \(summary) (\(text)).", url: url)
    }
}
