import Foundation

/// Makes a forecast from what the store says about itself and from the plan that a migration would follow.
struct MigrationForecaster {
    let url: URL
    let model: NSManagedObjectModel
    let configuration: String?
    let options: [AnyHashable: Any]?

    /// The tables as they stand before a hop.
    private struct State {
        var model: NSManagedObjectModel
        var schema: SQLSchema
        var facts: StoreFacts
        /// Bytes of a table's average row.
        var rowBytes: [String: Double]
    }

    func forecast(through versions: [NSManagedObjectModel]) throws -> MigrationForecast {
        var forecast = MigrationForecast(store: url, isMigrationRequired: false)
        guard FileManager.default.fileExists(atPath: url.path) else { return forecast }
        let migrator = LightweightMigrator(url: url, model: model, configuration: configuration, options: options)
        do {
            guard try migrator.isRequired() else { return forecast }
            forecast.isMigrationRequired = true
            forecast.diskSpaceAvailable = Self.freeBytes(at: url)
            let (source, connection) = try migrator.openQuietly()
            let (schema, facts) = try migrator.state(of: source, on: connection)
            var state = State(
                model: source, schema: schema, facts: facts, rowBytes: try Self.rowBytes(facts, schema, connection))
            for version in try route(from: source, through: versions) {
                state = try add(version, after: state, to: &forecast, migrator)
            }
        } catch let error as NSError where Self.obstacleCodes.contains(error.code) {
            forecast.hops = []
            forecast.obstacles = Self.obstacles(of: error)
            return forecast
        } catch let error as SQLiteError {
            throw MigrationErrors.translated(error, url: url, doing: "forecasting")
        }
        let seconds = forecast.hops.flatMap(\.steps).reduce(0) { $0 + $1.seconds }
        forecast.estimatedSeconds = seconds + Double(forecast.hops.count) * MachineCalibration.current.transaction
        forecast.diskSpaceNeeded = Self.diskSpace(forecast)
        return forecast
    }

    // MARK: The way

    /// The versions to go through, the last of them the model: the direct way when there is one.
    private func route(
        from source: NSManagedObjectModel, through versions: [NSManagedObjectModel]
    ) throws -> [NSManagedObjectModel] {
        let places = [source] + versions.compactMap { $0.copy() as? NSManagedObjectModel } + [model]
        let last = places.count - 1
        let route = MigrationRoute.shortest(from: 0, to: last, count: places.count) { from, to in
            (try? ModelDifference(from: places[from].layout, to: places[to].layout)) != nil
        }
        // Without any way the direct one's error says what stands in it.
        return (route ?? [last]).map { places[$0] }
    }

    private func add(
        _ version: NSManagedObjectModel, after state: State, to forecast: inout MigrationForecast,
        _ migrator: LightweightMigrator
    ) throws -> State {
        let isLast = version === model
        let schema = SQLSchemaBuilder.schema(
            of: version.layout, entities: isLast ? try migrator.entityNames() : nil)
        let plan = try LightweightMigrator.plan(
            from: state.model.layout, state.schema, to: version.layout, schema, state.facts
        ).plan
        // Steps name the tables as they are called at that point; people know them by the names they have now.
        var names: [String: String] = [:]
        let steps = zip(plan.steps, plan.rows).map { step, rows in
            if case .renameTable(let from, let to) = step { names[to] = names[from] ?? from }
            let table = step.touchedTable.map { names[$0] ?? $0 }
            let bytes = table.flatMap { state.rowBytes[$0] } ?? Self.unknownRowBytes
            return Self.step(step, table: table, rows: rows, bytesPerRow: bytes)
        }
        forecast.hops.append(
            .init(
                from: Self.version(state.model), to: Self.version(version), means: .inferred, steps: steps))
        var facts = StoreFacts(schema, rows: plan.tableRows)
        var rowBytes: [String: Double] = [:]
        for (table, origin) in plan.tableOrigins { rowBytes[table] = state.rowBytes[origin] }
        facts.tables["ACHANGE"] = state.facts.tables["ACHANGE"]
        return State(model: version, schema: schema, facts: facts, rowBytes: rowBytes)
    }

    // MARK: Sizes and times

    private static func rowBytes(
        _ facts: StoreFacts, _ schema: SQLSchema, _ connection: SQLiteConnection
    ) throws -> [String: Double] {
        var result: [String: Double] = [:]
        for name in schema.allTables.map(\.name) + ["ACHANGE"] {
            if let table = facts.tables[name] { result[name] = try TableSample.bytesPerRow(of: table, connection) }
        }
        return result
    }

    /// Bytes of an entry in an index: a value, a key, their header.
    private static let indexEntry = 16.0

    /// A row of a table that nothing is known about.
    private static let unknownRowBytes = 60.0

    private static func step(
        _ step: MigrationStep, table: String?, rows: Int, bytesPerRow: Double
    ) -> MigrationForecast.Step {
        let machine = MachineCalibration.current
        let count = Double(rows)
        let kind: MigrationForecast.Step.Kind
        var bytes = 0.0
        var seconds = 0.0
        switch step {
        case _ where step.isInstant:
            kind = .instant
        case .check:
            kind = .scan
            seconds = count * machine.scan
        case .createIndex:
            kind = .rewrite
            bytes = count * indexEntry
            seconds = count * machine.index
        case .copyPairs:
            kind = .rewrite
            bytes = count * indexEntry
            seconds = count * machine.rewrite + bytes * machine.byte
        default:
            kind = .rewrite
            bytes = count * bytesPerRow
            seconds = count * machine.rewrite + bytes * machine.byte
        }
        return .init(
            kind: kind, summary: "\(step)", table: kind == .instant ? nil : table, rows: rows,
            bytes: Int64(bytes), seconds: seconds)
    }

    /// What every migration writes: the catalogue, metadata and the archived model.
    private static let smallChange: Int64 = 256 * 1024

    /// All written pages lie in the -wal until it is copied, and new tables make the main file grow by as much.
    private static func diskSpace(_ forecast: MigrationForecast) -> Int64 {
        forecast.bytes * 2 + smallChange * Int64(forecast.hops.count)
    }

    private static func freeBytes(at url: URL) -> Int64? {
        let folder = url.deletingLastPathComponent().path
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
        return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
    }

    private static func version(_ model: NSManagedObjectModel) -> MigrationForecast.Version {
        .init(identifiers: model.versionIdentifiers.map { "\($0.base)" }.sorted(), checksum: model.versionChecksum)
    }

    // MARK: Obstacles

    private static let obstacleCodes = [NSInferredMappingModelError, NSMigrationMissingSourceModelError]

    private static func obstacles(of error: NSError) -> [MigrationForecast.Obstacle] {
        if let details = error.userInfo[NSDetailedErrorsKey] as? [NSError] { return details.flatMap(obstacles) }
        var help = error.localizedRecoverySuggestion ?? ""
        if error.code == NSMigrationMissingSourceModelError {
            help = "Keep the older versions of the model in the program’s bundle, or give them to the migration."
        }
        return [
            .init(
                entity: error.userInfo[MigrationErrors.entityKey] as? String,
                property: error.userInfo[MigrationErrors.propertyKey] as? String,
                reason: error.userInfo["reason"] as? String ?? error.localizedDescription, help: help)
        ]
    }
}
