#if PostgreSQL
import CPostgreSQL
import CoreData
import Foundation

/// The connections of an open store: some that read, each for one thread at a time, and the one that writes.
///
/// A connection that is lost while it is idle is replaced without an error. A connection that is lost in the middle
/// of work is an error: the database does not show which part of the work was done.
final class PostgreSQLDatabase: SQLDatabase, @unchecked Sendable {  // what may change is used under the locks
    let address: PostgreSQLAddress
    private let labels: EntityLabels
    private let isReadOnly: Bool
    let options: PostgreSQLOptions
    private let versionLock: Int64
    private let identifier: String?
    private let historyOffset: Int64
    /// The version under which transactions write, where the store may serve several.
    let admitted: PostgreSQLAdmitted?
    /// The names of properties in other versions, by the names in this one, and the locks of the versions that were
    /// read.
    let otherVersions = Locked<(locks: [String], properties: [Int: [Int64: [String?]]])?>(nil)
    private let lease: PostgreSQLLease?
    /// The tables that a state of the past has to have in common with the present one, as statements name them.
    private let tables: [String]
    private let views: [String: ExistingView]
    private let referencesCheckedAtOnce: Set<SQLReference>
    private let timeout: TimeInterval
    let failoverDetector: PostgreSQLFailoverDetector
    var counters: PostgreSQLCounters { failoverDetector.counters }
    let upkeep: PostgreSQLUpkeep

    private let writerLock = NSRecursiveLock()
    private var writer: PostgreSQLConnection?
    /// Whether a body of `write` runs.
    private var isWriting = false

    private let readers = NSCondition()
    private var idle: [PostgreSQLConnection] = []
    private var used = 0
    private var isClosed = false
    /// Holds the lock of the version where all other connections are a pooler's; under `readers`.
    private var keeper: PostgreSQLListener?
    /// The last version of the metadata that was found to be this store's, where the connections are a pooler's;
    /// under `readers`.
    private var knownMetadata: Int64?
    /// The servers that follow this one, from the first read from standbys on; under `readers`.
    private var follower: PostgreSQLStandby?
    /// Called with a connection before the present state is read; an error that it throws ends the reading.
    var willRead: ((PostgreSQLConnection) throws -> Void)?

    /// - Parameters:
    ///   - first: a connection to the server itself, which holds the lock of the version; nil where one is made
    ///     when it is needed.
    ///   - identifier: the UUID of the store.
    ///   - continuity: the failover detector, which has checked `first` already.
    ///   - historyOffset: what history adds to the server's numbers of transactions.
    ///   - admitted: the version, where the store may serve several; with the lease of the program.
    ///   - tables: the tables of the store's objects, as statements name them; empty where they are existing
    ///     tables.
    ///   - views: the views over existing tables, and those of their foreign keys that every statement checks.
    init(
        _ address: PostgreSQLAddress, labels: EntityLabels, first: PostgreSQLConnection?, isReadOnly: Bool,
        versionLock: Int64, identifier: String?, failoverDetector: PostgreSQLFailoverDetector, historyOffset: Int64,
        admitted: (PostgreSQLAdmitted?, PostgreSQLLease?), tables: [String],
        views: (all: [ExistingView], references: Set<SQLReference>), timeout: TimeInterval,
        options: PostgreSQLOptions
    ) {
        self.failoverDetector = failoverDetector
        self.address = address
        self.labels = labels
        self.isReadOnly = isReadOnly
        self.options = options
        upkeep = PostgreSQLUpkeep(options)
        self.versionLock = versionLock
        self.identifier = identifier
        self.historyOffset = historyOffset
        (self.admitted, lease) = admitted
        self.tables = tables
        self.views = Dictionary(views.all.map { ($0.name, $0) }) { first, _ in first }
        referencesCheckedAtOnce = views.references
        self.timeout = timeout
        guard let first else { return }
        counters.add(to: \.connectionsMade)
        first.labels = labels
        first.keepsTokens = !isReadOnly
        first.historyOffset = historyOffset
        first.failoverDetector = failoverDetector
        first.admitted = admitted.0
        first.views = self.views
        if address.isPooled {
            keeper = listener(first, nil)
        } else if isReadOnly {
            idle = [first]
        } else {
            writer = first
        }
        lease?.begin(
            { [weak self] in try self?.readingAtOnce($0) },
            connect: { try PostgreSQLConnection(address.direct) })
    }

    var capabilities: SQLCapabilities {
        var capabilities = SQLCapabilities()
        capabilities.missingFunctions = PostgreSQLDialect.missingFunctions
        capabilities.isTyped = true
        capabilities.narrowsTexts = true
        capabilities.dates = PostgreSQLParameters.dates
        capabilities.missingCollations = [
            .caseInsensitive, .localized, .localizedCaseInsensitive, .localizedStandard,
        ]
        capabilities.sendsTogether = true
        capabilities.takesLists = true
        capabilities.numbersHistory = true
        capabilities.hasTypedColumns = true
        capabilities.referencesCheckedAtOnce = referencesCheckedAtOnce
        return capabilities
    }

