#if PostgreSQL
import CoreData
import Foundation

/// Removes rows of an open store's database that no program needs any more, reports sessions that hold a snapshot
/// for too long, and writes the line of the store's activity if the options ask for it.
///
/// One of the programs that have the store open does each piece of work: the first that claims it in
/// `coredata.upkeep`. Rows are removed in slices, each in a transaction of its own, up to a maximum number in a
/// run. The next run removes the rest.
final class PostgreSQLUpkeep: @unchecked Sendable {  // what may change is used on the queue
    private weak var database: PostgreSQLDatabase?
    private weak var store: SQLStore?
    private let options: PostgreSQLOptions
    private let queue = DispatchQueue(label: "PostgreSQLUpkeep", qos: .utility)
    private let timers = Locked<[any DispatchSourceTimer]>([])
    /// Writes a line for those who operate the program.
    let write = Locked<@Sendable (String) -> Void> { FileHandle.standardError.write(Data("\($0)\n".utf8)) }
    /// The sessions that were named already.
    private var named: Set<String> = []

    /// Whether the store was closed.
    private let isEnded = Locked(false)
    /// Whether the role lacks the right to record its work in `coredata.upkeep`.
    private var isBarred = false

    private static let timeBetweenLooks: TimeInterval = 60
    private static let timeBetweenPurges: TimeInterval = 3_600
    /// How many tokens, and how many transactions of history, go at once, and in a run.
    private static let (tokensAtOnce, tokensAtMost) = (10_000, 1_000_000)
    private static let (transactionsAtOnce, transactionsAtMost) = (1_000, 200_000)
    /// After so many removed rows a vacuum is worthwhile before the server runs one itself.
    private static let rowsWorthVacuum = 10_000

    init(_ options: PostgreSQLOptions) { self.options = options }

    /// Begins the upkeep of a store that this program may write to.
    ///
    /// - Parameter due: what is due now.
    func begin(for store: SQLStore, _ database: PostgreSQLDatabase, due: [PostgreSQLConnection.Upkeep]) {
        (self.store, self.database) = (store, database)
        if !due.isEmpty { queue.async { [weak self] in self?.purge(due) } }
        every(Self.timeBetweenLooks) { [weak self] in self?.poll() }
    }

    /// Claims the work that is due when a store is opened: many programs have a store open for seconds only. Throws
    /// an error if the role may not write what every save writes.
    static func due(
        on connection: PostgreSQLConnection, _ options: PostgreSQLOptions
    ) throws -> [PostgreSQLConnection.Upkeep] {
        do {
            return try works(options).filter { try connection.claim($0, every: timeBetweenPurges) }
        } catch let error as PostgreSQLError where error.state == PostgreSQLError.insufficientPrivilege {
            // A role that may not record its work removes tokens whenever it opens the store.
            _ = try PostgreSQLBookkeeping.purgeTokens(on: connection, atMost: tokensAtOnce)
            return []
        }
    }

    /// The kinds of rows that this program removes.
    private static func works(_ options: PostgreSQLOptions) -> [PostgreSQLConnection.Upkeep] {
        options.historyLifetime == nil ? [.tokens] : [.tokens, .history]
    }

    /// Begins to write the line of the store's activity, at the interval of the option.
    func beginToLog(_ database: PostgreSQLDatabase) {
        guard let interval = options.logInterval else { return }
        every(interval) { [weak self, weak database] in
            guard let self, let database else { return }
            let activity = try? database.activity()
            self.say("CoreData: \(activity ?? database.counts())\(activity == nil ? ", no server answers" : "")")
        }
    }

    private func every(_ interval: TimeInterval, _ work: @escaping @Sendable () -> Void) {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + interval, repeating: interval, leeway: .milliseconds(100))
        timer.setEventHandler(handler: work)
        timer.activate()
        timers.withLock { $0.append(timer) }
    }

    private func say(_ line: String) { write.withLock { $0 }(line) }

    func end() {
        isEnded.withLock { $0 = true }
        timers.withLock { timers in
            for timer in timers { timer.cancel() }
            timers = []
        }
    }

    // MARK: Inspecting

    /// Does the work that is due. Work that fails is done by the next call.
    func poll() {
        guard let database, !isBarred else { return }
        var due: [PostgreSQLConnection.Upkeep] = []
        do {
            try database.reading { connection in
                if try connection.claim(.inspect, every: Self.timeBetweenLooks) {
                    try connection.finish(.inspect)
                    try self.name(connection.snapshots(olderThan: self.options.snapshotWarning))
                }
                due = try Self.works(self.options).filter {
                    try connection.claim($0, every: Self.timeBetweenPurges)
                }
            }
        } catch let error as PostgreSQLError {
            isBarred = error.state == PostgreSQLError.insufficientPrivilege
        } catch {
            // The next call may succeed.
        }
        purge(due)
    }

    /// Names each session once.
    private func name(_ sessions: [PostgreSQLActivity.Session]) {
        func key(_ session: PostgreSQLActivity.Session) -> String {
            "\(session.processIdentifier ?? 0) \(session.name)"
        }
        for session in sessions where !named.contains(key(session)) {
            say(
                "CoreData: warning: a snapshot is held for long; the server removes no row that was deleted since: "
                    + "\(session)")
        }
        named = Set(sessions.map(key))
    }

    // MARK: Removing

    /// Work that is not finished here falls to another program some minutes later.
    private func purge(_ works: [PostgreSQLConnection.Upkeep]) {
        guard let address = database?.address.direct, !works.isEmpty,
            let connection = try? PostgreSQLConnection(address)
        else { return }
        var crowded: [String] = []
        for work in works {
            guard let count = try? purge(work, on: connection) else { continue }
            if !isEnded.withLock({ $0 }) { try? connection.finish(work) }
            if count >= Self.rowsWorthVacuum { crowded += work.tables }
        }
        if !crowded.isEmpty { try? connection.vacuum(crowded) }
    }

    /// How many rows were removed.
    private func purge(_ work: PostgreSQLConnection.Upkeep, on connection: PostgreSQLConnection) throws -> Int {
        switch work {
        case .inspect: return 0
        case .tokens:
            try PostgreSQLBookkeeping.purgeLeases(on: connection)
            return try purgeTokens(on: connection)
        case .history: return try purgeHistory(on: connection)
        }
    }

    /// How many were removed.
    private func purgeTokens(on connection: PostgreSQLConnection) throws -> Int {
        var count = 0
        while !isEnded.withLock({ $0 }), count < Self.tokensAtMost {
            let removed = try PostgreSQLBookkeeping.purgeTokens(on: connection, atMost: Self.tokensAtOnce)
            count += removed
            if removed < Self.tokensAtOnce { break }
        }
        return count
    }

    /// How many changes were removed.
    private func purgeHistory(on connection: PostgreSQLConnection) throws -> Int {
        guard let lifetime = options.historyLifetime else { return 0 }
        var (count, transactions) = (0, 0)
        while let store, store.historyTables != nil, transactions < Self.transactionsAtMost {
            let old = try PostgreSQLBookkeeping.oldHistory(
                olderThan: lifetime, atMost: Self.transactionsAtOnce, on: connection)
            guard let bound = old.bound else { break }
            let isLast = old.count < Self.transactionsAtOnce
            count += try store.deleteHistory(.beforeNumber(bound), withNames: isLast)
            transactions += old.count
            if isLast { break }
        }
        return count
    }
}
#endif
