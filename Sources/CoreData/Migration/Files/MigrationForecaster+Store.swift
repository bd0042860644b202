import Foundation

// The forecast of a SQLite store in a file.
extension MigrationForecaster {
    /// - Parameters:
    ///   - versions: versions that hops may lead through, beside those among the program's resources.
    ///   - looksForWays: whether to search for other hops than the direct inferred one.
    func forecast(through versions: [NSManagedObjectModel], looksForWays: Bool = true) throws -> MigrationForecast {
        let nothing = MigrationForecast(store: url, isMigrationRequired: false)
        guard StorePlace(url) == .file, FileManager.default.fileExists(atPath: url.path) else { return nothing }
        let timeout = try SQLiteStoreOptions(options, url: url).timeout
        var isSQLite = false
        do {
            let found = try SQLiteStoreSummary.reading(at: url, timeout: timeout) { summary, connection in
                isSQLite = true
                return try self.forecast(of: summary, on: connection, through: versions, looksForWays: looksForWays)
            }
            return found ?? nothing
        } catch let error as SQLiteError where isSQLite {
            throw MigrationErrors.translated(error, url: url, doing: "forecasting")
        } catch let error where !isSQLite {
            // The file may be a store of another type.
            guard let storeClass = StoreClasses.classOfFile(at: url) else {
                throw (error as? SQLiteError)?.nsError(doing: .opening) ?? error
            }
            return try self.forecast(ofFile: storeClass, through: versions)
        }
    }

    /// The forecast of a SQLite store whose summary the caller has read.
    func forecast(
        of summary: SQLiteStoreSummary, on connection: SQLiteConnection, through versions: [NSManagedObjectModel],
        looksForWays: Bool
    ) throws -> MigrationForecast {
        var forecast = MigrationForecast(store: url, isMigrationRequired: false)
        let migrator = LightweightMigrator(url: url, model: model, configuration: configuration, options: options)
        if try migrator.fits(summary) { return forecast }
        let (found, metadata) = (SourceModel(summary), summary.metadata)
        let size: StoreSize
        do {
            forecast.isMigrationRequired = true
            forecast.diskSpaceAvailable = Self.freeBytes(at: url)
            let source = try found.find()
            let (schema, catalog) = try transaction.state(of: source, metadata, on: connection)
            forecast.mirror = catalog.mirror
            size = try StoreSize(url, connection)
            let state = State(
                dialect: connection.dialect, style: connection.style, model: source, schema: schema, catalog: catalog,
                rowBytes: try Self.rowBytes(catalog, schema, connection),
                size: size, unchanged: Set(catalog.tables.keys))
            if looksForWays {
                let versions = versions + MigrationLossOptions(options).versions
                try goTheWay(of: found, from: state, versions, on: connection, &forecast)
            } else {
                let direct = MigrationHop(source: source, target: model, means: .inferred)
                try forecastHops([direct], from: state, on: connection, &forecast)
            }
        } catch let error as NSError
            where Self.obstacleCodes.contains(error.code) || MigrationErrors.isAboutRows(error)
            || MigrationErrors.isAboutMirror(error)
        {
            forecast.hops = []
            forecast.obstacles = Self.obstacles(of: error)
            return forecast
        }
        let seconds = forecast.hops.flatMap(\.steps).reduce(0) { $0 + $1.seconds }
        forecast.estimatedSeconds = seconds + Double(forecast.hops.count) * MachineCalibration.current.transaction
        forecast.diskSpaceNeeded = diskSpace(forecast, size)
        return forecast
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
