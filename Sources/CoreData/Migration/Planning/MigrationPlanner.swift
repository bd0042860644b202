// Implementation notes: Migration/Planning.
//
// - `ModelDifference` matches by renaming identifier and by name, and collects all changes that cannot be inferred in
//   one error. It does not use tables.
// - The planner alters a table where SQLite does that without work (new columns, new names). It copies the table once
//   where rows change their form. Values that can be set in one pass (defaults, moved entity numbers) are one UPDATE
//   per table.
// - Checks for rows that the newer model does not allow come first; when one is found, nothing has changed. Checks for
//   objects that a user has added to the file also come first (`MigrationPlanner+Objects`): a view that names a dropped
//   column makes the planner refuse the migration.
// - If CloudKit mirrors the store (`MirrorTables`), its tables name rows by the number of the entity and the key. The
//   framework never writes to them, so `MirrorCheck` refuses each change of such an entity before the plan is made.
// - Where two relationships without inverses become each other's (`MigrationPlanner+Pairs`), every link gets its other
//   side while the tables are still the old ones. All later steps take keys as they are.

import Foundation

/// Makes the plan that turns the tables of one model into those of another.
///
/// The order of the steps:
///
/// - Check for rows that the newer version does not allow.
/// - Delete rows of removed entities, with all references to them.
/// - Drop triggers, indexes and tables.
/// - Rename tables and columns.
/// - Make tables and columns, and copy rows.
/// - Drop columns, update rows, fill in values from other rows, and make indexes.
/// - Write numbers, history, the archived model and metadata.
struct MigrationPlanner {
    let difference: ModelDifference
    /// The schema of the source model as the file has it, and that of the destination model as a new file would have
    /// it.
    let old: SQLSchema
    let new: SQLSchema
    let catalog: StoreCatalog
    let dialect: any SQLDialect

    /// Old number → new number, for entities that stay and whose number moves.
    let moves: [Int: Int]
    /// Old numbers of removed entities.
    let removed: Set<Int>

    var plan = MigrationPlan()
    var tables: [TableChange] = []
    var joins: [JoinChange] = []
    /// The present names of tables of the source and of their columns at this point of the plan.
    var presentTable: [String: String] = [:]
    var presentColumn: [String: [String: String]] = [:]
    private var temporaryNames = 0

    /// The plan. `old` and `new` belong to the layouts of the difference.
    static func plan(
        for difference: ModelDifference, from old: SQLSchema, to new: SQLSchema, catalog: StoreCatalog,
        in dialect: any SQLDialect
    ) -> MigrationPlan {
        var planner = MigrationPlanner(difference: difference, old: old, new: new, catalog: catalog, dialect: dialect)
        planner.build()
        return planner.plan
    }

    private init(
        difference: ModelDifference, old: SQLSchema, new: SQLSchema, catalog: StoreCatalog, dialect: any SQLDialect
    ) {
        self.dialect = dialect
        self.difference = difference
        self.old = old
        self.new = new
        self.catalog = catalog
        var moves: [Int: Int] = [:]
        var removed: Set<Int> = []
        for (index, number) in old.numbers.enumerated() {
            guard let number else { continue }
            if let newNumber = difference.destinationOf[index].flatMap({ new.numbers[$0] }) {
                if newNumber != number { moves[number] = newNumber }
            } else {
                removed.insert(number)
            }
        }
        self.moves = moves
        self.removed = removed
    }

    private mutating func build() {
        planTables()
        planJoins()
        decideRewrites()
        adjustTagsOfDefaults()
        addChecks()
        addCleaning()
        addRefusals()
        let views = affectedViews
        for view in views { add(.dropView(view.name)) }
        addTriggerDrops()
        addOtherSides()
        let kept = addIndexDrops()
        addMovesOfTables()
        addColumnsAndCopies()
        addUpdates()
        addNamesOfEntities()
        addLookUps()
        addDerivedValues()
        for index in new.indexes where !kept.contains(index.name) {
            add(.createIndex(index), rows: rows(ofNew: index.table))
            if let check = check(of: index) { plan.indexChecks.append(check) }
        }
        addBookkeeping()
        addTriggers()
        for view in views {
            add(.createView(view))
            // The triggers were dropped with the view.
            for trigger in catalog.triggers where Self.same(trigger.table, view.name) { add(.createTrigger(trigger)) }
        }
        for change in tables {
            plan.tableRows[change.table.name] = rows(ofNew: change.table.name)
            plan.tableOrigins[change.table.name] = change.source?.name
        }
        for change in joins {
            plan.tableRows[change.table.name] = rows(ofNew: change.table.name)
            plan.tableOrigins[change.table.name] = change.pairs?.from
        }
    }

