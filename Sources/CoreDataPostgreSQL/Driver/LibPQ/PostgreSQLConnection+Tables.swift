#if PostgreSQL
import CoreData

// The tables of a store as a whole, and the framework's own schema.
extension PostgreSQLConnection {
    /// Makes the schema `coredata` of the framework's own tables, unless it exists.
    func makeOwnSchema() throws { try execute("CREATE SCHEMA IF NOT EXISTS coredata") }

    func dropOwnSchema() throws { try execute("DROP SCHEMA coredata CASCADE") }

    /// How many bytes a table takes, with its indexes.
    func size(of table: String) throws -> Int64? {
        let size = try texts("SELECT pg_total_relation_size($1::regclass)", [PostgreSQLDialect().quoted(table)])
        return size.first.flatMap { Int64($0) }
    }

    func sizes(ofTables names: [String]) throws -> [String: Int64] {
        try names.reduce(into: [:]) { sizes, name in sizes[name] = try size(of: name) }
    }

    func explain(
        _ select: SQLSelect
    ) throws -> (text: String, values: [SlotValue], plan: [FetchExplanation.Step]) {
        let prefix = "EXPLAIN "
        let statement = PostgreSQLStatement(.select(select), on: self, prefix: prefix)
        var steps: [FetchExplanation.Step] = []
        try statement.rows { row in
            let line = row.string(0)
            let text = line.drop { $0 == " " }
            // The server indents the parts of a step by six places, and further lines on the step itself by two.
            steps.append(
                .init(
                    depth: (line.count - text.count + 4) / 6, text: String(text),
                    readsWholeTable: text.contains("Seq Scan on ")))
        }
        return (String(statement.text.dropFirst(prefix.count)), statement.values, steps)
    }

    /// Raises the sequence of a table above a key that was given out elsewhere, unless that key is very large.
    func raiseSequence(of table: String, above key: Int64) throws {
        guard key <= PostgreSQLTables.farthestKey else { return }
        let together = PostgreSQLTables.keysTogether
        let start = key / together * together + together + 1
        _ = try texts(
            "SELECT setval(pg_get_serial_sequence($1, 'id'), $2::bigint, false)",
            [PostgreSQLDialect().quoted(table), "\(start)"])
    }
}
#endif
