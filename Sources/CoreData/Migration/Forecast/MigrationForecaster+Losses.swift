import Foundation

// The losses of a migration.
extension MigrationForecaster {
    /// The guard of hops for which a migration has none.
    func lossGuard(_ hops: [MigrationHop]) -> LossGuard {
        // The versions of stages are the program's own words.
        LossGuard(request, hops: hops, isSourceNamed: request.stagedManager != nil)
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
        forecast.obstacles = ForecastObstacles.of(lossGuard.refusal(refused, metadata))
    }
}
