import Foundation

/// The tables of a model in the form in which a damaged file has them.
struct SalvageSchema {
    /// The content of a table's rows.
    enum Content {
        /// Objects of a root entity and of those below it.
        case objects(root: Int)
        case pairs(join: Int)
    }

    struct SourceTable {
        let name: String
        let content: Content
        /// The columns, in the order of the values of rows.
        let columns: [String]
        /// The root page of the table; nil if the file does not give it.
        let root: Int?
        /// The column with the keys of objects, in a table that another program has rebuilt; nil if the key is the row
        /// id.
        var keyColumn: Int?
        /// Whether another program has rebuilt the table WITHOUT ROWID.
        var hasNoRowNumbers = false
    }

    let schema: SQLSchema
    let tables: [SourceTable]
    /// The entity tables by the entity numbers of their rows.
    private let tableOfNumber: [Int64: Int]
    /// For each table whose rows are of one entity only, the content of its columns.
    private let slotsOfSole: [Int: [(column: Int, slot: Slot)]]
    /// The tables by their root pages.
    let tableOfRoot: [Int: Int]
    /// The root pages of tables that do not belong to the model.
    let otherRoots: [Int]

    /// The tables, with the numbers that the store gives the entities. If these are not the numbers that the model
    /// gives, they may be damaged. Then the numbers are chosen that fit more rows.
    static func reading(_ source: SalvageSource, _ layout: ModelLayout) throws -> SalvageSchema {
        let numbers = numbers(source.counters, layout)
        let own = try SalvageSchema(source, numbers, layout)
        let computed = SQLSchemaBuilder.schema(of: layout).numbers
        if numbers.isEmpty || own.schema.numbers == computed { return own }
        let other = try SalvageSchema(source, [:], layout)
        return other.fittingRows(source) > own.fittingRows(source) ? other : own
    }

    private init(_ source: SalvageSource, _ numbers: [String: Int], _ layout: ModelLayout) throws {
        let definitions = source.definitions.filter { $0.kind == "table" }
        let fit = try Self.fit(definitions, numbers: numbers, to: layout, url: source.url)
        let (schema, columns) = (fit.schema, fit.columns)
        self.schema = schema
        let roots = Dictionary(definitions.map { ($0.name, $0.root) }) { first, _ in first }
        var tables: [SourceTable] = []
        var tableOfNumber: [Int64: Int] = [:]
        for root in layout.entities where root.superIndex == nil {
            guard let name = schema.table(ofRoot: root.index)?.name else { continue }
            for index in root.subtree where !layout.entities[index].entity.isAbstract {
                if let number = schema.numbers[index] { tableOfNumber[Int64(number)] = tables.count }
            }
            tables.append(
                SourceTable(
                    name: name, content: .objects(root: root.index), columns: columns[name] ?? [], root: roots[name],
                    keyColumn: fit.keyColumns[name], hasNoRowNumbers: fit.withoutRowNumbers.contains(name)))
        }
        for (index, join) in schema.joins.enumerated() {
            tables.append(
                SourceTable(
                    name: join.table, content: .pairs(join: index), columns: columns[join.table] ?? [],
                    root: roots[join.table], hasNoRowNumbers: fit.withoutRowNumbers.contains(join.table)))
        }
        self.tables = tables
        self.tableOfNumber = tableOfNumber
        tableOfRoot = Dictionary(
            tables.enumerated().compactMap { place, table in table.root.map { ($0, place) } }
        ) { first, _ in first }
        slotsOfSole = Self.slotsOfSole(tables, schema, layout)
        let own = Set(tables.map(\.name))
        otherRoots = definitions.filter { $0.isNameCertain && !own.contains($0.name) }.map(\.root)
    }

    /// The number of rows, in a sample, whose entity belongs to their table.
    private func fittingRows(_ source: SalvageSource) -> Int {
        var count = 0
        for (place, table) in tables.enumerated() {
            guard case .objects = table.content, let root = table.root,
                let column = table.columns.firstIndex(of: SQLSchema.entityColumn)
            else { continue }
            var walk = TreeWalk(source.reader, source.use)
            walk.leaves(from: root, atMost: 8) { page, _ in
                count += source.records.rows(of: page).rows.count { row in
                    row[column].integer.flatMap { tableOfNumber[$0] } == place
                }
            }
        }
        return count
    }