    var holdsTransaction: Bool { false }
    var shownAddress: String { address.description }

    // MARK: Connecting

    /// A connection for work. Where it is a pooler's, the keeper holds the lock of the version.
    private func connect() throws -> PostgreSQLConnection {
        defer { counters.add(to: \.connectionsMade) }
        if !address.isPooled { return try connectDirectly() }
        let connection = try PostgreSQLConnection(address, labels: labels)
        connection.line = failoverDetector.newest
        connection.historyOffset = connection.line?.shift ?? historyOffset
        connection.failoverDetector = failoverDetector
        connection.admitted = admitted ?? failoverDetector.lateAdmission.withLock { $0 }
        connection.views = views
        return connection
    }

    /// A connection to the server itself that holds the lock of the store's version.
    private func connectDirectly() throws -> PostgreSQLConnection {
        let connection = try PostgreSQLConnection(address.direct, labels: labels)
        connection.historyOffset = historyOffset
        connection.admitted = admitted
        connection.views = views
        try PostgreSQLWatch.shared.watching(connection) {
            // A standby may not have the store yet.
            try willRead?(connection)
            // A connection that has the version's lock without that of the lease would keep the version from ending
            // for as long as its program is stopped.
            if let lease = admitted?.lease { try connection.hold(lease: lease) }
            try connection.share(version: versionLock, timeout: timeout)
            // While no connection was open, another process may have migrated the store.
            try requireSameStore(connection)
            connection.failoverDetector = failoverDetector
            try failoverDetector.check(connection)
        }
        return connection
    }

    private var url: URL { address.shown }

    /// Throws where the store that is there is of another version, or another one.
    private func requireSameStore(_ connection: PostgreSQLConnection) throws {
        let metadata = try SQLStoreMetadata.read(from: connection, url: url)
        try connection.requireAdmission()
        guard
            try PostgreSQLConnection.versionLock(of: metadata) == versionLock
                || connection.isServed(versionLock, generation: admitted?.generation)
        else {
            throw StoreModelCheck.incompatible([], metadata: metadata, url: url)
        }
        guard SQLStoreMetadata.isSameStore(metadata, as: identifier) else { throw replacedError }
    }

    private func listener(_ first: PostgreSQLConnection?, _ notices: CommitNotices?) -> PostgreSQLListener {
        PostgreSQLListener(first: first, notices: notices) { [weak self] in
            guard let self else { throw PostgreSQLError(message: "The store is closed.", address: "") }
            return try self.connectDirectly()
        }
    }

    /// The error where another store has replaced this one.
    var replacedError: NSError { SQLStoreMetadata.replaced(url) }

    private var closedError: PostgreSQLError {
        PostgreSQLError(message: "The store is closed.", address: address.description)
    }

    // MARK: Reading

    func read<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result { try read(at: nil, body) }

    /// Reads a state that a transaction holds; nil for the present one.
    func read<Result>(
        at state: PostgreSQLGeneration.State?, _ body: (any SQLConnection) throws -> Result
    ) throws -> Result {
        // In the place of a standby the primary is read.
        try reading(goesOn: willRead == nil || state != nil) { connection in
            if state == nil { try willRead?(connection) }
            guard address.isPooled else { return try read(at: state, on: connection, body) }
            return try readingSameStore(at: state, on: connection) { try read(at: state, on: connection, body) }
        }
    }

    private func read<Result>(
        at state: PostgreSQLGeneration.State?, on connection: PostgreSQLConnection,
        _ body: (any SQLConnection) throws -> Result
    ) throws -> Result {
        connection.beginReading(at: state)
        do {
            let result = try body(connection)
            connection.endReading()
            return result
        } catch {
            connection.rollback()
            throw error
        }
    }

    /// Runs a body that reads through a pooler. The pooler may hand each transaction to another connection, so the
    /// version of the metadata shows whether the store is still the one that was opened. If it has changed, the
    /// first statement fails, and the metadata are compared.
    private func readingSameStore<Result>(
        at state: PostgreSQLGeneration.State?, on connection: PostgreSQLConnection, _ body: () throws -> Result
    ) throws -> Result {
        while true {
            connection.expectedMetadata = try state?.metadata ?? knownMetadata(connection)
            do {
                return try body()
            } catch is PostgreSQLConnection.OtherMetadata where state == nil {
                // The next round compares the metadata.
            } catch let error as PostgreSQLError where error.isOfMissingPart {
                // If the store is the same, the missing part is another one.
                _ = try inspect(connection)
                throw error
            }
            readers.withLock { knownMetadata = nil }
        }
    }

