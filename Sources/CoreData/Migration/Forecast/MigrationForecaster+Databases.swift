import Foundation

// The forecast of a store in a database, which is migrated in place.
extension MigrationForecaster {
    /// Measurements on a server of an ordinary computer: PostgreSQL's figures for a million rows.
    private static let server = MachineCalibration(
        scan: 1.4e-7, rewrite: 1.8e-5, index: 1.6e-6, byte: 0, transaction: 0.02)

    func forecast(of engine: any InPlaceEngine) throws -> MigrationForecast {
        let address = request.address
        var forecast = MigrationForecast(store: url, isMigrationRequired: false)
        let metadata: [String: Any]
        do {
            metadata = try engine.metadata(at: address, timeout: request.timeout)
        } catch let error as NSError where SQLStoreMetadata.isNotAStore(error) {
            return forecast
        }
        let fits = try StoreModelCheck(request) { try engine.cachedModel(at: address, timeout: 0) }.fits(metadata)
        if fits { return forecast }
        if try InPlaceMigration(engine: engine, request).otherVersion() != nil { return forecast }
        forecast.isMigrationRequired = true
        do {
            try engine.looking(at: address) { connection in
                try inspect(metadata, engine: engine, on: connection, into: &forecast)
            }
        } catch let error as NSError
            where ForecastObstacles.codes.contains(error.code) || MigrationErrors.isAboutRows(error)
        {
            forecast.hops = []
            forecast.statements = []
            forecast.locks = []
            forecast.obstacles = ForecastObstacles.of(error)
        }
        return forecast
    }

    private func inspect(
        _ metadata: [String: Any], engine: any InPlaceEngine, on connection: any SQLConnection,
        into forecast: inout MigrationForecast
    ) throws {
        var forecaster = self
        forecaster.hopForecaster.machine = Self.server
        let store = SourceModel(metadata: metadata, url: url, for: request) {
            try engine.cachedModel(at: request.address, timeout: 0)
        }
        let source = try store.find()
        let (schema, catalog) = try MigrationTransaction(request).state(of: source, metadata, on: connection)
        let sizes = try engine.sizes(of: Set(catalog.tables.keys), on: connection)
        let state = HopForecaster.State(
            dialect: connection.dialect, style: connection.style, model: source, schema: schema, catalog: catalog,
            rowBytes: sizes.mapValues { Double($0) }.reduce(into: [:]) { result, size in
                result[size.key] = size.value / Double(max(1, catalog.tables[size.key]?.rows ?? 0))
            }, size: nil, unchanged: Set(catalog.tables.keys), metadata: metadata)
        if let online = engine as? any OnlineEngine, online.goesOnline(request.options) {
            return try forecaster.addOnlineHops(
                of: store.knowing(source), from: source, engine: online, on: connection, to: &forecast)
        }
        if request.wantsStatements {
            forecaster.hopForecaster.recorder = StatementRecorder(connection)
            forecaster.hopForecaster.frame = try engine.frame(on: connection)
        }
        let taken = try forecaster.addBestHops(of: store, from: state, on: connection, to: &forecast)
        if let refusal = try engine.refusedRow(of: schema, source.layout, on: connection) {
            forecast.hops = []
            forecast.obstacles += ForecastObstacles.of(refusal)
        }
        if forecast.isPossible {
            forecaster.addCosts(
                of: taken, tables: schema.allTables.map(\.name), bytes: sizes.values.reduce(0, +),
                rows: schema.allTables.reduce(0) { $0 + (catalog.tables[$1.name]?.rows ?? 0) }, to: &forecast)
            forecast.setLock()
        }
    }

    /// An inferred migration is one transaction of the server. If code of the program's own runs, the content is copied
    /// through files of this machine, and a lock keeps other programs from reading the tables while they are exchanged.
    private func addCosts(
        of hops: [MigrationHop], tables: [String], bytes: Int64, rows: Int, to forecast: inout MigrationForecast
    ) {
        let work = forecast.hops.flatMap(\.steps).reduce(0) { $0 + $1.seconds } + hopForecaster.machine.transaction
        if !hops.contains(where: \.runsCode) {
            forecast.estimatedSeconds = work
            forecast.locks = [.init(tables: tables, isExclusive: true, seconds: work)]
            forecast.diskSpaceNeeded = forecast.bytes * 2 + HopForecaster.smallChange
            return
        }
        // Rows are read, and written with their indexes, a thousand at a time.
        let (reading, writing) = (Double(rows) * 2e-6, Double(rows) * 8e-6)
        forecast.estimatedSeconds = reading + work + writing
        forecast.locks = [
            .init(tables: tables, isExclusive: false, seconds: reading + work),
            .init(tables: tables, isExclusive: true, seconds: writing),
        ]
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("copy")
        forecast.diskSpaceNeeded = max(bytes, forecast.bytes) * 2 + HopForecaster.smallChange
        forecast.diskSpaceAvailable = HopForecaster.freeBytes(at: folder)
    }

    /// Adds the steps of a migration beside other programs.
    private func addOnlineHops(
        of store: SourceModel, from source: NSManagedObjectModel, engine online: any OnlineEngine,
        on connection: any SQLConnection, to forecast: inout MigrationForecast
    ) throws {
        let hops = try strategy(for: store).bestHops()
        do {
            let migration = try InPlaceMigration(engine: online, request)
                .onlineMigration(hops, from: store.metadata)
            let found = try online.forecastOnline(migration, on: connection)
            forecast.hops = [
                .init(from: .init(source), to: .init(model), means: .inferred, steps: found.steps)
            ]
            forecast.locks = found.locks
            forecast.statements = found.statements
            forecast.estimatedSeconds = found.steps.reduce(0) { $0 + $1.seconds }
            forecast.diskSpaceNeeded = forecast.bytes * 2 + HopForecaster.smallChange
        } catch let error as NSError
            where error.code == NSMigrationError || ForecastObstacles.codes.contains(error.code)
        {
            forecast.obstacles = ForecastObstacles.of(error)
        }
    }
}
