#if PostgreSQL
import CoreData

/// The parts of the schema `coredata` besides the tables that every SQL store keeps: tokens of saves, and the
/// numbers of history.
///
/// A transaction of history has the number of the database's transaction. The server gives these numbers when
/// transactions begin, and the transactions end in another order: so history is read up to the oldest transaction
/// that is still open. A transaction that is open in another database of the server does not count.
///
/// A server on which a dump was restored begins with low numbers again. Its transactions have the number of the
/// database's and an offset, which puts them above those of the dump. The offset is part of the functions.
enum PostgreSQLBookkeeping {
    /// Makes what is not there yet.
    static func install(on connection: PostgreSQLConnection) throws {
        if try missing(on: connection).isEmpty { return }
        try connection.transaction {
            // Another process may have made them while this one waited for the lock.
            for statements in try missing(on: connection) { try connection.execute(statements) }
        }
    }

    /// The statements that make the missing tables and functions.
    private static func missing(on connection: PostgreSQLConnection) throws -> [String] {
        let present = try connection.rows(
            """
            SELECT to_regclass('coredata.saves') IS NOT NULL, to_regclass('coredata.changes') IS NULL OR EXISTS \
            (SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass('coredata.changes') AND attidentity <> ''), \
            to_regclass('coredata.upkeep') IS NOT NULL
            """
        ).first
        return (present?[0] == "t" ? [] : [saves]) + (present?[1] == "t" ? [] : [history])
            + (present?[2] == "t" ? [] : [PostgreSQLLines.definitions, upkeep])
    }

    /// Removes tokens that no program can query any more, and returns their number.
    static func purgeTokens(on connection: PostgreSQLConnection, atMost limit: Int) throws -> Int {
        let delete = """
            WITH gone AS (DELETE FROM coredata.saves WHERE token IN \
            (SELECT token FROM coredata.saves WHERE time < now() - interval '1 day' LIMIT \(limit)) RETURNING 1) \
            SELECT count(*) FROM gone
            """
        return try connection.texts(delete).first.flatMap { Int($0) } ?? 0
    }

    /// Removes the leases of programs that ended long ago. The last lease of each version stays with it: only
    /// programs of a newer version have the option for how long the version is kept after that.
    static func purgeLeases(on connection: PostgreSQLConnection) throws {
        guard try connection.isThere("coredata.leases") else { return }
        try connection.execute(
            """
            DELETE FROM coredata.leases l WHERE l.until < now() - interval '1 day' AND EXISTS \
            (SELECT FROM coredata.leases o WHERE o.version = l.version AND (o.until, o.id) > (l.until, l.id))
            """)
    }

    /// Finds the oldest transactions of history that are older than a number of seconds by the server's clock, and
    /// before which all transactions have ended. Returns their number, and the first number that is not among them;
    /// nil where there are none.
    static func oldHistory(
        olderThan seconds: TimeInterval, atMost limit: Int, on connection: PostgreSQLConnection
    ) throws -> (count: Int, bound: Int64?) {
        // A younger transaction among them keeps those after it, so that history has no holes.
        let select = """
            WITH oldest AS (SELECT id, "time" FROM coredata.transactions WHERE id < coredata.history_bound() \
            ORDER BY id LIMIT \(limit)) SELECT count(*), max(id) + 1 FROM oldest WHERE id < \
            coalesce((SELECT min(id) FROM oldest \
            WHERE "time" >= extract(epoch FROM now()) - \(Date.timeIntervalBetween1970AndReferenceDate) - $1::float8), \
            (SELECT max(id) + 1 FROM oldest))
            """
        let row = try connection.rows(select, ["\(seconds)"]).first ?? []
        guard row.count == 2 else { return (0, nil) }
        return (row[0].flatMap { Int($0) } ?? 0, row[1].flatMap { Int64($0) })
    }

    /// Returns the offset of history's numbers from the server's. If the server's numbers are still below the
    /// newest number of history, the store was restored there from a dump: then the method raises the offset.
    static func historyOffset(on connection: PostgreSQLConnection, isReadOnly: Bool) throws -> Int64 {
        // A program that only reads may come before the functions are made.
        if isReadOnly { return (try? numbers(on: connection).offset) ?? 0 }
        var known = try numbers(on: connection)
        if known.newest < known.end { return known.offset }
        try connection.transaction {
            // Another process may have raised it while this one waited for the lock.
            known = try numbers(on: connection)
            if known.newest < known.end { return }
            known.offset = known.newest + 1 - (try connection.oldestTransaction())
            // Triggers of an older version of the framework have no offset.
            let statements = [numbering(with: "\(known.offset)")] + PostgreSQLTriggers.functions
            try connection.execute(statements)
        }
        return known.offset
    }

    /// The newest number of history, the number that no transaction has yet, and the offset.
    private static func numbers(
        on connection: PostgreSQLConnection
    ) throws -> (newest: Int64, end: Int64, offset: Int64) {
        let select = """
            SELECT coalesce(greatest((SELECT max(id) FROM coredata.transactions), (SELECT max(highest) \
            FROM coredata.entities WHERE entity = \(HistoryTables.transactionEntity))), 0), \
            coredata.history_end(), coredata.history_end() - pg_snapshot_xmax(pg_current_snapshot())::text::bigint
            """
        let row = try connection.rows(select).first ?? []
        let values = row.map { Int64($0 ?? "") ?? 0 }
        return values.count == 3 ? (values[0], values[1], values[2]) : (0, 1, 0)
    }

