// About fail-over.
//
// - A server that takes over from one that was lost may lack commits. Each new connection is checked before it is used:
//   which server and line it leads to, whether the server has the tokens of this process's last transactions, and
//   whether it has the history that the process has read.
// - On a server that is new to the database the first process begins a line (`PostgreSQLLines`). Numbers of history and
//   keys continue far above those that may have been lost, so none is given twice. Tokens between the lines are
//   refused.
// - The SQL layer depends only on `ContinuationFollower`. It empties the row cache. From then on a save compares whole
//   rows if they were read before (`SaveSession.checkDoubtful`).
// - `PostgreSQLHosts` connects to several servers of an address at the same time. `PostgreSQLWatch` ends connections
//   whose server does not answer (the article `FailOver`).

#if PostgreSQL
import CoreData
import Foundation

/// Detects a fail-over and the commits that the new server lacks, by what the process has recorded of the database:
/// the tokens of its last transactions, and the history that it has read last.
///
/// `check(_:)` is called for each new connection before it is used.
// @unchecked Sendable: all mutable state is used under the lock.
final class PostgreSQLFailoverDetector: @unchecked Sendable {
    private static let (keptSaves, keptKeys, keptNumbers) = (100_000, 50_000, 20_000)
    /// The number of tokens in one query: a server that has the newest of them has the older ones, too.
    private static let askedSaves = 1_024
    /// The database keeps tokens for a day; those that are nearly as old are not queried.
    private static let lifetime = Duration.seconds(12 * 3_600)

    let counters = PostgreSQLCounters()
    /// The version under which transactions write, where the store has begun to serve several after it was opened.
    let lateAdmission = Locked<PostgreSQLAdmitted?>(nil)
    private let lock = NSLock()
    private let isReadOnly: Bool
    private var line: PostgreSQLLine?
    private var saves: [Save] = []
    /// Whether there were more than are kept.
    private var hasForgotten = false
    private var keys = 0
    /// How many of the first saves have no keys any more.
    private var withoutKeys = 0
    private var numbers: [Int64] = []
    /// Numbers of history that this process has itself recorded as lost.
    private var lost: [Range<Int64>] = []
    private weak var follower: (any ContinuationFollower)?
    private var isSynchronous: Bool?
    private let delivery = DispatchQueue(label: "PostgreSQLFailoverDetector", qos: .utility)

    private struct Save {
        let token: UUID
        /// The server's number of the transaction; nil where its answer was lost.
        let transaction: Int64?
        let number: Int64?
        let date = Date()
        let time = ContinuousClock.now
        var origin: ChangeOrigin?
        var keys: Keys?
    }

    /// What a server that has taken over lacks.
    private struct Loss {
        var saves: [Save]
        /// The number of the last transaction of history that it has; nil where no history is lost.
        var lastShared: Int64?
        /// Whether further saves may be lost, which the process has recorded no longer.
        var isCut: Bool
    }

    /// The keys that a save has changed. They are removed from most saves after a while, to save memory.
    private final class Keys: Sendable {
        let inserted: [ObjectKey]
        let updated: [ObjectKey]
        let deleted: [ObjectKey]

        init(_ inserted: [ObjectKey], _ updated: [ObjectKey], _ deleted: [ObjectKey]) {
            (self.inserted, self.updated, self.deleted) = (inserted, updated, deleted)
        }

        var count: Int { inserted.count + updated.count + deleted.count }
    }

    init(isReadOnly: Bool) { self.isReadOnly = isReadOnly }

    func follow(_ follower: any ContinuationFollower) { lock.withLock { self.follower = follower } }

    // MARK: Remembering

