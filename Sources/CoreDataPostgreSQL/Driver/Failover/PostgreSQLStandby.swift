// About standbys.
//
// - A standby is a second database of the same store, with connections of its own. It is read once it has reached the
//   position that the primary had after the last commit, and its tables have the primary's newest line. Positions of
//   different time-lines cannot be compared. If the standby is not there in time, the primary is read.
// - Contexts treat standbys like past states: a context that reads from them has a `QueryGeneration` whose views are
//   those of standbys. Each view has a row cache of its own, which each commit empties.

#if PostgreSQL
import CoreData
import Foundation

/// The servers that follow the one of a store, for reads that need not see the latest commits of other programs.
///
/// A read sees at least what the store's own coordinator has saved: the first read after a commit queries the
/// position of the primary server, and a standby is read once it has reached that position. A standby that does not
/// reach it in time, or that cannot be reached, is not used for a while, and the primary is read: a failure of a
/// standby is no error.
final class PostgreSQLStandby: SQLDatabase, @unchecked Sendable {  // what may change is used under `lock`
    /// The store as it is on the primary. It holds this.
    private weak var primary: PostgreSQLDatabase?
    /// The connections to a standby.
    private let database: PostgreSQLDatabase
    private let patience: Duration
    private let lock = NSLock()
    /// The position that a standby must have reached; nil where the primary has to be queried for it.
    private var mark: Mark?
    /// Whether the mark must cover commits of other programs, which may not have waited for the disk.
    private var isOfOthers = false
    /// Counts commits, so that an answer from before a commit is not kept.
    private var commits = 0
    private var listeners: [@Sendable () -> Void] = []
    /// The time until which standbys are not used.
    private var pauseEnd: ContinuousClock.Instant?
    private var pause = PostgreSQLStandby.firstPause

    /// The first and the longest time for which a standby that has failed is not used.
    private static let (firstPause, longestPause) = (Duration.seconds(1), Duration.seconds(30))

    /// A standby has not come far enough in time, or follows another server than the primary.
    fileprivate struct Behind: Error {}

    /// A place in the primary's log. On a promoted server the same position is another place.
    private struct Mark {
        var position: UInt64
        /// The newest line of time that the primary's tables have; nil where they have none.
        var line: String?
        /// The line that the program had recorded when it queried the position.
        var known: String?
    }

    init(of primary: PostgreSQLDatabase) {
        self.primary = primary
        patience = .seconds(primary.options.standbyTimeout)
        database = primary.following(at: primary.address.standby)
        database.willRead = { [weak self] in try self?.requirePosition(of: $0) }
    }

    var capabilities: SQLCapabilities { database.capabilities }
    var holdsTransaction: Bool { false }

    /// Makes the next reads show what is committed now, by this process or by other programs.
    func outdate(byOthers: Bool) {
        let listeners = lock.withLock {
            commits += 1
            isOfOthers = byOthers || isOfOthers && mark == nil
            mark = nil
            return self.listeners
        }
        for listener in listeners { listener() }
    }

    /// Adds a closure that is called when rows that were read may be out of date.
    func tell(_ listener: @escaping @Sendable () -> Void) { lock.withLock { listeners.append(listener) } }

    // MARK: Reading

    func read<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result {
        try reading(isOnce: false, body)
    }

    func readOnce<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result {
        try reading(isOnce: true, body)
    }

    /// - Parameter isOnce: whether the body runs one statement.
    private func reading<Result>(isOnce: Bool, _ body: (any SQLConnection) throws -> Result) throws -> Result {
        let primary = try openPrimary()
        func readPrimary() throws -> Result {
            primary.counters.add(to: \.readsFromPrimaryInstead)
            return isOnce ? try primary.readOnce(body) : try primary.read(body)
        }
        if isPaused { return try readPrimary() }
        var hasBegun = false
        var isAnswered = false
        func attempt(_ connection: any SQLConnection) throws -> Result {
            hasBegun = true
            let standby = connection as? PostgreSQLConnection
            let before = standby?.answers
            do {
                return try body(connection)
            } catch {
                isAnswered = standby?.answers != before
                throw error
            }
        }
        do {
            let result = isOnce ? try database.readOnce(attempt) : try database.read(attempt)
            noteSuccess()
            primary.counters.add(to: \.readsFromStandbys)
            return result
        } catch {
            let isLost = (error as? PostgreSQLError)?.isOfLostConnection == true
            if isLost { database.closeIdle() }
            if isLost || !hasBegun { leaveAlone() }
            // The body may have passed on answers that it has got. An error that is not the standby's would come
            // from the primary, too.
            if isAnswered || hasBegun && !Self.isOfStandby(error) { throw error }
            return try readPrimary()
        }
    }

    /// Whether a statement has failed because of changes that the standby replayed, or because the standby ended.
    private static func isOfStandby(_ error: any Error) -> Bool {
        guard let error = error as? PostgreSQLError else { return false }
        return error.state == PostgreSQLError.recoveryConflict || error.isOfLostConnection
    }

