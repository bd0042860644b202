import Foundation

// The losses of a migration.
extension MigrationForecaster {
    func lossGuard(
        _ hops: [MigrationHop], of way: MigrationWay, from source: NSManagedObjectModel
    ) -> LossGuard {
        // The versions of stages are the program's own words.
        let isStaged = options?[NSPersistentStoreStagedMigrationManagerOptionKey] is NSStagedMigrationManager
        return LossGuard(
            url: url, target: model, configuration: configuration, options: options, hops: hops,
            modelCatalog: way.modelCatalog,
            versions: isStaged ? way.versions + [source] : way.versions)
    }

    /// Adds the losses to a forecast. A loss that is not allowed is an obstacle, if some row is found to have it.
    func add(
        _ losses: [MigrationLoss], of lossGuard: LossGuard, _ metadata: [String: Any],
        to forecast: inout MigrationForecast
    ) {
        forecast.losses = losses
        let refused = losses.filter { !$0.isAllowed && $0.count > 0 }
        if refused.isEmpty { return }
        forecast.hops = []
        forecast.obstacles = Self.obstacles(of: lossGuard.refusal(refused, metadata))
    }
}
