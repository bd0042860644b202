import Foundation

/// The spatial indexes that lie in a store's file: R-trees `Z_RT_<Entity>_<name>`, with the key of an object and, of
/// each column, the least and the greatest value.
///
/// We make none, but a file that has some needs them in step with its rows. Where triggers of the file see to that,
/// nothing is to be done. Where none do, the connection that writes has temporary ones, which are part of no file.
struct SpatialIndexes {
    struct Index {
        let name: String
        /// The triggers of the file that name it.
        let triggers: [String: String]
        /// What it is about; nil where its name or its columns do not tell.
        let content: Content?
    }

    struct Content {
        /// The table of the entity's hierarchy.
        let table: String
        /// The number of the entity, and those of its subentities.
        let numbers: [Int]
        /// The columns of the table, in the order of their pairs in the index.
        let columns: [String]
        /// The columns of the index, the key first.
        let names: [String]
    }

    let indexes: [Index]

    init(_ connection: SQLiteConnection) throws {
        var names: [String] = []
        let tables = try connection.prepare(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z\\_RT\\_%' ESCAPE '\\' "
                + "AND sql LIKE 'CREATE VIRTUAL TABLE%'")
        while try tables.step() { names.append(tables.string(0)) }
        guard !names.isEmpty else {
            indexes = []
            return
        }
        var triggers: [(name: String, sql: String)] = []
        let read = try connection.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        while try read.step() { triggers.append((read.string(0), read.string(1))) }
        let schema = try ActualSchema(connection)
        var parents: [String: Int] = [:]
        let keys = try connection.prepare("SELECT Z_NAME, Z_SUPER FROM Z_PRIMARYKEY")
        while try keys.step() { parents[keys.string(0)] = Int(keys.int64(1)) }
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

    private static func content(of name: String, _ schema: ActualSchema, _ parents: [String: Int]) throws -> Content? {
        let rest = name.dropFirst("Z_RT_".count)
        // An entity's name may be the beginning of another's.
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

    /// Has everything that a connection writes reach the indexes that no trigger of the file keeps.
    ///
    /// Throws where one of them does not tell what it is about: it would go stale without a word.
    func keep(on connection: SQLiteConnection, url: URL) throws {
        for (number, index) in indexes.enumerated() where index.triggers.isEmpty {
            guard let content = index.content else {
                throw NSError.coreData(
                    NSPersistentStoreOpenError,
                    reason: "The store has the spatial index \(index.name), which no trigger keeps in step with the "
                        + "objects, and its name and columns do not tell what it is about. Open the store with "
                        + "NSReadOnlyPersistentStoreOption, or drop the index.", url: url)
            }
            try connection.execute(index.triggerTexts(content, "OCD_RT_\(number)").joined(separator: "; "))
        }
    }

    // MARK: Migrations

    /// Puts the indexes in step with the tables that a migration has made of those there were. One whose entity or
    /// columns are gone, or whose triggers do not fit any more, is dropped: it says nothing that the rows do not say.
    func follow(on connection: SQLiteConnection) throws {
        if indexes.isEmpty { return }
        let dialect = SQLiteDialect()
        let now = Dictionary(try SpatialIndexes(connection).indexes.map { ($0.name, $0) }) { first, _ in first }
        for index in indexes {
            guard let present = now[index.name] else { continue }
            let isKnown = index.content.map { $0.numbers == present.content?.numbers } ?? true
            let name = dialect.quoted(index.name)
            if let content = present.content, index.triggers.isEmpty {
                try connection.execute("DELETE FROM \(name)")
                try connection.execute(
                    "INSERT INTO \(name) SELECT \(index.values(content, "t.")) FROM \(dialect.quoted(content.table)) t "
                        + "WHERE \(index.condition(content, "t."))")
            } else if let content = present.content, isKnown, present.triggers == index.triggers {
                let key = dialect.quoted(content.names[0])
                try connection.execute(
                    "DELETE FROM \(name) WHERE \(key) NOT IN (SELECT Z_PK FROM \(dialect.quoted(content.table)))")
            } else {
                for trigger in present.triggers.keys {
                    try connection.execute("DROP TRIGGER \(dialect.quoted(trigger))")
                }
                try connection.execute("DROP TABLE \(name)")
            }
        }
    }
}

extension SpatialIndexes.Index {
    private func quoted(_ name: String) -> String { SQLiteDialect().quoted(name) }

    /// What the index holds of a row; `row` is what stands before the names of columns.
    fileprivate func values(_ content: SpatialIndexes.Content, _ row: String) -> String {
        let values = content.columns.flatMap { [row + quoted($0), row + quoted($0)] }
        return ([row + "Z_PK"] + values).joined(separator: ", ")
    }

    /// Whether the index holds a row.
    fileprivate func condition(_ content: SpatialIndexes.Content, _ row: String) -> String {
        let numbers = content.numbers.map { "\($0)" }.joined(separator: ", ")
        return (["\(row)Z_ENT IN (\(numbers))"] + content.columns.map { "\(row)\(quoted($0)) IS NOT NULL" })
            .joined(separator: " AND ")
    }

    fileprivate func triggerTexts(_ content: SpatialIndexes.Content, _ name: String) -> [String] {
        let index = quoted(self.name)
        let table = "main." + quoted(content.table)
        let (taken, old) = (values(content, "NEW."), quoted(content.names[0]) + " = OLD.Z_PK")
        let watched = (["Z_ENT"] + content.columns.map(quoted)).joined(separator: ", ")
        let insertion = "INSERT OR REPLACE INTO \(index) SELECT \(taken) WHERE \(condition(content, "NEW."))"
        return [
            "CREATE TEMP TRIGGER \(name)_INSERT AFTER INSERT ON \(table) BEGIN \(insertion); END",
            "CREATE TEMP TRIGGER \(name)_UPDATE AFTER UPDATE OF \(watched) ON \(table) "
                + "BEGIN DELETE FROM \(index) WHERE \(old); \(insertion); END",
            "CREATE TEMP TRIGGER \(name)_DELETE AFTER DELETE ON \(table) "
                + "BEGIN DELETE FROM \(index) WHERE \(old); END",
        ]
    }
}
