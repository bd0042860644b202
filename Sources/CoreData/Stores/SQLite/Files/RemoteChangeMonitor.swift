import Foundation

/// Watches a SQLite file for commits.
///
/// Every commit writes to the -wal (or to the file itself if there is none), which the kernel reports. SQLite's own
/// count of commits (`data_version`) shows whether the write was a commit.
// @unchecked Sendable: mutable state is used on the queue of the notices only.
final class RemoteChangeMonitor: CommitWatch, @unchecked Sendable {
    private let notices: CommitNotices
    private var watcher: FileWatcher?
    /// A connection whose `data_version` counts the commits of all other connections.
    private var connection: SQLiteConnection?
    private var lastVersion: Int64 = 0

    /// Begins to watch. `post` is called after commits, with the number of the newest transaction if history is kept.
    init(
        store url: URL, connection: SQLiteConnection, hasLog: Bool, keepsHistory: Bool,
        post: @escaping @Sendable (_ transaction: Int64?) -> Void
    ) throws {
        self.connection = connection
        let newest: (() throws -> Int64?)? =
            keepsHistory ? { try connection.integer(HistoryTables.newestTransaction) } : nil
        notices = CommitNotices(newest: newest, post: post)
        lastVersion = try connection.dataVersion()
        try notices.begin { [weak self] in self?.hasNewVersion() == true }
        let file = hasLog ? SQLiteStoreFiles(url).wal : url
        watcher = try FileWatcher(file, queue: notices.queue) { [weak notices] in notices?.event() }
        // Catches commits between the first reading of the version and the beginning of the watch.
        notices.queue.async { [weak notices] in notices?.event() }
    }

    func cancel() {
        notices.cancel()
        notices.queue.sync {
            watcher?.cancel()
            watcher = nil
            connection = nil
        }
    }

    /// Whether another connection has committed since the last call.
    private func hasNewVersion() -> Bool {
        // A file that cannot be read now is read again at the next event.
        guard let connection, let version = try? connection.dataVersion(), version != lastVersion else { return false }
        lastVersion = version
        return true
    }
}

extension SQLiteStore {
    /// Begins to watch the file.
    func watchFile(_ post: @escaping @Sendable (_ transaction: Int64?) -> Void) throws -> (any CommitWatch)? {
        guard !isInMemory, let url, type == NSSQLiteStoreType else { return nil }
        let connection = try SQLiteConnection(path: url.path, access: .readOnly, busyTimeout: settings.timeout)
        return try RemoteChangeMonitor(
            store: url, connection: connection, hasLog: try connection.hasLog(),
            keepsHistory: historyTables != nil, post: post)
    }
}