    /// The numbers of the entities, if those of all entities of the model are known and distinct; otherwise empty.
    private static func numbers(_ counters: [SalvageSource.Counter], _ layout: ModelLayout) -> [String: Int] {
        let numbers = Dictionary(counters.map { ($0.name, $0.number) }) { first, _ in first }
        let own = layout.entities.compactMap { numbers[$0.name] }
        return own.count == layout.entities.count && Set(own).count == own.count ? numbers : [:]
    }

    private static func slotsOfSole(
        _ tables: [SourceTable], _ schema: SQLSchema, _ layout: ModelLayout
    ) -> [Int: [(column: Int, slot: Slot)]] {
        var slots: [Int: [(column: Int, slot: Slot)]] = [:]
        for (place, table) in tables.enumerated() {
            guard case .objects(let root) = table.content, let sole = schema.soleLayout(ofRoot: root, in: layout) else {
                continue
            }
            slots[place] = layout.entities[sole].slots.enumerated().compactMap { number, slot in
                schema.columns[sole][number].flatMap(table.columns.firstIndex).map { ($0, slot) }
            }
        }
        return slots
    }

    // MARK: Fitting

    /// The additions to the file's own definitions, which are tried in this order until the model finds all that it
    /// needs.
    private enum Completion: CaseIterable {
        case none, missingTables, damagedTables, missingPairs, everything
    }

    /// The result of fitting definitions to a model.
    private struct Fit {
        let schema: SQLSchema
        var columns: [String: [String]] = [:]
        let keyColumns: [String: Int]
        let withoutRowNumbers: Set<String>
    }

    private static func fit(
        _ definitions: [SalvageDefinition], numbers: [String: Int], to layout: ModelLayout, url: URL
    ) throws -> Fit {
        let fresh = SQLSchemaBuilder.schema(of: layout, numbers: numbers.isEmpty ? nil : numbers)
        for completion in Completion.allCases {
            let connection = try SQLiteConnection(path: "", access: .memory)
            let told = completion == .everything ? [] : definitions
            try describe(told, numbers: numbers, fresh: fresh, completion: completion, on: connection)
            let withoutRowNumbers = try connection.tableNames().filter { try connection.hasNoRowNumbers($0) }
            let keyColumns = try makeKeys(fresh, on: connection)
            guard let schema = try? IntrospectedSchema(connection).fit(layout, entities: nil, url: url) else {
                continue
            }
            var fit = Fit(schema: schema, keyColumns: keyColumns, withoutRowNumbers: withoutRowNumbers)
            for table in schema.entityTables.map(\.name) + schema.joins.map(\.table) {
                fit.columns[table] = try connection.columnNames(of: table)
            }
            return fit
        }
        throw NSError.coreData(
            NSPersistentStoreIncompatibleSchemaError, reason: "The tables of the model cannot be described.", url: url)
    }

    /// Adds the primary key to tables that another program has rebuilt without one. The columns keep the order of their
    /// rows.
    ///
    /// - Returns: The places of the keys among the values of rows, by table.
    private static func makeKeys(_ fresh: SQLSchema, on connection: SQLiteConnection) throws -> [String: Int] {
        var places: [String: Int] = [:]
        for table in fresh.entityTables where try !connection.isRowNumber(SQLSchema.keyColumn, of: table.name) {
            let present = try connection.columnNames(of: table.name)
            guard let place = present.firstIndex(of: SQLSchema.keyColumn) else { continue }
            places[table.name] = place
            let columns = present.map { name in
                table.columns.first { $0.name == name } ?? SQLColumn(name: name, type: .varchar)
            }
            try connection.run(.define(.dropTable(table.name)))
            try connection.run(.define(.createTable(SQLTable(name: table.name, columns: columns))))
        }
        return places
    }

    /// Creates the tables in a temporary database, so that SQLite parses their definitions.
    private static func describe(
        _ definitions: [SalvageDefinition], numbers: [String: Int], fresh: SQLSchema, completion: Completion,
        on connection: SQLiteConnection
    ) throws {
        let keys = SQLBookkeeping.Keys.self
        try connection.run(.define(.createTable(keys.definition)))
        let entries = numbers.sorted { $0.value < $1.value }
        try connection.prepare(.insert(SQLInsert(into: keys.table, [keys.number, keys.name], conflict: .keepsStored)))
            .run(entries.count) { place, parameters in
                parameters.bind(1, Int64(entries[place].value))
                parameters.bind(2, entries[place].key)
            }
        for definition in definitions { _ = connection.makeTable(definition.name, asTold: definition.text) }
        if completion == .none { return }
        for table in fresh.entityTables {
            let present = try connection.columnNames(of: table.name)
            // A table with the right number of columns has the right columns, under damaged names.
            if completion != .missingTables, present.count == table.columns.count,
                Set(present) != Set(table.columns.map(\.name))
            {
                try connection.run(.define(.dropTable(table.name)))
            }
            try connection.run(.define(.createTable(table, unlessThere: true)))
        }
        guard completion == .missingPairs || completion == .everything else { return }
        for table in fresh.joinTables { try connection.run(.define(.createTable(table, unlessThere: true))) }
    }