    private static let saves = """
        CREATE TABLE IF NOT EXISTS coredata.saves \
        (token uuid PRIMARY KEY, time timestamptz NOT NULL DEFAULT now());
        CREATE INDEX IF NOT EXISTS saves_time_idx ON coredata.saves USING brin (time);
        COMMENT ON TABLE coredata.saves IS \
        'A token of each transaction of the last day, by which is found out whether it was committed.'
        """

    /// When each piece of work was last done by one of the programs that have the store open. The server vacuums
    /// tables with many changes sooner than other tables.
    private static let upkeep = """
        ALTER TABLE coredata.saves SET (autovacuum_vacuum_scale_factor = 0.05);
        CREATE TABLE IF NOT EXISTS coredata.upkeep (task text PRIMARY KEY, time timestamptz NOT NULL DEFAULT now());
        COMMENT ON TABLE coredata.upkeep IS 'When a program has last looked after the other tables.';
        INSERT INTO coredata.upkeep (task) VALUES \(PostgreSQLConnection.Upkeep.allCases.map { "('\($0.rawValue)')" }.joined(separator: ", ")) \
        ON CONFLICT DO NOTHING
        """

    private static let history = """
        ALTER TABLE coredata.changes ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY;
        SELECT setval(pg_get_serial_sequence('coredata.changes', 'id'), \
        coalesce((SELECT max(id) FROM coredata.changes), 0) + 1, false);
        ALTER TABLE coredata.names ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY;
        SELECT setval(pg_get_serial_sequence('coredata.names', 'id'), \
        coalesce((SELECT max(id) FROM coredata.names), 0) + 1, false);
        \(numbering(with: "0"));
        CREATE OR REPLACE FUNCTION coredata.history_name(given text) RETURNS bigint LANGUAGE plpgsql STRICT AS $$
        DECLARE found bigint;
        BEGIN
            LOOP
                SELECT id INTO found FROM coredata.names WHERE value = given;
                IF found IS NOT NULL THEN RETURN found; END IF;
                INSERT INTO coredata.names (entity, value) VALUES (\(HistoryTables.stringEntity), given)
                ON CONFLICT DO NOTHING RETURNING id INTO found;
                IF found IS NOT NULL THEN RETURN found; END IF;
            END LOOP;
        END $$
        """

    /// The functions that number history, with what it adds to the server's numbers.
    static func numbering(with offset: String) -> String {
        """
        CREATE OR REPLACE FUNCTION coredata.transaction_number() RETURNS bigint LANGUAGE sql STABLE PARALLEL UNSAFE \
        AS 'SELECT pg_current_xact_id()::text::bigint + \(offset)';
        CREATE OR REPLACE FUNCTION coredata.history_bound() RETURNS bigint LANGUAGE sql STABLE AS $$
        SELECT \(offset) + coalesce(
            (SELECT min(running::text::bigint) FROM pg_snapshot_xip(pg_current_snapshot()) running
                WHERE NOT EXISTS (SELECT 1 FROM pg_stat_get_activity(NULL) other
                    WHERE other.backend_xid = running::xid
                    AND other.datid <> (SELECT oid FROM pg_database WHERE datname = current_database()))),
            pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
        $$;
        CREATE OR REPLACE FUNCTION coredata.history_end() RETURNS bigint LANGUAGE sql STABLE \
        AS 'SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint + \(offset)'
        """
    }
}

extension PostgreSQLConnection {
    /// The pieces of work that one of the programs does that have a store open.
    enum Upkeep: String, CaseIterable {
        case inspect, tokens, history

        /// The tables from which it removes rows.
        var tables: [String] {
            switch self {
            case .inspect: []
            case .tokens: ["coredata.saves"]
            case .history: ["coredata.changes", "coredata.transactions"]
            }
        }
    }

    /// After so many seconds another program does what this one has not finished.
    private static let timeToFinish: TimeInterval = 300

    /// Claims a piece of work if it is due; returns false if it is not, or if another program has claimed it.
    func claim(_ work: Upkeep, every interval: TimeInterval) throws -> Bool {
        // The commit does not wait for a standby, and the statement does not wait for another program that has just
        // claimed it.
        let update = """
            UPDATE coredata.upkeep SET time = now() - ($2::float8 - least($2::float8, \(Self.timeToFinish))) \
            * interval '1 second' WHERE task = (SELECT task FROM coredata.upkeep WHERE task = $1 \
            AND time < now() - $2::float8 * interval '1 second' FOR UPDATE SKIP LOCKED) \
            RETURNING set_config('synchronous_commit', 'off', true)
            """
        return try !rows(update, [work.rawValue, "\(interval)"]).isEmpty
    }

    /// Records that a piece of work was done.
    func finish(_ work: Upkeep) throws {
        let update =
            "UPDATE coredata.upkeep SET time = now() WHERE task = $1 RETURNING set_config('synchronous_commit', 'off', true)"
        _ = try rows(update, [work.rawValue])
    }
}
#endif
