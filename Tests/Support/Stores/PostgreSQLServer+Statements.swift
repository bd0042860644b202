#if PostgreSQL
import CPostgreSQL
import CoreData

// Statements go to the server from this process: the start of psql takes longer than most of them.
extension PostgreSQLServer {
    /// What psql would print for statements, without headings; nil when one fails.
    public func psql(_ database: String, _ statements: String) -> String? {
        guard let connection = connection(to: database) else { return nil }
        defer { PQfinish(connection) }
        guard PQsendQuery(connection, statements) == 1 else { return nil }
        var (lines, isDone): ([String], Bool) = ([], true)
        while let result = PQgetResult(connection) {
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_TUPLES_OK:
                lines += Self.rows(of: result)
                let status = Self.status(of: result)
                if ["INSERT", "UPDATE", "DELETE", "MERGE"].contains(where: status.hasPrefix) { lines.append(status) }
            case PGRES_COMMAND_OK: lines.append(Self.status(of: result))
            case PGRES_EMPTY_QUERY: break
            // A copy has data that have to be read before the next result comes.
            case PGRES_COPY_IN, PGRES_COPY_OUT: return nil
            default: isDone = false
            }
        }
        return isDone ? lines.joined(separator: "\n").trimmingCharacters(in: .whitespacesAndNewlines) : nil
    }

    /// Waits until a query returns true, of a state of which the server sends no event: an expired lease, a session
    /// that waits for a lock. It stays in one session and lets the server pause, so that it takes little from the
    /// programs that it waits for.
    public func wait(until query: String, in database: String) {
        var session = connection(to: database)
        defer { PQfinish(session) }
        while true {
            // A test may restart the server, or end its sessions.
            if PQstatus(session) != CONNECTION_OK {
                PQfinish(session)
                session = connection(to: database)
            }
            let result = PQexec(session, query)
            defer { PQclear(result) }
            if PQntuples(result) > 0, PQgetvalue(result, 0, 0).map({ String(cString: $0) }) == "t" { return }
            PQclear(PQexec(session, "SELECT pg_sleep(0.005)"))
        }
    }

    private func connection(to database: String) -> OpaquePointer? {
        let keys = ["host", "port", "user", "dbname", "fallback_application_name"]
        let values = [folder, "\(port)", "postgres", database.lowercased(), "psql"]
        let connection = PQconnectdb(zip(keys, values).map { "\($0)='\($1)'" }.joined(separator: " "))
        _ = PQsetNoticeProcessor(connection, { _, _ in }, nil)
        if PQstatus(connection) == CONNECTION_OK { return connection }
        PQfinish(connection)
        return nil
    }

    private static func status(of result: OpaquePointer) -> String {
        PQcmdStatus(result).map { String(cString: $0) } ?? ""
    }

    private static func rows(of result: OpaquePointer) -> [String] {
        (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { PQgetvalue(result, row, $0).map { String(cString: $0) } ?? "" }
                .joined(separator: "|")
        }
    }

    /// Makes a database that is a copy of the files of another one. If a session was in that one before, the files
    /// have what each first session of a database makes.
    func make(database name: String) {
        let isVisited = Self.visited.withLock { !$0.insert(folder).inserted }
        if !isVisited { _ = psql("template1", "SELECT 1") }
        // Before version 15 this is the only way, and has no name.
        if psql("postgres", "CREATE DATABASE \"\(name)\" STRATEGY file_copy") == nil {
            _ = psql("postgres", "CREATE DATABASE \"\(name)\"")
        }
    }

    /// The folders of servers whose database `template1` had a session.
    private static let visited = Locked<Set<String>>([])
}
#endif
