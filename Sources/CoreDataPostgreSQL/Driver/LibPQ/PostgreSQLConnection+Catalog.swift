#if PostgreSQL
import CoreData

// Queries of the server's catalog of tables. Names of tables are quoted already.
extension PostgreSQLConnection {
    /// The schema of the tables, for comparisons with the catalog.
    ///
    /// The server reads its name as SQL has it: a name with capitals, blanks or quotes has to be quoted.
    static let namespace = "quote_ident(current_schema())::regnamespace"

    // MARK: What there is

    func tableNames() throws -> Set<String> {
        let own = try texts("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
        let framework = try texts("SELECT tablename FROM pg_tables WHERE schemaname = 'coredata'")
        // A table of another program may have the name that the SQL layer has for one of the framework's own
        // tables.
        return Set(own.filter { PostgreSQLDialect.place(of: $0).schema == nil })
            .union(framework.compactMap { PostgreSQLDialect.logical(table: $0) }).union(script?.newTables ?? [])
    }

    func columnNames(of table: String) throws -> [String] {
        let (schema, name) = PostgreSQLDialect.place(of: table)
        return try texts(
            "SELECT column_name FROM information_schema.columns WHERE table_name = $1 AND table_schema = "
                + (schema == nil ? "current_schema()" : "$2") + " ORDER BY ordinal_position",
            [name] + (schema.map { [$0] } ?? [])
        ).map { PostgreSQLDialect.logical($0, in: table) }
    }

    func catalog(ofTables names: Set<String>?) throws -> StoreCatalog {
        try StoreCatalog(self, tables: names)
    }

    // MARK: Existing tables of other programs

    static let rightsToRead = ["SELECT"]
    static let rightsToWrite = ["INSERT", "UPDATE", "DELETE"]

    /// Whether something of this name is there.
    func isThere(_ table: String) throws -> Bool { try kind(ofTable: table) != nil }

    /// The server's letter for the kind of a table or view; nil where there is none.
    func kind(ofTable table: String) throws -> String? {
        try rows("SELECT relkind FROM pg_class WHERE oid = to_regclass($1)", [table]).first?[0]
    }

    /// Of each column: name, type, whether it must have a value, has one by default, is computed, is sorted by its
    /// bytes, and whether no two rows have the same.
    func columnsToWrite(ofTable table: String) throws -> [[String?]] {
        let select = """
            SELECT a.attname, format_type(a.atttypid, NULL), a.attnotnull, a.atthasdef OR a.attidentity <> '', \
            a.attgenerated <> '', c.collname IN ('C', 'POSIX'), EXISTS (SELECT FROM pg_index i \
            WHERE i.indrelid = a.attrelid AND i.indisunique AND i.indisvalid AND i.indnkeyatts = 1 \
            AND i.indpred IS NULL AND i.indkey[0] = a.attnum) \
            FROM pg_attribute a LEFT JOIN pg_collation c ON c.oid = a.attcollation \
            WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped
            """
        return try rows(select, [table])
    }

    /// The name of each column of a table and its type, with its length; for a domain, its base type.
    func limits(ofTable table: String) throws -> [[String?]] {
        let select = """
            SELECT a.attname, CASE WHEN t.typtype = 'd' THEN format_type(t.typbasetype, t.typtypmod) \
            ELSE format_type(a.atttypid, a.atttypmod) END FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid \
            WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped
            """
        return try rows(select, [table])
    }

    /// The columns of a table that have a type.
    func columns(ofType type: String, inTable table: String) throws -> [String] {
        let select = """
            SELECT a.attname FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid \
            WHERE a.attrelid = $1::regclass AND t.typname = $2 AND NOT a.attisdropped
            """
        return try texts(select, [table, type])
    }

    /// The columns of a constraint, or an index, of a table.
    func columns(ofConstraint constraint: String, ofTable table: String) throws -> [String] {
        let select = """
            SELECT a.attname FROM pg_attribute a WHERE a.attrelid = $1::regclass \
            AND (EXISTS (SELECT FROM pg_constraint c WHERE c.conrelid = a.attrelid AND c.conname = $2 \
            AND a.attnum = ANY (c.conkey)) \
            OR EXISTS (SELECT FROM pg_index i JOIN pg_class n ON n.oid = i.indexrelid \
            WHERE i.indrelid = a.attrelid AND n.relname = $2 AND a.attnum = ANY (i.indkey))) ORDER BY a.attnum
            """
        return try texts(select, [table, constraint])
    }

    /// The columns of a table whose foreign keys every statement checks.
    func columnsCheckedAtOnce(ofTable table: String) throws -> [String] {
        let select = """
            SELECT a.attname FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid \
            AND a.attnum = ANY (c.conkey) WHERE c.conrelid = $1::regclass AND c.contype = 'f' AND NOT c.condeferred
            """
        return try texts(select, [table])
    }

    func hasRight(_ right: String, toTable table: String) throws -> Bool {
        try !rows("SELECT 1 WHERE has_table_privilege($1, $2)", [table, right]).isEmpty
    }

    /// The sequence that gives values to a column; nil where there is none.
    func sequence(ofTable table: String, column: String) throws -> String? {
        try rows("SELECT pg_get_serial_sequence($1, $2)", [table, column]).first?[0]
    }

    /// The least and the greatest key of a table where not all of them can be keys of objects; nil where all can.
    func keysOutOfRange(ofTable table: String, in column: String) throws -> [String?]? {
        try rows(
            "SELECT min(\(column)), max(\(column)) FROM \(table) "
                + "HAVING min(\(column)) < 1 OR max(\(column)) > \(ObjectKey.primaryKeyMask)"
        ).first
    }

    // MARK: Tables of stores

    /// The key and the entity of the first row that breaks a check.
    func rowBeyond(_ check: PostgreSQLChange.Check, ofTable table: String) throws -> [String?]? {
        try rows(
            "SELECT \(check.key), \(check.column) FROM \(table) WHERE NOT (\(check.text)) "
                + "ORDER BY 1 LIMIT 1"
        ).first
    }

    /// Of each column: name, whether it must have a value, has one from a sequence, has one by default, and the
    /// comment.
    func columnsWithComments(ofTable table: String) throws -> [[String?]] {
        let select = """
            SELECT a.attname, a.attnotnull, a.attidentity <> '', a.atthasdef, \
            col_description(a.attrelid, a.attnum) \
            FROM pg_attribute a WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped
            """
        return try rows(select, [table])
    }

    func comment(ofTable table: String) throws -> String? {
        try rows("SELECT obj_description($1::regclass)", [table]).first?[0]
    }

    /// The role's tables of stores in which a column has a default value.
    func tables(withDefault value: String, of column: String) throws -> [String] {
        let select = """
            SELECT d.adrelid::regclass FROM pg_attrdef d \
            JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum \
            JOIN pg_class c ON c.oid = d.adrelid \
            WHERE c.relnamespace = \(Self.namespace) AND pg_has_role(c.relowner, 'USAGE') \
            AND a.attname = $1 AND pg_get_expr(d.adbin, d.adrelid) = $2 \
            AND EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname = 'coredata_changed')
            """
        return try texts(select, [column, value])
    }

    /// The tables that have triggers of ours.
    func tablesOfTriggers() throws -> [String] {
        try texts(
            """
            SELECT DISTINCT c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid \
            WHERE t.tgname IN ('coredata_changed', 'coredata_paired') \
            AND c.relnamespace = \(Self.namespace) ORDER BY 1
            """)
    }

    /// Changes a table in a transaction of its own. Throws an error if another session holds a lock on it for
    /// longer than 200 ms.
    func changeSoon(_ table: String, _ change: PostgreSQLChange) throws {
        try execute(
            "\(Self.beginning); SET LOCAL lock_timeout = '200ms'; "
                + "\(PostgreSQLChange.statement([change], of: table)); COMMIT")
    }

    /// Table and name of the checks of ours that limit entities.
    func checksOfEntities() throws -> [[String?]] {
        try rows(
            """
            SELECT t.relname, c.conname FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid \
            JOIN coredata.tables o ON o."table" = t.relname AND o.parent IS NULL \
            WHERE c.contype = 'c' AND t.relnamespace = \(Self.namespace) \
            AND c.conname LIKE '%\\_entity\\_check'
            """)
    }

    /// Table, column, the table that it leads to, and name of the foreign keys of ours.
    func foreignKeys() throws -> [[String?]] {
        let select = """
            SELECT t.relname, a.attname, f.relname, c.conname FROM pg_constraint c \
            JOIN pg_class t ON t.oid = c.conrelid JOIN pg_class f ON f.oid = c.confrelid \
            JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1] \
            WHERE c.contype = 'f' AND c.condeferred AND cardinality(c.conkey) = 1 \
            AND t.relnamespace = \(Self.namespace) AND c.conname LIKE '%\\_fkey'
            """
        return try rows(select)
    }
}
#endif
