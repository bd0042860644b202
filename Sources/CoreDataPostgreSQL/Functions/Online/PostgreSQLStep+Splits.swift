#if PostgreSQL
import CoreData

// The triggers of entities of the older version that become two in the newer one.
//
// Each row that a program of the older version writes has another row beside it with the same values, which is
// deleted with it. If a program of the newer version has removed the other row, the trigger makes one again when
// the older version writes one of its values.
//
// Values that programs of the newer version write into other rows are copied at the end of the transaction, when
// all rows exist, whatever the order of the writes was.
extension PostgreSQLStep {
    static let splitTrigger = "coredata_split"
    private static let firstSplitTrigger = "coredata_split_first"

    private static func splitFunction(of table: String) -> String { function("split", of: table) }
    private static func firstSplitFunction(of table: String) -> String { function("part", of: table) }

    private static let isSplitting = "coalesce(current_setting('coredata.splitting', true), '') = 'on'"

    /// The statements for one split.
    ///
    /// - Parameter schema: the one of the tables.
    static func splitting(_ split: OnlinePlan.Split, newer: Int64, in schema: String) -> [String] {
        first(split, newer, schema) + second(split, newer, schema) + back(split, schema)
    }

    private static func running(_ function: String) -> String {
        "FOR EACH ROW WHEN (NOT \(isSplitting)) EXECUTE FUNCTION \(function)()"
    }

    private static func list(_ parts: [String], _ separator: String = ", ") -> String {
        parts.joined(separator: separator)
    }

    private static func isOne(_ row: String, of split: OnlinePlan.Split) -> String {
        let labels = split.labels.map { PostgreSQLDialect().literal(.string($0)) }
        return "\(row).\(quoted(SQLSchema.entityColumn)) IN (\(list(labels)))"
    }

    private static func or(_ value: String, _ defaultValue: String?) -> String {
        defaultValue.map { "coalesce(\(value), \($0))" } ?? value
    }

    private static func differs(_ split: OnlinePlan.Split) -> String {
        if split.columns.isEmpty { return "false" }
        let parts = split.columns.map { "NEW.\(quoted($0.old)) IS DISTINCT FROM OLD.\(quoted($0.old))" }
        return "(\(list(parts, " OR ")))"
    }

    private static func declarations(_ newer: Int64) -> String {
        """
        newer boolean := coalesce(current_setting('coredata.version', true), '') = '\(newer)';
        moving boolean := coalesce(current_setting('coredata.moving', true), '') = 'on';
        """
    }

    /// The trigger before a row is written: it reserves the key of the other row, or takes the values from the row
    /// that the reference now leads to.
    private static func first(_ split: OnlinePlan.Split, _ newer: Int64, _ schema: String) -> [String] {
        let (reference, part) = (quoted(split.reference), name(split.part, in: schema))
        let id = quoted(SQLSchema.keyColumn)
        let sequence = PostgreSQLDialect().literal(.string(part))
        let values = split.columns.map { or("a.\(quoted($0.new))", $0.oldDefault) }
        let targets = split.columns.map { "NEW.\(quoted($0.old))" }
        let empty = split.columns.map { "NEW.\(quoted($0.old)) := \($0.oldDefault ?? "NULL");" }
        let taking =
            split.columns.isEmpty
            ? ""
            : """
                        SELECT \(list(values)) INTO \(list(targets)) FROM \(part) a
                            WHERE a.\(id) = NEW.\(reference);
                        IF NOT FOUND THEN \(list(empty, " ")) END IF;
            """
        let body = """
                IF NOT \(isOne("NEW", of: split)) THEN RETURN NEW; END IF;
                IF newer OR TG_OP = 'UPDATE' AND NEW.\(reference) IS DISTINCT FROM OLD.\(reference) THEN
                    IF TG_OP = 'INSERT' OR NEW.\(reference) IS DISTINCT FROM OLD.\(reference) THEN
                        \(taking)
                    END IF;
                ELSIF NEW.\(reference) IS NULL AND (TG_OP = 'INSERT' OR moving OR \(differs(split))) THEN
                    NEW.\(reference) := nextval(pg_get_serial_sequence(\(sequence), 'id'));
                END IF;
                RETURN NEW;
            """
        let function = firstSplitFunction(of: split.table)
        return [
            Self.function(function, declarations(newer), body),
            "CREATE OR REPLACE TRIGGER \(firstSplitTrigger) BEFORE INSERT OR UPDATE ON "
                + "\(name(split.table, in: schema)) \(running(function))",
        ]
    }

