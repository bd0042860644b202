/// The steps of a migration, before anything is done.
struct MigrationPlan {
    /// The steps in their order.
    var steps: [MigrationStep] = []
    /// New indexes that may refuse rows of the source, as far as one query can tell: for a forecast. The migration
    /// finds out when it makes the index.
    var indexChecks: [IndexCheck] = []
    /// The reasons why it is impossible, each with entity and property.
    var refusals: [NSError] = []
    /// About how many rows each step goes through; 0 for a step whose time does not depend on them.
    var rows: [Int] = []
    /// About how many rows the tables of the destination will have, and the tables of the source that they come from.
    var tableRows: [String: Int] = [:]
    var tableOrigins: [String: String] = [:]

    /// The amount of work in the units of progress: one per row that is gone through and one per step.
    var totalUnits: Int { rows.reduce(0, +) + steps.count }

    /// Whether the plan takes the same time for any number of rows.
    var isInstant: Bool { steps.allSatisfy(\.isInstant) }

    mutating func add(_ step: MigrationStep, rows count: Int = 0) {
        steps.append(step)
        rows.append(step.isInstant ? 0 : count)
    }
}
