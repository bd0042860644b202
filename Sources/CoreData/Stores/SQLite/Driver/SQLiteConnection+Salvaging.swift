import CSQLite

extension SQLiteConnection {
    /// Creates a table, by its definition in a damaged file, in a temporary database. Returns false if `sql` is no
    /// plain definition of a table of this name.
    func makeTable(_ name: String, asTold sql: String) -> Bool {
        guard let text = Self.textBehindCreateTable(sql) else { return false }
        // Other text between the name and the columns would make it a statement that reads: CREATE TABLE … AS SELECT.
        for quote in ["\"", "'", "`", ""] where text.hasPrefix(quote + name + quote) {
            let rest = text.dropFirst(name.count + 2 * quote.count).drop { $0.isWhitespace }
            guard rest.first == "(", let statement = try? prepare(sql) else { continue }
            return (try? statement.step()) != nil
        }
        return false
    }

    /// Calls a body with the values of each row of a table, in the order of the given columns.
    func rows(of table: String, _ columns: [String], _ body: ([SalvagedValue]) throws -> Void) throws {
        let statement = try prepare(.select(SQLSelect(columns.map { .column($0) }, of: table)))
        try statement.select({ _ in }) { row in
            try body(columns.indices.map { .whole(row.slotValue($0)) })
            return true
        }
    }

    /// The name of the table in a definition; nil if the text defines no table.
    static func tableName(inDefinition sql: String) -> String? {
        guard let text = textBehindCreateTable(sql), let quote = text.first else { return nil }
        let name =
            "\"'`".contains(quote)
            ? text.dropFirst().prefix { $0 != quote } : text.prefix { !$0.isWhitespace && $0 != "(" }
        return name.isEmpty ? nil : String(name)
    }

    private static func textBehindCreateTable(_ sql: String) -> Substring? {
        var text = sql[...]
        for word in ["CREATE", "TABLE"] {
            guard text.prefix(word.count).uppercased() == word else { return nil }
            text = text.dropFirst(word.count).drop { $0.isWhitespace }
        }
        return text
    }
}
