#if PostgreSQL
import CoreData
import Foundation

/// An object of another program that needs a table or a column of the store: a view, a foreign key, a function. The
/// server drops neither as long as the object exists.
struct PostgreSQLDependent: Equatable, CustomStringConvertible {
    var table: String
    /// The name of the needed column in the SQL layer; nil where the table as a whole is needed.
    var column: String?
    /// The server's description of the object.
    var name: String
    /// Whether the server drops the object with the table.
    var isOfTable: Bool

    var description: String {
        guard let column else { return "\(name) depends on the table “\(table)”" }
        return "\(name) depends on the column “\(PostgreSQLDialect.asGiven(column))” of the table “\(table)”"
    }

    /// The error of what cannot be removed.
    static func error(_ held: [PostgreSQLDependent], _ url: URL) -> NSError {
        var list: [String] = []
        for dependent in held where !list.contains(dependent.description) { list.append(dependent.description) }
        let help = "Drop it, or make it anew without that, and call endOlderPostgreSQLVersions."
        return .coreData(
            NSMigrationError,
            reason: "Not all that only another version of the model needs could be removed from the store: "
                + "\(list.joined(separator: "; ")). All the rest was removed. \(help)",
            url: url, userInfo: [NSLocalizedRecoverySuggestionErrorKey: help])
    }
}

extension PostgreSQLConnection {
    /// The objects of other programs that need the store's tables and columns.
    func dependents() throws -> [PostgreSQLDependent] {
        let select = """
            SELECT DISTINCT t.relname, a.attname, CASE WHEN r.oid IS NULL THEN \
            pg_describe_object(d.classid, d.objid, 0) ELSE \
            pg_describe_object('pg_class'::regclass, r.ev_class, 0) END, EXISTS (SELECT FROM pg_depend o \
            WHERE o.classid = d.classid AND o.objid = d.objid AND o.refclassid = d.refclassid \
            AND o.refobjid = d.refobjid AND o.deptype IN ('a', 'i')) \
            FROM pg_depend d JOIN pg_class t ON t.oid = d.refobjid \
            LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid AND d.refobjsubid > 0 \
            LEFT JOIN pg_rewrite r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid \
            LEFT JOIN pg_constraint c ON d.classid = 'pg_constraint'::regclass AND c.oid = d.objid \
            LEFT JOIN pg_class v ON v.oid = r.ev_class \
            WHERE d.refclassid = 'pg_class'::regclass AND d.deptype = 'n' AND t.relkind IN ('r', 'p') \
            AND t.relnamespace = \(Self.namespace) \
            AND coalesce(r.ev_class, c.conrelid, 0::oid) <> t.oid \
            AND NOT coalesce(c.condeferred AND c.conname LIKE '%\\_fkey', false) \
            AND coalesce(v.relnamespace <> 'coredata'::regnamespace, true) ORDER BY 1, 2, 3
            """
        return try rows(select).map { row in
            let table = row[0] ?? ""
            return PostgreSQLDependent(
                table: table, column: row[1].map { PostgreSQLDialect.logical($0, in: table) }, name: row[2] ?? "",
                isOfTable: row[3] == "t")
        }
    }
}
#endif
