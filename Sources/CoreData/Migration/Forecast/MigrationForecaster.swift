// Implementation notes: Migration/Forecast.
//
// - `MigrationForecaster` finds the hops as the migration does (`MigrationStrategy`). `HopForecaster` makes the steps
//   of given hops, so that a running migration can say how long it takes.
// - The forecaster makes the plan over a connection that leaves no trace. It counts rows by the highest key, measures
//   some sample rows, and turns both into bytes and seconds with `MachineCalibration`.
// - Each hop after the first is planned over the tables that the previous one would leave.
// - Rows that the newer model does not allow are obstacles, as far as some milliseconds of searching find them in the
//   present tables.

import Foundation

/// Makes a forecast from the metadata of the store, the hops that a migration would choose, and the plan that it would
/// follow.
struct MigrationForecaster {
    let request: MigrationRequest
    var hopForecaster: HopForecaster

    init(_ request: MigrationRequest) {
        self.request = request
        hopForecaster = HopForecaster(request)
    }

    var url: URL { request.url }
    var model: NSManagedObjectModel { request.model }

    /// The choice of the hops. A mapping may be inferred unless the options forbid it, because a forecast is mostly of
    /// an inferred migration.
    func strategy(for store: SourceModel) throws -> MigrationStrategy {
        try MigrationStrategy(for: request, of: store, infers: true)
    }

    /// Adds the steps and losses of the hops that a migration would choose.
    ///
    /// - Returns: The hops.
    @discardableResult
    func addBestHops(
        of store: SourceModel, from state: HopForecaster.State, on connection: any SQLConnection,
        to forecast: inout MigrationForecast
    ) throws -> [MigrationHop] {
        var taken: (hops: [MigrationHop], lossGuard: LossGuard?) = ([], nil)
        try strategy(for: store.knowing(state.model)).withHops { hops, lossGuard in
            forecast.hops = []
            try hopForecaster.add(hops, from: state, on: connection, to: &forecast)
            taken = (hops, lossGuard)
        }
        let lossGuard = taken.lossGuard ?? lossGuard(taken.hops)
        add(
            try lossGuard.sample(store.metadata, state.model, on: connection), of: lossGuard, store.metadata,
            to: &forecast)
        return taken.hops
    }
}
