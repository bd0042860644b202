#if PostgreSQL
import CoreData
import Foundation

// Stores that serve two versions of a model.
extension PostgreSQLEngine: OnlineEngine {
    func goesOnline(_ options: [AnyHashable: Any]?) -> Bool { PostgreSQLOnlineOptions(options).isOn }

    func otherVersions(
        at url: URL
    ) throws -> [(metadata: [String: Any], model: () throws -> NSManagedObjectModel?)] {
        try reporting {
            let connection = try Self.connection(to: url)
            let versions = try PostgreSQLVersion.served(on: connection)
            if versions.isEmpty { return [] }
            let newest = try SQLStoreMetadata.read(from: connection, url: shown(url))
            let lock = PostgreSQLConnection.versionLock(of: newest)
            return versions.filter { $0.lock != lock }.map { version in
                (version.metadata(over: newest), { try StoredModel.decode(version.model, of: self.shown(url)) })
            }
        }
    }

    func migrateOnline(
        _ migration: OnlineMigration, at url: URL, timeout: TimeInterval, _ progress: Progress
    ) throws {
        try reporting {
            // Each step can be done once more, on another server as well.
            try Self.awaitingAnother { advanced in
                let connection = try Self.connection(to: url)
                try PostgreSQLWatch.shared.watching(connection) {
                    if try ExistingTables.isPresent(on: connection) { throw Self.overTablesOfOthers(migration) }
                    try OnlineMigrator(
                        migration: migration, connection: connection, timeout: timeout, progress: progress
                    ).carryOut(advanced)
                }
            }
        }
    }

    private static func overTablesOfOthers(_ migration: OnlineMigration) -> NSError {
        .coreData(
            NSPersistentStoreIncompatibleVersionHashError,
            reason: "The store lies over tables of another program, which no migration changes. Destroy it: "
                + "the tables stay as they are. Then add it with the new model.",
            url: migration.url, userInfo: ["metadata": migration.metadata])
    }

    func endOlderVersions(ofCopyAt url: URL) throws {
        try reporting {
            var contraction = PostgreSQLContraction(try Self.connection(to: url), timeout: Self.closingTime)
            contraction.allowsLosses = true
            _ = try contraction.end(after: 0)
        }
    }

    func forecastOnline(
        _ migration: OnlineMigration, on connection: any SQLConnection
    ) throws -> OnlineMigration.Forecast {
        var forecast = OnlineMigration.Forecast()
        guard let connection = connection as? PostgreSQLConnection else { return forecast }
        let lock = PostgreSQLConnection.versionLock(of: migration.metadata)
        let version = try PostgreSQLVersion.served(lock, on: connection)
        if let version {
            try PostgreSQLContraction(connection, timeout: 0).requireEndOfOthers(
                than: version, after: PostgreSQLOnlineOptions(migration.options).delay)
        }
        let places =
            try version?.places
            ?? PostgreSQLPlaces(
                names: PostgreSQLNames(of: connection) ?? PostgreSQLNames(),
                numbers: IntrospectedSchema(connection).numbers)
        let plan = try OnlinePlan(migration, from: places, resumed: nil, on: connection)
        let rows = try OnlineRows(plan, on: connection)
        if !rows.problems.isEmpty { throw OnlineMigration.combined(rows.problems) }
        (forecast.steps, forecast.locks) = try OnlineForecast(plan, rows, on: connection).parts
        if migration.wantsStatements { forecast.statements = try statements(of: migration, plan, on: connection) }
        return forecast
    }

    private func statements(
        of migration: OnlineMigration, _ plan: OnlinePlan, on connection: PostgreSQLConnection
    ) throws -> [MigrationForecast.Statement] {
        let script = try PostgreSQLScript(on: connection)
        connection.script = script
        // The script has a recorder that reads by the connection.
        defer { connection.script = nil }
        let progress = Progress(totalUnitCount: -1)
        let timeout = (migration.options?[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 60
        try OnlineMigrator(migration: migration, connection: connection, timeout: timeout, progress: progress)
            .record(plan)
        return script.statements
    }
}
#endif
