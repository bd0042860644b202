#if PostgreSQL
import CoreData

// The triggers of relationships that are to-one in the older version, and to-many in the newer one.
//
// The column of the older version holds one of the pairs, or nothing. Programs of the older version write the
// column: its former destination leaves the pairs, and its new one joins them. If pairs are written, the column
// leads to one of them: to a new one if it led to none, and to the one with the least key if its own is deleted.
// The column may be empty beside pairs: then a program of the older version has set it to nil last.
//
// Pairs are compared at the end of the transaction: a save deletes pairs before it writes the rows, and would find
// another version there. While one of the triggers writes, it sets `coredata.linking`, and the other one does
// nothing.
extension PostgreSQLStep {
    static let linkTrigger = "coredata_link"

    private static func linkFunction(of table: String) -> String { function("link", of: table) }

    private static let isLinking = "coalesce(current_setting('coredata.linking', true), '') = 'on'"

    /// Has pairs follow the columns of the older version.
    ///
    /// - Parameter schema: the one of the tables.
    static func linking(
        rowsOf table: String, _ links: [OnlinePlan.Link], newer: Int64, in schema: String
    ) -> [String] {
        let parts = links.map { link in
            let (pairs, owner, member) = (name(link.pairs, in: schema), quoted(link.owner), quoted(link.member))
            let (key, id) = (quoted(link.key), quoted(SQLSchema.keyColumn))
            return """
                    IF TG_OP = 'INSERT' OR NEW.\(key) IS DISTINCT FROM OLD.\(key) THEN
                        IF TG_OP = 'UPDATE' THEN
                            DELETE FROM \(pairs) p WHERE p.\(owner) = OLD.\(id) AND p.\(member) = OLD.\(key);
                        END IF;
                        INSERT INTO \(pairs) (\(owner), \(member))
                            SELECT NEW.\(id), NEW.\(key) WHERE NEW.\(key) IS NOT NULL ON CONFLICT DO NOTHING;
                    END IF;
                """
        }
        let body = """
                IF coalesce(current_setting('coredata.version', true), '') = '\(newer)' THEN RETURN NULL; END IF;
                -- Whoever saves records in history what he changes.
                IF writer = 'framework' THEN PERFORM set_config('coredata.writer', 'trigger', true); END IF;
                PERFORM set_config('coredata.linking', 'on', true);
            \(parts.joined(separator: "\n"))
                PERFORM set_config('coredata.linking', '', true), set_config('coredata.writer', writer, true);
                RETURN NULL;
            """
        let function = linkFunction(of: table)
        return [
            Self.function(function, "", body),
            "CREATE OR REPLACE TRIGGER \(linkTrigger) AFTER INSERT OR UPDATE ON \(name(table, in: schema)) "
                + "FOR EACH ROW WHEN (NOT \(isLinking)) EXECUTE FUNCTION \(function)()",
        ]
    }