    /// A transaction with a token was committed.
    func didCommit(_ token: UUID, transaction: Int64?, number: Int64?) {
        lock.withLock {
            saves.append(Save(token: token, transaction: transaction, number: number))
            // Many are removed at once, because each removal moves all remaining ones.
            guard saves.count > Self.keptSaves + Self.askedSaves else { return }
            let gone = saves.prefix(Self.askedSaves)
            hasForgotten = true
            keys -= gone.reduce(0) { $0 + ($1.keys?.count ?? 0) }
            withoutKeys = max(0, withoutKeys - gone.count)
            saves.removeFirst(gone.count)
        }
    }

    /// The newest of them was a save of these changes.
    func didSave(_ changes: ChangeSet) {
        func keys(_ rows: [Snapshot]) -> [ObjectKey] {
            var named = changes
            (named.updated, named.unchanged) = ([], rows)
            return named.expected.map(\.key)
        }
        let count = changes.inserted.count + changes.updated.count + changes.deleted.count
        lock.withLock {
            guard let last = saves.indices.last else { return }
            saves[last].origin = changes.origin
            if count > Self.keptKeys { return }
            saves[last].keys = Keys(
                keys(changes.inserted), keys(changes.updated.map(\.new)), changes.deleted.map(\.key))
            self.keys += count
            while self.keys > Self.keptKeys, withoutKeys < last {
                self.keys -= saves[withoutKeys].keys?.count ?? 0
                saves[withoutKeys].keys = nil
                withoutKeys += 1
            }
        }
    }

    /// Transactions of history were read.
    func didRead(_ transactions: [Int64]) {
        lock.withLock {
            numbers += transactions.suffix(Self.keptNumbers)
            if numbers.count > 2 * Self.keptNumbers { numbers.removeFirst(numbers.count - Self.keptNumbers) }
        }
    }

    // MARK: Another server

    /// Where the newest connection leads.
    var newest: PostgreSQLLine? { lock.withLock { line } }

    /// Whether a connection leads where the newest one does.
    func isCurrent(_ connection: PostgreSQLConnection) -> Bool {
        lock.withLock { line.map { line in connection.line.map { !$0.isOther(than: line) } ?? true } ?? true }
    }

    /// Throws an error if another server has already taken over from the server of a connection.
    private func requireNewest(_ seen: PostgreSQLLine, _ connection: PostgreSQLConnection) throws {
        guard let line = lock.withLock({ line }), seen.cluster == line.cluster, seen.timeline < line.timeline else {
            return
        }
        connection.distrust()
        var error = PostgreSQLError(
            state: "57P03", message: "This server is no longer the primary; another one has taken its place.",
            address: connection.address.description)
        error.patience = connection.patience
        throw error
    }

    func requireNewest(_ connection: PostgreSQLConnection) throws {
        if let seen = try connection.readLine() { try requireNewest(seen, connection) }
    }

    /// Checks which server and line a new connection leads to, before any other statement runs on it. If another
    /// server has taken over, the method finds the lost commits and reports them.
    func check(_ connection: PostgreSQLConnection) throws {
        guard var seen = try connection.readLine() else { return }
        try requireNewest(seen, connection)
        var tokens = try lostTokens(on: connection)
        let removed = try removedTokens(among: tokens, seen, on: connection)
        tokens.subtract(removed)
        if !isReadOnly, !seen.isBegun || !tokens.isEmpty {
            let isOther = lock.withLock { line.map { seen.isOther(than: $0) } ?? true }
            // A server may have lost commits without a new line, too: one that did not write to its disk.
            if !seen.isBegun || !isOther {
                try connection.beginLine(behind: seen.number)
                seen = try connection.readLine() ?? seen
            }
        }
        connection.line = seen
        connection.historyOffset = seen.shift
        let former = lock.withLock { line }
        guard former.map({ seen.isOther(than: $0) }) ?? true else { return try updateReplication(connection) }
        let read = former == nil ? [] : try lostNumbers(on: connection)
        tokens = try lostTokens(on: connection).subtracting(removed)
        let loss = lock.withLock { () -> Loss? in
            // Another thread may have come first.
            guard line.map({ seen.isOther(than: $0) }) ?? true else { return nil }
            line = seen
            let gone = saves.filter { tokens.contains($0.token) }
            let isCut = hasForgotten && (saves.first.map { tokens.contains($0.token) } ?? false)
            saves.removeAll { tokens.contains($0.token) }
            keys = saves.reduce(0) { $0 + ($1.keys?.count ?? 0) }
            withoutKeys = 0
            let least = (gone.compactMap(\.number) + read).min()
            if let least, least < seen.begins { lost.append(least..<seen.begins) }
            numbers.removeAll { number in least.map { number >= $0 } ?? false }
            return Loss(saves: gone, lastShared: least.map { $0 - 1 }, isCut: isCut)
        }
        if former != nil {
            counters.add(to: \.failOvers)
            lock.withLock { follower }?.databaseWasContinued()
        }
        if let loss, !loss.saves.isEmpty || loss.lastShared != nil { post(loss) }
        try updateReplication(connection)
    }