    /// The version of the store's metadata, from the last comparison or a new one.
    private func knownMetadata(_ connection: PostgreSQLConnection) throws -> Int64 {
        if let known = readers.withLock({ knownMetadata }) { return known }
        let version = try inspect(connection)
        readers.withLock { knownMetadata = version }
        return version
    }

    /// Throws an error if the store is another one, and returns the version of its metadata.
    private func inspect(
        _ connection: PostgreSQLConnection, at state: PostgreSQLGeneration.State? = nil
    ) throws -> Int64 {
        connection.expectedMetadata = nil
        return try read(at: state, on: connection) { _ in
            try requireSameStore(connection)
            return try connection.metadataVersion()
        }
    }

    /// Has a connection hold the present state.
    func hold(_ connection: PostgreSQLConnection, for lifetime: TimeInterval) throws -> PostgreSQLGeneration.State {
        var state = PostgreSQLGeneration.State(snapshot: try connection.holdSnapshot(for: lifetime))
        // Another connection reads: the transaction of this one lasts, and would hold locks on all that it reads.
        if address.isPooled { state.metadata = try reading { try inspect($0, at: state) } }
        state.tables = try readOnce { try ($0 as? PostgreSQLConnection)?.readable(tables) ?? [] }
        return state
    }

    /// Runs a body with a connection that reads, once more where the connection was lost before it has answered.
    ///
    /// - Parameters:
    ///   - goesOn: false where the caller reads elsewhere after a loss.
    ///   - waits: false where `ReadersAreBusy` is thrown when no connection is free.
    func reading<Result>(
        goesOn: Bool = true, waits: Bool = true, _ body: (PostgreSQLConnection) throws -> Result
    ) throws -> Result {
        var repetitions = Repetitions()
        while true {
            var answers = 0
            var connection: PostgreSQLConnection?
            do {
                let reader = try reader(waits: waits)
                connection = reader
                answers = reader.answers
                defer { giveBack(reader) }
                return try PostgreSQLWatch.shared.watching(reader) { try body(reader) }
            } catch let error as PostgreSQLError {
                // A past state is read with locks on its tables.
                let isDeadlock = error.state == PostgreSQLError.deadlock
                let isUnanswered =
                    connection.map { (!$0.isAlive || isDeadlock) && $0.answers == answers } ?? true
                guard isUnanswered, goesOn || isDeadlock, repetitions.goOn(after: error) else { throw error }
                willRepeat()
            }
        }
    }

    func readOnce<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result {
        // A pooler's connection has its settings within transactions alone.
        if address.isPooled { return try read(body) }
        return try reading(goesOn: willRead == nil) { connection in
            try willRead?(connection)
            return try body(connection)
        }
    }

    /// A connection that reads, for the use of one caller until it is given back.
    private func reader(waits: Bool) throws -> PostgreSQLConnection {
        let kept = try takeReader(waits: waits)
        do {
            if let kept, isGood(kept) { return kept }
            // The other connections may be lost, too.
            if kept != nil { readers.withLock { idle.removeAll { !isGood($0) } } }
            return try connect()
        } catch {
            readers.withLock {
                used -= 1
                readers.signal()
            }
            throw error
        }
    }

    /// Whether a connection can be used, and leads to the server that is in use now.
    private func isGood(_ connection: PostgreSQLConnection) -> Bool {
        connection.isUsable && failoverDetector.isCurrent(connection)
    }

    /// Waits for its turn, and takes a connection that is idle; nil where a new one has to be made.
    private func takeReader(waits: Bool) throws -> PostgreSQLConnection? {
        readers.lock()
        defer { readers.unlock() }
        if !isClosed, idle.isEmpty, used >= options.maximumOfReaders {
            if !waits { throw ReadersAreBusy() }
            counters.waiting(\.waitsToRead) {
                while !isClosed, idle.isEmpty, used >= options.maximumOfReaders { readers.wait() }
            }
        }
        if isClosed { throw closedError }
        used += 1
        return idle.popLast()
    }

    private func giveBack(_ connection: PostgreSQLConnection) {
        readers.withLock {
            used -= 1
            if connection.isAlive, !isClosed { idle.append(connection) }
            readers.signal()
        }
    }

    // MARK: Writing

