import Foundation

/// Reports the progress of one migration to a Foundation `Progress`.
///
/// Progress within a long statement comes from the connection. It calls back every few thousand steps, with the number
/// of steps that a row takes.
final class MigrationProgress {
    private let progress: Progress?
    private let feed: MigrationFeed?
    /// The entities by the names of their tables, for events.
    private var entities: [String: String] = [:]
    private var completed = 0
    private var stepRows = 0
    private var steps = 0
    private var stepsPerRow = 1
    private var lastUpdate = ContinuousClock.now

    /// The number of steps between two calls, and the time between two updates.
    private static let interval = 2000
    private static let pause = Duration.milliseconds(25)

    init(_ progress: Progress?) {
        self.progress = progress
        feed = MigrationFeed.of(progress)
        feed?.begin(.preparing)
    }

    /// Makes the forecast of a migration of many rows, if the caller passed a progress that shows it.
    func expect(rows: Int, _ forecast: () throws -> MigrationForecast?) {
        guard let feed, rows >= 100_000, let forecast = try? forecast(), forecast.isMigrationRequired else { return }
        feed.expect(seconds: forecast.estimatedSeconds)
    }

    /// Whether the caller passed a progress, and might cancel the migration.
    var isFollowed: Bool { progress != nil }

    var isCancelled: Bool { progress?.isCancelled ?? false }

    /// Sets the amount of work, which begins now.
    func begin(totalUnits: Int) {
        completed = 0
        progress?.completedUnitCount = 0
        progress?.totalUnitCount = Int64(max(1, totalUnits))
    }

    /// Lets events name root entities instead of their tables.
    func name(tablesOf schema: SQLSchema, _ layout: ModelLayout) {
        for entity in layout.entities where entity.superIndex == nil {
            if let table = schema.table(ofRoot: entity.index)?.name { entities[table] = entity.name }
        }
    }

    /// The root entity whose objects a table holds.
    func entity(ofTable table: String) -> String { entities[table] ?? table }

    func beginStep(_ step: MigrationStep, rows: Int) {
        if let table = step.subject { feed?.begin(step.stage, entity: entities[table] ?? table, rows: rows) }
        stepRows = rows
        steps = 0
        stepsPerRow = 1
    }

    /// Begins a statement of the step.
    func beginStatement(_ statement: SQLStatement, on connection: any SQLConnection) {
        steps = 0
        stepsPerRow = progress == nil ? 1 : max(1, connection.stepsPerRow(of: statement))
    }

    func endStep() {
        completed += stepRows + 1
        stepRows = 0
        steps = 0
        report()
    }

    /// Ends the statements and begins the commit.
    func endSteps() { feed?.begin(.finishing) }

    /// Ends everything but the commit. The code that commits completes the last unit.
    func finish() { feed?.update(fraction: 1) }

    private func report() {
        guard let progress else { return }
        let inStep = min(stepRows, steps / stepsPerRow)
        let units = Int64(completed + inStep)
        feed?.update(rows: inStep, fraction: Double(units) / Double(max(1, progress.totalUnitCount)))
        // The last unit is the commit's.
        if units > progress.completedUnitCount { progress.completedUnitCount = min(units, progress.totalUnitCount - 1) }
        lastUpdate = .now
    }

    /// Reports the progress. The connection calls this while a statement runs; the result true stops the statement.
    private func tick() -> Bool {
        steps += Self.interval
        if ContinuousClock.now - lastUpdate >= Self.pause {
            report()
            return isCancelled
        }
        return false
    }

    // MARK: On a connection

    /// Lets the connection call back while a body runs.
    func following<Result>(_ connection: any SQLConnection, _ body: () throws -> Result) rethrows -> Result {
        guard progress != nil else { return try body() }
        return try connection.interruptible(every: Self.interval, by: { self.tick() }, body)
    }
}
