import Foundation

// The forecast of a store that is one file, read and written as a whole.
extension MigrationForecaster {
    /// The forecast of such a store. Every hop writes the file anew. To find its version the file is read as a whole,
    /// as it is to open the store.
    func forecast(
        ofFile storeClass: NSAtomicStore.Type, through versions: [NSManagedObjectModel]
    ) throws -> MigrationForecast {
        var forecast = MigrationForecast(store: url, isMigrationRequired: false)
        let metadata = try storeClass.metadataForPersistentStore(with: url)
        let found = model.compatibility(ofConfiguration: configuration, withStoreMetadata: metadata)
        if found.differences == nil { return forecast }
        forecast.isMigrationRequired = true
        forecast.diskSpaceAvailable = Self.freeBytes(at: url)
        if options?[NSPersistentStoreStagedMigrationManagerOptionKey] is NSStagedMigrationManager {
            forecast.obstacles = [
                .init(
                    entity: nil, property: nil, reason: "Only SQLite stores are migrated in stages.",
                    help: "Migrate this one without the option.")
            ]
            return forecast
        }
        do {
            let versions = versions + MigrationLossOptions(options).versions
            let known = SourceModel(metadata: metadata, url: url)
            let source = try known.findAmongResources(bundles, or: versions)
            let way = MigrationWay(bundles: bundles, infers: infers, versions: versions).of(metadata, configuration)
            let direct = MigrationHop(source: source, target: model, means: .inferred)
            let given = try GivenMapping(options)?.hop(
                from: known, to: model, find: { source })
            let found = given.map { [$0] } ?? way.find(from: source, to: model)
            if found == nil, !infers { throw MigrationErrors.missingMappingModel(metadata: [:], url: url) }
            let hops = found ?? [direct]
            let rows = try storeClass.recordCount(at: url) ?? 0
            let size = Self.size(of: url)
            forecast.hops = try hops.map { try Self.hop($0, rows: rows, size: size) }
            let type = metadata[NSStoreTypeKey] as? String ?? ""
            let lossGuard = lossGuard(hops, of: way, from: source)
            add(try lossGuard.sample(metadata, ofType: type), of: lossGuard, metadata, to: &forecast)
            forecast.estimatedSeconds = forecast.hops.flatMap(\.steps).reduce(0) { $0 + $1.seconds }
            // The new file, and during the next hop another new one that is made of it.
            forecast.diskSpaceNeeded = size * Int64(min(2, hops.count)) + Self.smallChange
        } catch let error as NSError where Self.obstacleCodes.contains(error.code) {
            forecast.hops = []
            forecast.obstacles = Self.obstacles(of: error)
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
        let seconds = 3 * objectFactor * (Double(rows) * machine.rewrite + Double(size) * machine.byte)
        let step = MigrationForecast.Step(
            kind: hop.isInferred ? .rewrite : .custom, summary: "rewrite of the file", table: nil, rows: rows,
            bytes: size, seconds: seconds)
        return .init(from: version(hop.source), to: version(hop.target), means: means, steps: [step])
    }
}