    /// The trigger after a program of the older version writes or deletes a row: it does so with the other row.
    private static func second(_ split: OnlinePlan.Split, _ newer: Int64, _ schema: String) -> [String] {
        let (reference, part) = (quoted(split.reference), name(split.part, in: schema))
        let (id, version) = (quoted(SQLSchema.keyColumn), quoted(SQLSchema.versionColumn))
        let names = [id, quoted(SQLSchema.entityColumn), version, quoted(split.back)]
        let label = PostgreSQLDialect().literal(.string(split.partLabel))
        let values = split.columns.map { or("NEW.\(quoted($0.old))", $0.newDefault) }
        let assignments = zip(split.columns, values).map { column, value in
            let (old, new) = (quoted(column.old), quoted(column.new))
            return "\(new) = CASE WHEN NEW.\(old) IS DISTINCT FROM OLD.\(old) THEN \(value) ELSE a.\(new) END"
        }
        let body = """
                IF newer THEN RETURN NULL; END IF;
                PERFORM set_config('coredata.splitting', 'on', true);
                -- History of what is moved tells nobody anything.
                IF moving THEN PERFORM set_config('coredata.writer', 'trigger', true); END IF;
                IF TG_OP = 'DELETE' THEN
                    DELETE FROM \(part) a WHERE a.\(id) = OLD.\(reference) AND \(isOne("OLD", of: split));
                ELSIF NOT \(isOne("NEW", of: split)) OR NEW.\(reference) IS NULL THEN
                    NULL;
                ELSIF TG_OP = 'INSERT' OR NEW.\(reference) IS DISTINCT FROM OLD.\(reference) THEN
                    INSERT INTO \(part) (\(list(names + split.columns.map { quoted($0.new) })))
                        VALUES (\(list(["NEW.\(reference)", label, "1", "NEW.\(id)"] + values)))
                        ON CONFLICT DO NOTHING;
                ELSIF \(differs(split)) THEN
                    UPDATE \(part) a SET \(list(assignments + ["\(version) = \(raised("a"))"]))
                        WHERE a.\(id) = NEW.\(reference);
                END IF;
                PERFORM set_config('coredata.splitting', '', true), set_config('coredata.writer', writer, true);
                RETURN NULL;
            """
        let function = splitFunction(of: split.table)
        return [
            Self.function(function, declarations(newer), body),
            "CREATE OR REPLACE TRIGGER \(splitTrigger) AFTER INSERT OR UPDATE OR DELETE ON "
                + "\(name(split.table, in: schema)) \(running(function))",
        ]
    }

    /// At the end of a transaction that writes other rows.
    private static func back(_ split: OnlinePlan.Split, _ schema: String) -> [String] {
        let (reference, rows, part) = (
            quoted(split.reference), name(split.table, in: schema), name(split.part, in: schema)
        )
        let id = quoted(SQLSchema.keyColumn)
        // A value that stands for NULL in one of the versions does not count as a change.
        let changes = split.columns.map { column in
            let (old, new) = ("r.\(quoted(column.old))", "a.\(quoted(column.new))")
            let value = or(new, column.oldDefault)
            return (
                column: quoted(column.old), old: old, value: value,
                condition: "\(or(old, column.newDefault)) IS DISTINCT FROM \(new) "
                    + "AND \(old) IS DISTINCT FROM \(value)"
            )
        }
        let differs = changes.isEmpty ? "false" : list(changes.map { "(\($0.condition))" }, " OR ")
        let assignments =
            changes.map { "\($0.column) = CASE WHEN \($0.condition) THEN \($0.value) ELSE \($0.old) END" }
            + [raising("r")]
        let body = """
                SELECT r.\(id), r.xmin::text::bigint INTO coredata_owner, coredata_written FROM \(rows) r
                    JOIN \(part) a ON a.\(id) = r.\(reference) WHERE a.\(id) = NEW.\(id) AND (\(differs))
                    FOR NO KEY UPDATE OF r;
                IF NOT FOUND THEN RETURN NULL; END IF;
                \(owning)
                PERFORM set_config('coredata.splitting', 'on', true);
                IF writer = 'framework' AND coredata_own THEN
                    PERFORM set_config('coredata.writer', 'trigger', true);
                END IF;
                UPDATE \(rows) r SET \(list(assignments))
                    FROM \(part) a WHERE r.\(id) = coredata_owner AND a.\(id) = NEW.\(id);
                PERFORM set_config('coredata.splitting', '', true), set_config('coredata.writer', writer, true);
                RETURN NULL;
            """
        let function = splitFunction(of: split.part)
        return [
            Self.function(function, "coredata_owner bigint; \(owningDeclarations)", body),
            "DROP TRIGGER IF EXISTS \(splitTrigger) ON \(part)",
            "CREATE CONSTRAINT TRIGGER \(splitTrigger) AFTER INSERT OR UPDATE ON \(part) "
                + "DEFERRABLE INITIALLY DEFERRED \(running(function))",
        ]
    }

    /// Takes all of them away from a table again.
    static func splittingNoMore(_ table: String) -> [String] {
        [
            "DROP TRIGGER IF EXISTS \(splitTrigger) ON \(quoted(table))",
            "DROP TRIGGER IF EXISTS \(firstSplitTrigger) ON \(quoted(table))",
            "DROP FUNCTION IF EXISTS \(splitFunction(of: table))()",
            "DROP FUNCTION IF EXISTS \(firstSplitFunction(of: table))()",
        ]
    }
}
#endif