    /// Has the column of the older version follow the pairs.
    static func linking(pairsOf link: OnlinePlan.Link, in schema: String) -> [String] {
        let (rows, pairs) = (name(link.table, in: schema), name(link.pairs, in: schema))
        let (owner, member, key) = (quoted(link.owner), quoted(link.member), quoted(link.key))
        let id = quoted(SQLSchema.keyColumn)
        /// Takes the least of some pairs.
        func taking(_ pair: String, _ condition: String, among pairsMeant: String) -> String {
            let companion = link.companion.map { column in
                ", \(quoted(column)) = (SELECT t.\(quoted(SQLSchema.entityColumn)) "
                    + "FROM \(name(link.target, in: schema)) t WHERE t.\(id) = m.key)"
            }
            // Two transactions that change pairs of one row do so one after the other.
            return """
                SELECT r.xmin::text::bigint INTO coredata_written FROM \(rows) r
                    WHERE r.\(id) = \(pair).\(owner) AND \(condition) FOR NO KEY UPDATE;
                IF FOUND THEN
                    \(owning)
                    IF writer = 'framework' AND coredata_own THEN
                        PERFORM set_config('coredata.writer', 'trigger', true);
                    END IF;
                    UPDATE \(rows) r SET \(key) = m.key\(companion ?? ""), \(raising("r"))
                        FROM (SELECT min(p.\(member)) AS key FROM \(pairs) p
                            WHERE p.\(owner) = \(pair).\(owner)\(pairsMeant)) m
                        WHERE r.\(id) = \(pair).\(owner);
                END IF;
                """
        }
        func isThere(_ pair: String) -> String {
            "EXISTS (SELECT FROM \(pairs) p WHERE p.\(owner) = \(pair).\(owner) AND p.\(member) = \(pair).\(member))"
        }
        let together =
            " AND p.xmin = (SELECT n.xmin FROM \(pairs) n WHERE n.\(owner) = NEW.\(owner) "
            + "AND n.\(member) = NEW.\(member))"
        let body = """
                PERFORM set_config('coredata.linking', 'on', true);
                IF TG_OP <> 'INSERT' THEN
                    \(taking("OLD", "r.\(key) = OLD.\(member) AND NOT \(isThere("OLD"))", among: ""))
                END IF;
                IF TG_OP <> 'DELETE' THEN
                    \(taking("NEW", "r.\(key) IS NULL AND \(isThere("NEW"))", among: together))
                END IF;
                PERFORM set_config('coredata.linking', '', true), set_config('coredata.writer', writer, true);
                RETURN NULL;
            """
        let function = linkFunction(of: link.pairs)
        return [
            Self.function(function, owningDeclarations, body),
            "DROP TRIGGER IF EXISTS \(linkTrigger) ON \(pairs)",
            "CREATE CONSTRAINT TRIGGER \(linkTrigger) AFTER INSERT OR UPDATE OR DELETE ON \(pairs) "
                + "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NOT \(isLinking)) "
                + "EXECUTE FUNCTION \(function)()",
        ]
    }

    /// Takes both away again.
    static func linkingNoMore(_ table: String) -> [String] {
        [
            "DROP TRIGGER IF EXISTS \(linkTrigger) ON \(quoted(table))",
            "DROP FUNCTION IF EXISTS \(linkFunction(of: table))()",
        ]
    }

    // MARK: Functions that write into other tables

    /// A function of a trigger, with the rights of the role that migrates.
    static func function(_ name: String, _ declarations: String, _ body: String) -> String {
        let text = """

            DECLARE
                writer text := coalesce(current_setting('coredata.writer', true), '');
                \(declarations)
            BEGIN
            \(body)
            END
            """
        return """
            CREATE OR REPLACE FUNCTION \(name)() RETURNS trigger LANGUAGE plpgsql \
            SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS \(PostgreSQLDialect.inDollars(text))
            """
    }

    static let owningDeclarations =
        "coredata_this bigint := pg_current_xact_id()::text::bigint; coredata_written bigint; coredata_own boolean;"

    /// Whether the transaction has written a row, by the `xmin` of the row: then the row has another version
    /// already, which the writing program has recorded.
    static let owning = """
        coredata_written := (coredata_this >> 32 << 32) | coredata_written;
        IF coredata_written > coredata_this + 2147483648 THEN
            coredata_written := coredata_written - 4294967296;
        END IF;
        coredata_own := coredata_written >= coredata_this
            AND pg_xact_status(coredata_written::text::xid8) = 'in progress';
        """

    /// Gives a row another version, unless the transaction has done so.
    static func raising(_ row: String) -> String {
        let column = quoted(SQLSchema.versionColumn)
        return "\(column) = CASE WHEN coredata_own THEN \(row).\(column) ELSE \(raised(row)) END"
    }

    /// The next version of a row, as the framework counts.
    static func raised(_ row: String) -> String {
        let version = "\(row).\(quoted(SQLSchema.versionColumn))"
        return "CASE WHEN \(version) < 2147483647 THEN \(version) + 1 ELSE -2147483648 END"
    }

    static func quoted(_ name: String) -> String { PostgreSQLDialect().quoted(name) }

    static func name(_ table: String, in schema: String) -> String {
        "\(PostgreSQLDialect.inQuotes(schema)).\(quoted(table))"
    }
}
#endif
