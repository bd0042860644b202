#if PostgreSQL
import CoreData

/// The forecast of an online migration for people who run servers: its steps, and the locks that it takes.
struct OnlineForecast {
    private let plan: OnlinePlan
    private let found: OnlineRows
    private let catalog: StoreCatalog
    private let bytes: [String: Int64]

    /// Seconds for each row, measured on a server of an ordinary computer: to move the row, to read it, and to add
    /// it to an index. Pauses are counted in.
    private static let (moving, looking, indexing) = (6e-5, 1.4e-7, 1.6e-6)
    /// The seconds for which a lock is held that keeps all other sessions out.
    private static let short = 0.01

    init(_ plan: OnlinePlan, _ found: OnlineRows, on connection: PostgreSQLConnection) throws {
        (self.plan, self.found) = (plan, found)
        let tables =
            plan.movedTables + plan.links.map(\.table) + plan.newIndexes.map(\.table)
            + plan.newReferences.map(\.table)
        catalog = try connection.catalog(ofTables: Set(tables))
        bytes = try connection.sizes(ofTables: plan.movedTables)
    }

    private func rows(_ table: String) -> Int { catalog.tables[table]?.rows ?? 0 }

    private func step(
        _ phase: MigrationForecast.Step.Phase, _ kind: MigrationForecast.Step.Kind, _ summary: String,
        table: String? = nil, perRow: Double = 0
    ) -> MigrationForecast.Step {
        let count = kind == .instant ? 0 : table.map(rows) ?? 0
        return MigrationForecast.Step(
            kind: kind, summary: summary, table: kind == .instant ? nil : table, rows: count,
            bytes: kind == .rewrite ? table.flatMap { bytes[$0] } ?? 0 : 0, seconds: Double(count) * perRow,
            phase: phase)
    }

    var parts: (steps: [MigrationForecast.Step], locks: [MigrationForecast.Lock]) {
        var steps: [MigrationForecast.Step] = []
        for change in plan.migration.difference.changes {
            switch change {
            case .entityRenamed, .propertyRenamed: steps.append(step(.names, .instant, "\(change)"))
            default: continue
            }
        }
        for table in plan.newTables { steps.append(step(.expand, .instant, "table \(table.name) added")) }
        for column in plan.newColumns {
            steps.append(step(.expand, .instant, "column \(column.table).\(column.column.name) added"))
        }
        for table in Set(plan.shadowColumns.map(\.table) + plan.fillers.map(\.table)).sorted() {
            steps.append(step(.expand, .instant, "trigger of \(table) that keeps both versions in step"))
        }
        for table in Set(plan.links.flatMap { [$0.table, $0.pairs] }).sorted() {
            steps.append(
                step(.expand, .instant, "trigger of \(table) that keeps the links of both versions in step"))
        }
        for table in Set(plan.splits.flatMap { [$0.table, $0.part] }).sorted() {
            steps.append(step(.expand, .instant, "trigger of \(table) that keeps both tables in step"))
        }
        for table in plan.movedTables {
            steps.append(step(.move, .rewrite, "rows of \(table), slice by slice", table: table, perRow: Self.moving))
        }
        for shadow in found.unknownShadowColumns {
            steps.append(
                step(
                    .move, .scan,
                    "look whether the values of \(shadow.table).\(PostgreSQLDialect.asGiven(shadow.old.name)) fit: "
                        + "the forecast does not know", table: shadow.table))
        }
        for link in plan.links {
            steps.append(
                step(
                    .move, .rewrite, "pairs of \(link.pairs) from \(link.table).\(link.key), slice by slice",
                    table: link.table, perRow: Self.moving))
        }
        for shadow in plan.shadowColumns where shadow.isMandatory {
            steps.append(
                step(
                    .move, .scan, "look whether \(shadow.table).\(shadow.new.name) has a value everywhere",
                    table: shadow.table, perRow: Self.looking))
        }
        for key in plan.newReferences + plan.unknownReferences {
            steps.append(
                step(
                    .expand, .scan, "references of \(key.table).\(key.column)", table: key.table, perRow: Self.looking))
        }
        for index in plan.newIndexes {
            let name =
                "\(index.isUnique ? "unique " : "")index \(index.name), while other programs write"
                + (found.unknownIndexes.contains(index) ? ": the forecast does not know of duplicates" : "")
            steps.append(step(.expand, .scan, name, table: index.table, perRow: Self.indexing))
        }
        steps.append(step(.serve, .instant, "the store serves both versions"))
        steps.append(
            step(
                .contract, .instant, "what only the older version needs is dropped, when its last program has gone")
        )
        return (steps, locks)
    }

    private var locks: [MigrationForecast.Lock] {
        var exclusive: [String] = []
        for table in plan.newColumns.map(\.table) + plan.shadowColumns.map(\.table) + plan.fillers.map(\.table)
            + plan.splits.map(\.table)
        where !exclusive.contains(table) {
            exclusive.append(table)
        }
        var writing = Set(plan.links.map(\.table)).subtracting(exclusive).sorted()
        for key in plan.newReferences + plan.unknownReferences {
            for table in [key.table, key.target] where !writing.contains(table) && !exclusive.contains(table) {
                writing.append(table)
            }
        }
        func lock(_ tables: [String], _ isExclusive: Bool) -> [MigrationForecast.Lock] {
            tables.isEmpty ? [] : [.init(tables: tables, isExclusive: isExclusive, seconds: Self.short)]
        }
        return lock(exclusive, true) + lock(writing, false)
    }
}
#endif
