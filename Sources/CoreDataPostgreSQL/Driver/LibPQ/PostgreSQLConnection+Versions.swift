#if PostgreSQL
import CoreData
import Foundation

// The locks of versions: each process holds a shared lock of the version as which it has the store open, and a
// migration from a version takes it alone.
extension PostgreSQLConnection {
    /// The number of the lock of the version that some metadata name.
    static func versionLock(of metadata: [String: Any]) -> Int64 {
        let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        let bytes = hashes.sorted { $0.key < $1.key }.flatMap { Array($0.key.utf8) + [0] + $0.value }
        return Int64(bitPattern: bytes.stableHash)
    }

    /// The lock of a process that fills a store that is not whole yet.
    static let fillingLock: Int64 = 0x4F70_656E_4D6F_7665

    /// Takes the shared lock of a version, which all programs that have the store open hold for as long as their
    /// connection exists. Waits for a migration from this version.
    func share(version lock: Int64, timeout: TimeInterval) throws {
        try wait(for: lock, "pg_try_advisory_lock_shared", timeout, nil)
    }

    /// Takes the exclusive lock of a version, for a migration from it. Waits for programs that have the store open
    /// as this version, and for another migration, whose progress it shows.
    func takeAlone(version lock: Int64, timeout: TimeInterval, _ progress: Progress?) throws {
        try wait(for: lock, "pg_try_advisory_lock", timeout, progress)
    }

    /// Ends the connections of programs that have the store open as a version, as far as the role has the right to,
    /// so that none of them reads the store that replaces it. Waits at most a number of seconds until they have
    /// ended.
    func endUsers(ofVersion lock: Int64, within seconds: TimeInterval) throws {
        var attempts = Attempts(.polling(every: 0.02, timeout: seconds))
        while try texts("SELECT pg_try_advisory_lock($1)", ["\(lock)"]).first != "t" {
            if attempts.isOver { return }
            for user in try holders(of: lock) { _ = try? texts("SELECT pg_terminate_backend($1)", [user.process]) }
            attempts.pause()
        }
    }

    /// Whether another connection leads to the same database, whatever its address is. In that case the server does
    /// not grant it a lock that this connection holds.
    func leadsWhere(_ other: PostgreSQLConnection) throws -> Bool {
        let lock = ["\(Int64.random(in: .min ... .max))"]
        _ = try other.texts("SELECT pg_advisory_lock($1)", lock)
        let isGiven = try texts("SELECT pg_try_advisory_lock($1)", lock).first == "t"
        for holder in isGiven ? [self, other] : [other] {
            _ = try holder.texts("SELECT pg_advisory_unlock($1)", lock)
        }
        return !isGiven
    }

    /// Gives back one lock of a version that was shared.
    func giveBack(version lock: Int64) throws { _ = try texts("SELECT pg_advisory_unlock_shared($1)", ["\(lock)"]) }

    /// Requests the lock again and again: a wait in the server could not be cancelled by a progress.
    private func wait(
        for lock: Int64, _ function: String, _ timeout: TimeInterval, _ progress: Progress?
    ) throws {
        var attempts = Attempts(.polling(every: 0.02, timeout: timeout))
        var questions = 0
        while try texts("SELECT \(function)($1)", ["\(lock)"]).first != "t" {
            try MigrationCancellation.check(progress)
            if attempts.isOver { throw try timedOut(lock) }
            if progress != nil, questions % 10 == 0 {
                try PostgreSQLProgressPublisher.position(on: self)?.show(in: progress)
            }
            questions += 1
            attempts.pause()
        }
    }

    /// The reason for which a lock was not granted in time: another program migrates the store, or has it open.
    private func timedOut(_ lock: Int64) throws -> NSError {
        let holders = try holders(of: lock)
        let isMigrated = holders.contains(where: \.isAlone)
        let names = holders.filter { $0.isAlone == isMigrated }.map(\.name)
        let who = names.isEmpty ? "another session" : names.joined(separator: ", ")
        let timeout =
            isMigrated
            ? LockTimeout(
                "The store at \(address) is being brought to another version by \(who).",
                remedy: "Try again when that is done")
            : LockTimeout(
                "The store at \(address) is used, as this version of its model, by \(who).",
                remedy: "Try again when it is closed there")
        return .timeout(
            of: timeout,
            userInfo: isMigrated ? [NSPostgreSQLFailureKey: PostgreSQLFailure.migratedByAnother.rawValue] : [:])
    }

