import Foundation

// Triggers and views. The framework has made those of derived attributes. The user has added all other ones to the
// file.
extension MigrationPlanner {
    /// The triggers to drop first and make again at the end. Triggers would fire while rows are rewritten, and most of
    /// them name columns. Those of derived attributes and those on tables that change are made again if the table and
    /// all columns that they name still exist.
    private var affectedTriggers: [StoreCatalog.Trigger] {
        let rewritten = Set(
            tables.filter { $0.isRewritten }.compactMap(\.source?.name)
                + joins.filter(\.isRewritten).compactMap(\.source))
        return catalog.triggers.filter { $0.name.hasPrefix("Z_DA_") || rewritten.contains($0.table) }
    }

    mutating func addTriggerDrops() {
        for trigger in affectedTriggers { add(.dropTrigger(trigger.name)) }
    }

    mutating func addTriggers() {
        guard !catalog.triggers.isEmpty else { return }
        func names(_ tables: [SQLTable]) -> Set<String> {
            Set(tables.flatMap { [$0.name] + $0.columns.map(\.name) })
        }
        let vanished = names(old.allTables).subtracting(names(new.allTables))
        var made: Set<String> = []
        for trigger in affectedTriggers where moves.isEmpty || !trigger.name.hasPrefix("Z_DA_") {
            guard Self.words(trigger.sql).isDisjoint(with: vanished) else { continue }
            if trigger.name.hasPrefix("Z_DA_"), !isStillDerived(trigger.name) { continue }
            add(.createTrigger(trigger))
            made.insert(trigger.name.lowercased())
        }
        // A file whose triggers keep derived attributes has them for those of the newer version, too, if they are
        // known.
        guard catalog.triggers.contains(where: { $0.name.hasPrefix("Z_DA_") }) else { return }
        for trigger in dialect.derivedAttributeTriggers(difference.destination, new)
        where !made.contains(trigger.name.lowercased()) { add(.createTrigger(trigger)) }
    }

    /// Whether the attribute a trigger keeps up to date is derived in both models, by the same expression.
    private func isStillDerived(_ trigger: String) -> Bool {
        for entity in difference.destination.entities {
            for case let attribute as NSDerivedAttributeDescription in entity.entity.ownProperties
            where trigger.contains("_\(entity.name)_\(attribute.name)_") {
                let origin = difference.properties[entity.index][attribute.name] as? NSDerivedAttributeDescription
                return origin?.derivationExpression?.description == attribute.derivationExpression?.description
            }
        }
        return false
    }

    // MARK: Objects of the user's

    /// The names of one table that views and triggers can no longer use.
    private struct Loss {
        var table: String
        /// Whether the table is copied or loses columns: then SQLite does not put new names into views and triggers.
        var isTaken: Bool
        /// The table's own name, if the table is renamed or removed, and the columns that are renamed or removed.
        var names: [String]
    }

    private var losses: [Loss] {
        old.allTables.filter { catalog.tables[$0.name] != nil }.map { table in
            if let change = tables.first(where: { $0.source?.name == table.name }) {
                let renamed = change.columns.compactMap { column in
                    column.sources.first { !Self.same($0, column.column.name) }
                }
                return Loss(
                    table: table.name, isTaken: change.isRewritten || !change.dropped.isEmpty,
                    names: change.dropped + renamed + (Self.same(change.table.name, table.name) ? [] : [table.name]))
            }
            if let change = joins.first(where: { $0.source == table.name }) {
                let kept = change.table.columns.map(\.name)
                return Loss(
                    table: table.name, isTaken: change.isRewritten || !change.dropped.isEmpty,
                    names: table.columns.map(\.name).filter { !kept.contains($0) }
                        + (Self.same(change.table.name, table.name) ? [] : [table.name]))
            }
            return Loss(table: table.name, isTaken: true, names: [table.name])
        }
    }

    /// The views that are dropped first and made again at the end. The result is all views or none, because one view
    /// may read another.
    var affectedViews: [StoreCatalog.View] {
        guard !catalog.views.isEmpty else { return [] }
        let taken = losses.filter(\.isTaken).map { $0.table.uppercased() }
        let isAffected = catalog.views.contains { view in
            let words = Self.words(view.sql.uppercased())
            return taken.contains { words.contains($0) }
        }
        return isAffected ? catalog.views : []
    }

    /// Refuses changes that a view or a trigger of the user's prevents.
    mutating func addRefusals() {
        let objects =
            catalog.views.map { ("view", $0.name, $0.sql) }
            + catalog.triggers.filter { !$0.name.hasPrefix("Z_") }.map { ("trigger", $0.name, $0.sql) }
        if objects.isEmpty { return }
        let losses = losses.filter(\.isTaken)
        for (kind, name, sql) in objects {
            let words = Self.words(sql.uppercased())
            for loss in losses where words.contains(loss.table.uppercased()) {
                guard let lost = loss.names.first(where: { words.contains($0.uppercased()) }) else { continue }
                let (entity, property) = owner(of: lost, in: loss.table)
                plan.refusals.append(
                    MigrationErrors.cannotInfer(
                        entity: entity, property: property,
                        source: "is named by the \(kind) “\(name)” of this store (\(lost))",
                        destination: "is renamed or removed",
                        help: "Drop the \(kind) before the migration, and make it anew after it."))
            }
        }
    }

    private static func words(_ sql: String) -> Set<String> {
        Set(sql.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
    }

    /// The entity and property whose values are stored in a column of the source.
    private func owner(of column: String, in table: String) -> (entity: String, property: String?) {
        var first: String?
        for entity in difference.source.entities
        where old.table(ofRoot: entity.rootIndex)?.name == table {
            first = first ?? entity.name
            if let slot = old.columns[entity.index].firstIndex(of: column) {
                return (entity.name, entity.slots[slot].name)
            }
        }
        return (first ?? table, nil)
    }
}
