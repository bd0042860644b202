import Foundation

// The forecast of hops of a SQLite store in a file.
extension HopForecaster {
    /// Forecasts the inferred hop from the version that the store has to the request's; nil if there is no store. A
    /// migration that is under way calls this on a connection of its own.
    func forecastDirectHop() throws -> MigrationForecast? {
        try SQLiteStoreSummary.reading(at: request.url, timeout: request.timeout) { summary, connection in
            try forecast(of: summary, on: connection) { _, state, forecast in
                let direct = MigrationHop(source: state.model, target: request.model, means: .inferred)
                try add([direct], from: state, on: connection, to: &forecast)
            }
        }
    }

    /// The forecast of a store whose summary the caller has read.
    ///
    /// - Parameter addHops: adds the hops of a store that does not fit.
    func forecast(
        of summary: SQLiteStoreSummary, on connection: SQLiteConnection,
        addHops: (SourceModel, State, inout MigrationForecast) throws -> Void
    ) throws -> MigrationForecast {
        let url = request.url
        var forecast = MigrationForecast(store: url, isMigrationRequired: false)
        if try StoreModelCheck(request, archivedModel: summary.model).fits(summary.metadata) { return forecast }
        let (store, metadata) = (SourceModel(summary, for: request), summary.metadata)
        let size: StoreSize
        do {
            forecast.isMigrationRequired = true
            forecast.diskSpaceAvailable = Self.freeBytes(at: url)
            let source = try store.find()
            let (schema, catalog) = try MigrationTransaction(request).state(of: source, metadata, on: connection)
            forecast.mirror = catalog.mirror
            size = try StoreSize(url, connection)
            let state = State(
                dialect: connection.dialect, style: connection.style, model: source, schema: schema, catalog: catalog,
                rowBytes: try Self.rowBytes(catalog, schema, connection),
                size: size, unchanged: Set(catalog.tables.keys), metadata: metadata)
            try addHops(store, state, &forecast)
        } catch let error as NSError
            where ForecastObstacles.codes.contains(error.code) || MigrationErrors.isAboutRows(error)
            || MigrationErrors.isAboutMirror(error)
        {
            forecast.hops = []
            forecast.statements = []
            forecast.obstacles = ForecastObstacles.of(error)
            return forecast
        }
        let seconds = forecast.hops.flatMap(\.steps).reduce(0) { $0 + $1.seconds }
        forecast.estimatedSeconds = seconds + Double(forecast.hops.count) * MachineCalibration.current.transaction
        forecast.diskSpaceNeeded = diskSpace(forecast, size)
        forecast.setLock(of: url)
        return forecast
    }

    /// Prepares for the statements of a migration of the file.
    mutating func recordStatements(on connection: SQLiteConnection) throws {
        recorder = StatementRecorder(connection)
        let (begin, commit) = connection.dialect.transaction
        let indexes = try SpatialIndexes(connection).indexes.map(\.name)
        frame.before = [.init(.lock, begin, "begin")]
        frame.after = { _, _, _ in
            indexes.map { .init(.program, "", "bring the spatial index \($0) in step") }
                + SQLiteConnection.raisingSchemaVersion.map {
                    .init(.definition, $0, "raise the schema counter, which programs with the file open compare")
                } + [.init(.transaction, commit, "commit")]
        }
    }

    // MARK: Sizes

    private static func rowBytes(
        _ catalog: StoreCatalog, _ schema: SQLSchema, _ connection: SQLiteConnection
    ) throws -> [String: Double] {
        var result: [String: Double] = [:]
        for name in schema.allTables.map(\.name) + ["ACHANGE"] {
            if let table = catalog.tables[name] { result[name] = try connection.bytesPerRow(of: table) }
        }
        return result
    }

    /// In place all written pages are in the -wal until it is copied, and new tables make the main file grow by as
    /// much. A migration with a mapping model or handlers of stages needs the space of a copy, and of the next copy
    /// that is made of it. Each copy has its own files of external data. The associations between the two take space as
    /// well. The content of a -wal today makes the main file grow in any case.
    private func diskSpace(_ forecast: MigrationForecast, _ size: StoreSize) -> Int64 {
        let small = Self.smallChange * Int64(forecast.hops.count) + size.growth
        let isCopied = forecast.hops.contains { hop in
            hop.means != .inferred || hop.steps.contains { $0.kind == .custom }
        }
        guard isCopied else { return forecast.bytes * 2 + small }
        let copies: Int64 = forecast.hops.count > 1 ? 2 : 1
        return max(size.database, forecast.bytes) * (copies + 1) + size.externalData() * copies + small
    }
}
