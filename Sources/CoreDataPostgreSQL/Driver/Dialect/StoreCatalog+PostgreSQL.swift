#if PostgreSQL
import CoreData
import Foundation

// Reads the tables of a database from PostgreSQL's catalog.
extension StoreCatalog {
    /// Reads the introspected schema. `names` limits the columns and the numbers of rows to these tables; the names
    /// of all tables are read in any case. Triggers and views are left out: the database adapts them when tables
    /// and columns are renamed.
    init(_ connection: PostgreSQLConnection, tables names: Set<String>?) throws {
        self.init()
        for name in try connection.tableNames() {
            tables[name] = Table(name: name, columns: [], hasConstraints: false, rows: 0)
        }
        for name in Array(tables.keys) where names?.contains(name) ?? true {
            tables[name]?.columns = try Self.columns(of: name, connection)
            tables[name]?.rows = try Self.rows(in: name, connection)
        }
        indexes = try Self.indexes(connection).filter { names?.contains($0.table) ?? true }
    }

    private static func columns(of table: String, _ connection: PostgreSQLConnection) throws -> [Column] {
        let select = """
            SELECT a.attname, format_type(a.atttypid, a.atttypmod), c.collname, array_position(i.indkey, a.attnum) + 1 \
            FROM pg_attribute a LEFT JOIN pg_collation c ON c.oid = a.attcollation AND c.collname = 'C' \
            LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary \
            WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
            """
        return try connection.rows(select, [PostgreSQLDialect().quoted(table)]).map { row in
            Column(
                name: PostgreSQLDialect.logical(row[0] ?? "", in: table), type: typeName(row[1] ?? "", row[2]),
                keyPosition: row[3].flatMap { Int($0) } ?? 0)
        }
    }

    /// The type as the dialect has it.
    private static func typeName(_ name: String, _ collation: String?) -> String {
        let short = name == "timestamp with time zone" ? "timestamptz" : name
        return short + (collation.map { " COLLATE \"\($0)\"" } ?? "")
    }

    /// About how many rows there are: what the server has counted, or as many as are found soon.
    private static func rows(in table: String, _ connection: PostgreSQLConnection) throws -> Int {
        let name = PostgreSQLDialect().quoted(table)
        let counted = try connection.rows(
            "SELECT reltuples::bigint FROM pg_class WHERE oid = $1::regclass", [name])
        if let counted = counted.first?[0].flatMap({ Int($0) }), counted > 0 { return counted }
        let found = try connection.rows("SELECT count(*) FROM (SELECT 1 FROM \(name) LIMIT 100000) AS found")
        return found.first?[0].flatMap { Int($0) } ?? 0
    }

    private static func indexes(_ connection: PostgreSQLConnection) throws -> [Index] {
        let select = """
            SELECT c.relname, t.relname, i.indisunique, pg_get_expr(i.indpred, i.indrelid), \
            (SELECT string_agg(coalesce(a.attname, ''), E'\\n' ORDER BY k.place) \
            FROM unnest(i.indkey) WITH ORDINALITY k(number, place) \
            LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number), \
            array_to_string(i.indoption, ' ') \
            FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid \
            WHERE t.relnamespace = \(PostgreSQLConnection.namespace) AND NOT i.indisprimary \
            AND NOT EXISTS (SELECT 1 FROM pg_constraint o WHERE o.conindid = i.indexrelid) ORDER BY c.relname
            """
        return try connection.rows(select).map { row in
            let table = row[1] ?? ""
            let names = (row[4] ?? "").split(separator: "\n", omittingEmptySubsequences: false)
            let options = (row[5] ?? "").split(separator: " ").map { Int($0) ?? 0 }
            let columns = zip(names, options).map { name, option in
                // The server's options for each direction: 1 stands for descending, 2 for missing values first.
                SQLIndexColumn(
                    name: PostgreSQLDialect.logical(String(name), in: table),
                    direction: option == 2 ? .ascending : option == 0 ? nil : .descending)
            }
            return Index(
                name: row[0] ?? "", table: table, columns: columns, isUnique: row[2] == "t", condition: row[3])
        }
    }
}
#endif