    func write<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result? {
        if !writerLock.try() { counters.waiting(\.waitsToWrite) { writerLock.lock() } }
        defer { writerLock.unlock() }
        if isReadOnly || readers.withLock({ isClosed }) { return nil }
        // A connection that was lost in the middle of a transaction is not idle either.
        if isWriting, let writer, writer.transactionState != PQTRANS_IDLE { throw NestedWriting.error }
        let isNested = isWriting
        isWriting = true
        if !isNested { counters.add(to: \.writes) }
        defer {
            isWriting = isNested
            readers.withLock { follower }?.outdate(byOthers: false)
        }
        let connection: PostgreSQLConnection
        if let writer, isNested ? writer.isUsable : isGood(writer) {
            connection = writer
        } else {
            writer = nil
            connection = try connect()
            connection.keepsTokens = true
            writer = connection
        }
        do {
            return try PostgreSQLWatch.shared.watching(connection) { try body(connection) }
        } catch {
            connection.rollback()
            throw error
        }
    }

    func withoutWriting<Result>(_ body: () throws -> Result) rethrows -> Result { try writerLock.withLock(body) }

    func willSave() {}

    func willRepeat() { counters.add(to: \.repetitions) }

    // MARK: Another server

    func follow(_ follower: any ContinuationFollower) { failoverDetector.follow(follower) }
    func didSave(_ changes: ChangeSet) { failoverDetector.didSave(changes) }
    func didRead(transactions: [Int64]) { failoverDetector.didRead(transactions) }

    func lostHistory(after number: Int64) throws -> LostHistory? {
        try readOnce { connection in
            guard let connection = connection as? PostgreSQLConnection else { return nil }
            return try failoverDetector.lostHistory(after: number, on: connection)
        }
    }

    // MARK: Past states, and commits of other programs

    func pinned() throws -> (any SQLDatabase)? {
        if readers.withLock({ isClosed }) { throw closedError }
        return try PostgreSQLGeneration(
            self, held: PostgreSQLConnection(address), for: options.generationLifetime)
    }

    func watchCommits(_ notices: CommitNotices) throws -> (any CommitWatch)? {
        let listener = listener(nil, notices)
        if address.isPooled {
            // It holds the lock of the version as well.
            readers.withLock {
                keeper?.cancel()
                keeper = listener
            }
        }
        return listener
    }

    func standby(whenOld: @escaping @Sendable () -> Void) -> (any SQLDatabase)? {
        // Only the pooler itself has the address of its server.
        if address.isPooled { return nil }
        let standby = readers.withLock {
            let standby = follower ?? PostgreSQLStandby(of: self)
            follower = standby
            return standby
        }
        standby.tell(whenOld)
        return standby
    }

    func requireNewStandbys() { readers.withLock { follower }?.outdate(byOthers: true) }

    /// A database for reading the store on another server.
    func following(at address: PostgreSQLAddress) -> PostgreSQLDatabase {
        PostgreSQLDatabase(
            address, labels: labels, first: nil, isReadOnly: true, versionLock: versionLock,
            identifier: identifier, failoverDetector: PostgreSQLFailoverDetector(isReadOnly: true),
            historyOffset: historyOffset, admitted: (admitted, nil), tables: tables,
            views: (Array(views.values), referencesCheckedAtOnce), timeout: timeout, options: options)
    }

    func close() {
        upkeep.end()
        readers.withLock { follower }?.close()
        lease?.end(on: writerLock.withLock { writer })
        readers.withLock {
            isClosed = true
            idle = []
            keeper?.cancel()
            keeper = nil
            readers.broadcast()
        }
        writerLock.withLock { writer = nil }
    }

    // MARK: Activity

    /// The present and past activity of the connections, with the server's statistics.
    func activity() throws -> PostgreSQLActivity {
        var activity = counts()
        try readOnce { connection in
            guard let connection = connection as? PostgreSQLConnection else { return }
            activity.server = connection.place
            activity.sessionsWaiting = try connection.sessionsWaiting()
            activity.standbys = try connection.standbys()
            activity.longSnapshots = try connection.snapshots(olderThan: options.snapshotWarning)
        }
        return activity
    }

    /// The part of the activity that this program has counted itself.
    func counts() -> PostgreSQLActivity {
        var activity = counters.activity
        activity.server = address.description
        let (count, busy, standby) = readers.withLock { (idle.count + used, used, follower) }
        activity.connections = count
        activity.busyConnections = busy
        activity.connectionLimit = options.maximumOfReaders + 1
        activity.connectionsToStandbys = standby?.connections ?? 0
        // A writer holds the lock for as long as it writes.
        if writerLock.try() {
            activity.connections += writer == nil ? 0 : 1
            activity.busyConnections += isWriting ? 1 : 0
            writerLock.unlock()
        } else {
            activity.connections += 1
            activity.busyConnections += 1
        }
        return activity
    }

    /// Closes the idle connections: their server may not answer any more.
    func closeIdle() { readers.withLock { idle = [] } }

    /// How many connections there are that read.
    var connections: Int { readers.withLock { idle.count + used } }
}
#endif
