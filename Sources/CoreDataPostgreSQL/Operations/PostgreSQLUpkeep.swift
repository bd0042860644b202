#if PostgreSQL
    import CoreData
    import Foundation

    /// Removes from the database of an open store what nobody asks for any more, names sessions that hold a snapshot
    /// for too long, and writes the line of its activity where the options say so.
    ///
    /// Of all programs that have the store open one does each piece of work: the first that finds it due
    /// (`coredata.upkeep`). Rows are removed in slices, each in a transaction of its own, and no more than so many in
    /// a run: the rest follows in the next one.
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

        private static let timeBetweenLooks: TimeInterval = 60
        private static let timeBetweenPurges: TimeInterval = 3_600
        /// How many tokens, and how many transactions of history, go at once, and in a run.
        private static let (tokensAtOnce, tokensAtMost) = (10_000, 1_000_000)
        private static let (transactionsAtOnce, transactionsAtMost) = (1_000, 200_000)
        /// As many rows leave holes that are worth looking after before the server does so by itself.
        private static let rowsWorthVacuum = 10_000

        init(_ options: PostgreSQLOptions) { self.options = options }

        /// Begins to look after a store that this program may write to.
        ///
        /// - Parameter connection: one to the server of the store, which tells whether something is due now: many
        ///   programs open a store for seconds only.
        func begin(
            for store: SQLStore, _ database: PostgreSQLDatabase, _ connection: PostgreSQLConnection
        ) {
            (self.store, self.database) = (store, database)
            if (try? connection.claim(.purge, every: Self.timeBetweenPurges)) == true {
                queue.async { [weak self] in try? self?.purge() }
            }
            every(Self.timeBetweenLooks) { [weak self] in self?.look() }
        }

        /// Begins to write the line of the store's activity, where the options say how often.
        func beginToLog(_ database: PostgreSQLDatabase) {
            guard let interval = options.logInterval else { return }
            every(interval) { [weak self, weak database] in
                guard let self, let database else { return }
                let line = (try? database.activity()).map { "\($0)" } ?? "PostgreSQL: no server answers"
                self.say("CoreData: \(line)")
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
            timers.withLock { timers in
                for timer in timers { timer.cancel() }
                timers = []
            }
        }

        // MARK: Looking

        /// Does what is due. The next look does what fails.
        func look() {
            guard let database else { return }
            var isDue = false
            try? database.reading { connection in
                if try connection.claim(.look, every: Self.timeBetweenLooks) {
                    try self.name(connection.snapshots(olderThan: self.options.snapshotWarning))
                }
                isDue = try connection.claim(.purge, every: Self.timeBetweenPurges)
            }
            if isDue { try? purge() }
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

        private func purge() throws {
            guard let database else { return }
            let connection = try PostgreSQLConnection(database.address.direct)
            var crowded: [String] = []
            if try purgeTokens(on: connection) >= Self.rowsWorthVacuum { crowded.append("coredata.saves") }
            try PostgreSQLBookkeeping.purgeLeases(on: connection)
            if try purgeHistory(on: connection) >= Self.rowsWorthVacuum {
                crowded += ["coredata.changes", "coredata.transactions"]
            }
            if !crowded.isEmpty { try connection.vacuum(crowded) }
        }

        /// How many were removed.
        private func purgeTokens(on connection: PostgreSQLConnection) throws -> Int {
            var count = 0
            while database != nil, count < Self.tokensAtMost {
                let removed = try PostgreSQLBookkeeping.purgeTokens(on: connection, atMost: Self.tokensAtOnce)
                count += removed
                if removed < Self.tokensAtOnce { break }
            }
            return count
        }

        /// How many changes were removed.
        private func purgeHistory(on connection: PostgreSQLConnection) throws -> Int {
            guard let lifetime = options.historyLifetime else { return 0 }
            let end = Date(timeIntervalSinceNow: -lifetime)
            var (count, transactions) = (0, 0)
            while let store, store.historyTables != nil, transactions < Self.transactionsAtMost {
                let old = try PostgreSQLBookkeeping.oldHistory(
                    before: end, atMost: Self.transactionsAtOnce, on: connection)
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
