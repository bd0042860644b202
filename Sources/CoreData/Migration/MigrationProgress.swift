import CSQLite
import Foundation

/// Option of adding a store: a `Progress` that follows the migration, should one be needed.
///
/// An addition to Apple's options. The store sets `totalUnitCount` once it knows the work and moves `completedUnitCount`
/// forward several times a second, on the thread that adds the store. Cancelling the progress, from any thread, undoes the
/// migration: the store stays as it was and adding it fails with `NSMigrationCancelledError`.
public let NSMigrationProgressOption = "OpenCoreDataMigrationProgress"

/// Follows one migration and tells a Foundation `Progress`.
///
/// Long statements are followed from inside: SQLite calls back every few thousand instructions of its virtual machine, and
/// how many of them a row takes is read off the statement's program.
final class MigrationProgress {
    private let progress: Progress?
    private var completed = 0
    private var stepRows = 0
    private var instructions = 0
    private var instructionsPerRow = 1
    private var lastUpdate = ContinuousClock.now

    /// How many instructions pass between two calls, and how long between two updates.
    private static let interval = 2000
    private static let pause = Duration.milliseconds(25)

    init(_ progress: Progress?) {
        self.progress = progress
    }

    var isCancelled: Bool { progress?.isCancelled ?? false }

    /// Says how much work there is; it begins now.
    func begin(totalUnits: Int) {
        completed = 0
        progress?.completedUnitCount = 0
        progress?.totalUnitCount = Int64(max(1, totalUnits))
    }

    func beginStep(rows: Int) {
        stepRows = rows
        instructions = 0
        instructionsPerRow = 1
    }

    /// A statement of the step begins.
    func beginStatement(instructionsPerRow count: Int) {
        instructions = 0
        instructionsPerRow = max(1, count)
    }

    func endStep() {
        completed += stepRows + 1
        stepRows = 0
        instructions = 0
        report()
    }

    /// Everything is done and committed.
    func finish() {
        guard let progress else { return }
        progress.completedUnitCount = progress.totalUnitCount
    }

    private func report() {
        guard let progress else { return }
        let inStep = min(stepRows, instructions / instructionsPerRow)
        let units = Int64(completed + inStep)
        // The last unit is the commit's.
        if units > progress.completedUnitCount { progress.completedUnitCount = min(units, progress.totalUnitCount - 1) }
        lastUpdate = .now
    }

    /// Called by SQLite while a statement runs; true stops it.
    fileprivate func tick() -> Bool {
        instructions += Self.interval
        if ContinuousClock.now - lastUpdate >= Self.pause {
            report()
            return isCancelled
        }
        return false
    }

    // MARK: On a connection

    /// Lets the connection call back while a body runs.
    func following<Result>(_ connection: SQLiteConnection, _ body: () throws -> Result) rethrows -> Result {
        guard progress != nil else { return try body() }
        sqlite3_progress_handler(
            connection.handle, Int32(Self.interval),
            { pointer in
                guard let pointer else { return 0 }
                return Unmanaged<MigrationProgress>.fromOpaque(pointer).takeUnretainedValue().tick() ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
        defer { sqlite3_progress_handler(connection.handle, 0, nil, nil) }
        return try withExtendedLifetime(self) { try body() }
    }

    /// About how many instructions a statement takes per row: the length of the loops of its program.
    func instructionsPerRow(of sql: String, on connection: SQLiteConnection) -> Int {
        guard progress != nil, let program = try? connection.prepare("EXPLAIN " + sql) else { return 1 }
        var length = 0
        while (try? program.step()) == true {
            let name = program.string(1)
            let address = Int(program.int64(0))
            let target = Int(program.int64(3))
            if ["Next", "Prev", "SorterNext"].contains(name), target < address { length += address - target + 1 }
        }
        return length
    }
}
