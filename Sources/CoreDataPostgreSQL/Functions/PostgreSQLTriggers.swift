#if PostgreSQL
import CoreData
import Foundation

// How the store records writes of programs without this framework. The rules are:
//
// - The framework calls `set_config('coredata.writer', 'framework', true)` in each of its transactions. It counts
//   versions, records history and notifies by itself, and the triggers pass over its writes. It does not see rows
//   that triggers of other programs write in its transactions. These rows are recorded like another program's
//   writes, as part of the same transaction of history.
// - A transaction without that setting is another program's. An UPDATE that leaves the version unchanged raises it.
//   If the store keeps history, each row that is inserted, updated or deleted is a change of persistent history.
//   The transaction has the number `coredata.transaction_number()`, one row for each transaction of the database.
//   Its author is the program's `application_name`, or its role. Rows that a reference leads to or led to are
//   recorded as updated, too, as in a save of the framework.
// - The channel `coredata` gets the number that the server has given to the transaction, whether or not history is
//   kept.
//
// The functions belong to the role that made the store and run with its rights: another role needs none in the
// schema `coredata`.

/// The functions and triggers.
struct PostgreSQLTriggers {
    private static let dialect = PostgreSQLDialect()

    /// Whether the writer is another than the framework. Triggers that are not ours count as another writer, also
    /// in the framework's transactions.
    private static let isOther =
        "current_setting('coredata.writer', true) IS DISTINCT FROM 'trigger' "
        + "AND (current_setting('coredata.writer', true) IS DISTINCT FROM 'framework' OR pg_trigger_depth() > 0)"

    private static let rights = "SECURITY DEFINER SET search_path = pg_catalog, pg_temp"

    /// The statements that make the functions of a store, or bring them to this version.
    static let functions = [note, changed, paired, emptied]

    /// Records a change, if there is history: 0 inserted, 1 updated, 2 deleted.
    private static let note = """
        CREATE OR REPLACE FUNCTION coredata.note(kind integer, label text, key bigint, properties text[] DEFAULT NULL) \
        RETURNS void LANGUAGE plpgsql \(rights) AS $body$
        DECLARE
            place record;
            bits bytea;
            bit integer;
            this bigint;
        BEGIN
            IF to_regclass('coredata.changes') IS NULL THEN RETURN; END IF;
            this := coredata.transaction_number();
            SELECT * INTO place FROM coredata.tables WHERE entity = label;
            IF NOT FOUND THEN RETURN; END IF;
            -- The framework records its transactions itself.
            IF current_setting('coredata.writer', true) IS DISTINCT FROM 'framework' THEN
                INSERT INTO coredata.transactions (id, entity, "time", author, context) VALUES (
                    this, \(HistoryTables.transactionEntity), extract(epoch FROM clock_timestamp()) - 978307200,
                    coalesce(nullif(current_setting('application_name'), ''), session_user), session_user)
                    ON CONFLICT DO NOTHING;
            END IF;
            IF kind = 1 THEN
                bits := decode(repeat('00', place.bytes), 'hex');
                FOR bit IN SELECT c.bit FROM coredata.columns c
                    WHERE c.entity = label AND c.bit IS NOT NULL AND c.property = ANY (properties) LOOP
                    bits := set_bit(bits, bit / 8 * 8 + 7 - bit % 8, 1);
                END LOOP;
            END IF;
            INSERT INTO coredata.changes (entity, "type", of_entity, of_id, "transaction", columns, version) VALUES (
                \(HistoryTables.changeEntity), kind, place.number, key, this, bits,
                CASE WHEN kind = 1 THEN place.mark END);
        END $body$
        """

