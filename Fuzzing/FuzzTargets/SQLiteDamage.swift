import CFuzzSQLite
import Foundation

/// Damages the file of a store as the bytes of an input direct: values, rows, the schema, pages.
struct SQLiteDamage {
    /// How many kinds of damage there are.
    static let kinds = 9

    private var bytes: ArraySlice<UInt8>
    private let file: URL

    /// Carries out the damage that the bytes encode, up to twelve times. Statements that SQLite refuses are passed
    /// over.
    static func apply(_ bytes: Data, to file: URL) throws {
        var damage = SQLiteDamage(bytes: ArraySlice(Array(bytes)), file: file)
        var steps = 0
        while !damage.bytes.isEmpty, steps < 12 {
            try damage.step()
            steps += 1
        }
    }

    private mutating func next() -> Int { Int(bytes.popFirst() ?? 0) }

    private mutating func step() throws {
        switch next() % Self.kinds {
        case 0, 1: try overwrite()
        case 2: try truncate()
        case 3, 4: try setValue()
        case 5: try change { "DELETE FROM \($0) WHERE rowid % 3 = \($1 % 3)" }
        case 6:
            try change { "\($1 % 2 == 0 ? "DROP TABLE" : "ALTER TABLE") \($0)\($1 % 2 == 0 ? "" : " RENAME TO ZGONE")" }
        case 7: try changeColumn()
        default: try changeSchema()
        }
    }

    // MARK: Bytes

    /// Some bytes of a page, the header of the file among them.
    private mutating func overwrite() throws {
        var content = try Data(contentsOf: file)
        guard !content.isEmpty else { return }
        let page = next()
        let offset = (page * 4096 + (next() << 8 | next())) % content.count
        for index in 0...(next() % 4) where offset + index < content.count {
            content[content.startIndex + offset + index] = UInt8(next())
        }
        try content.write(to: file)
    }

    private mutating func truncate() throws {
        let content = try Data(contentsOf: file)
        try content.prefix(content.count * next() / 255).write(to: file)
    }

    // MARK: Values and the schema

    private mutating func setValue() throws {
        let table = next()
        let column = next()
        let row = next()
        let value = value()
        try withDatabase { database in
            guard let table = Self.pick(table, Self.tables(database)),
                let column = Self.pick(column, Self.columns(of: table, database))
            else { return }
            let places = row % 4 == 0 ? "" : " WHERE rowid % 4 = \(row % 4)"
            Self.execute("UPDATE OR REPLACE \(table) SET \"\(column)\" = \(value)\(places)", database)
        }
    }

    private mutating func value() -> String {
        let values = [
            "NULL", "''", "0", "-1", "1", "9223372036854775807", "-9223372036854775808", "4294967296", "65536", "1e999",
            "-1e999", "1e300", "0.5", "x''", "x'00'", "x'FFFEFDFC'", "CAST(x'FF41FE' AS TEXT)", "'text'", "'12'",
            "zeroblob(1000)", "zeroblob(16)", "hex(zeroblob(2000))", "'1e400'", "'NaN'", "x'62706C6973743030'",
            "'\u{0}'", "CAST(x'41004200' AS TEXT)", "2", "3", "1000",
        ]
        let choice = next()
        guard choice >= values.count else { return values[choice] }
        // Bytes of the input.
        let blob = "x'" + (0..<(next() % 24)).map { _ in String(format: "%02X", next()) }.joined() + "'"
        switch choice % 3 {
        case 0: return blob
        case 1: return "CAST(\(blob) AS TEXT)"
        default: return "\(next() << 8 | next())"
        }
    }

    private mutating func change(_ statement: (String, Int) -> String) throws {
        let table = next()
        let choice = next()
        try withDatabase { database in
            guard let table = Self.pick(table, Self.tables(database)) else { return }
            Self.execute(statement(table, choice), database)
        }
    }

    private mutating func changeColumn() throws {
        let table = next()
        let column = next()
        let choice = next()
        try withDatabase { database in
            guard let table = Self.pick(table, Self.tables(database)),
                let column = Self.pick(column, Self.columns(of: table, database))
            else { return }
            switch choice % 3 {
            case 0: Self.execute("ALTER TABLE \(table) DROP COLUMN \"\(column)\"", database)
            case 1: Self.execute("ALTER TABLE \(table) RENAME COLUMN \"\(column)\" TO \"Z\(choice)\"", database)
            default: Self.execute("ALTER TABLE \(table) ADD COLUMN \"Z\(choice)\" BLOB", database)
            }
        }
    }

    /// The text of a table or an index in the schema.
    private mutating func changeSchema() throws {
        let row = next()
        let change: String
        switch next() % 8 {
        case 0: change = "sql = replace(sql, 'INTEGER', 'BLOB')"
        case 1: change = "sql = replace(sql, ',', ',,')"
        case 2: change = "rootpage = \(next())"
        case 3: change = "sql = NULL"
        case 4: change = "type = 'view'"
        case 5: change = "name = 'Z\(next())'"
        case 6: change = "sql = substr(sql, 1, \(next()))"
        default: change = "tbl_name = 'ZPERSON'"
        }
        try withDatabase { database in
            Self.execute("PRAGMA writable_schema = ON", database)
            Self.execute("UPDATE sqlite_schema SET \(change) WHERE rowid % 23 = \(row % 23)", database)
        }
    }

    // MARK: The database

    private func withDatabase(_ body: (OpaquePointer) throws -> Void) throws {
        var database: OpaquePointer?
        guard sqlite3_open(file.path, &database) == SQLITE_OK, let database else { return }
        defer { sqlite3_close(database) }
        Self.execute("PRAGMA journal_mode = DELETE", database)
        try body(database)
    }

    private static func execute(_ statement: String, _ database: OpaquePointer) {
        _ = sqlite3_exec(database, statement, nil, nil, nil)
    }

    private static func tables(_ database: OpaquePointer) -> [String] {
        texts("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name", database)
    }

    private static func columns(of table: String, _ database: OpaquePointer) -> [String] {
        texts("SELECT name FROM pragma_table_info('\(table)') ORDER BY cid", database)
    }

    private static func pick(_ number: Int, _ names: [String]) -> String? {
        names.isEmpty ? nil : names[number % names.count]
    }

    private static func texts(_ question: String, _ database: OpaquePointer) -> [String] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(database, question, -1, &statement, nil) == SQLITE_OK else { return [] }
        defer { sqlite3_finalize(statement) }
        var texts: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            if let text = sqlite3_column_text(statement, 0) { texts.append(String(cString: text)) }
        }
        return texts
    }
}
