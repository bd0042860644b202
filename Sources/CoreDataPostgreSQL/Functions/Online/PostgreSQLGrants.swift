#if PostgreSQL
/// Gives roles their rights to tables that are made while a store is in use. Running programs need them at once.
enum PostgreSQLGrants {
    /// The statement that gives each role the rights to a table, and to its sequences, that it has to all of some
    /// other tables.
    ///
    /// - Parameters:
    ///   - table: as SQL names it.
    ///   - otherTables: the other tables, as SQL names them.
    static func copying(to table: String, from otherTables: [String]) -> String {
        func literal(_ name: String) -> String { PostgreSQLDialect().literal(.string(name)) }
        let tables = otherTables.map { "\(literal($0))::regclass" }.joined(separator: ", ")
        return """
            DO $grants$
            DECLARE
                made regclass := \(literal(table))::regclass;
                others oid[] := ARRAY[\(tables)]::oid[];
                given record;
            BEGIN
                FOR given IN
                    WITH parts AS (
                        SELECT c.oid AS of_table, c.oid FROM pg_class c WHERE c.oid = made OR c.oid = ANY (others)
                        UNION ALL
                        SELECT d.refobjid, d.objid FROM pg_depend d
                        WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass
                        AND d.deptype IN ('a', 'i') AND (d.refobjid = made OR d.refobjid = ANY (others))
                    ), rights AS (
                        SELECT c.relkind, a.grantee, a.privilege_type AS name, bool_and(a.is_grantable) AS passes
                        FROM parts p JOIN pg_class c ON c.oid = p.oid,
                            aclexplode(coalesce(c.relacl,
                                acldefault(CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", c.relowner))) a
                        WHERE p.of_table <> made AND c.relkind IN ('r', 'p', 'S')
                        GROUP BY c.relkind, a.grantee, a.privilege_type
                        HAVING count(DISTINCT p.of_table) = cardinality(others)
                    )
                    SELECT c.oid::regclass AS place, c.relkind, r.name, r.passes, r.grantee FROM parts p
                    JOIN pg_class c ON c.oid = p.oid
                    JOIN rights r ON (r.relkind = 'S') = (c.relkind = 'S') AND r.grantee <> c.relowner
                    WHERE p.of_table = made AND c.relkind IN ('r', 'S')
                LOOP
                    EXECUTE format('GRANT %s ON %s %s TO %s%s', given.name,
                        CASE given.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, given.place,
                        CASE given.grantee WHEN 0 THEN 'PUBLIC'
                            ELSE quote_ident(pg_get_userbyid(given.grantee)) END,
                        CASE WHEN given.passes AND given.grantee <> 0 THEN ' WITH GRANT OPTION' ELSE '' END);
                END LOOP;
            END $grants$
            """
    }
}
#endif
