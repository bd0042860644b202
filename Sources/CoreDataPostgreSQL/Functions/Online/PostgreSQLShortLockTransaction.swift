#if PostgreSQL
import CoreData
import Foundation

/// Changes tables in short lock transactions, so that other sessions are hardly delayed. Each attempt waits for a
/// lock for 50 ms only, and is repeated. Other sessions queue behind it no longer than that while it waits for a
/// reader.
struct PostgreSQLShortLockTransaction {
    let connection: PostgreSQLConnection
    /// The seconds for which attempts are repeated.
    var timeout: TimeInterval
    var progress: Progress?
    /// Whether a transaction is open in which no other program has the store open: then all work is part of it.
    var isWithin = false

    /// The milliseconds for which an attempt waits for a lock.
    private static let patience = 50

    /// Runs a body in a transaction of its own, and repeats it if another session held a lock.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        if isWithin { return try body() }
        var attempts = Attempts(RetryPolicy(pauses: 0.05...0.15, timeout: timeout))
        while true {
            try MigrationCancellation.check(progress)
            do {
                try connection.execute(
                    "\(PostgreSQLConnection.beginning); SET LOCAL lock_timeout = '\(Self.patience)ms'; "
                        + "SET LOCAL statement_timeout = 0; \(PostgreSQLConnection.endingWithProgram)")
                let result = try body()
                try connection.execute("COMMIT")
                return result
            } catch let error as PostgreSQLError where error.isPassing {
                connection.rollback()
                connection.endSleepers()
                guard attempts.goOn() else { throw error }
            } catch {
                connection.rollback()
                throw error
            }
        }
    }

    func run(_ statements: [String]) throws {
        if !statements.isEmpty { try transaction { try connection.execute(statements) } }
    }

    /// Runs a statement outside a transaction, with the whole timeout for each of its locks: statements that take
    /// this way wait for other sessions without making these wait.
    func alone(_ statement: String) throws {
        let limit = Int32(clamping: Int(max(1, timeout.boundedTime * 1_000)))
        try connection.execute("SET lock_timeout = \(limit); SET statement_timeout = 0")
        defer { try? connection.execute("RESET lock_timeout; RESET statement_timeout") }
        let progress = progress
        do {
            try connection.interruptible(every: 0, by: { progress?.isCancelled ?? false }) {
                try connection.execute(statement)
            }
        } catch let error as PostgreSQLError where error.state == PostgreSQLError.locked {
            throw heldUp(error)
        }
    }

    /// Why a statement about an index was not done in time: it waits for all who may see rows as they were before.
    private func heldUp(_ error: PostgreSQLError) -> NSError {
        let sessions = (try? connection.snapshots(olderThan: timeout)) ?? []
        let who = sessions.isEmpty ? "those of other programs" : sessions.map(\.description).joined(separator: ", ")
        return .timeout(
            of: LockTimeout(
                "An index of the store at \(connection.address) cannot be made or removed before these older "
                    + "transactions end: \(who).",
                remedy: "Try again when they have ended"),
            userInfo: [
                NSPostgreSQLFailureKey: PostgreSQLFailure.locked.rawValue, NSPostgreSQLStateKey: error.state,
            ])
    }
}

extension PostgreSQLConnection {
    /// The lock of a process that migrates a store online, or removes an older version.
    static let onlineLock: Int64 = 0x4F70_656E_4F6E_6C69

    /// Takes the lock of online migrations if no other process holds it.
    func tryOnlineLock() throws -> Bool {
        try texts("SELECT pg_try_advisory_lock(\(Self.onlineLock))").first == "t"
    }

    func giveBackOnlineLock() { _ = try? texts("SELECT pg_advisory_unlock(\(Self.onlineLock))") }
}
#endif
