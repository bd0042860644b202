import CoreData
import Foundation
import StudioServer

/// Forecasts, runs and cancels migrations for the page.
struct StudioMigration {
    struct Order: Decodable {
        let to: String
        let allowLoss: [String]?
    }

    let store: ResolvedStore
    let model: StudioModel

    func forecast(_ request: HTTPRequest) throws -> JSON {
        let report = try report(Order(to: request.required("to"), allowLoss: request.list("allowLoss")))
        return .object([
            ("from", report.order.source.map { .string($0.name) } ?? .null),
            ("to", .string(report.order.target.name)), ("isClear", .bool(report.isClear)),
            ("problems", .array(problems(report).map { .string($0) })), ("forecast", report.json),
        ])
    }

    func report(_ order: Order) throws -> ForecastReport {
        guard let file = model.file else {
            throw StudioFailure(400, "no model with other versions is known; name it with --model")
        }
        let opened = MigrationOrder.Opened(
            store: store.address, file: file, target: try file.version(order.to), configuration: nil,
            options: MigrationOrder.options(file, allowing: order.allowLoss ?? []), source: model.current)
        return ForecastReport(
            order: opened, forecast: try opened.forecast(), advice: { "mark \($0) to let it go" },
            mirrorAdvice: "coredata migrate \(MigrationOrder.ignoreCloudKit)")
    }

    /// The obstacles; empty if a migration is not needed.
    private func problems(_ report: ForecastReport) -> [String] {
        guard report.forecast.isMigrationRequired, let refusal = report.refusal else { return [] }
        return refusal.details.isEmpty ? [refusal.message] : refusal.details
    }
}
