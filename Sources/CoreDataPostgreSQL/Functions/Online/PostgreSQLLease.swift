#if PostgreSQL
import CoreData
import Foundation

/// Renews a row of `coredata.leases`, which records that a program that has a store open is running. An advisory
/// lock would be lost in a fail-over, and would stay while a program is suspended.
final class PostgreSQLLease: @unchecked Sendable {  // what may change is used on the queue
    let admitted: PostgreSQLAdmitted
    private let number: Int32
    private let options: PostgreSQLOnlineOptions
    private let queue = DispatchQueue(label: "CoreDataPostgreSQL.PostgreSQLLease", qos: .utility)
    /// Removes versions one after the other, while the lease is renewed.
    private let removals = DispatchQueue(label: "CoreDataPostgreSQL.PostgreSQLLease.removals", qos: .utility)
    private let isRemoving = Locked(false)
    private let isEnded = Locked(false)
    private var timer: (any DispatchSourceTimer)?

    /// - Parameter generation: the one of the version that the program has.
    init(_ version: Int64, generation: Int64, _ options: PostgreSQLOnlineOptions) {
        number = .random(in: 1 ... .max)
        admitted = PostgreSQLAdmitted(version: version, generation: generation, lease: number)
        self.options = options
    }

    deinit { timer?.cancel() }

    /// Writes or renews the row. Its time is that of the server's clock. Throws an error if the version has ended.
    func renew(on connection: PostgreSQLConnection) throws {
        let statement = """
            INSERT INTO coredata.leases (id, version, until, process) \
            SELECT $1::integer, $2::bigint, clock_timestamp() + $3::float8 * interval '1 second', $4 \
            WHERE NOT EXISTS (SELECT FROM coredata.model_versions WHERE lock = $2::bigint \
            AND (state IN ('ended', 'removed') OR generation <> $5::bigint)) \
            ON CONFLICT (id) DO UPDATE SET until = excluded.until RETURNING id
            """
        let process = ProcessInfo.processInfo
        let values = [
            "\(number)", "\(admitted.version)", "\(options.lease)",
            "\(process.processName) \(process.processIdentifier) on \(process.hostName)",
            "\(admitted.generation)",
        ]
        if try connection.rows(statement, values).isEmpty { throw connection.endedVersion() }
    }

    /// Begins to renew the row at intervals.
    ///
    /// - Parameters:
    ///   - use: passes a connection to a body, at once. The store's own connection may be in use for long.
    ///   - connect: makes a connection to the server itself, for work that takes longer.
    func begin(
        _ use: @escaping @Sendable ((PostgreSQLConnection) throws -> Void) throws -> Void,
        connect: @escaping @Sendable () throws -> PostgreSQLConnection
    ) {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + options.lease / 3, repeating: options.lease / 3)
        timer.setEventHandler { [weak self] in self?.renewAndLook(use, connect) }
        self.timer = timer
        timer.activate()
    }

    private func renewAndLook(
        _ use: ((PostgreSQLConnection) throws -> Void) throws -> Void,
        _ connect: @escaping @Sendable () throws -> PostgreSQLConnection
    ) {
        do {
            var isDue = false
            try use { connection in
                try renewBriefly(on: connection)
                isDue = try isAnyVersionDue(on: connection)
            }
            // This is not part of the body, because it takes long, and other threads wait for the connection.
            if isDue { remove(connect) }
        } catch let error as PostgreSQLError where error.isPassing {
            timer?.schedule(deadline: .now() + options.lease / 12, repeating: options.lease / 3)
        } catch {
            // The next renewal repeats what has failed.
        }
    }

    /// Renews the row unless another session has the table locked, as a process that ends a version has: other
    /// threads need the connection. The server ends the transaction of a program that is stopped in the middle, so
    /// that such a program does not keep a version from ending.
    private func renewBriefly(on connection: PostgreSQLConnection) throws {
        do {
            try connection.execute(
                "\(PostgreSQLConnection.beginning); \(PostgreSQLConnection.endingWithProgram)")
            try connection.waitBriefly()
            try renew(on: connection)
            // If the store was closed during the renewal, the row shows it, or will show it after this transaction.
            if isEnded.withLock({ $0 }) { throw CancellationError() }
            try connection.execute("COMMIT")
        } catch {
            connection.rollback()
            throw error
        }
    }

    /// Removes versions that no program uses any more, on a queue of its own, so that the lease is renewed at the
    /// same time.
    private func remove(_ connect: @escaping @Sendable () throws -> PostgreSQLConnection) {
        let isOn = isRemoving.withLock { isRemoving in
            defer { isRemoving = true }
            return isRemoving
        }
        if isOn { return }
        removals.async { [isRemoving, delay = options.delay] in
            _ = try? PostgreSQLContraction(connect(), nil).end(after: delay)
            isRemoving.withLock { $0 = false }
        }
    }

    /// Whether another version is served, or was left half removed, and this program has the newest one.
    private func isAnyVersionDue(on connection: PostgreSQLConnection) throws -> Bool {
        let versions = try connection.rows(
            "SELECT lock, state FROM coredata.model_versions WHERE state IN ('served', 'ended') ORDER BY number")
        let newest = versions.last { $0[1] == PostgreSQLVersion.State.served.rawValue }
        return versions.count > 1 && newest?[0] == "\(admitted.version)"
    }

    /// Lets the lease expire at once: the program has closed the store.
    func end(on connection: PostgreSQLConnection?) {
        isEnded.withLock { $0 = true }
        timer?.cancel()
        try? connection?.execute("UPDATE coredata.leases SET until = now() WHERE id = \(number)")
    }
}
#endif
