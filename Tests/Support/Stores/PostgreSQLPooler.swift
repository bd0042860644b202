#if PostgreSQL
import CoreData
import Foundation

/// A PgBouncer of this process's own before the shared server, which gives connections for a transaction each. It
/// ends, and its folder goes, with the process.
public final class PostgreSQLPooler: Sendable {
    /// The pooler, started at the first access; the reason where there is none.
    public static let shared = Result { try PostgreSQLPooler() }

    /// Why there can be no pooler; nil where there can be one.
    public static let reasonOfAbsence: String? =
        PostgreSQLServer.reasonOfAbsence
        ?? (program == nil ? "PgBouncer is not installed: bin/setup --postgresql" : nil)

    private static let program = PostgreSQLServer.output(
        of: "/bin/sh", ["-c", "PATH=$PATH:/usr/sbin command -v pgbouncer"])

    private let folder: String
    private let server: PostgreSQLServer

    /// - Parameter settings: further lines of its settings.
    public init(settings: String = "") throws {
        server = try PostgreSQLServer.shared.get()
        guard let program = Self.program else {
            throw PostgreSQLServer.Absence(description: Self.reasonOfAbsence ?? "")
        }
        folder = PostgreSQLServer.folder("pb")
        guard try PostgreSQLServer.start(Self.script, [program, folder, server.folder, settings]) else {
            throw PostgreSQLServer.Absence(description: "PgBouncer did not start: \(folder).log")
        }
    }

    private static let script = """
        mkdir -m 755 "$2" && { [ "$(id -u)" != 0 ] || chown postgres: "$2"; } && as tee "$2/pgbouncer.ini" >/dev/null <<END || exit 1
        [databases]
        * = host=$3 user=postgres
        [pgbouncer]
        listen_addr =
        unix_socket_dir = $2
        listen_port = 6432
        auth_type = any
        pool_mode = transaction
        $4
        max_client_conn = 2000
        default_pool_size = 200
        logfile = $2/pgbouncer.log
        pidfile = $2/pgbouncer.pid
        END
        as "$1" -d -q "$2/pgbouncer.ini" >"$2.log" 2>&1 || exit 1
        tries=0
        until [ -S "$2/.s.PGSQL.6432" ]; do
            tries=$((tries + 1))
            [ $tries -gt 100 ] && exit 1
            sleep 0.05
        done
        echo ready
        cat >/dev/null
        kill "$(cat "$2/pgbouncer.pid")" 2>/dev/null
        rm -rf "$2" "$2.log"

        """

    /// The URL of a database that is there, by way of the pooler alone.
    public func url(ofMadeDatabase name: String) -> URL {
        URL(string: "postgresql:///\(name.lowercased())?host=\(folder)&port=6432&user=postgres")
            ?? URL(fileURLWithPath: "/dev/null")
    }

    /// The URL of a database by way of the pooler, which is made where it is not there, with the server's own
    /// address beside.
    public func url(ofDatabase name: String) -> URL {
        _ = server.url(ofDatabase: name)
        return URL(string: "\(url(ofMadeDatabase: name).absoluteString)&direct=\(server.folder):5432")
            ?? URL(fileURLWithPath: "/dev/null")
    }
}
#endif
