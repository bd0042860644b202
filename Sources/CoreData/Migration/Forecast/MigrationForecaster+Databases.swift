import Foundation

// The forecast of a store in a database, which is migrated in place.
extension MigrationForecaster {
    /// Measurements on a server of an ordinary computer: PostgreSQL's figures for a million rows.
    private static let server = MachineCalibration(
        scan: 1.4e-7, rewrite: 1.8e-5, index: 1.6e-6, byte: 0, transaction: 0.02)

    func forecast(
        of engine: any InPlaceEngine, at address: URL, through versions: [NSManagedObjectModel]
    ) throws -> MigrationForecast {
        var forecast = MigrationForecast(store: url, isMigrationRequired: false)
        let metadata: [String: Any]
        do {
            metadata = try engine.metadata(at: address, timeout: StoreOptions.timeout(options))
        } catch let error as NSError where SQLStoreMetadata.isNotAStore(error) {
            return forecast
        }
        if try fits(metadata, engine, address) { return forecast }
        let migration = InPlaceMigration(
            engine: engine, at: address, model: model, configuration: configuration, options: options)
        if try migration.otherVersion() != nil { return forecast }
        forecast.isMigrationRequired = true
        do {
            try engine.looking(at: address) { connection in
                try inspect(metadata, engine: engine, at: address, on: connection, through: versions, into: &forecast)
            }
        } catch let error as NSError
            where Self.obstacleCodes.contains(error.code) || MigrationErrors.isAboutRows(error)
        {
            forecast.hops = []
            forecast.locks = []
            forecast.obstacles = Self.obstacles(of: error)
        }
        return forecast
    }

    private func fits(_ metadata: [String: Any], _ engine: any InPlaceEngine, _ address: URL) throws -> Bool {
        try StoreModelCheck(
            model: model, layout: model.layout, configurationName: configuration, url: url,
            archivedModel: { try engine.cachedModel(at: address, timeout: 0) }
        ).fits(metadata)
    }

    private func inspect(
        _ metadata: [String: Any], engine: any InPlaceEngine, at address: URL, on connection: any SQLConnection,
        through versions: [NSManagedObjectModel], into forecast: inout MigrationForecast
    ) throws {
        var forecaster = self
        forecaster.machine = Self.server
        let versions = versions + MigrationLossOptions(options).versions
        let found = SourceModel(
            metadata: metadata, url: url, versions: versions,
            archived: { try engine.cachedModel(at: address, timeout: 0) })
        let source = try found.find()
        let (schema, catalog) = try transaction.state(of: source, metadata, on: connection)
        let sizes = try engine.sizes(of: Set(catalog.tables.keys), on: connection)
        let state = State(
            dialect: connection.dialect, style: connection.style, model: source, schema: schema, catalog: catalog,
            rowBytes: sizes.mapValues { Double($0) }.reduce(into: [:]) { result, size in
                result[size.key] = size.value / Double(max(1, catalog.tables[size.key]?.rows ?? 0))
            }, size: nil, unchanged: Set(catalog.tables.keys))
        if let online = engine as? any OnlineEngine, online.goesOnline(options) {
            return try forecaster.goOnline(
                of: found, from: source, engine: online, at: address, through: versions, on: connection, into: &forecast
            )
        }
        let taken = try forecaster.goTheWay(of: found, from: state, versions, on: connection, &forecast)
        if let refusal = try engine.refusedRow(of: schema, source.layout, on: connection) {
            forecast.hops = []
            forecast.obstacles += Self.obstacles(of: refusal)
        }
        if forecast.isPossible {
            forecaster.addCosts(
                of: taken, tables: schema.allTables.map(\.name), bytes: sizes.values.reduce(0, +),
                rows: schema.allTables.reduce(0) { $0 + (catalog.tables[$1.name]?.rows ?? 0) }, to: &forecast)
        }
    }

    /// An inferred migration is one transaction of the server. If code of the program's own runs, the content is copied
    /// through files of this machine, and a lock keeps other programs from reading the tables while they are exchanged.
    private func addCosts(
        of hops: [MigrationHop], tables: [String], bytes: Int64, rows: Int, to forecast: inout MigrationForecast
    ) {
        let work = forecast.hops.flatMap(\.steps).reduce(0) { $0 + $1.seconds } + machine.transaction
        if hops.allSatisfy({ $0.isInferred && $0.stage == nil }) {
            forecast.estimatedSeconds = work
            forecast.locks = [.init(tables: tables, isExclusive: true, seconds: work)]
            forecast.diskSpaceNeeded = forecast.bytes * 2 + Self.smallChange
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
        forecast.diskSpaceNeeded = max(bytes, forecast.bytes) * 2 + Self.smallChange
        forecast.diskSpaceAvailable = Self.freeBytes(at: folder)
    }

    /// The forecast of a migration beside other programs.
    private func goOnline(
        of found: SourceModel, from source: NSManagedObjectModel, engine online: any OnlineEngine, at address: URL,
        through versions: [NSManagedObjectModel], on connection: any SQLConnection,
        into forecast: inout MigrationForecast
    ) throws {
        let way = MigrationWay(bundles: bundles, infers: infers, versions: versions)
            .of(found.metadata, configuration)
        var hops = [MigrationHop(source: source, target: model, means: .inferred)]
        if let named = try namedHops(from: source, found) {
            hops = named
        } else if let known = way.find(from: source, to: model) {
            hops = known
        }
        do {
            let migration = try InPlaceMigration(
                engine: online, at: address, model: model, configuration: configuration, options: options
            ).onlineMigration(hops, from: found.metadata)
            let (steps, locks) = try online.forecastOnline(migration, on: connection)
            forecast.hops = [
                .init(from: Self.version(source), to: Self.version(model), means: .inferred, steps: steps)
            ]
            forecast.locks = locks
            forecast.estimatedSeconds = steps.reduce(0) { $0 + $1.seconds }
            forecast.diskSpaceNeeded = forecast.bytes * 2 + Self.smallChange
        } catch let error as NSError
            where error.code == NSMigrationError || Self.obstacleCodes.contains(error.code)
        {
            forecast.obstacles = Self.obstacles(of: error)
        }
    }
}
