#if PostgreSQL
import CPostgreSQL
import CoreData

/// The history lines of a database. A standby that is promoted, and a dump or a backup that is restored, may lack
/// commits that clients have seen as confirmed. Such a server gives the same numbers again: to transactions, rows
/// and versions. So the first program that connects begins a new line there: the numbers of history and the keys of
/// rows continue far above.
///
/// A server is identified by its cluster, the time-line that it writes, and the database. A dump that is restored
/// on the same server makes other tables, and one that replaces another database has an identifier of its own.
enum PostgreSQLLines {
    /// The numbers of history between two lines: more than transactions can be lost. A random factor multiplies it,
    /// so that two lines which begin at the same place do not continue with the same numbers.
    static let numbersBetween: Int64 = 1 << 32
    /// How many keys of each table: blocks of them.
    private static let keysBetween: Int64 = 1 << 20

    private static let rights = "SECURITY DEFINER SET search_path = pg_catalog, pg_temp"

    /// The statements that make the table and its functions.
    static let definitions = """
        CREATE TABLE IF NOT EXISTS coredata.lines (number integer PRIMARY KEY, server text NOT NULL, \
        ended bigint NOT NULL, begins bigint NOT NULL, id uuid NOT NULL DEFAULT gen_random_uuid(), \
        time timestamptz NOT NULL DEFAULT now());
        COMMENT ON TABLE coredata.lines IS \
        'Servers that have continued this database. History has no numbers from ended up to begins.';
        CREATE OR REPLACE FUNCTION coredata.server() RETURNS text LANGUAGE sql STABLE \(rights) AS $$
        SELECT system_identifier || '/' || CASE WHEN pg_is_in_recovery()
            THEN (SELECT timeline_id FROM pg_control_checkpoint())
            ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint END || '/' ||
            (SELECT oid FROM pg_database WHERE datname = current_database()) || '.' || 'coredata.lines'::regclass::oid
            FROM pg_control_system()
        $$;
        \(look);
        \(beginning);
        CREATE OR REPLACE FUNCTION coredata.parting(bigint) RETURNS bigint LANGUAGE sql STABLE \(rights) AS \
        'SELECT min(l.ended) - 1 FROM coredata.lines l WHERE $1 >= l.ended AND $1 < l.begins'
        """

    /// The function `coredata.line`: the server of the connection, the newest line in the database, and what
    /// history adds to the server's numbers.
    private static let look = """
        CREATE OR REPLACE FUNCTION coredata.line(OUT server text, OUT known text, OUT number integer, OUT id uuid, \
        OUT begins bigint, OUT shift bigint) LANGUAGE plpgsql STABLE \(rights) AS $body$
        BEGIN
            server := coredata.server();
            SELECT l.server, l.number, l.id, l.begins INTO known, number, id, begins
                FROM coredata.lines l ORDER BY l.number DESC LIMIT 1;
            shift := 0;
            IF to_regproc('coredata.history_end') IS NOT NULL THEN
                shift := coredata.history_end() - pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
            END IF;
        END $body$
        """

