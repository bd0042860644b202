import Foundation

/// What a SQLite file really holds: tables with their columns, indexes and triggers, as far as a migration needs to know.
struct StoreFacts: Equatable {
    struct Column: Equatable {
        var name: String
        /// The declared type in capitals.
        var type: String
        /// Its place in the primary key, from 1; 0 when it is not part of it.
        var keyPosition: Int
    }

    struct Table: Equatable {
        var name: String
        var columns: [Column]
        /// Whether the definition holds constraints beyond its primary key: its columns cannot be dropped one by one.
        var hasConstraints: Bool
        /// About how many rows there are: the highest row id.
        var rows: Int

        func column(_ name: String) -> Column? {
            columns.first { $0.name.caseInsensitiveCompare(name) == .orderedSame }
        }
    }

    struct Index: Equatable {
        var name: String
        var table: String
        var columns: [SQLIndexColumn]
        var isUnique: Bool
        /// The condition of a partial index as the file has it.
        var condition: String?
    }

    struct Trigger: Equatable {
        var name: String
        var table: String
        var sql: String
    }

    struct View: Equatable {
        var name: String
        var sql: String
    }

    var tables: [String: Table] = [:]
    var indexes: [Index] = []
    var triggers: [Trigger] = []
    /// Views; no store has any of its own.
    var views: [View] = []

    /// Whether something of this name is there; SQLite ignores case in names.
    func has(_ name: String) -> Bool {
        tables.keys.contains { $0.caseInsensitiveCompare(name) == .orderedSame }
    }
}

extension StoreFacts {
    /// Reads the facts. `names` limits the columns and row numbers to these tables; every name is there in any case.
    init(_ connection: SQLiteConnection, tables names: Set<String>? = nil) throws {
        let master = try connection.prepare("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid")
        var indexTexts: [(name: String, table: String, sql: String)] = []
        while try master.step() {
            let name = master.string(1)
            let sql = master.string(3)
            switch master.string(0) {
            case "table":
                tables[name] = Table(
                    name: name, columns: [], hasConstraints: Self.hasConstraints(sql), rows: 0)
            case "index" where !sql.isEmpty:
                indexTexts.append((name, master.string(2), sql))
            case "trigger":
                triggers.append(Trigger(name: name, table: master.string(2), sql: sql))
            case "view":
                views.append(View(name: name, sql: sql))
            default:
                break
            }
        }
        for name in Array(tables.keys) where names?.contains(name) ?? true {
            tables[name]?.columns = try Self.columns(of: name, connection)
            tables[name]?.rows = try Self.rows(in: name, connection)
        }
        for (name, table, sql) in indexTexts where names?.contains(table) ?? true {
            indexes.append(try Self.index(name, table, sql, connection))
        }
    }

    private static func hasConstraints(_ sql: String) -> Bool {
        let text = sql.uppercased()
        return ["CONSTRAINT", "UNIQUE", "CHECK", "REFERENCES"].contains { word in
            text.range(of: "(^|[^A-Z0-9_])\(word)([^A-Z0-9_]|$)", options: .regularExpression) != nil
        }
    }

    private static func columns(of table: String, _ connection: SQLiteConnection) throws -> [Column] {
        let statement = try connection.prepare("SELECT name, type, pk FROM pragma_table_info(?)")
        statement.bind(1, table)
        var columns: [Column] = []
        while try statement.step() {
            columns.append(
                Column(
                    name: statement.string(0), type: statement.string(1).uppercased(),
                    keyPosition: Int(statement.int64(2))))
        }
        return columns
    }

    private static func rows(in table: String, _ connection: SQLiteConnection) throws -> Int {
        // A virtual table or one without row ids has no cheap estimate, and none is needed.
        let name = SQLiteDialect().quoted(table)
        return Int((try? connection.integer("SELECT MAX(_rowid_) FROM \(name)")) ?? 0)
    }

    private static func index(
        _ name: String, _ table: String, _ sql: String, _ connection: SQLiteConnection
    ) throws -> Index {
        let list = try connection.prepare("SELECT \"unique\", partial FROM pragma_index_list(?) WHERE name = ?")
        list.bind(1, table)
        list.bind(2, name)
        var isUnique = false
        var condition: String?
        if try list.step() {
            isUnique = list.int64(0) != 0
            if list.int64(1) != 0, let place = sql.range(of: " WHERE ", options: .caseInsensitive) {
                condition = String(sql[place.upperBound...])
            }
        }
        let details = try connection.prepare(
            "SELECT name, \"desc\" FROM pragma_index_xinfo(?) WHERE key = 1 ORDER BY seqno")
        details.bind(1, name)
        // Whether a direction is written in the definition makes no difference to the index.
        let isDirected = sql.range(of: "COLLATE", options: .caseInsensitive) != nil
        var columns: [SQLIndexColumn] = []
        while try details.step() {
            columns.append(
                SQLIndexColumn(
                    name: details.isNull(0) ? "" : details.string(0),
                    direction: details.int64(1) != 0 ? .descending : isDirected ? .ascending : nil))
        }
        return Index(name: name, table: table, columns: columns, isUnique: isUnique, condition: condition)
    }
}

extension StoreFacts {
    /// What a file made anew for a schema would hold, with so many rows in its tables.
    init(_ schema: SQLSchema, rows: [String: Int]) {
        for table in schema.allTables {
            let columns = table.columns.map { column in
                let place = table.compositeKey.firstIndex(of: column.name).map { $0 + 1 } ?? 0
                return Column(
                    name: column.name, type: column.type.rawValue, keyPosition: column.isPrimaryKey ? 1 : place)
            }
            tables[table.name] = Table(
                name: table.name, columns: columns, hasConstraints: false, rows: rows[table.name] ?? 0)
        }
        indexes = schema.indexes.map { index in
            var printer = SQLPrinter(dialect: SQLiteDialect())
            if let condition = index.condition { printer.print(condition) }
            return Index(
                name: index.name, table: index.table, columns: index.columns, isUnique: index.isUnique,
                condition: index.condition == nil ? nil : printer.text)
        }
    }
}
