#if PostgreSQL
import CoreData
import Foundation

/// A view over an existing table of another program, with the columns that the framework's tables have. A write to
/// the view goes into the table, if the row still has the version that was read.
///
/// If a table has no column for versions, `coredata.versions` keeps the version that the framework gave to a row.
/// That version is valid until another program writes the row. PostgreSQL has the number of the transaction that
/// wrote each row (`xmin`), so a write of another program shows in it, and makes the next version.
struct ExistingView {
    struct Column {
        var name: String
        /// The column of the table.
        var of: String
        /// Whether it is a text that needs a collation to be sorted as the framework sorts texts.
        var sortsByBytes: Bool
        /// Whether it is a text of a limited length, which the view shows as an unlimited one.
        var isLimited = false
    }

    enum Entity {
        case only(String)
        case column(String)
    }

    /// The name of the view in the framework.
    let name: String
    let table: ExistingTable
    /// Nil for a join table.
    var key: String?
    var entity: Entity?
    var version: String?
    var columns: [Column] = []
    /// The sequence of the table's keys.
    var sequence: String?

    private let dialect = PostgreSQLDialect()

    init(_ name: String, _ table: ExistingTable) {
        (self.name, self.table) = (name, table)
    }

    /// The columns of the table that the view uses.
    var namesInTable: Set<String> {
        var names = Set(columns.map(\.of))
        for name in [key, version] { if let name { names.insert(name) } }
        if case .column(let name)? = entity { names.insert(name) }
        return names
    }

    // MARK: Statements

    /// The tables that the views share: the versions that the framework gave to rows of tables without a column for
    /// them, and the definitions of the views.
    static let definitions = [
        """
        CREATE TABLE IF NOT EXISTS coredata.versions ("view" text COLLATE "C", id bigint, writer text NOT NULL, \
        version bigint NOT NULL, PRIMARY KEY ("view", id))
        """,
        """
        CREATE TABLE IF NOT EXISTS coredata.existing ("view" text COLLATE "C" PRIMARY KEY, definition text NOT NULL, \
        sequence text)
        """,
    ]

    /// A text that differs when the view has to be made anew.
    var definition: String { statements.joined(separator: ";\n") }

    /// The statements that make the view.
    var statements: [String] {
        guard let key else { return [selection([])] }
        let fixed = [
            "t.\(PostgreSQLDialect.inQuotes(key)) AS id", "\(entityInTable) AS entity",
            "\(versionInTable) AS version",
        ]
        let limit = " WHERE t.\(PostgreSQLDialect.inQuotes(key)) BETWEEN 1 AND \(ObjectKey.primaryKeyMask)"
        var statements = [selection(fixed) + limit]
        if table.isTable { statements += [writing(key), trigger] }
        return statements
    }

    private func selection(_ fixed: [String]) -> String {
        let others = columns.map { column in
            "t." + PostgreSQLDialect.inQuotes(column.of) + (column.isLimited ? "::text" : "")
                + (column.sortsByBytes ? " COLLATE \"C\"" : "") + " AS " + dialect.quoted(column.name)
        }
        return "CREATE VIEW \(dialect.quoted(name)) AS SELECT \((fixed + others).joined(separator: ", ")) "
            + "FROM \(table.quoted) t"
    }

    private var entityInTable: String {
        switch entity {
        case .only(let name): "\(dialect.literal(.string(name)))::text"
        case .column(let name): "t.\(PostgreSQLDialect.inQuotes(name))::text"
        case nil: "''::text"
        }
    }

    private static let stepsOfOthers = 1 << 22

    private var label: String { dialect.literal(.string(PostgreSQLDialect.place(of: name).name)) }

    private var versionInTable: String {
        if let version { return "t.\(PostgreSQLDialect.inQuotes(version))" }
        // A row of a view or of a foreign table has no number of its transaction: a hash of its values replaces it.
        // Without the star the alias would be a column of that name, where there is one.
        guard table.isTable else { return "hashtextextended(t.*::text, 0)::bit(32)::integer::bigint" }
        // Numbers of transactions are not in the order in which they write. The last version that the framework
        // gave is added, so that no state of a row has the version of one before. The sum wraps around as versions
        // do.
        let step = "1 + t.xmin::text::bigint % \(Self.stepsOfOthers)"
        return "coalesce((SELECT v.version + CASE WHEN v.writer = t.xmin::text THEN 0 ELSE \(step) END "
            + "FROM coredata.versions v WHERE v.\"view\" = \(label) "
            + "AND v.id = t.\(PostgreSQLDialect.inQuotes(key ?? ""))), "
            + "\(step))::bit(32)::integer::bigint"
    }

    private var functionName: String { dialect.quoted(PostgreSQLDialect.table(ofView: "write_" + bareName)) }

    private var bareName: String { PostgreSQLDialect.place(of: name).name }

    private var trigger: String {
        "CREATE TRIGGER coredata_write INSTEAD OF INSERT OR UPDATE OR DELETE ON \(dialect.quoted(name)) FOR EACH ROW "
            + "EXECUTE FUNCTION \(functionName)()"
    }