    /// Begins a line after one that the caller has seen, unless another process has begun it. Writers of history
    /// wait for the lock until the transaction ends.
    private static let beginning = """
        CREATE OR REPLACE FUNCTION coredata.begin_line(seen integer) RETURNS void LANGUAGE plpgsql \(rights) AS $body$
        DECLARE
            newest integer;
            sequence record;
            taken bigint;
            ended bigint := 0;
            begins bigint := 0;
        BEGIN
            LOCK TABLE coredata.lines IN SHARE ROW EXCLUSIVE MODE;
            SELECT max(l.number) INTO newest FROM coredata.lines l;
            IF coalesce(newest, 0) <> seen THEN RETURN; END IF;
            IF newest IS NOT NULL THEN
                IF to_regproc('coredata.history_end') IS NOT NULL THEN
                    LOCK TABLE coredata.transactions IN SHARE ROW EXCLUSIVE MODE;
                    SELECT 1 + greatest(coalesce(max(t.id), 0), coalesce((SELECT max(e.highest) FROM coredata.entities e
                        WHERE e.entity = \(HistoryTables.transactionEntity)), 0)) INTO ended FROM coredata.transactions t;
                    begins := ended + \(numbersBetween) * (1 + floor(random() * 256)::bigint);
                    EXECUTE replace($numbering$\(PostgreSQLBookkeeping.numbering(with: "OFFSET_OF_LINE"))$numbering$,
                        'OFFSET_OF_LINE',
                        (begins - pg_snapshot_xmax(pg_current_snapshot())::text::bigint)::text);
                END IF;
                FOR sequence IN SELECT DISTINCT pg_get_serial_sequence(g.tgrelid::regclass::text, 'id')::regclass AS id
                    FROM pg_trigger g JOIN pg_attribute a ON a.attrelid = g.tgrelid AND a.attname = 'id'
                    WHERE g.tgname = 'coredata_changed' AND a.attidentity <> '' LOOP
                    taken := coalesce(pg_sequence_last_value(sequence.id), 1);
                    IF taken < \(PostgreSQLTables.farthestKey) - \(2_048 * keysBetween) THEN
                        PERFORM setval(sequence.id, taken + \(keysBetween) * (1 + floor(random() * 1024)::bigint));
                    END IF;
                END LOOP;
            END IF;
            INSERT INTO coredata.lines (number, server, ended, begins)
                VALUES (coalesce(newest, 0) + 1, coredata.server(), ended, begins);
        END $body$
        """
}

/// Where a connection leads.
struct PostgreSQLLine: Equatable {
    /// The identifier of the cluster, which all its servers share, and the time-line.
    var cluster: String
    var timeline: Int64
    /// The database within it, and its tables.
    var database: String
    /// Whether the database has a line of this server.
    var isBegun: Bool
    /// The number of the newest line in the database, its identifier, and the beginning of its history. Two
    /// standbys that are promoted independently of each other have the same time-line and number.
    var number: Int
    var identifier: String
    var begins: Int64
    /// The offset of history's numbers from the server's numbers of transactions.
    var shift: Int64

    /// Whether another server has taken over, or the same one has begun another line.
    func isOther(than line: Self) -> Bool {
        cluster != line.cluster || timeline != line.timeline || database != line.database
            || identifier != line.identifier
    }
}

extension PostgreSQLConnection {
    /// The line that this connection leads to; nil where the database has no function for it: an older version of
    /// the framework has made the store, and its owner has not opened it since.
    func readLine() throws -> PostgreSQLLine? {
        do {
            let row = try rows("SELECT server, known, number, begins, shift, id FROM coredata.line()").first ?? []
            guard row.count == 6, let server = row[0]?.split(separator: "/"), server.count >= 2 else { return nil }
            return PostgreSQLLine(
                cluster: String(server[0]), timeline: Int64(server[1]) ?? 0,
                database: server.dropFirst(2).joined(), isBegun: row[0] == row[1],
                number: row[2].flatMap { Int($0) } ?? 0, identifier: row[5] ?? "",
                begins: row[3].flatMap { Int64($0) } ?? 0,
                shift: row[4].flatMap { Int64($0) } ?? 0)
        } catch let error as PostgreSQLError where error.isOfMissingFunction {
            return nil
        }
    }

    /// Begins the line of this server. It waits for no standby, because later commits wait for one anyway.
    func beginLine(behind number: Int) throws {
        // A standby cannot write.
        if PQparameterStatus(handle, "in_hot_standby").map({ String(cString: $0) }) == "on" { return }
        try execute(
            "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = local; "
                + "SELECT coredata.begin_line(\(number)); COMMIT")
    }
}

extension PostgreSQLError {
    /// Whether a function, or the schema of one, is not there, or is not the role's to call.
    fileprivate var isOfMissingFunction: Bool { ["42883", "3F000", Self.insufficientPrivilege].contains(state) }
}
#endif
