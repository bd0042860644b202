import Foundation

/// Follows one migration and tells a Foundation `Progress`.
///
/// Long statements are followed from inside: the connection calls back every few thousand steps, and it says how many
/// of them a row takes.
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

    /// Takes the forecast of a migration, if somebody follows it and it has many rows.
    func expect(rows: Int, _ forecast: () throws -> MigrationForecast) {
        guard let feed, rows >= 100_000, let forecast = try? forecast(), forecast.isMigrationRequired else { return }
        feed.expect(seconds: forecast.estimatedSeconds)
    }

    /// Whether anybody follows it, and might cancel it.
    var isFollowed: Bool { progress != nil }

    var isCancelled: Bool { progress?.isCancelled ?? false }

    /// Says how much work there is; it begins now.
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

    /// A statement of the step begins.
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

    /// All statements have run; the commit begins.
    func endSteps() { feed?.begin(.finishing) }

    /// Everything but the commit is done; the last unit is left to the code that commits.
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

    /// Called by the connection while a statement runs; true stops it.
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
