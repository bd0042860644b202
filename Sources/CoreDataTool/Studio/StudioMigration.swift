import CoreData
import CoreDataManager
import Foundation
import StudioServer

/// Migrations that the page forecasts, runs, follows and cancels.
struct StudioMigration {
    struct Order: Decodable {
        let to: String
        let allowLoss: [String]?
    }

    let store: OpenedStore
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
        var options: [AnyHashable: Any] = [NSMigrationKnownVersionsOption: file.versions.map(\.model)]
        if let losses = order.allowLoss, !losses.isEmpty { options[NSMigrationAllowedLossesOption] = losses }
        let opened = MigrationOrder.Opened(
            store: store.address, file: file, target: try file.version(order.to), configuration: nil,
            options: options, source: model.current)
        return ForecastReport(
            order: opened, forecast: try opened.forecast(), advice: { "mark \($0) to let it go" })
    }

    /// What stands in the way; nothing where a migration is not needed.
    private func problems(_ report: ForecastReport) -> [String] {
        guard report.forecast.isMigrationRequired, let refusal = report.refusal else { return [] }
        return refusal.details.isEmpty ? [refusal.message] : refusal.details
    }
}

/// A migration while it runs.
final class RunningMigration: @unchecked Sendable {  // under `lock`
    private let lock = NSLock()
    private let end = DispatchSemaphore(value: 0)
    private var reporting: (any MigrationProgressReporting)?
    private var isCancelled = false
    /// Whether it ended by that.
    private var wasCancelled = false

    func cancel() {
        let reporting = lock.withLock {
            isCancelled = true
            return self.reporting
        }
        reporting?.cancelMigration()
    }

    /// Migrates; tells the page some ten times a second how far it is.
    func run(_ job: MigrationJob, _ tell: @escaping @Sendable (JSON) -> Void) throws {
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "studio.migration"))
        timer.schedule(deadline: .now(), repeating: 0.1)
        timer.setEventHandler { [weak self] in self?.status.map { tell($0) } }
        timer.resume()
        defer { timer.cancel() }
        do {
            try migrate(job)
        } catch {
            if ToolError(error).status == .cancelled { lock.withLock { wasCancelled = true } }
            throw error
        }
    }

    /// Notes that the store is open again.
    func noteEnd() { end.signal() }

    /// Waits until the store is open again.
    /// - Returns: whether the migration was cancelled, and not done before.
    func waitForEnd() -> Bool {
        end.wait()
        return lock.withLock { wasCancelled }
    }

    private func migrate(_ job: MigrationJob) throws {
        try MeasuredMigrationAdapter().migrate(job) { reporting in
            let isLate = lock.withLock {
                self.reporting = reporting
                return isCancelled
            }
            if isLate { reporting.cancelMigration() }
        }
    }

    private var status: JSON? { lock.withLock { reporting }.map { Self.json("running", $0.migrationStatus) } }

    static func json(_ state: String, _ status: MigrationStatus? = nil, message: String? = nil) -> JSON {
        func number(_ number: Int?) -> JSON { number.map { .integer(Int64($0)) } ?? .null }
        return .object([
            ("state", .string(state)), ("fraction", .number(status?.fractionCompleted ?? (state == "done" ? 1 : 0))),
            ("stage", .string(status?.stage ?? "")), ("rows", number(status?.rows?.completed)),
            ("rowsTotal", number(status?.rows?.total)), ("secondsLeft", number(status?.secondsLeft)),
            ("message", message.map { .string($0) } ?? .null),
        ])
    }
}