    private func used(by names: [String]) -> NSError {
        .timeout(
            of: LockTimeout(
                "The store at \(address) is used by \(names.isEmpty ? "another session" : names.joined(separator: ", ")).",
                remedy: "Try again when it is closed there"))
    }

    /// The holders of a lock, exclusive or shared: the names of the programs, with their processes in the server.
    private func holders(of lock: Int64) throws -> [(name: String, process: String, isAlone: Bool)] {
        let select = """
            SELECT \(Self.namesOfBackends), l.mode FROM pg_locks l JOIN pg_stat_activity a USING (pid) \
            WHERE l.locktype = 'advisory' AND l.granted AND a.pid <> pg_backend_pid() \
            AND a.datname = current_database() \
            AND ((l.classid::bigint << 32) | l.objid::bigint) = $1 ORDER BY a.pid
            """
        return try rows(select, ["\(lock)"]).map { (Self.name($0), $0[1] ?? "", $0[4] == "ExclusiveLock") }
    }

    private static let namesOfBackends =
        "DISTINCT a.application_name, a.pid, a.usename, coalesce(host(a.client_addr), 'this machine')"

    private static func name(_ row: [String?]) -> String {
        "“\(row[0] ?? "")” (\(row[2] ?? "") from \(row[3] ?? ""), server process \(row[1] ?? ""))"
    }

    // MARK: Tables

    /// What a table lock that lasts until the transaction ends still permits to other sessions.
    enum TableLock: String {
        /// Other sessions can read.
        case againstWriters = "SHARE ROW EXCLUSIVE"
        /// Other sessions wait.
        case againstAll = "ACCESS EXCLUSIVE"
    }

    /// Locks tables within the transaction. It requests the lock for 50 ms at a time, so that other sessions do not
    /// queue behind it while it waits for a reader.
    func lock(_ tables: [String], _ lock: TableLock, timeout: TimeInterval, _ progress: Progress?) throws {
        if tables.isEmpty { return }
        var attempts = Attempts(RetryPolicy(pauses: 0.05...0.1, timeout: timeout))
        while true {
            do {
                try execute(
                    "SAVEPOINT tables; SET LOCAL lock_timeout = '50ms'; "
                        + "\(Self.locking(tables, lock)); "
                        + "SET LOCAL lock_timeout TO DEFAULT; RELEASE SAVEPOINT tables")
                return
            } catch let error as PostgreSQLError where error.isPassing {
                try execute("ROLLBACK TO SAVEPOINT tables; RELEASE SAVEPOINT tables")
                try MigrationCancellation.check(progress)
                guard attempts.goOn() else { throw try used(by: users(of: tables)) }
            }
        }
    }

    /// The statement that locks tables.
    static func locking(_ tables: [String], _ lock: TableLock) -> String {
        "LOCK TABLE \(tables.map { PostgreSQLDialect().quoted($0) }.joined(separator: ", ")) IN \(lock.rawValue) MODE"
    }

    /// Who has locks on tables.
    private func users(of tables: [String]) throws -> [String] {
        let list =
            "{"
            + tables.map { "\"\(PostgreSQLDialect().quoted($0).replacingOccurrences(of: "\"", with: "\\\""))\"" }
            .joined(separator: ",") + "}"
        let select = """
            SELECT \(Self.namesOfBackends) FROM pg_locks l JOIN pg_stat_activity a USING (pid) \
            WHERE l.locktype = 'relation' AND l.granted AND a.pid <> pg_backend_pid() \
            AND l.relation IN (SELECT name::regclass FROM unnest($1::text[]) AS name) ORDER BY a.pid
            """
        return try rows(select, [list]).map(Self.name)
    }
}
#endif
