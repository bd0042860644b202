import CoreData
import Foundation

/// The forecast of a migration between two versions of a model, without a store: that of an empty store which is made
/// of the older version and removed again.
package enum MigrationOutlook {
    /// - Parameter versions: further versions, through which the migration may lead.
    package static func forecast(
        from older: NSManagedObjectModel, to newer: NSManagedObjectModel, through versions: [NSManagedObjectModel]
    ) throws -> MigrationForecast {
        try ScratchFolder.with { folder in
            let url = folder.appendingPathComponent("Empty.sqlite")
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: older)
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
            try coordinator.remove(store)
            return try NSPersistentStoreCoordinator.migrationForecast(
                forPersistentStoreAt: url, to: newer, through: versions,
                options: [NSMigrationKnownVersionsOption: versions])
        }
    }
}

/// The text and the JSON of a forecast.
package struct ForecastText {
    let forecast: MigrationForecast
    /// Names of versions by their checksums.
    let names: [String: String]

    package init(_ forecast: MigrationForecast, versions: [ManagedModelVersion]) {
        self.forecast = forecast
        names = Dictionary(
            versions.map { ($0.model.versionChecksum, $0.name) }, uniquingKeysWith: { one, _ in one })
    }

    package func name(_ version: MigrationForecast.Version) -> String {
        names[version.checksum].map { "'\($0)'" } ?? version.description
    }

    /// The hops with their steps. Figures are left out if the forecast is not of a real store.
    package func writeHops(_ console: Console, figures: Bool) throws {
        for hop in forecast.hops {
            try console.line(
                Table.onOneLine("\(name(hop.from)) → \(name(hop.to)), \(Self.means(hop.means))"))
            guard !hop.steps.isEmpty else { continue }
            let columns: [Table.Column] =
                [.init("cost")] + (figures ? [.init("rows", isNumber: true), .init("bytes", isNumber: true)] : [])
                + [.init("step")]
            var table = Table(columns, on: console)
            for step in hop.steps {
                let isInstant = step.kind == .instant
                let numbers = [
                    isInstant ? "" : "\(step.rows)", isInstant || step.bytes == 0 ? "" : Measure.bytes(step.bytes),
                ]
                try table.add([step.kind.rawValue] + (figures ? numbers : []) + [step.summary])
            }
            try table.finish()
        }
    }

    private static func means(_ means: MigrationForecast.Hop.Means) -> String {
        switch means {
        case .inferred: "inferred"
        case .mappingModel(let name): "by the mapping model \(name)"
        }
    }

    package static func json(_ obstacle: MigrationForecast.Obstacle) -> JSON {
        .object([
            ("entity", obstacle.entity.map { .string($0) } ?? .null),
            ("property", obstacle.property.map { .string($0) } ?? .null), ("reason", .string(obstacle.reason)),
            ("help", .string(obstacle.help)),
        ])
    }

    private func json(_ hop: MigrationForecast.Hop) -> JSON {
        .object([
            ("from", json(hop.from)), ("to", json(hop.to)), ("means", .string(Self.means(hop.means))),
            ("isInstant", .bool(hop.isInstant)),
            (
                "steps",
                .array(
                    hop.steps.map { step in
                        .object([
                            ("kind", .string(step.kind.rawValue)), ("summary", .string(step.summary)),
                            ("table", step.table.map { .string($0) } ?? .null), ("rows", .integer(Int64(step.rows))),
                            ("bytes", .integer(step.bytes)), ("seconds", .number(step.seconds)),
                        ])
                    })
            ),
        ])
    }

    private func json(_ version: MigrationForecast.Version) -> JSON {
        .object([
            ("name", names[version.checksum].map { .string($0) } ?? .null), ("checksum", .string(version.checksum)),
            ("identifiers", .array(version.identifiers.map { .string($0) })),
        ])
    }

    private func json(_ statement: MigrationForecast.Statement) -> JSON {
        .object([
            ("kind", .string(statement.kind.rawValue)), ("text", .string(statement.text)),
            ("summary", .string(statement.summary)),
            ("hop", statement.hop.map { .integer(Int64($0)) } ?? .null),
            ("phase", statement.phase.map { .string($0.rawValue) } ?? .null),
            ("table", statement.table.map { .string($0) } ?? .null), ("rows", .integer(Int64(statement.rows))),
            ("seconds", .number(statement.seconds)), ("loss", statement.loss.map { .string($0) } ?? .null),
            ("isRepeated", .bool(statement.isRepeated)),
        ])
    }

    package var json: JSON {
        .object([
            ("isMigrationRequired", .bool(forecast.isMigrationRequired)), ("isPossible", .bool(forecast.isPossible)),
            ("isInstant", .bool(forecast.isInstant)), ("hops", .array(forecast.hops.map(json))),
            ("obstacles", .array(forecast.obstacles.map(Self.json))),
            ("mirror", MirrorText.json(forecast.mirror)),
            (
                "losses",
                .array(
                    forecast.losses.map { loss in
                        .object([
                            ("name", .string(loss.name)), ("entity", .string(loss.entity)),
                            ("property", loss.property.map { .string($0) } ?? .null),
                            ("count", .integer(Int64(loss.count))), ("isExact", .bool(loss.isExact)),
                            ("isAllowed", .bool(loss.isAllowed)),
                        ])
                    })
            ),
            (
                "locks",
                .array(
                    forecast.locks.map { lock in
                        .object([
                            ("tables", .array(lock.tables.map { .string($0) })),
                            ("isExclusive", .bool(lock.isExclusive)),
                            ("seconds", .number(lock.seconds)),
                        ])
                    })
            ),
            ("statements", .array(forecast.statements.map(json))),
            ("rows", .integer(Int64(forecast.rows))), ("bytes", .integer(forecast.bytes)),
            ("seconds", .number(forecast.estimatedSeconds)), ("diskSpaceNeeded", .integer(forecast.diskSpaceNeeded)),
            ("diskSpaceAvailable", forecast.diskSpaceAvailable.map { .integer($0) } ?? .null),
        ])
    }
}
