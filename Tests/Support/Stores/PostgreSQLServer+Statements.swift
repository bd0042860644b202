#if PostgreSQL
import CPostgreSQL
import CoreData

// Statements go to the server from this process: the start of psql takes longer than most of them.
extension PostgreSQLServer {
    /// The output of psql for statements, without headings; nil when one fails.
    public func psql(_ database: String, _ statements: String) -> String? {
        let keys = ["host", "port", "user", "dbname", "fallback_application_name"]
        let values = [folder, "\(port)", "postgres", database.lowercased(), "psql"]
        let connection = PQconnectdb(zip(keys, values).map { "\($0)='\($1)'" }.joined(separator: " "))
        defer { PQfinish(connection) }
        guard PQstatus(connection) == CONNECTION_OK else { return nil }
        _ = PQsetNoticeProcessor(connection, { _, _ in }, nil)
        guard PQsendQuery(connection, statements) == 1 else { return nil }
        var (lines, isDone): ([String], Bool) = ([], true)
        while let result = PQgetResult(connection) {
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_TUPLES_OK:
                lines += Self.rows(of: result)
                // Rows of a change are followed by what it was.
                if !Self.status(of: result).hasPrefix("SELECT") { lines.append(Self.status(of: result)) }
            case PGRES_COMMAND_OK: lines.append(Self.status(of: result))
            case PGRES_EMPTY_QUERY: break
            // A copy has data that have to be read before the next result comes.
            case PGRES_COPY_IN, PGRES_COPY_OUT: return nil
            default: isDone = false
            }
        }
        return isDone ? lines.joined(separator: "\n").trimmingCharacters(in: .whitespacesAndNewlines) : nil
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
