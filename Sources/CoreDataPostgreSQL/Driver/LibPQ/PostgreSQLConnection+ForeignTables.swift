#if PostgreSQL
import CoreData

// Reads the tables that another program has made, for a model over them.
extension PostgreSQLConnection {
    /// The tables and views of a schema; nil for the first one of the search path.
    func tablesOfPrograms(in schema: String?) throws -> DatabaseTables {
        var found = DatabaseTables(schema: schema)
        let parameters = schema.map { [$0] } ?? []
        let name = schema == nil ? "current_schema()" : "$1"
        let relations = """
            SELECT c.relname, c.relkind IN ('v', 'm'), c.oid FROM pg_class c \
            JOIN pg_namespace n ON n.oid = c.relnamespace \
            WHERE n.nspname = \(name) AND c.relkind IN ('r', 'p', 'v', 'm') AND NOT c.relispartition \
            ORDER BY c.relname
            """
        for row in try rows(relations, parameters) {
            var table = DatabaseTables.Table(name: row[0] ?? "", isView: row[1] == "t")
            let number = row[2] ?? "0"
            table.columns = try columnsOfPrograms(number)
            try readKeys(of: &table, number)
            table.indexes = try indexesOfPrograms(number)
            found.tables.append(table)
        }
        return found
    }

    private func columnsOfPrograms(_ table: String) throws -> [DatabaseTables.Column] {
        let select = """
            SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, \
            pg_get_expr(d.adbin, d.adrelid), a.attgenerated <> '', a.attidentity <> '' FROM pg_attribute a \
            LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum \
            WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
            """
        return try rows(select, [table]).map { row in
            DatabaseTables.Column(
                name: row[0] ?? "", type: row[1] ?? "", isMandatory: row[2] == "t",
                defaultText: row[5] == "t" ? "the next number" : row[3], isGenerated: row[4] == "t")
        }
    }

    /// The columns of a list of numbers, one a line, as names of columns have no line ends.
    private static func names(_ numbers: String, of table: String) -> String {
        """
        (SELECT string_agg(a.attname, E'\\n' ORDER BY k.place) \
        FROM unnest(\(numbers)) WITH ORDINALITY k(number, place) \
        JOIN pg_attribute a ON a.attrelid = \(table) AND a.attnum = k.number)
        """
    }

    private static func list(_ text: String?) -> [String] { (text ?? "").split(separator: "\n").map(String.init) }

    private func readKeys(of table: inout DatabaseTables.Table, _ number: String) throws {
        let select = """
            SELECT c.contype, \(Self.names("c.conkey", of: "c.conrelid")), t.relname, \
            \(Self.names("c.confkey", of: "c.confrelid")), c.confdeltype FROM pg_constraint c \
            LEFT JOIN pg_class t ON t.oid = c.confrelid \
            WHERE c.conrelid = $1::oid AND c.contype IN ('p', 'f') ORDER BY c.conname
            """
        for row in try rows(select, [number]) {
            if row[0] == "p" {
                table.primaryKey = Self.list(row[1])
                continue
            }
            let action: DatabaseTables.ForeignKey.Action =
                switch row[4] {
                case "c": .cascade
                case "n": .setNull
                case "d": .setDefault
                case "r": .restrict
                default: .noAction
                }
            table.foreignKeys.append(
                DatabaseTables.ForeignKey(
                    columns: Self.list(row[1]), table: row[2] ?? "", targets: Self.list(row[3]), action: action))
        }
    }

    private func indexesOfPrograms(_ table: String) throws -> [DatabaseTables.Index] {
        let select = """
            SELECT n.relname, i.indisunique, i.indpred IS NOT NULL OR i.indexprs IS NOT NULL, \
            (SELECT string_agg(a.attname || E'\\t' || (i.indoption[k.place - 1] & 1)::text, E'\\n' ORDER BY k.place) \
            FROM unnest(i.indkey::int2[]) WITH ORDINALITY k(number, place) \
            JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number WHERE k.place <= i.indnkeyatts) \
            FROM pg_index i JOIN pg_class n ON n.oid = i.indexrelid \
            WHERE i.indrelid = $1::oid AND i.indisvalid AND NOT i.indisprimary ORDER BY n.relname
            """
        return try rows(select, [table]).map { row in
            DatabaseTables.Index(
                name: row[0] ?? "",
                columns: Self.list(row[3]).map { line in
                    let parts = line.split(separator: "\t")
                    return (String(parts[0]), parts.last == "1")
                }, isUnique: row[1] == "t", isPartial: row[2] == "t")
        }
    }
}
#endif