    /// The function that writes into the table. It locks a row first, and compares its version once more.
    private func writing(_ key: String) -> String {
        var targets = columns.map { (PostgreSQLDialect.inQuotes($0.of), "NEW.\(dialect.quoted($0.name))") }
        if case .column(let name)? = entity { targets.append((PostgreSQLDialect.inQuotes(name), "NEW.entity")) }
        if let version { targets.append((PostgreSQLDialect.inQuotes(version), "NEW.version")) }
        let keyColumn = PostgreSQLDialect.inQuotes(key)
        let names = ([keyColumn] + targets.map(\.0)).joined(separator: ", ")
        let values = (["NEW.id"] + targets.map(\.1)).joined(separator: ", ")
        let assignments = targets.map { "\($0.0) = \($0.1)" }.joined(separator: ", ")
        let returning = version == nil ? " RETURNING xmin::text INTO mark" : ""
        let update =
            targets.isEmpty
            ? "" : "UPDATE \(table.quoted) t SET \(assignments) WHERE t.\(keyColumn) = OLD.id\(returning);"
        // A row without a column to write keeps its writer.
        let locking = version == nil ? "SELECT t.xmin::text INTO mark" : "PERFORM"
        let noting =
            version != nil
            ? ""
            : """
            INSERT INTO coredata.versions VALUES (\(label), NEW.id, mark, NEW.version)
                    ON CONFLICT ("view", id) DO UPDATE SET writer = excluded.writer, version = excluded.version;
            """
        // A trigger of the table may cancel the write without an error.
        let message = dialect.literal(.string("A trigger or rule of the table “\(table.shown)” keeps the row out."))
        let refusing = "IF NOT FOUND THEN RAISE EXCEPTION USING MESSAGE = \(message); END IF;"
        let forgetting =
            version != nil ? "" : "DELETE FROM coredata.versions WHERE \"view\" = \(label) AND id = OLD.id;"
        let body = """

            DECLARE
                mark text;
            BEGIN
                IF TG_OP = 'INSERT' THEN
                    INSERT INTO \(table.quoted) AS t (\(names)) OVERRIDING SYSTEM VALUE
                        VALUES (\(values))\(returning);
                    \(refusing)
                    \(noting)
                    RETURN NEW;
                END IF;
                \(locking) FROM \(table.quoted) t WHERE t.\(keyColumn) = OLD.id AND \(versionInTable) = OLD.version FOR UPDATE;
                IF NOT FOUND THEN RETURN NULL; END IF;
                IF TG_OP = 'DELETE' THEN
                    DELETE FROM \(table.quoted) t WHERE t.\(keyColumn) = OLD.id;
                    \(forgetting)
                    RETURN OLD;
                END IF;
                \(update)
                \(targets.isEmpty ? "" : refusing)
                \(noting)
                RETURN NEW;
            END
            """
        return """
            CREATE OR REPLACE FUNCTION \(functionName)() RETURNS trigger LANGUAGE plpgsql \
            AS \(PostgreSQLDialect.inDollars(body))
            """
    }
}

extension ExistingTables {
    /// Makes the views, or makes those anew that the tables or the model have changed since.
    func install(_ connection: PostgreSQLConnection) throws {
        let statements = try ExistingView.definitions + statements(for: stale(on: connection))
        try connection.execute(statements)
    }

    /// The views that are not there, or not as they have to be.
    func stale(on connection: PostgreSQLConnection) throws -> [ExistingView] {
        guard try Self.isPresent(on: connection) else { return views }
        let rows = try connection.rows(
            "SELECT \"view\", definition FROM coredata.existing "
                + "WHERE to_regclass('coredata.' || quote_ident(\"view\")) IS NOT NULL")
        let present = Dictionary(rows.map { ($0[0] ?? "", $0[1] ?? "") }) { first, _ in first }
        return views.filter { present[PostgreSQLDialect.place(of: $0.name).name] != $0.definition }
    }

    private func statements(for views: [ExistingView]) -> [String] {
        let dialect = PostgreSQLDialect()
        return views.flatMap { view in
            let name = PostgreSQLDialect.place(of: view.name).name
            let values = [name, view.definition].map { dialect.literal(.string($0)) }
            let sequence = view.sequence.map { dialect.literal(.string($0)) } ?? "NULL"
            var statements = ["DROP VIEW IF EXISTS \(dialect.quoted(view.name))"]
            statements += view.statements
            statements.append(
                "INSERT INTO coredata.existing VALUES (\(values.joined(separator: ", ")), \(sequence)) "
                    + "ON CONFLICT (\"view\") DO UPDATE "
                    + "SET definition = excluded.definition, sequence = excluded.sequence")
            return statements
        }
    }

    /// Whether the store of a database lies over existing tables.
    static func isPresent(on connection: PostgreSQLConnection) throws -> Bool {
        try connection.isThere("coredata.existing")
    }
}
#endif