    // MARK: Recognising

    /// Whether a row can belong to a table. The number of its entity decides. If no entity has that number, the other
    /// values have to fit. In a table with several entities such a row counts as one of an unknown entity. The values
    /// of pairs are numbers, and nothing else.
    func isRow(_ row: SalvagedRow, of place: Int) -> Bool {
        let table = tables[place]
        switch table.content {
        case .objects:
            guard let column = entityColumn(of: row, table) else { return false }
            if let home = row[column].integer.flatMap({ tableOfNumber[$0] }) { return home == place }
            return isRowWithoutNumber(row, of: place, column)
        case .pairs:
            return row.values.count >= 2 && row.values.count <= table.columns.count
                && row.values.prefix(2).allSatisfy { $0.integer.map { $0 > 0 } ?? false }
                && row.values.dropFirst(2).allSatisfy { $0.integer != nil || $0.value == .null }
        }
    }

    /// Whether a row among many of a table belongs to it, although there is a value where its key should not be: the
    /// number of its entity belongs to the table.
    func isDamagedRow(_ row: SalvagedRow, of place: Int) -> Bool {
        let table = tables[place]
        guard case .objects = table.content, let column = table.columns.firstIndex(of: SQLSchema.entityColumn) else {
            return false
        }
        return row[column].integer.flatMap { tableOfNumber[$0] } == place
    }

    /// Whether a row whose entity number is damaged can belong to a table.
    private func isRowWithoutNumber(_ row: SalvagedRow, of place: Int, _ column: Int) -> Bool {
        let table = tables[place]
        guard row.values.count <= table.columns.count, row[column].integer != nil || !row[column].isOfOtherType,
            let version = table.columns.firstIndex(of: SQLSchema.versionColumn), row[version].integer != nil
        else { return false }
        // In a table of several entities it is a row of an unknown entity.
        guard let slots = slotsOfSole[place] else { return true }
        return slots.allSatisfy { column, slot in row[column].value.map { slot.holds($0) } ?? true }
    }

    /// The only table to which all these rows can belong; nil if there is none, or more than one.
    func table(of rows: [SalvagedRow]) -> Int? {
        guard !rows.isEmpty else { return nil }
        var found: Int?
        for row in rows {
            guard let place = table(ofObject: row) ?? soleTable(ofPair: row), found ?? place == place else {
                return nil
            }
            found = place
        }
        return found
    }

    /// The key of a row of objects; nil if the row has none.
    static func key(of row: SalvagedRow, in table: SourceTable) -> Int64? {
        guard let column = table.keyColumn else { return row.key }
        return row[column].integer ?? row[column].text.flatMap { Int64($0) }
    }

    /// The column of the entity number in a row of objects; nil for other rows. SQLite keeps the key of such a row in
    /// the row id, and leaves the key column empty, unless another program has rebuilt the table.
    private func entityColumn(of row: SalvagedRow, _ table: SourceTable) -> Int? {
        guard let key = table.columns.firstIndex(of: SQLSchema.keyColumn),
            table.keyColumn == nil ? row[key].value ?? .null == .null : Self.key(of: row, in: table) != nil,
            let column = table.columns.firstIndex(of: SQLSchema.entityColumn), row.values.count > column
        else { return nil }
        return column
    }

    private func table(ofObject row: SalvagedRow) -> Int? {
        tables.indices.first { place in
            let table = tables[place]
            guard case .objects = table.content, row.values.count > 3, row.values.count <= table.columns.count,
                let number = entityColumn(of: row, table).flatMap({ row[$0].integer })
            else { return false }
            return tableOfNumber[number] == place
        }
    }

    private func soleTable(ofPair row: SalvagedRow) -> Int? {
        let fitting = tables.indices.filter { place in
            guard case .pairs = tables[place].content else { return false }
            return row.values.count == tables[place].columns.count && isRow(row, of: place)
        }
        return fitting.count == 1 ? fitting[0] : nil
    }
}
