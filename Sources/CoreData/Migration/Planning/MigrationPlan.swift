/// The steps of a migration, made before the migration changes anything.
struct MigrationPlan {
    /// The steps in their order.
    var steps: [MigrationStep] = []
    /// New indexes that may refuse rows of the source, as far as one query shows it, for a forecast. The migration
    /// itself makes the index, which refuses the rows.
    var indexChecks: [IndexCheck] = []
    /// The reasons why the migration is impossible, each with entity and property.
    var refusals: [NSError] = []
    /// About how many rows each step reads or writes; 0 for a step whose time does not depend on them.
    var rows: [Int] = []
    /// About how many rows the tables of the destination will have, and the tables of the source from which they take
    /// rows.
    var tableRows: [String: Int] = [:]
    var tableOrigins: [String: String] = [:]

    /// The amount of work in the units of progress: one for each row that a step reads or writes, and one for each
    /// step.
    var totalUnits: Int { rows.reduce(0, +) + steps.count }

    /// Whether the plan takes the same time for any number of rows.
    var isInstant: Bool { steps.allSatisfy(\.isInstant) }

    mutating func add(_ step: MigrationStep, rows count: Int = 0) {
        steps.append(step)
        rows.append(step.isInstant ? 0 : count)
    }
}
