import Foundation

/// Option of adding a store: whether an inferred migration leaves for later what the newer version can do without.
///
/// Columns that nothing uses any more stay, and indexes are missing, until `finishDeferredLightweightMigration()`.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
    "NSPersistentStoreDeferredLightweightMigrationOptionKey"

extension DeferredStatements {
    /// Takes the steps out of a plan that can wait: the newer version reads and writes the same without them.
    ///
    /// A unique index cannot: it decides what may be saved. Nor can a column whose name another one takes in the same
    /// plan.
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