    /// Notifies of a row of an entity, and counts its version up as the framework does: the smallest number follows
    /// the largest one. It also records what became of the row and of the rows that it leads to.
    ///
    /// The row is written once more: a trigger before the update would have the server lock each row that the
    /// framework writes, which takes a sixth of the time of an update.
    private static let changed = """
        CREATE OR REPLACE FUNCTION coredata.changed() RETURNS trigger LANGUAGE plpgsql \(rights) AS $body$
        DECLARE
            before jsonb;
            after jsonb;
            link record;
            owner bigint;
            label text;
            writer text := coalesce(current_setting('coredata.writer', true), '');
        BEGIN
            PERFORM pg_notify('coredata', pg_current_xact_id()::text);
            IF TG_OP = 'UPDATE' AND OLD.version IS NOT DISTINCT FROM NEW.version THEN
                PERFORM set_config('coredata.writer', 'trigger', true);
                EXECUTE format('UPDATE %I.%I SET version = '
                    'CASE WHEN version < 2147483647 THEN version + 1 ELSE -2147483648 END WHERE id = $1',
                    TG_TABLE_SCHEMA, TG_TABLE_NAME) USING NEW.id;
                PERFORM set_config('coredata.writer', writer, true);
            END IF;
            IF to_regclass('coredata.changes') IS NULL THEN RETURN NULL; END IF;
            IF TG_OP <> 'INSERT' THEN before := to_jsonb(OLD); END IF;
            IF TG_OP <> 'DELETE' THEN after := to_jsonb(NEW); END IF;
            IF before->>'id' = after->>'id' AND before->>'entity' = after->>'entity' THEN
                PERFORM coredata.note(1, after->>'entity', (after->>'id')::bigint, ARRAY(
                    SELECT c.property FROM coredata.columns c WHERE c.entity = after->>'entity'
                    AND c.role <> 'members' AND before->c."column" IS DISTINCT FROM after->c."column"));
            ELSE
                IF before IS NOT NULL THEN
                    PERFORM coredata.note(2, before->>'entity', (before->>'id')::bigint);
                END IF;
                IF after IS NOT NULL THEN
                    PERFORM coredata.note(0, after->>'entity', (after->>'id')::bigint);
                END IF;
            END IF;
            FOR link IN SELECT DISTINCT c."column", c.target, c.inverse FROM coredata.columns c
                WHERE c.entity IN (before->>'entity', after->>'entity') AND c.inverse IS NOT NULL
                AND before->>c."column" IS DISTINCT FROM after->>c."column" LOOP
                FOREACH owner IN ARRAY ARRAY[before->>link."column", after->>link."column"]::bigint[] LOOP
                    CONTINUE WHEN owner IS NULL;
                    EXECUTE format('SELECT entity FROM %I.%I WHERE id = $1', TG_TABLE_SCHEMA, link.target)
                        INTO label USING owner;
                    IF label IS NOT NULL THEN
                        PERFORM coredata.note(1, label, owner, ARRAY[link.inverse]);
                    END IF;
                END LOOP;
            END LOOP;
            RETURN NULL;
        END $body$
        """

    /// Notifies of a pair of a many-to-many relationship: both of its rows have other members.
    private static let paired = """
        CREATE OR REPLACE FUNCTION coredata.paired() RETURNS trigger LANGUAGE plpgsql \(rights) AS $body$
        DECLARE
            pair jsonb;
            link record;
            label text;
        BEGIN
            PERFORM pg_notify('coredata', pg_current_xact_id()::text);
            IF to_regclass('coredata.changes') IS NULL THEN RETURN NULL; END IF;
            FOREACH pair IN ARRAY ARRAY[
                CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END, CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END]
            LOOP
                CONTINUE WHEN pair IS NULL;
                FOR link IN SELECT DISTINCT c."column", c.target, c.property FROM coredata.columns c
                    WHERE c."table" = TG_TABLE_NAME AND c.role = 'members' LOOP
                    EXECUTE format('SELECT entity FROM %I.%I WHERE id = $1', TG_TABLE_SCHEMA, link.target)
                        INTO label USING (pair->>link."column")::bigint;
                    IF label IS NOT NULL THEN
                        PERFORM coredata.note(1, label, (pair->>link."column")::bigint, ARRAY[link.property]);
                    END IF;
                END LOOP;
            END LOOP;
            RETURN NULL;
        END $body$
        """

    /// Notifies of a table that is emptied, and records its rows as deleted.
    private static let emptied = """
        CREATE OR REPLACE FUNCTION coredata.emptied() RETURNS trigger LANGUAGE plpgsql \(rights) AS $body$
        BEGIN
            PERFORM pg_notify('coredata', pg_current_xact_id()::text);
            EXECUTE format('SELECT coredata.note(2, entity, id) FROM %I.%I', TG_TABLE_SCHEMA, TG_TABLE_NAME);
            RETURN NULL;
        END $body$
        """

    /// The statements that give triggers to the table of an entity.
    static func statements(ofTable name: String) -> [String] {
        let table = dialect.quoted(name)
        return [
            """
            CREATE OR REPLACE TRIGGER coredata_changed AFTER INSERT OR UPDATE OR DELETE ON \(table) FOR EACH ROW \
            WHEN (\(isOther)) EXECUTE FUNCTION coredata.changed()
            """,
            """
            CREATE OR REPLACE TRIGGER coredata_emptied BEFORE TRUNCATE ON \(table) FOR EACH STATEMENT \
            WHEN (\(isOther)) EXECUTE FUNCTION coredata.emptied()
            """,
        ]
    }

    /// The statements that give a trigger to a join table.
    static func statements(ofJoinTable name: String) -> [String] {
        [
            """
            CREATE OR REPLACE TRIGGER coredata_paired AFTER INSERT OR UPDATE OR DELETE \
            ON \(dialect.quoted(name)) FOR EACH ROW WHEN (\(isOther)) EXECUTE FUNCTION coredata.paired()
            """
        ]
    }
}
#endif
