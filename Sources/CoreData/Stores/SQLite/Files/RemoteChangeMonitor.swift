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
    // @unchecked Sendable: used on the queue of the notices only.
    private final class CommitCounter: @unchecked Sendable {
        /// Nil while the connections of the store are closed, before the watch begins, and at its end.
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

    /// Prepares a watch, which begins with `resume`.
    ///
    /// - Parameters:
    ///   - file: The file to which commits write.
    ///   - connect: Opens a connection to the store.
    ///   - post: Called after commits, with the number of the newest transaction if history is kept.
    init(
        file: URL, keepsHistory: Bool, connect: @escaping () throws -> SQLiteConnection,
        post: @escaping @Sendable (_ transaction: Int64?) -> Void
    ) throws {
        let counter = CommitCounter()
        self.counter = counter
        self.connect = connect
        notices = CommitNotices(
            newest: keepsHistory ? { try counter.connection?.integer(HistoryTables.newestTransaction) } : nil,
            post: post)
        watcher = try FileWatcher(file, queue: notices.queue) { [weak notices] in
            // Without a connection there is nothing to compare, and the writes may be those of a migration.
            if counter.connection != nil { notices?.event() }
        }
    }

    /// Closes the connection, before a migration needs the file.
    func suspend() { notices.queue.sync { counter.connection = nil } }

    /// Opens the connection, for the first time or again. A commit since the watch began gets a notification, also one
    /// that came while there was no connection. A store without history cannot tell whether there was one: it gets a
    /// notification each time.
    func resume() throws {
        try notices.queue.sync {
            if isCancelled || counter.connection != nil { return }
            let connection = try connect()
            // The versions of two connections do not compare.
            counter.lastVersion = hasBegun ? .min : try connection.dataVersion()
            counter.connection = connection
            do {
                if !hasBegun { try notices.begin { [counter] in counter.hasNewVersion() } }
            } catch {
                counter.connection = nil
                throw error
            }
            hasBegun = true
            // Catches commits since the first reading of the version.
            notices.event()
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
