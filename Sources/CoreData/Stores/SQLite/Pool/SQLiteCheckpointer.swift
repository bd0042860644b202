import CSQLite
import Foundation

/// Copies the -wal into the main file in the background.
///
/// SQLite by itself does it inside the commit that finds the -wal grown: that save, and all callers that wait for it,
/// then waits for the disk twice. Here the commit only notes it. A connection of its own copies the frames that readers
/// and writers do not need (a passive checkpoint), while they continue.
///
/// A -wal begins anew only at a moment at which all of it is copied and nobody reads from it. If several programs read
/// and write all the time, there is no such moment. So when the -wal has grown long, the next save makes that moment
/// before it begins. It keeps writers out, and waits a little for readers. These look whether something was copied
/// (`SQLiteReaderPool`).
final class SQLiteCheckpointer: @unchecked Sendable {  // mutable state is guarded by `lock`
    /// Pages of -wal from which it is copied: SQLite's own number.
    private static let threshold: Int32 = 1_000
    /// Pages of -wal from which the next save has it begin anew.
    private static let limit: Int32 = 16_000
    /// The milliseconds to wait for readers of the -wal. Some keep a state of the past.
    private static let patience: Int32 = 200

    private let path: String
    private let queue = DispatchQueue(label: "SQLiteCheckpointer", qos: .utility)
    private let lock = NSLock()
    private var isScheduled = false
    private var needsHand = false
    /// Pages of the -wal with the last commit, and the number from which a save has it begin anew. If a reader
    /// prevented that, the next attempt waits for as many pages again.
    private var pages: Int32 = 0
    private var handAt = SQLiteCheckpointer.limit
    private var isClosed = false

    /// Follows the commits of a writer, which has to be closed before this object is released.
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
        lock.withLock {
            self.pages = pages
            if pages < Self.limit { handAt = Self.limit }
            if pages >= handAt { needsHand = true }
        }
        if pages >= Self.threshold { schedule() }
    }

    /// Has a long -wal begin anew before the next writing. It is not done within the commit, so that code that waits
    /// for a commit does not wait for this.
    func lendHand(_ writer: SQLiteConnection) {
        let isNeeded = lock.withLock {
            defer { needsHand = false }
            return needsHand
        }
        if !isNeeded { return }
        let code = writer.waiting(milliseconds: Self.patience) {
            sqlite3_wal_checkpoint_v2(writer.handle, nil, SQLITE_CHECKPOINT_RESTART, nil, nil)
        }
        if code != SQLITE_OK { lock.withLock { handAt = pages &+ Self.limit } }
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
        guard !isClosed,
            let connection = try? SQLiteConnection(path: path, access: .readWrite, busyTimeout: 0, isOneMore: true),
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
