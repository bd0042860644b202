import Foundation

extension MigrationPlanner {
    // MARK: Indexes

    /// Drops the indexes that do not stay as they are, and returns the names of those that do.
    mutating func addIndexDrops() -> Set<String> {
        var kept: Set<String> = []
        let wanted = Dictionary(new.indexes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for index in catalog.indexes {
            guard let outcome = outcome(ofTable: index.table), !outcome.isGone else { continue }
            let columns = index.columns.map { column in
                SQLIndexColumn(name: outcome.columns[column.name] ?? column.name, direction: column.direction)
            }
            let usesDropped = index.columns.contains { column in
                outcome.dropped.contains { Self.same($0, column.name) }
            }
            if let want = wanted[index.name], want.table == outcome.name, want.columns == columns,
                want.isUnique == index.isUnique, condition(of: want) == index.condition, !usesDropped,
                !(outcome.movesNumbers && columns.contains { $0.name == SQLSchema.entityColumn })
            {
                kept.insert(index.name)
                continue
            }
            // Indexes that the framework has not made stay as long as their columns do.
            let isOurs =
                index.name.hasPrefix("Z_") || index.name.hasPrefix(index.table + "_")
                || old.indexes.contains { $0.name == index.name }
            if isOurs || usesDropped { add(.dropIndex(index.name)) }
        }
        return kept
    }

    /// The condition of a partial index as its definition has it.
    private func condition(of index: SQLIndex) -> String? {
        index.condition.map { SQLPrinter.text($0, in: dialect) }
    }

    private struct TableOutcome {
        /// The name after the migration.
        var name: String
        /// Dropped or copied: its indexes are dropped with it.
        var isGone = false
        /// Old column name → new column name.
        var columns: [String: String] = [:]
        var dropped: [String] = []
        var movesNumbers = false
    }

    /// The change of a table of the source; nil for a table that is not of the models.
    private func outcome(ofTable name: String) -> TableOutcome? {
        if let change = tables.first(where: { $0.source?.name == name }) {
            var outcome = TableOutcome(name: change.table.name, isGone: change.isRewritten, dropped: change.dropped)
            for column in change.columns {
                if let from = column.sources.first { outcome.columns[from] = column.column.name }
            }
            outcome.movesNumbers = change.members.contains { $0.old != $0.new }
            return outcome
        }
        if let change = joins.first(where: { $0.source == name }), let pairs = change.pairs {
            var outcome = TableOutcome(name: change.table.name, isGone: change.isRewritten, dropped: change.dropped)
            outcome.columns = [pairs.owner: pairs.ownerColumn, pairs.member: pairs.memberColumn]
            for order in [pairs.memberOrder, pairs.ownerOrder] {
                if let from = order?.source { outcome.columns[from] = order?.column }
            }
            return outcome
        }
        return old.allTables.contains { $0.name == name } ? TableOutcome(name: name, isGone: true) : nil
    }

    // MARK: Tables

    /// Drops tables that are no longer needed and renames the other ones. Tables that are copied get a temporary name
    /// first.
    mutating func addMovesOfTables() {
        let entitySources = Set(tables.compactMap(\.source?.name))
        let joinSources = Set(joins.compactMap(\.source))
        for table in old.allTables where catalog.tables[table.name] != nil {
            if !entitySources.contains(table.name), !joinSources.contains(table.name) { add(.dropTable(table.name)) }
        }
        var renames: [(from: String, to: String)] = []
        for source in entitySources.union(joinSources).sorted() {
            let change = tables.first { $0.source?.name == source }
            let join = joins.first { $0.source == source }
            if change?.isRewritten ?? join?.isRewritten ?? false {
                moveAside(source)
            } else if let name = change?.table.name ?? join?.table.name, name != source {
                renames.append((source, name))
            }
        }
        // A table whose name another one gets needs a temporary name first.
        for rename in renames where renames.contains(where: { Self.same($0.to, rename.from) }) {
            moveAside(rename.from)
        }
        for rename in renames {
            // For SQLite a change of case alone is the name of a table that already exists.
            if present(rename.from) == rename.from, Self.same(rename.from, rename.to) { moveAside(rename.from) }
            add(.renameTable(from: present(rename.from), to: rename.to))
            presentTable[rename.from] = rename.to
        }
    }

    private mutating func moveAside(_ table: String) {
        guard present(table) == table else { return }
        let name = temporaryName()
        add(.renameTable(from: table, to: name))
        presentTable[table] = name
    }

    // MARK: Columns

    /// Makes tables and columns, copies rows and pairs, drops columns and tables that are no longer needed.
    mutating func addColumnsAndCopies() {
        var late: [(table: String, column: String)] = []
        for change in tables where change.source != nil && !change.isRewritten {
            alterColumns(of: change, &late)
        }
        for change in joins where change.source != nil && !change.isRewritten { alterColumns(of: change) }
        for change in tables where change.source == nil || change.isRewritten {
            add(.createTable(change.table))
            guard let source = change.source else { continue }
            add(
                .copyRows(
                    from: present(source.name), into: change.table.name, change.copyAssignments(moves: moves),
                    numbers: change.isPartOfSource ? change.members.map(\.old) : nil), rows: source.rows)
        }
        for change in joins where change.source == nil || change.isRewritten {
            add(.createTable(change.table))
            for var pairs in [change.pairs, change.morePairs].compactMap(\.self) {
                let table = pairs.from
                pairs.owner = present(table, pairs.owner)
                pairs.member = present(table, pairs.member)
                if let source = pairs.memberOrder?.source { pairs.memberOrder?.source = present(table, source) }
                if let source = pairs.ownerOrder?.source { pairs.ownerOrder?.source = present(table, source) }
                pairs.from = present(table)
                add(.copyPairs(pairs), rows: rows(table))
            }
        }
        for (table, column) in late {
            add(.dropColumn(table: present(table), present(table, column)), rows: rows(table))
        }
        let copied = Set(
            tables.filter(\.isRewritten).compactMap(\.source?.name) + joins.filter(\.isRewritten).compactMap(\.source))
        for table in copied.sorted() { add(.dropTable(present(table))) }
        tagExternalData()
    }

    private mutating func alterColumns(of change: TableChange, _ late: inout [(table: String, column: String)]) {
        guard let source = change.source else { return }
        let table = change.table.name
        // Keys that become join tables are read before they are dropped.
        var needed: Set<String> = []
        for case let pairs? in joins.flatMap({ [$0.pairs, $0.morePairs] }) where pairs.from == source.name {
            needed.formUnion([pairs.owner, pairs.member])
            needed.formUnion([pairs.memberOrder?.source, pairs.ownerOrder?.source].compactMap(\.self))
        }
        let finalNames = change.columns.map(\.column.name)
        for column in change.dropped {
            guard needed.contains(column) else {
                add(.dropColumn(table: table, column), rows: source.rows)
                continue
            }
            late.append((source.name, column))
            if finalNames.contains(where: { Self.same($0, column) }) { renameAside(column, source.name, table) }
        }
        // A column that is in neither model must not keep a name that a column of the model needs.
        let known = Set(change.dropped + change.columns.compactMap(\.sources.first))
        for column in source.columns where column.keyPosition == 0 && !known.contains(column.name) {
            if finalNames.contains(where: { Self.same($0, column.name) }) {
                add(.dropColumn(table: table, column.name), rows: source.rows)
            }
        }
        renameColumns(
            of: source.name, table,
            change.columns.compactMap { column in column.sources.first.map { ($0, column.column.name) } })
        for column in change.columns where column.sources.isEmpty { add(.addColumn(table: table, column.column)) }
        for column in change.columns {
            guard let name = column.sources.first, let former = source.column(name),
                !isOfType(column.column.type, former)
            else { continue }
            add(.changeType(table: table, column.column, from: former.type), rows: source.rows)
        }
    }

    private mutating func alterColumns(of change: JoinChange) {
        guard let source = change.source, let pairs = change.pairs else { return }
        let table = change.table.name
        for column in change.dropped { add(.dropColumn(table: table, column), rows: rows(source)) }
        var renames = [(pairs.owner, pairs.ownerColumn), (pairs.member, pairs.memberColumn)]
        for order in [pairs.memberOrder, pairs.ownerOrder] {
            if let order, let from = order.source { renames.append((from, order.column)) }
        }
        renameColumns(of: source, table, renames)
    }

    private mutating func renameColumns(of source: String, _ table: String, _ renames: [(from: String, to: String)]) {
        let real = renames.filter { $0.from != $0.to }
        // As with tables, the column that has the name gets a temporary one, not the column that needs the name.
        for rename in real where real.contains(where: { Self.same($0.to, rename.from) }) {
            renameAside(rename.from, source, table)
        }
        for rename in real {
            add(.renameColumn(table: table, from: present(source, rename.from), to: rename.to))
            presentColumn[source, default: [:]][rename.from] = rename.to
        }
    }

    private mutating func renameAside(_ column: String, _ source: String, _ table: String) {
        let name = temporaryName()
        add(.renameColumn(table: table, from: present(source, column), to: name))
        presentColumn[source, default: [:]][column] = name
    }

    // MARK: Values

    /// Adds or removes the tags of attributes whose external storage was switched on or off.
    private mutating func tagExternalData() {
        for change in tables {
            var done: Set<String> = []
            for member in change.members {
                let entity = difference.destination.entities[member.layout]
                for (number, slot) in entity.slots.enumerated() {
                    guard case .attribute(let attribute) = slot.role,
                        let source = sourceAttribute(of: slot, in: entity),
                        new.tagsExternalValues, let tagged = AttributeConversion(from: source, to: attribute)?.tag,
                        let column = new.columns[member.layout][number], done.insert(column).inserted
                    else { continue }
                    // Rows do not have their new numbers yet where the table was altered.
                    let numbers = change.members.filter { new.columns[$0.layout].contains(column) }
                        .map { change.isRewritten ? $0.new : $0.old }
                    add(
                        .tagValues(
                            table: change.table.name, column: column,
                            numbers: numbers.count == change.members.count ? nil : numbers, tagged: tagged,
                            of: MigrationPlace(entity: entity.name, property: slot.name)),
                        rows: change.source?.rows ?? 0)
                }
            }
        }
    }

    /// Puts the new names of entities into rows that name their entities.
    mutating func addNamesOfEntities() {
        guard new.namesEntities else { return }
        var names: [Int: String] = [:]
        var renamed: [(number: Int, name: String)] = []
        for entity in difference.destination.entities {
            guard let number = new.numbers[entity.index] else { continue }
            names[number] = entity.name
            if let origin = difference.sourceOf[entity.index], difference.source.entities[origin].name != entity.name {
                renamed.append((number, entity.name))
            }
        }
        // The numbers stand for the present names in rows. The new names are texts.
        var updates: [SQLUpdate] = []
        let numbers = renamed.map { SQLExpression.number($0.number) }
        for table in new.entityTables where !renamed.isEmpty {
            for column in table.columns where column.type == .label {
                let value = renamed.reduce(SQLExpression.column(column.name)) { rest, one in
                    .choice(
                        .binary(.equal, .column(column.name), .number(one.number)), .value(.string(one.name)), rest)
                }
                updates.append(
                    SQLUpdate(
                        table.name, [.init(column.name, value)], where: .isIn(.column(column.name), numbers)))
            }
        }
        add(.renameEntities(updates, names: names), rows: updates.isEmpty ? 0 : 1)
    }

    mutating func addUpdates() {
        for change in tables where change.source != nil && !change.isRewritten {
            let assignments = change.updateAssignments(moves: moves)
            if !assignments.isEmpty {
                add(.update(table: change.table.name, assignments), rows: change.source?.rows ?? 0)
            }
        }
    }
}
