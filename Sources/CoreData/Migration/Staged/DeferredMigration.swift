import Foundation

/// The option that defers parts of an inferred migration which the newer version does not need at once (`Bool`).
///
/// Unused columns stay, and indexes that are not unique are missing, until
/// ``NSPersistentStoreCoordinator/finishDeferredLightweightMigration()``. A store in PostgreSQL defers nothing.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstoredeferredlightweightmigrationoptionkey)
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
    "NSPersistentStoreDeferredLightweightMigrationOptionKey"

extension DeferredStatements {
    /// Removes the steps that can wait from a plan. Without them the newer version reads and writes the same values.
    ///
    /// A unique index cannot wait, because it decides which values may be saved. Nor can a column whose name another
    /// column takes in the same plan.
    static func takeDeferrable(from plan: inout MigrationPlan) -> [String] {
        let taken = plan.steps.compactMap(\.takenColumn)
        func isTaken(_ table: String, _ column: String) -> Bool {
            taken.contains { MigrationPlanner.same($0.table, table) && MigrationPlanner.same($0.column, column) }
        }
        var later: [String] = []
        var now = plan
        now.steps = []
        now.rows = []
        for (step, rows) in zip(plan.steps, plan.rows) {
            switch step {
            case .dropColumn(let table, let column) where !isTaken(table, column): later += step.commands().map(\.text)
            case .createIndex(let index) where !index.isUnique: later += step.commands().map(\.text)
            default:
                now.steps.append(step)
                now.rows.append(rows)
            }
        }
        plan = now
        return later
    }
}