    /// The tokens of this process that the server does not have. The newest are queried first: if the server has
    /// those, it has the older ones, too.
    private func lostTokens(on connection: PostgreSQLConnection) throws -> Set<UUID> {
        let now = ContinuousClock.now
        var tokens = lock.withLock { saves }[...]
        if let first = tokens.firstIndex(where: { now - $0.time < Self.lifetime }) {
            tokens = tokens[first...]
        } else {
            return []
        }
        var lost: Set<UUID> = []
        while !tokens.isEmpty {
            let list = "{" + tokens.suffix(Self.askedSaves).map(\.token.uuidString).joined(separator: ",") + "}"
            tokens = tokens.dropLast(Self.askedSaves)
            let gone = try connection.texts(
                "SELECT t FROM unnest($1::text::uuid[]) t "
                    + "WHERE NOT EXISTS (SELECT 1 FROM coredata.saves s WHERE s.token = t)", [list])
            if gone.isEmpty { break }
            lost.formUnion(gone.compactMap { UUID(uuidString: $0) })
        }
        return lost
    }

    /// The tokens that were deleted by hand on a server that is still in use.
    ///
    /// Tokens that the server lost by itself are newer than those that it kept. If it kept none, it gives the
    /// numbers of the lost ones again.
    private func removedTokens(
        among tokens: Set<UUID>, _ seen: PostgreSQLLine, on connection: PostgreSQLConnection
    ) throws -> Set<UUID> {
        guard !tokens.isEmpty, seen.isBegun, let former = lock.withLock({ line }),
            try connection.isSame(seen, as: former),
            let bound = try connection.texts(Self.oldestKept).first.flatMap({ Int64($0) })
        else { return [] }
        let saves = lock.withLock { self.saves }
        return Set(
            saves.filter { tokens.contains($0.token) && $0.transaction.map { $0 < bound } ?? false }.map(\.token))
    }

    /// The number of the oldest transaction whose token exists, or else of the next transaction. A row has the last
    /// 32 bits of it. Tokens of queries for an outcome are left out, because they stay longer.
    private static let oldestKept = """
        SELECT coalesce((SELECT min(x.newest - ((x.newest - s.xmin::text::bigint) & 4294967295)) \
        FROM coredata.saves s WHERE s.time < now() + interval '1 day'), x.newest + 1) \
        FROM (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1 AS newest) x
        """

    /// The numbers of history that this process has read and the server does not have. Numbers whose history was
    /// deleted count as present.
    private func lostNumbers(on connection: PostgreSQLConnection) throws -> [Int64] {
        let numbers = lock.withLock { self.numbers }
        if numbers.isEmpty { return [] }
        let list = "{" + numbers.map { "\($0)" }.joined(separator: ",") + "}"
        return try connection.texts(
            """
            SELECT n FROM unnest($1::text::bigint[]) n WHERE n > coalesce((SELECT max(highest) FROM coredata.entities \
            WHERE entity = \(HistoryTables.transactionEntity)), 0) \
            AND NOT EXISTS (SELECT 1 FROM coredata.transactions t WHERE t.id = n)
            """, [list]
        ).compactMap { Int64($0) }
    }

