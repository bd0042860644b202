#if PostgreSQL
// Lists the contents of a store in a database, for a comparison with another one.
extension PostgreSQLConnection {
    /// Returns one line for each table, column and other object, sorted; with `withRows` also a checksum of each
    /// table's rows.
    func inventory(withRows: Bool) throws -> [String] {
        var lines = try texts(Self.things)
        for name in try withRows ? texts(Self.tablesWithRows) : [] {
            lines += try texts(
                "SELECT $1 || ': ' || count(*) || ' rows, ' || coalesce(sum(hashtextextended(x.*::text, 0)), 0) "
                    + "FROM \(name) x", [name])
        }
        return lines.sorted()
    }

    /// Columns, indexes and constraints of the store's tables, triggers, and what the framework notes of entities
    /// but their numbers, which a migration keeps.
    private static let things = """
        WITH present AS (SELECT * FROM pg_class WHERE relkind IN ('r', 'p') \
        AND relnamespace = \(PostgreSQLConnection.namespace)) \
        SELECT format('column %I.%I %s%s%s%s%s', p.relname, a.attname, format_type(a.atttypid, a.atttypmod), \
        CASE WHEN a.attnotnull THEN ' NOT NULL' END, ' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), \
        (SELECT ' COLLATE ' || c.collname FROM pg_collation c WHERE c.oid = a.attcollation), \
        CASE WHEN a.attidentity <> '' THEN ' IDENTITY' END) \
        || coalesce(': ' || col_description(p.oid, a.attnum), '') \
        FROM present p JOIN pg_attribute a ON a.attrelid = p.oid AND a.attnum > 0 AND NOT a.attisdropped \
        LEFT JOIN pg_attrdef d ON d.adrelid = p.oid AND d.adnum = a.attnum \
        UNION ALL SELECT format('table %I', relname) || coalesce(': ' || obj_description(oid, 'pg_class'), '') \
        FROM present \
        UNION ALL SELECT 'index ' || pg_get_indexdef(i.indexrelid) FROM present p \
        JOIN pg_index i ON i.indrelid = p.oid WHERE NOT EXISTS \
        (SELECT 1 FROM pg_constraint c WHERE c.conindid = i.indexrelid AND c.contype IN ('p', 'u')) \
        UNION ALL SELECT format('constraint of %I: %s', p.relname, pg_get_constraintdef(c.oid)) \
        FROM present p JOIN pg_constraint c ON c.conrelid = p.oid WHERE c.contype <> 't' \
        UNION ALL SELECT pg_get_triggerdef(t.oid) FROM present p JOIN pg_trigger t ON t.tgrelid = p.oid \
        WHERE NOT t.tgisinternal \
        UNION ALL SELECT format('entity %s %s', e.name, p.name) FROM coredata.entities e \
        LEFT JOIN coredata.entities p ON p.entity = e.parent \
        UNION ALL SELECT format('entity %s %s %I %s %s', entity, parent, "table", mark, bytes) \
        FROM coredata.tables \
        UNION ALL SELECT format('property %s', (c.*)::text) FROM coredata.columns c
        """

    /// The store's tables and those of the framework's schema, except the tokens of saves, which a later opening
    /// removes, and the servers that it was on.
    private static let tablesWithRows = """
        SELECT format('%I.%I', schemaname, tablename) FROM pg_tables \
        WHERE schemaname IN (current_schema(), 'coredata') AND tablename NOT IN ('saves', 'lines')
        """
}
#endif
