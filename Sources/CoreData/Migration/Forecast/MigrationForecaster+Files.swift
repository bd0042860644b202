import Foundation

// The forecast of a store that is one file, read and written as a whole.
extension MigrationForecaster {
    /// The forecast of such a store. Every hop writes the file anew. To find its version the file is read as a whole,
    /// as it is to open the store.
    func forecast(ofFile storeClass: NSAtomicStore.Type) throws -> MigrationForecast {
        var forecast = MigrationForecast(store: url, isMigrationRequired: false)
        let metadata = try storeClass.metadataForPersistentStore(with: url)
        let found = model.compatibility(ofConfiguration: request.configuration, withStoreMetadata: metadata)
        if found.differences == nil { return forecast }
        forecast.isMigrationRequired = true
        forecast.diskSpaceAvailable = HopForecaster.freeBytes(at: url)
        if request.stagedManager != nil {
            forecast.obstacles = [
                .init(
                    entity: nil, property: nil, reason: "Only SQLite stores are migrated in stages.",
                    help: "Migrate this one without the option.")
            ]
            return forecast
        }
        do {
            let hops = try strategy(for: SourceModel(metadata: metadata, url: url, for: request)).bestHops()
            let rows = try storeClass.recordCount(at: url) ?? 0
            let size = HopForecaster.size(of: url)
            forecast.hops = try hops.map { try Self.hop($0, rows: rows, size: size) }
            let type = metadata[NSStoreTypeKey] as? String ?? ""
            let lossGuard = lossGuard(hops)
            add(try lossGuard.sample(metadata, ofType: type), of: lossGuard, metadata, to: &forecast)
            forecast.estimatedSeconds = forecast.hops.flatMap(\.steps).reduce(0) { $0 + $1.seconds }
            // The new file, and during the next hop another new one that is made of it.
            forecast.diskSpaceNeeded = size * Int64(min(2, hops.count)) + HopForecaster.smallChange
        } catch let error as NSError where ForecastObstacles.codes.contains(error.code) {
            forecast.hops = []
            forecast.obstacles = ForecastObstacles.of(error)
        }
        return forecast
    }

    private static func hop(_ hop: MigrationHop, rows: Int, size: Int64) throws -> MigrationForecast.Hop {
        var means = MigrationForecast.Hop.Means.inferred
        if case .mapping = hop.means {
            means = .mappingModel(hop.name)
        } else {
            // Throws the obstacles.
            _ = try ModelDifference(from: hop.source.layout, to: hop.target.layout)
        }
        let machine = MachineCalibration.current
        // Reading, mapping and writing each take as long as a row of a mapping model.
        let seconds = 3 * HopForecaster.objectFactor * (Double(rows) * machine.rewrite + Double(size) * machine.byte)
        let step = MigrationForecast.Step(
            kind: hop.isInferred ? .rewrite : .custom, summary: "rewrite of the file", table: nil, rows: rows,
            bytes: size, seconds: seconds)
        return .init(from: .init(hop.source), to: .init(hop.target), means: means, steps: [step])
    }
}
