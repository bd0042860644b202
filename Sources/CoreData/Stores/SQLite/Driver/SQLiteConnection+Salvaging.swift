import CSQLite

extension SQLiteConnection {
    /// Makes a table as a damaged file describes it, in a database that is thrown away. False where that is no plain
    /// definition of a table of this name.
    func makeTable(_ name: String, asTold sql: String) -> Bool {
        guard let text = Self.textBehindCreateTable(sql) else { return false }
        // Anything else between the name and the columns would be a statement that runs: CREATE TABLE … AS SELECT.
        for quote in ["\"", "'", "`", ""] where text.hasPrefix(quote + name + quote) {
            let rest = text.dropFirst(name.count + 2 * quote.count).drop { $0.isWhitespace }
            guard rest.first == "(", let statement = try? prepare(sql) else { continue }
            return (try? statement.step()) != nil
        }
        return false
    }

    /// Hands over the values of a table's rows, in the order of some columns.
    func rows(of table: String, _ columns: [String], _ body: ([SalvagedValue]) throws -> Void) throws {
        let statement = try prepare(.select(SQLSelect(columns.map { .column($0) }, of: table)))
        try statement.select({ _ in }) { row in
            try body(columns.indices.map { .whole(row.slotValue($0)) })
            return true
        }
    }

    /// The name in a definition of a table; nil where it is none.
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