    private func openPrimary() throws -> PostgreSQLDatabase {
        if let primary { return primary }
        throw PostgreSQLError(message: "The store is closed.", address: database.shownAddress)
    }

    private var isPaused: Bool { lock.withLock { pauseEnd.map { ContinuousClock.now < $0 } ?? false } }

    private func leaveAlone() {
        lock.withLock {
            pauseEnd = ContinuousClock.now + pause
            pause = min(pause * 2, Self.longestPause)
        }
    }

    private func noteSuccess() {
        lock.withLock {
            pauseEnd = nil
            pause = Self.firstPause
        }
    }

    // MARK: Positions

    /// Waits until a server has reached the position that a read must see. A server that follows another one than
    /// the primary never does: positions of two primaries cannot be compared.
    private func requirePosition(of connection: PostgreSQLConnection) throws {
        if try reaches(wantedMark(), connection) { return }
        // The primary's answer may be old: another server has taken over since, or has begun a line.
        lock.withLock { mark = nil }
        guard try reaches(wantedMark(), connection) else { throw Behind() }
    }

    /// Waits for a position, and returns whether the server then has the line of the mark.
    private func reaches(_ mark: Mark, _ connection: PostgreSQLConnection) throws -> Bool {
        if connection.reached.position < mark.position {
            connection.reached.position = try connection.position()
            if connection.reached.position < mark.position {
                try openPrimary().counters.waiting(\.waitsForStandbys) {
                    try wait(for: connection, until: mark.position)
                }
            }
        }
        guard let line = mark.line, connection.reached.line != line else { return true }
        connection.reached.line = try connection.readLine()?.identifier
        return connection.reached.line == line
    }

    private func wait(for connection: PostgreSQLConnection, until wanted: UInt64) throws {
        var attempts = Attempts(
            RetryPolicy(pauses: 0.0005...0.0005, upTo: 0.02, timeout: patience / .seconds(1)))
        while connection.reached.position < wanted {
            guard attempts.goOn() else { throw Behind() }
            connection.reached.position = try connection.position()
        }
    }

    private func wantedMark() throws -> Mark {
        let primary = try openPrimary()
        let newest = primary.failoverDetector.newest?.identifier
        let (known, turn, countsOthers) = lock.withLock { (mark, commits, isOfOthers) }
        // After a fail-over the positions of the former primary do not apply.
        if let known, known.known == newest { return known }
        let (position, line): (UInt64, String?) = try primary.readOnce { connection in
            guard let connection = connection as? PostgreSQLConnection else { return (.max, nil) }
            return try connection.place(isOfOthers: countsOthers)
        }
        let wanted = Mark(position: position, line: line, known: primary.failoverDetector.newest?.identifier)
        lock.withLock { if commits == turn { mark = wanted } }
        return wanted
    }

    // MARK: The rest

    func pinned() throws -> (any SQLDatabase)? {
        let primary = try openPrimary()
        if isPaused { return try primary.pinned() }
        do {
            let connection = try PostgreSQLConnection(database.address)
            return try PostgreSQLWatch.shared.watching(connection) {
                try requirePosition(of: connection)
                return try PostgreSQLGeneration(
                    database, held: connection, for: database.options.generationLifetime)
            }
        } catch {
            leaveAlone()
            return try primary.pinned()
        }
    }

    func write<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result? { nil }
    func withoutWriting<Result>(_ body: () throws -> Result) rethrows -> Result { try body() }
    func willSave() {}
    func close() { database.close() }

    /// How many connections to standbys there are.
    var connections: Int { database.connections }
}

extension PostgreSQLConnection {
    /// The position in the server's log up to which its tables show changes: what a standby has replayed, and what
    /// a primary has written.
    fileprivate func position() throws -> UInt64 {
        try texts("SELECT \(Self.position())").first.flatMap { UInt64($0) } ?? 0
    }

    /// Returns the position with the newest line of time that the tables have. Throws an error where a server was
    /// promoted and no line has begun there: its standbys cannot be distinguished from those of another server.
    ///
    /// - Parameter isOfOthers: whether commits of other programs count that did not wait for the disk. A commit
    ///   that is in memory alone comes to standbys a fifth of a second later.
    fileprivate func place(isOfOthers: Bool) throws -> (position: UInt64, line: String?) {
        let position = Self.position(isOfOthers: isOfOthers)
        guard line != nil else {
            return (try texts("SELECT \(position)").first.flatMap { UInt64($0) } ?? 0, nil)
        }
        let select = "SELECT \(position), l.id, l.server = l.known OR pg_is_in_recovery() FROM coredata.line() l"
        let row = try rows(select).first ?? []
        guard row.count == 3, let position = row[0].flatMap({ UInt64($0) }) else { return (.max, nil) }
        if row[1] != nil, row[2] != "t" { throw PostgreSQLStandby.Behind() }
        return (position, row[1])
    }

    private static func position(isOfOthers: Bool = false) -> String {
        """
        pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() \
        WHEN \(isOfOthers) OR current_setting('synchronous_commit') = 'off' THEN pg_current_wal_insert_lsn() \
        ELSE pg_current_wal_flush_lsn() END, '0/0')
        """
    }
}
#endif
