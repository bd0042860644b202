import Foundation

/// Watches a SQLite file for commits.
///
/// Every commit writes to the -wal (or to the file itself if there is none), which the kernel reports. SQLite's own
/// count of commits (`data_version`) shows whether the write was a commit.
///
/// The connection of a watch holds the lock that every connection to a file with a -wal holds. So it is closed and
/// opened again with those of the store (`SQLiteDatabase+Suspending`).
// @unchecked Sendable: mutable state is used on the queue of the notices only.
final class RemoteChangeMonitor: CommitWatch, @unchecked Sendable {
    private let notices: CommitNotices
    private var watcher: FileWatcher?
    private let counter: CommitCounter
    private let connect: () throws -> SQLiteConnection
    private var isCancelled = false
    /// Whether the commits are known that came before the watch.
    private var hasBegun = false

    /// A connection whose `data_version` counts the commits of all other connections.
    private final class CommitCounter {
        /// Nil while the connections of the store are closed, and at the end.
        var connection: SQLiteConnection?
        var lastVersion: Int64 = 0

        /// Whether another connection has committed since the last call.
        func hasNewVersion() -> Bool {
            // A file that cannot be read now is read again at the next event.
            guard let connection, let version = try? connection.dataVersion(), version != lastVersion else {
                return false
            }
            lastVersion = version
            return true
        }
    }

    /// Begins to watch.
    ///
    /// - Parameters:
    ///   - file: The file to which commits write.
    ///   - isSuspended: Whether the connections of the store are closed. The watch then begins with `resume`.
    ///   - connect: Opens a connection to the store.
    ///   - post: Called after commits, with the number of the newest transaction if history is kept.
    init(
        file: URL, keepsHistory: Bool, isSuspended: Bool, connect: @escaping () throws -> SQLiteConnection,
        post: @escaping @Sendable (_ transaction: Int64?) -> Void
    ) throws {
        let counter = CommitCounter()
        self.counter = counter
        self.connect = connect
        notices = CommitNotices(
            newest: keepsHistory ? { try counter.connection?.integer(HistoryTables.newestTransaction) } : nil,
            post: post)
        if !isSuspended { try open() }
        watcher = try FileWatcher(file, queue: notices.queue) { [weak notices] in notices?.event() }
        // Catches commits between the first reading of the version and the beginning of the watch.
        notices.queue.async { [weak notices] in notices?.event() }
    }

    private func open() throws {
        let connection = try connect()
        counter.lastVersion = try connection.dataVersion()
        counter.connection = connection
        if hasBegun {
            // The versions of two connections do not compare, and the number of the newest transaction does.
            if notices.keepsHistory { counter.lastVersion = .min }
        } else {
            try notices.begin { [counter] in counter.hasNewVersion() }
            hasBegun = true
        }
    }

    /// Closes the connection, before a migration needs the file.
    func suspend() { notices.queue.sync { counter.connection = nil } }

    /// Opens the connection again. Commits of the time without it are found by the history.
    func resume() {
        notices.queue.sync {
            if isCancelled || counter.connection != nil { return }
            do {
                try open()
                notices.event()
            } catch {
                SQLStore.reportMissingNotifications(error)
            }
        }
    }

    func cancel() {
        notices.cancel()
        notices.queue.sync {
            isCancelled = true
            watcher?.cancel()
            watcher = nil
            counter.connection = nil
        }
    }
}

/// The watches of a store whose connections are closed and opened with its own.
final class RemoteChangeMonitors: Sendable {
    private struct Entry {
        weak var monitor: RemoteChangeMonitor?
    }

    private let entries = Locked<[Entry]>([])

    /// Adds a watch, and closes its connection if those of the database have been closed meanwhile.
    func add(_ monitor: RemoteChangeMonitor, of database: SQLiteDatabase) {
        entries.withLock { entries in
            entries.removeAll { $0.monitor == nil }
            entries.append(Entry(monitor: monitor))
        }
        // Not under the writer's lock: a caller may hold the lock of the coordinator, for which a save may wait.
        var isClosed = database.isClosedForMigration
        while true {
            if isClosed { monitor.suspend() } else { monitor.resume() }
            let isClosedNow = database.isClosedForMigration
            if isClosedNow == isClosed { return }
            isClosed = isClosedNow
        }
    }

    func suspend(_ isSuspended: Bool) {
        for entry in entries.withLock({ $0 }) {
            if isSuspended { entry.monitor?.suspend() } else { entry.monitor?.resume() }
        }
    }
}