    /// Posts the notification of lost transactions.
    private func post(_ loss: Loss) {
        guard let follower = lock.withLock({ follower }) else { return }
        delivery.async { [weak follower] in
            guard let follower, let store = follower as? NSPersistentStore, let coordinator = follower.notifier
            else {
                return
            }
            let transactions = loss.saves.map { save in
                PostgreSQLLostTransaction(
                    transactionNumber: save.number, date: save.date, author: save.origin?.author,
                    contextName: save.origin?.contextName,
                    insertedObjectIDs: follower.objectIDs(save.keys?.inserted ?? []),
                    updatedObjectIDs: follower.objectIDs(save.keys?.updated ?? []),
                    deletedObjectIDs: follower.objectIDs(save.keys?.deleted ?? []))
            }
            var info: [AnyHashable: Any] = [
                NSStoreUUIDKey: store.identifier ?? "", NSPostgreSQLLostTransactionsKey: transactions,
            ]
            info[NSPersistentStoreURLKey] = store.url
            if loss.isCut { info[NSPostgreSQLLostTransactionsAreCutKey] = true }
            if let lastShared = loss.lastShared, (store as? SQLStore)?.tracksHistory == true {
                info[NSPersistentHistoryTokenKey] = follower.historyToken(lastShared)
            }
            NotificationCenter.default.post(
                name: .NSPostgreSQLTransactionsLost, object: coordinator, userInfo: info)
        }
    }

    /// Returns the lost part of history that a number belongs to; nil where it belongs to none.
    func lostHistory(after number: Int64, on connection: PostgreSQLConnection) throws -> LostHistory? {
        let own = lock.withLock { lost.filter { $0.contains(number) }.map { $0.lowerBound - 1 }.min() }
        var found: Int64?
        if own == nil, connection.line != nil {
            found = try connection.texts("SELECT coredata.parting($1::text::bigint)", ["\(number)"]).first.flatMap {
                Int64($0)
            }
        }
        guard let lastShared = own ?? found else { return nil }
        return LostHistory(
            lastShared: lastShared,
            reason: "The history token is of a server that was lost (\(connection.address)), and the one that goes "
                + "on has less history. Forget what came after the token under NSPersistentHistoryTokenKey, and read "
                + "on from there.",
            userInfo: [NSPostgreSQLFailureKey: PostgreSQLFailure.historyLost.rawValue])
    }

    // MARK: Replication

    private func updateReplication(_ connection: PostgreSQLConnection) throws {
        let isOn = try connection.isSynchronous()
        let follower = lock.withLock { () -> (any ContinuationFollower)? in
            defer { isSynchronous = isOn }
            return isSynchronous == isOn ? nil : self.follower
        }
        follower?.metadataEntryIs(isOn, forKey: NSPostgreSQLSynchronousReplicationKey)
    }
}

extension PostgreSQLConnection {
    /// Whether the server of a line is still in use. It may have begun another one since. Of two standbys that are
    /// promoted independently, neither has the line of the other one.
    fileprivate func isSame(_ seen: PostgreSQLLine, as former: PostgreSQLLine) throws -> Bool {
        if !seen.isOther(than: former) { return true }
        guard seen.cluster == former.cluster, seen.timeline == former.timeline, seen.database == former.database
        else { return false }
        do {
            return try !rows("SELECT 1 FROM coredata.lines WHERE id = $1::text::uuid", [former.identifier]).isEmpty
        } catch let error as PostgreSQLError where error.state == PostgreSQLError.insufficientPrivilege {
            return false
        }
    }

    /// Whether a commit waits until a standby has it.
    func isSynchronous() throws -> Bool {
        try texts(
            "SELECT current_setting('synchronous_standby_names') <> '' "
                + "AND current_setting('synchronous_commit') NOT IN ('off', 'local')"
        ).first == "t"
    }
}
#endif
