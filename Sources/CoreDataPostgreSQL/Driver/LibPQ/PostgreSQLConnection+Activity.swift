#if PostgreSQL
import CPostgreSQL
import CoreData
import Foundation

// Statistics of a server, for people who run it.
extension PostgreSQLConnection {
    /// The host, port and database of the connection.
    var place: String {
        let host = PQhost(handle).map { String(cString: $0) } ?? ""
        let port = PQport(handle).map { String(cString: $0) } ?? ""
        let database = PQdb(handle).map { String(cString: $0) } ?? ""
        return "\(host):\(port)/\(database)"
    }

    /// Frees the space of rows that were deleted from some tables. The server skips tables that the role does not
    /// own or that another session has locked.
    func vacuum(_ tables: [String]) throws { try execute("VACUUM (SKIP_LOCKED) \(tables.joined(separator: ", "))") }

    /// How many sessions of the database wait for a lock.
    func sessionsWaiting() throws -> Int {
        let select = """
            SELECT count(*) FROM pg_stat_activity \
            WHERE datname = current_database() AND wait_event_type = 'Lock'
            """
        return try texts(select).first.flatMap { Int($0) } ?? 0
    }

    /// The servers that follow this one. Base backups are none.
    func standbys() throws -> [PostgreSQLActivity.Standby] {
        let select = """
            SELECT application_name, coalesce(host(client_addr), 'local'), sync_state IN ('sync', 'quorum'), \
            pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() \
            ELSE pg_current_wal_flush_lsn() END, replay_lsn)::bigint, \
            extract(epoch FROM replay_lag), state IS NULL FROM pg_stat_replication \
            WHERE state IS DISTINCT FROM 'backup' ORDER BY 1, pid
            """
        return try rows(select).map { row in
            let isHidden = row[5] == "t"
            let bytes = row[3].flatMap { Int64($0) }.map { max(0, $0) }
            return PostgreSQLActivity.Standby(
                name: row[0] ?? "", client: row[1] ?? "", isSynchronous: isHidden ? nil : row[2] == "t",
                bytesBehind: bytes, secondsBehind: bytes == 0 ? 0 : row[4].flatMap { Double($0) })
        }
    }

    /// The sessions and the prepared transactions of the database that have kept the server from removing rows for
    /// more than some seconds, the oldest first.
    func snapshots(olderThan seconds: TimeInterval) throws -> [PostgreSQLActivity.Session] {
        let select = """
            SELECT pid, application_name, usename, coalesce(host(client_addr), 'local'), state, \
            extract(epoch FROM now() - xact_start) AS age, left(query, 200) FROM pg_stat_activity \
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' \
            AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL) \
            AND xact_start < now() - $1::float8 * interval '1 second' \
            UNION ALL SELECT NULL, gid, owner, '', 'prepared', extract(epoch FROM now() - prepared), '' \
            FROM pg_prepared_xacts WHERE database = current_database() \
            AND prepared < now() - $1::float8 * interval '1 second' ORDER BY age DESC
            """
        return try rows(select, ["\(seconds)"]).map { row in
            let statement = (row[6] ?? "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
            return PostgreSQLActivity.Session(
                processIdentifier: row[0].flatMap { Int($0) }, name: row[1] ?? "", user: row[2] ?? "",
                client: row[3] ?? "", state: row[4] ?? "", seconds: row[5].flatMap { Double($0) } ?? 0,
                statement: statement.contains("pg_export_snapshot") ? nil : statement)
        }
    }
}
#endif
