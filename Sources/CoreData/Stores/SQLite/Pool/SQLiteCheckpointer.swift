import CSQLite
import Foundation

/// Copies the -wal into the main file in the background.
///
/// By default SQLite copies within the commit that finds the -wal too long. That save, and all callers that wait for
/// it, then wait for the disk twice. Here the commit only schedules the copying. A connection of its own copies the
/// frames that readers and writers do not need (a passive checkpoint), while they continue.
///
/// A -wal begins anew only at a moment at which all of it is copied and no connection reads from it. If several
/// programs read and write all the time, there is no such moment. So if the -wal has become long, the next save makes
/// that moment before it begins: it excludes writers, and waits a limited time for readers. Readers check whether
/// frames were copied (`SQLiteReaderPool`).
final class SQLiteCheckpointer: @unchecked Sendable {  // mutable state is guarded by `lock`
    /// The pages of a -wal from which it is copied: SQLite's own default.
    private static let threshold: Int32 = 1_000
    /// The pages of a -wal from which the next save makes it begin anew.
    private static let limit: Int32 = 16_000
    /// The milliseconds to wait for readers of the -wal. Some of them are pinned to a past state.
    private static let patience: Int32 = 200

    private let path: String
    private let queue = DispatchQueue(label: "SQLiteCheckpointer", qos: .utility)
    private let lock = NSLock()
    private var isScheduled = false
    private var needsHand = false
    /// The pages of the -wal after the last commit, and the number from which a save makes it begin anew. If a reader
    /// prevented that, the next attempt waits for as many pages again.
    private var pages: Int32 = 0
    private var handAt = SQLiteCheckpointer.limit
    /// The number of pages from which the -wal is copied next. A writer that goes on while pages are copied finds the
    /// -wal as long as before. Without this number each of its commits would begin another copying of few pages.
    private var copyAt = SQLiteCheckpointer.threshold
    private var isClosed = false

    /// Follows the commits of a writer, which has to be closed before this object is released.
    init(following writer: SQLiteConnection) {
        path = writer.path
        follow(writer)
    }

    /// Follows the commits of a writer of this file, which was opened anew.
    func follow(_ writer: SQLiteConnection) {
        // Setting a hook turns SQLite's copying within commits off.
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
        let copies = lock.withLock {
            // The -wal has begun anew.
            if pages < self.pages { copyAt = Self.threshold }
            self.pages = pages
            if pages < Self.limit { handAt = Self.limit }
            if pages >= handAt { needsHand = true }
            defer { if pages >= copyAt { copyAt = pages + Self.threshold } }
            return pages >= copyAt
        }
        if copies { schedule() }
    }

    /// Makes a long -wal begin anew before the next write. This is not done within the commit, so that code that waits
    /// for a commit does not wait for it.
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
            // SQLite finds the -wal only when a connection has read from the file.
            (try? connection.readSomething()) != nil
        else { return }
        connection.disableCheckpointOnClose()
        _ = sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }

    /// Returns when no copying is under way.
    func waitUntilIdle() {
        queue.sync {}
    }

    /// Stops the copying, so that the writer can be the last connection to close.
    func close() {
        lock.withLock { isClosed = true }
        waitUntilIdle()
    }
}
