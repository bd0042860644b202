import Foundation

/// Posts the remote-change notification of a store: somebody has committed something to its file, in this process or in
/// another one.
///
/// Every commit writes to the -wal (or to the file itself where there is none), which the kernel reports. What happens
/// within a few milliseconds is one notification. Where history is kept, only a new transaction counts; otherwise
/// SQLite's own count of commits decides.
// @unchecked Sendable: what changes is touched on `queue` only, except `isCancelled`, which `lock` guards.
final class RemoteChangeMonitor: @unchecked Sendable {
    /// How long events are gathered before they are looked at.
    private static let pause = DispatchTimeInterval.milliseconds(10)

    private let queue = DispatchQueue(label: "RemoteChangeMonitor", qos: .utility)
    /// Notifications go out on a queue of their own: an observer may remove the store.
    private let delivery = DispatchQueue(label: "RemoteChangeMonitor.delivery", qos: .utility)
    private let lock = NSLock()
    private var isCancelled = false
    private var watcher: FileWatcher?
    /// Counts the commits of all other connections.
    private var connection: SQLiteConnection?
    private let keepsHistory: Bool
    private var lastVersion: Int64 = 0
    private var lastTransaction: Int64 = 0
    private var isScheduled = false
    private let post: @Sendable (_ transaction: Int64?) -> Void

    /// Begins to watch. `post` is called after commits, with the number of the newest transaction where history is kept.
    init(
        store url: URL, connection: SQLiteConnection, hasLog: Bool, keepsHistory: Bool,
        post: @escaping @Sendable (_ transaction: Int64?) -> Void
    ) throws {
        self.connection = connection
        self.keepsHistory = keepsHistory
        self.post = post
        lastVersion = try Self.version(connection)
        lastTransaction = keepsHistory ? try Self.transaction(connection) : 0
        let file = hasLog ? SQLiteStoreFiles(url).wal : url
        watcher = try FileWatcher(file, queue: queue) { [weak self] in self?.schedule() }
        // What was committed between the look above and the beginning of the watch.
        queue.async { [weak self] in self?.schedule() }
    }

    /// Ends the watching; nothing is posted afterwards.
    func cancel() {
        lock.withLock { isCancelled = true }
        queue.sync {
            watcher?.cancel()
            watcher = nil
            connection = nil
        }
    }

    private func schedule() {
        if isScheduled { return }
        isScheduled = true
        queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in self?.look() }
    }

    private func look() {
        isScheduled = false
        // A file that cannot be read now is looked at again with the next event.
        guard let connection, let version = try? Self.version(connection), version != lastVersion else { return }
        lastVersion = version
        var number: Int64?
        if keepsHistory {
            guard let last = try? Self.transaction(connection), last > lastTransaction else { return }
            lastTransaction = last
            number = last
        }
        let transaction = number
        delivery.async { [weak self] in
            guard let self, !self.lock.withLock({ self.isCancelled }) else { return }
            self.post(transaction)
        }
    }

    private static func version(_ connection: SQLiteConnection) throws -> Int64 {
        try connection.integer("PRAGMA data_version") ?? 0
    }

    private static func transaction(_ connection: SQLiteConnection) throws -> Int64 {
        try connection.integer("SELECT MAX(Z_PK) FROM ATRANSACTION") ?? 0
    }
}
