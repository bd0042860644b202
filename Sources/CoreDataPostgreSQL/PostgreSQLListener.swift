#if PostgreSQL
import CoreData
import Foundation

/// One connection of an open store to the server itself, never to a pooler. The server notifies it of all commits.
/// It also holds the lock of the store's version where no other connection can. If it is lost, the listener
/// connects again, after pauses that grow.
///
/// While nothing is committed, the listener sends no queries: the socket becomes readable when there is a message.
/// Only where the address names several servers, it sends a query at intervals, because the socket reports nothing
/// when the server stops and another one takes over.
// @unchecked Sendable: mutable state is used on `queue` only, except `isCancelled`, which is under the lock.
final class PostgreSQLListener: CommitWatch, @unchecked Sendable {
    /// The channel of notifications; each database has its own.
    static let channel = "coredata"

    private let queue: DispatchQueue
    private let connect: () throws -> PostgreSQLConnection
    private let notices: CommitNotices?
    private let lock = NSLock()
    private var cancelled = false
    private var connection: PostgreSQLConnection?
    private var source: (any DispatchSourceRead)?
    /// Counts connections.
    private var turn = 0
    private var pause: TimeInterval = 0
    /// The newest transaction that a notification has named, and whether a timer runs until history shows it.
    private var toldTransaction: Int64 = 0
    private var isWaitingForHistory = false

    /// The first pause before the listener connects again, and the longest.
    private static let (firstPause, longestPause) = (0.05, 30.0)
    /// The longest pause where another server is expected to take over, and whether one is expected.
    private static let longestPauseOfSeveral = 1.0
    private var expectsAnother = false

    /// - Parameters:
    ///   - first: a connection that is there already.
    ///   - notices: receives the commits; nil where the connection only holds locks.
    ///   - connect: makes a connection with the locks that it shall have.
    init(
        first: PostgreSQLConnection?, notices: CommitNotices?, connect: @escaping () throws -> PostgreSQLConnection
    ) {
        queue = notices?.queue ?? DispatchQueue(label: "PostgreSQLListener", qos: .utility)
        self.notices = notices
        self.connect = connect
        queue.sync {
            do {
                try listen(first ?? connect())
            } catch {
                if notices != nil { SQLStore.reportMissingNotifications(error) }
                lost()
            }
            // If this query fails, the first notification reports all transactions.
            try? notices?.begin()
        }
    }

    deinit { source?.cancel() }

    func cancel() {
        notices?.cancel()
        lock.withLock { cancelled = true }
        // Not awaited: it may be in the middle of connecting.
        queue.async { self.close() }
    }

    private var isCancelled: Bool { lock.withLock { cancelled } }

    private func close() {
        source?.cancel()
        source = nil
        connection = nil
    }

    // MARK: Listening

    private func listen(_ connection: PostgreSQLConnection) throws {
        if notices != nil { try connection.listen(to: Self.channel) }
        self.connection = connection
        expectsAnother = connection.hasSeveralHosts
        // A descriptor of its own: libpq closes that of a connection that is lost, and the next connection of the
        // process gets the same number. If this source were cancelled, that connection's would get no events.
        let descriptor = fcntl(connection.socket, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EBADF) }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { [weak self] in self?.read() }
        source.setCancelHandler { closeDescriptor(descriptor) }
        source.resume()
        self.source = source
        turn += 1
        if connection.placeSettings != nil { awaitSign(in: turn) }
    }

    /// The time between two queries to one of several servers.
    private static let timeBetweenSigns = 5.0

    /// Queries the server at intervals as long as the connection is the same. The listener also leaves a server
    /// from which another one has taken over.
    private func awaitSign(in turn: Int) {
        queue.asyncAfter(deadline: .now() + Self.timeBetweenSigns) { [weak self] in
            guard let self, self.turn == turn, let connection = self.connection, !self.isCancelled else { return }
            guard connection.failoverDetector?.isCurrent(connection) != false, self.isThere(connection) else {
                return self.lost()
            }
            // Messages that came with the answer are not on the socket any more.
            self.read()
            self.awaitSign(in: turn)
        }
    }

    private func isThere(_ connection: PostgreSQLConnection) -> Bool {
        (try? PostgreSQLWatch.shared.watching(connection) { try connection.ping() }) != nil
    }

    private func read() {
        guard let connection else { return }
        // Reads all input: when a server closes the connection, the source reports one event only, for the input
        // before the end too.
        var isAlive = connection.consumeInput()
        while isAlive, connection.hasInput { isAlive = connection.consumeInput() }
        let payloads = connection.notifications()
        if !payloads.isEmpty {
            notices?.event()
            // History leaves out a transaction while an older one is still open, so the number may not be in it
            // yet.
            let told = payloads.compactMap { Int64($0) }.max().map { $0 + connection.historyOffset }
            toldTransaction = max(toldTransaction, told ?? 0)
            awaitHistory(after: Self.firstWait)
        }
        if !isAlive { lost() }
    }

    /// Repeats the query until no older transaction is open: until then history leaves the transaction out.
    private func awaitHistory(after pause: TimeInterval) {
        guard let notices, notices.keepsHistory, notices.lastToldTransaction < toldTransaction, !isWaitingForHistory
        else { return }
        isWaitingForHistory = true
        queue.asyncAfter(deadline: .now() + pause) { [weak self] in
            guard let self, !self.isCancelled else { return }
            self.isWaitingForHistory = false
            // If the connection was lost during the pause, the new connection reports all transactions.
            let number = self.toldTransaction
            guard notices.lastToldTransaction < number, let connection = self.connection else { return }
            // The answer of this query does not make the socket readable, and neither does a connection that is
            // lost in it.
            do {
                if try connection.boundOfHistory() > number {
                    notices.event()
                } else {
                    self.awaitHistory(after: min(pause * 2, Self.longestWait))
                }
            } catch {
                guard connection.isAlive else { return self.lost() }
                self.awaitHistory(after: Self.longestWait)
            }
            // Messages that came with the answer are not on the socket any more.
            self.read()
        }
    }

    /// The first pause before the next query for an older transaction that is still open, and the longest pause.
    private static let (firstWait, longestWait) = (0.1, 5.0)

    // MARK: Beginning anew

    private func lost() {
        close()
        guard !isCancelled else { return }
        let longest = expectsAnother ? Self.longestPauseOfSeveral : Self.longestPause
        pause = pause == 0 ? Self.firstPause : min(pause * 2, longest)
        // Many processes lose the same server at once, and need not come back at once.
        let delay = pause * Double.random(in: 0.5...1)
        queue.asyncAfter(deadline: .now() + delay) { [weak self] in self?.beginAnew() }
    }

    private func beginAnew() {
        guard !isCancelled else { return }
        do {
            try listen(connect())
            pause = 0
            // A transaction may have been committed while no connection listened.
            notices?.event()
        } catch {
            lost()
        }
    }
}

private func closeDescriptor(_ descriptor: Int32) { close(descriptor) }
#endif
