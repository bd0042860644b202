#if PostgreSQL
import CoreData
import Foundation

/// Publishes the progress of a migration to the processes that wait for it, as the application name of a connection
/// of its own. All users of the database can read the name, and the server removes it with the process.
final class PostgreSQLProgressPublisher: @unchecked Sendable {  // the connection is used on the queue
    private static let prefix = "OpenCoreData migration "
    private static let interval = DispatchTimeInterval.milliseconds(200)

    private let queue = DispatchQueue(label: "CoreDataPostgreSQL.PostgreSQLProgressPublisher", qos: .utility)
    private let progress: Progress
    private let connection: PostgreSQLConnection
    private let timer: any DispatchSourceTimer
    private var last = ""

    /// - Returns: nil where the server has no connection for it: then waiting processes show no progress.
    init?(_ address: PostgreSQLAddress, _ progress: Progress?) {
        guard let progress, let connection = try? PostgreSQLConnection(address) else { return nil }
        self.progress = progress
        self.connection = connection
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now(), repeating: Self.interval)
        timer.setEventHandler { [weak self] in self?.tell() }
        timer.activate()
    }

    /// No waiting process reads anything after this.
    func end() {
        timer.cancel()
        queue.sync { say("RESET application_name") }
    }

    private func tell() {
        let text = Self.prefix + MigrationPosition(of: progress).text
        guard text != last else { return }
        last = text
        say("SET application_name = \(PostgreSQLDialect().literal(.string(text)))")
    }

    /// The migration does not wait for a server that does not answer.
    private func say(_ statement: String) {
        guard connection.isAlive else { return }
        try? PostgreSQLWatch.shared.watching(connection) { try connection.execute(statement) }
    }

    /// Where the migration of another process is; nil while there is none.
    static func position(on connection: PostgreSQLConnection) throws -> MigrationPosition? {
        let select = """
            SELECT application_name FROM pg_stat_activity WHERE datname = current_database() \
            AND pid <> pg_backend_pid() AND application_name LIKE $1 ORDER BY backend_start LIMIT 1
            """
        let name = try connection.texts(select, [prefix + "%"]).first
        return name.flatMap { MigrationPosition($0.dropFirst(prefix.count)) }
    }
}
#endif
