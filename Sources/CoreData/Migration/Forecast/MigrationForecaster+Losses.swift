import Foundation

// What a migration loses.
extension MigrationForecaster {
    func lossGuard(
        _ hops: [MigrationHop], of way: MigrationWay, from source: NSManagedObjectModel
    ) -> LossGuard {
        // The versions of stages are the program's own words.
        let isStaged = options?[NSPersistentStoreStagedMigrationManagerOptionKey] is NSStagedMigrationManager
        return LossGuard(
            url: url, target: model, configuration: configuration, options: options, hops: hops, shelf: way.shelf,
            versions: isStaged ? way.versions + [source] : way.versions)
    }

    /// Lists what is lost. What must not be is an obstacle, where some row is known to hold it.
    func add(_ losses: [MigrationLoss], of lossGuard: LossGuard, to forecast: inout MigrationForecast) {
        forecast.losses = losses
        let refused = losses.filter { !$0.isAllowed && $0.count > 0 }
        if refused.isEmpty { return }
        forecast.hops = []
        forecast.obstacles = Self.obstacles(of: lossGuard.refusal(refused))
    }
}
