import CSQLite
import Foundation

/// Copies the -wal into the main file in the background.
///
/// SQLite by itself does it inside the commit that finds the -wal grown: that save, and whoever waits for it, then
/// waits for the disk twice. Here the commit only says so, and a connection of its own copies what readers and writers
/// can spare (a passive checkpoint), while they go on. Should the -wal grow much faster than it is copied, the next
/// save lends a hand before it begins, so that its size stays bounded.
final class SQLiteCheckpointer: @unchecked Sendable {  // mutable state is guarded by `lock`
    /// Pages of -wal from which it is copied: SQLite's own number.
    private static let threshold: Int32 = 1_000
    /// Pages of -wal from which the next save copies itself.
    private static let limit: Int32 = 16_000

    private let path: String
    private let queue = DispatchQueue(label: "SQLiteCheckpointer", qos: .utility)
    private let lock = NSLock()
    private var isScheduled = false
    private var needsHand = false
    private var isClosed = false

    /// Follows the commits of a writer, which has to be closed before this object goes.
    init(following writer: SQLiteConnection) {
        path = writer.path
        // Setting a hook ends the copying inside commits.
        sqlite3_wal_hook(
            writer.handle,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                let checkpointer = Unmanaged<SQLiteCheckpointer>.fromOpaque(context).takeUnretainedValue()
                checkpointer.committed(pages)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func committed(_ pages: Int32) {
        if pages >= Self.limit { lock.withLock { needsHand = true } }
        if pages >= Self.threshold { schedule() }
    }

    /// Copies before the next writing what the background was too slow for. Not within the commit: whoever waits for a
    /// commit should not wait for this.
    func lendHand(_ writer: SQLiteConnection) {
        let isNeeded = lock.withLock {
            defer { needsHand = false }
            return needsHand
        }
        // What cannot be copied now is copied another time.
        if isNeeded { _ = sqlite3_wal_checkpoint_v2(writer.handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil) }
    }

    private func schedule() {
        let isFirst = lock.withLock {
            defer { isScheduled = true }
            return !isScheduled && !isClosed
        }
        guard isFirst else { return }
        queue.async { self.checkpoint() }
    }

    private func checkpoint() {
        let isClosed = lock.withLock {
            isScheduled = false
            return self.isClosed
        }
        guard !isClosed, let connection = try? SQLiteConnection(path: path, access: .readWrite, busyTimeout: 0),
            // Only a connection that has read from the file knows that there is a -wal.
            (try? connection.readSomething()) != nil
        else { return }
        connection.disableCheckpointOnClose()
        _ = sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }

    /// Returns when nothing is being copied.
    func waitUntilIdle() {
        queue.sync {}
    }

    /// Ends the copying, so that the writer can be the last connection to close.
    func close() {
        lock.withLock { isClosed = true }
        waitUntilIdle()
    }
}
