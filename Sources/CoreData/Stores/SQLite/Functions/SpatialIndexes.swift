import Foundation

/// The spatial indexes in a store's file: R-trees `Z_RT_<Entity>_<name>`, with the key of an object and, for each
/// column, the least and the greatest value.
///
/// This framework creates none, but an existing index must be updated with its rows. If triggers of the file do that,
/// nothing needs to be done. Otherwise the connection that writes has temporary triggers, which are not part of the
/// file.
struct SpatialIndexes {
    struct Index {
        let name: String
        /// The triggers of the file that name the index.
        let triggers: [String: String]
        /// The indexed content; nil if it cannot be derived from the names of the index and its columns.
        let content: Content?
    }

    struct Content {
        /// The table of the entity's hierarchy.
        let table: String
        /// The number of the entity, and those of its subentities.
        let numbers: [Int]
        /// The columns of the table, in the order of their pairs in the index.
        let columns: [String]
        /// The columns of the index, of which the key is the first.
        let names: [String]
    }

    let indexes: [Index]

    init(_ connection: SQLiteConnection) throws {
        let names = try connection.virtualTableNames().filter { $0.uppercased().hasPrefix("Z_RT_") }
        guard !names.isEmpty else {
            indexes = []
            return
        }
        let triggers = try connection.catalog(ofTables: []).triggers
        let schema = try IntrospectedSchema(connection)
        var parents: [String: Int] = [:]
        let keys = SQLSelect(
            [.column(SQLBookkeeping.Keys.name), .column(SQLBookkeeping.Keys.parent)], of: SQLBookkeeping.Keys.table)
        try connection.statement(keys).rows { parents[$0.string(0)] = Int($0.int64(1)) }
        indexes = try names.map { name in
            let own = triggers.filter { Self.words($0.sql).contains(name.uppercased()) }
            return Index(
                name: name, triggers: Dictionary(own.map { ($0.name, $0.sql) }) { first, _ in first },
                content: try Self.content(of: name, schema, parents))
        }
    }

