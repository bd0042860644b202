import Foundation

// Reads the catalog of a file: its tables, columns and indexes.
extension StoreCatalog {
    /// Reads the catalog. `names` limits the columns and row numbers to these tables; the name of every table is read.
    init(_ connection: SQLiteConnection, tables names: Set<String>? = nil) throws {
        var indexTexts: [(name: String, table: String, sql: String)] = []
        let master = try connection.prepare("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid")
        try master.rows { row in
            let (name, sql) = (row.string(1), row.string(3))
            switch row.string(0) {
            case "table":
                tables[name] = Table(
                    name: name, columns: [], hasConstraints: Self.hasConstraints(sql), rows: 0)
            case "index" where !sql.isEmpty:
                indexTexts.append((name, row.string(2), sql))
            case "trigger":
                triggers.append(Trigger(name: name, table: row.string(2), sql: sql))
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
        mirror = try MirrorTables.read(from: connection)
        for (name, table, sql) in indexTexts where names?.contains(table) ?? true {
            indexes.append(try Self.index(name, table: table, sql: sql, connection: connection))
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
        // A virtual table or a table without row ids has no cheap estimate, and needs none.
        let name = SQLiteDialect().quoted(table)
        return Int((try? connection.integer("SELECT MAX(_rowid_) FROM \(name)")) ?? 0)
    }

    private static func index(
        _ name: String, table: String, sql: String, connection: SQLiteConnection
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
        // An explicit ASC in the definition makes no difference to the index.
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