    // MARK: Names and sizes

    mutating func add(_ step: MigrationStep, rows: Int = 0) { plan.add(step, rows: rows) }

    /// A name that no table or column has.
    mutating func temporaryName() -> String {
        temporaryNames += 1
        return "Z__MIGRATION\(temporaryNames)"
    }

    func present(_ table: String) -> String { presentTable[table] ?? table }

    func present(_ table: String, _ column: String) -> String { presentColumn[table]?[column] ?? column }

    func rows(_ table: String) -> Int { catalog.tables[table]?.rows ?? 0 }

    /// About how many rows a table of the destination will have.
    func rows(ofNew table: String) -> Int {
        if let change = tables.first(where: { $0.table.name == table }) {
            return change.source?.rows ?? 0
        }
        return joins.first { $0.table.name == table }?.pairs.map { rows($0.from) } ?? 0
    }

    static func same(_ a: String, _ b: String) -> Bool { a == b || a.caseInsensitiveCompare(b) == .orderedSame }

    // MARK: Numbers, history, metadata

    private mutating func addBookkeeping() {
        var keys: [MigrationKeyRow] = []
        for entity in difference.destination.entities {
            guard let number = new.numbers[entity.index] else { continue }
            var continues: [Int] = []
            if entity.superIndex == nil, let change = tables.first(where: { $0.root == entity.index }),
                let member = change.members.first, let origin = difference.sourceOf[member.layout]
            {
                let root = difference.source.entities[difference.source.entities[origin].rootIndex]
                continues = root.subtree.compactMap { old.numbers[$0] }
            }
            keys.append(
                MigrationKeyRow(
                    number: number, name: entity.name, parent: entity.superIndex.flatMap { new.numbers[$0] } ?? 0,
                    continues: continues))
        }
        add(.replaceKeys(remove: old.numbers.compactMap { $0 }, keys))
        if catalog.tables["ACHANGE"] != nil {
            addForgottenTombstones()
            let reordered = difference.destination.entities.compactMap { entity -> Int? in
                guard let origin = difference.sourceOf[entity.index] else { return nil }
                let older = difference.source.entities[origin]
                // Names that are exchanged leave the list as it was, and its bits have other meanings.
                guard
                    HistoryProperties(entity).mark != HistoryProperties(older).mark
                        || difference.properties[entity.index].contains(where: { $0.key != $0.value.name })
                else { return nil }
                return old.numbers[origin]
            }
            if !(moves.isEmpty && removed.isEmpty && reordered.isEmpty) {
                add(
                    .renumberHistory(moves: moves, removed: removed.sorted(), reordered: reordered),
                    rows: rows("ACHANGE"))
            }
        }
        add(.replaceModelCache)
        add(.writeMetadata)
    }

    /// The columns of a deleted row's values follow from the entity's preserved attributes. If these have changed, the
    /// migration drops the values.
    private mutating func addForgottenTombstones() {
        func names(_ entity: EntityLayout) -> [String] {
            HistoryTombstones.slots(of: entity).map { entity.slots[$0].name }
        }
        let numbers = difference.destination.entities.compactMap { entity -> Int? in
            guard let origin = difference.sourceOf[entity.index] else { return nil }
            let origins = difference.properties[entity.index]
            let now = names(entity)
            guard
                now != names(difference.source.entities[origin])
                    || now.contains(where: { name in origins[name].map { $0.name != name } ?? false })
            else { return nil }
            return old.numbers[origin]
        }
        let columns = (catalog.tables["ACHANGE"]?.columns ?? []).map(\.name).filter { $0.hasPrefix("ZTOMBSTONE") }
        if numbers.isEmpty || columns.isEmpty { return }
        let condition = SQLExpression.isIn(
            .column(alias: nil, name: "ZENTITY"), numbers.sorted().map { .number($0) })
        let assignments = columns.map { MigrationAssignment(column: $0, value: .null, condition: condition) }
        add(.update(table: "ACHANGE", assignments), rows: rows("ACHANGE"))
    }
}
