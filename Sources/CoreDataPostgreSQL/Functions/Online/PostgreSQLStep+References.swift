#if PostgreSQL
import CoreData

// Foreign keys and indexes of an online migration.
extension PostgreSQLStep {
    /// What happens to a reference when its row is deleted by a program whose version does not have the reference.
    enum Deletion: String {
        /// The server refuses the deletion: both versions make sure that no reference is left.
        case refused = "NO ACTION"
        case cleared = "SET NULL"
        case follows = "CASCADE"

        /// The letter in the server's catalog.
        var letter: String {
            switch self {
            case .refused: "a"
            case .cleared: "n"
            case .follows: "c"
            }
        }
    }

    /// The statement that makes a foreign key for new rows. Existing rows are validated afterwards.
    static func reference(_ key: TransferReference, _ name: String, _ deletion: Deletion) -> String {
        let dialect = PostgreSQLDialect()
        return "ALTER TABLE \(dialect.quoted(key.table)) ADD CONSTRAINT \(PostgreSQLDialect.inQuotes(name)) "
            + "FOREIGN KEY (\(dialect.quoted(key.column))) REFERENCES \(dialect.quoted(key.target)) "
            + "(\(dialect.quoted(SQLSchema.keyColumn))) ON DELETE \(deletion.rawValue) "
            + "DEFERRABLE INITIALLY DEFERRED NOT VALID"
    }

    static func dropping(constraint: String, of table: String) -> String {
        "ALTER TABLE \(PostgreSQLDialect().quoted(table)) "
            + "DROP CONSTRAINT IF EXISTS \(PostgreSQLDialect.inQuotes(constraint))"
    }

    /// Validates all existing rows while other sessions write.
    static func validating(constraint: String, of table: String) -> String {
        "ALTER TABLE \(PostgreSQLDialect().quoted(table)) "
            + "VALIDATE CONSTRAINT \(PostgreSQLDialect.inQuotes(constraint))"
    }

    /// Makes an index while other sessions write.
    static func indexing(_ index: SQLIndex, on connection: PostgreSQLConnection) -> String {
        let text = PostgreSQLStatement(.define(.createIndex(index)), on: connection).text
        guard let place = text.range(of: " INDEX ") else { return text }
        return text.replacingCharacters(in: place, with: " INDEX CONCURRENTLY ")
    }

    /// Finds two rows with equal values in the columns of a planned unique index, and returns the values.
    static func duplicates(of index: SQLIndex) -> String {
        let dialect = PostgreSQLDialect()
        let columns = index.columns.map { dialect.quoted($0.name) }
        let list = columns.joined(separator: ", ")
        return "SELECT concat_ws(', ', \(list)) FROM \(dialect.quoted(index.table)) "
            + "WHERE \(columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")) "
            + "GROUP BY \(list) HAVING count(*) > 1 LIMIT 1"
    }

    static func dropping(index: String) -> String {
        "DROP INDEX CONCURRENTLY IF EXISTS \(PostgreSQLDialect().quoted(index))"
    }

    static func droppingNow(index: String) -> String {
        "DROP INDEX IF EXISTS \(PostgreSQLDialect().quoted(index))"
    }

    static func droppingColumns(_ columns: [String], of table: String) -> [String] {
        if columns.isEmpty { return [] }
        let dialect = PostgreSQLDialect()
        let parts = columns.map { "DROP COLUMN IF EXISTS \(dialect.quoted($0))" }
        return ["ALTER TABLE \(dialect.quoted(table)) \(parts.joined(separator: ", "))"]
    }

    /// Removes the NOT NULL constraint of a column that no program writes any more.
    static func voluntary(_ column: String, of table: String) -> String {
        let dialect = PostgreSQLDialect()
        return PostgreSQLChange.statement(
            [.mandatory(false, column: dialect.quoted(column))], of: dialect.quoted(table))
    }

    /// Whether an existing index equals one of a schema, whatever their names are.
    static func isSame(_ index: StoreCatalog.Index, _ wanted: SQLIndex) -> Bool {
        let columns = index.columns.map(\.name)
        guard index.table == wanted.table, columns == wanted.columns.map(\.name), index.isUnique == wanted.isUnique,
            (index.condition == nil) == (wanted.condition == nil)
        else { return false }
        return wanted.condition == nil || index.name == wanted.name
    }
}

extension PostgreSQLConnection {
    /// For each foreign key of ours: what happens to a reference, and whether all rows were validated. The keys are
    /// its table, and its name, which foreign keys of other tables may share.
    func deletionsOfForeignKeys() throws -> [String: [String: (letter: String, isValid: Bool)]] {
        let select = """
            SELECT t.relname, c.conname, c.confdeltype, c.convalidated FROM pg_constraint c \
            JOIN pg_class t ON t.oid = c.conrelid WHERE c.contype = 'f' AND c.condeferred \
            AND t.relnamespace = \(Self.namespace) AND c.conname LIKE '%\\_fkey'
            """
        var found: [String: [String: (letter: String, isValid: Bool)]] = [:]
        for row in try rows(select) {
            found[row[0] ?? "", default: [:]][row[1] ?? ""] = (row[2] ?? "", row[3] == "t")
        }
        return found
    }

    /// The indexes that are invalid because a process was killed while it made them.
    func unfinishedIndexes() throws -> Set<String> {
        try Set(
            texts(
                """
                SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid \
                WHERE NOT i.indisvalid AND c.relnamespace = \(Self.namespace)
                """))
    }

    /// The names that neither a table nor an index can have any more.
    func relationNames() throws -> Set<String> {
        try Set(texts("SELECT relname FROM pg_class WHERE relnamespace = \(Self.namespace)"))
    }

    /// The schema that has the tables.
    func schemaOfTables() throws -> String { try texts("SELECT current_schema()").first ?? "public" }

    /// The tables that have a trigger of an online migration, by its name.
    func tables(withTrigger name: String) throws -> [String] {
        if let expected = script?.triggers[name] { return expected.sorted() }
        return try texts(
            """
            SELECT DISTINCT c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid \
            WHERE t.tgname = $1 AND c.relnamespace = \(Self.namespace) ORDER BY c.relname
            """, [name])
    }
}
#endif