    private static func words(_ sql: String) -> Set<String> {
        Set(sql.uppercased().split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
    }

    private static func content(of name: String, _ schema: IntrospectedSchema, _ parents: [String: Int]) throws
        -> Content?
    {
        let rest = name.dropFirst("Z_RT_".count)
        // An entity's name may be a prefix of another entity's name, so the longest match counts.
        let entity = schema.numbers.keys.filter { rest.hasPrefix($0 + "_") }.max { $0.count < $1.count }
        guard let entity, let number = schema.numbers[entity] else { return nil }
        let entities = Dictionary(schema.numbers.map { ($0.value, $0.key) }) { first, _ in first }
        var root = entity
        for _ in entities { root = parents[root].flatMap { entities[$0] } ?? root }
        let table = "Z" + root.uppercased()
        guard schema.tables.contains(table) else { return nil }
        var numbers = [number]
        for number in numbers.startIndex..<entities.count where number < numbers.count {
            numbers += parents.filter { $0.value == numbers[number] }.compactMap { schema.numbers[$0.key] }
        }
        let names = try schema.columns(of: name)
        let present = try schema.columns(of: table)
        guard names.count >= 3, names.count % 2 == 1 else { return nil }
        var columns: [String] = []
        for place in stride(from: 1, to: names.count, by: 2) {
            let (least, greatest) = (names[place].uppercased(), names[place + 1].uppercased())
            guard least.hasSuffix("_MIN"), greatest.hasSuffix("_MAX"), least.dropLast(4) == greatest.dropLast(4),
                let column = present.first(where: { $0.uppercased() == least.dropLast(4) })
            else { return nil }
            columns.append(column)
        }
        return Content(table: table, numbers: numbers.sorted(), columns: columns, names: names)
    }

    // MARK: In step

    /// Adds temporary triggers to a connection that writes, for the indexes that no trigger of the file updates.
    ///
    /// Throws if the content of such an index cannot be derived, because the index would become wrong without an error.
    func keep(on connection: SQLiteConnection, url: URL) throws {
        for (number, index) in indexes.enumerated() where index.triggers.isEmpty {
            guard let content = index.content else {
                throw NSError.coreData(
                    NSPersistentStoreOpenError,
                    reason: "The store has the spatial index \(index.name), which no trigger keeps in step with the "
                        + "objects, and its name and columns do not tell what it is about. Open the store with "
                        + "NSReadOnlyPersistentStoreOption, or drop the index.", url: url)
            }
            for trigger in index.triggers(content, "OCD_RT_\(number)") {
                try connection.run(.define(.createTrigger(trigger)))
            }
        }
    }

    // MARK: Migrations

    /// Updates the indexes after a migration has changed their tables. An index whose entity or columns are gone, or
    /// whose triggers do not fit any more, is dropped: it holds only values that the rows have, too.
    func follow(on connection: SQLiteConnection) throws {
        if indexes.isEmpty { return }
        let now = Dictionary(try SpatialIndexes(connection).indexes.map { ($0.name, $0) }) { first, _ in first }
        for index in indexes {
            guard let present = now[index.name] else { continue }
            let isKnown = index.content.map { $0.numbers == present.content?.numbers } ?? true
            if let content = present.content, index.triggers.isEmpty {
                try connection.run(.delete(SQLDelete(from: index.name)))
                try connection.run(.insert(index.insertion(content, ofRowsIn: content.table) { .column($0) }))
            } else if let content = present.content, isKnown, present.triggers == index.triggers {
                let keys = SQLSelect([.column(SQLSchema.keyColumn)], of: content.table)
                let isLeft = SQLExpression.not(.isInSelect(.column(content.names[0]), keys))
                try connection.run(.delete(SQLDelete(from: index.name, where: isLeft)))
            } else {
                for trigger in present.triggers.keys { try connection.run(.define(.dropTrigger(trigger))) }
                try connection.run(.define(.dropTable(index.name)))
            }
        }
    }
}

extension SpatialIndexes.Index {
    /// Inserts those rows into the index that it covers. `value` returns the expression for a column of such a row.
    ///
    /// - Parameter table: the table of the rows; nil for the row that a trigger handles.
    fileprivate func insertion(
        _ content: SpatialIndexes.Content, ofRowsIn table: String?, _ value: (String) -> SQLExpression
    ) -> SQLInsert {
        let numbers = content.numbers.map { SQLExpression.number($0) }
        let isOfEntity = SQLExpression.isIn(value(SQLSchema.entityColumn), numbers)
        let isHeld = [isOfEntity] + content.columns.map { SQLExpression.isNotNull(value($0)) }
        let values = [value(SQLSchema.keyColumn)] + content.columns.flatMap { [value($0), value($0)] }
        let rows = SQLSelect(
            results: values.map { .init(expression: $0) }, from: table.map { .table($0) } ?? .nothing,
            condition: .and(isHeld))
        return SQLInsert(
            into: name, content.names, .select(rows),
            conflict: table == nil ? .replaces(key: [content.names[0]]) : .fails)
    }

    fileprivate func triggers(_ content: SpatialIndexes.Content, _ prefix: String) -> [SQLTrigger] {
        let insertion = SQLStatement.insert(insertion(content, ofRowsIn: nil) { .afterChange($0) })
        let key = SQLExpression.binary(.equal, .column(content.names[0]), .beforeChange(SQLSchema.keyColumn))
        let deletion = SQLStatement.delete(SQLDelete(from: name, where: key))
        let watched = [SQLSchema.entityColumn] + content.columns
        func trigger(_ name: String, _ event: SQLTrigger.Event, _ statements: [SQLStatement]) -> SQLTrigger {
            SQLTrigger(name: "\(prefix)_\(name)", table: content.table, event: event, statements: statements)
        }
        return [
            trigger("MADE", .insertion, [insertion]), trigger("CHANGED", .update(of: watched), [deletion, insertion]),
            trigger("GONE", .deletion, [deletion]),
        ]
    }
}
