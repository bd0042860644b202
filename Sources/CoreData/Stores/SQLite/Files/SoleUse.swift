import CSQLite
import Foundation

/// A store that is a single file, without -wal and -shm, and that no other connection can open as long as this object
/// exists.
///
/// The lock is SQLite's own, because every user of the file respects it: a connection to a store with a -wal holds it
/// shared from its first read to its end. A process that waits for this lock finds afterwards that the file has moved,
/// and opens the store anew.
final class SoleUse {
    let store: SQLiteStoreFiles
    /// Whether the -wal had content when the lock was taken.
    let hadLog: Bool
    private let connection: SQLiteConnection
    private let journalMode: String

    /// Waits until no other connection has the store open, then copies its -wal into the main file. Connections of this
    /// process that no thread uses are closed.
    ///
    /// - Parameter progress: ends the waiting when it is cancelled.
    /// - Throws: `NSPersistentStoreTimeoutError` if another connection still has the store open after `timeout`
    ///   seconds; the error of a file that cannot be written.
    init(of store: SQLiteStoreFiles, timeout: TimeInterval, _ progress: Progress? = nil) throws {
        self.store = store
        hadLog = store.hasLog
        var attempts = Attempts(timeout: timeout)
        var polling = Attempts(.storeLock(timeout: timeout))
        var waits = false
        var isAlone = false
        defer { if !isAlone { SQLiteDatabase.resume(fileAt: store.main) } }
        while true {
            // Each attempt uses a new connection, and no connection is open while this waits: a connection that failed
            // keeps a shared lock, which would block the other processes.
            if waits {
                waits = false
                polling.pause()
            }
            SQLiteDatabase.suspend(fileAt: store.main)
            let connection = try SQLiteConnection(path: store.main.path, access: .readWrite, busyTimeout: 0)
            do {
                try connection.requireWritable(at: store.main)
                let mode = try connection.journalMode()
                // The journal mode changes only while no other connection is open. Exclusive locking mode is of no use
                // here, because it keeps a journal beside the file.
                if mode == "wal", try connection.setJournalMode("delete") != "delete" {
                    throw SQLiteError(
                        code: SQLITE_BUSY, message: "database is locked", path: store.main.path, systemError: 0)
                }
                try connection.beginExclusively()
                // Another process has opened the store first, or has put another file in the place of the one that is
                // locked now.
                if try connection.journalMode() == "wal" || connection.hasMoved {
                    connection.rollback()
                    try MigrationCancellation.check(progress)
                    guard attempts.goOn() else {
                        throw SQLiteError(
                            code: SQLITE_BUSY, message: "other processes exchange it again and again",
                            path: store.main.path)
                    }
                    continue
                }
                journalMode = mode
                self.connection = connection
                Self.owners.withLock { $0[store.main.path] = owner }
                isAlone = true
                return
            } catch let error as SQLiteError where error.isOfMovedFile {
                try MigrationCancellation.check(progress)
                guard attempts.goOn() else { throw error.nsError(doing: .opening) }
            } catch let error as SQLiteError where error.primaryCode == SQLITE_BUSY {
                guard !polling.isOver else {
                    let holders = LockHolders.names(ofStoreAt: store.main)
                    let held = timeout > 0 ? "still had it open after \(timeout.formatted()) s" : "had it open"
                    throw NSError.timeout(
                        of: LockTimeout(
                            "The store “\(store.main.lastPathComponent)” cannot be migrated while it is open: "
                                + "\(holders) \(held).",
                            remedy: "Close it there"),
                        url: store.main,
                        underlying: error.nsError(doing: .opening))
                }
                try MigrationCancellation.check(progress)
                waits = true
            }
        }
    }

    deinit { Self.owners.withLock { $0[store.main.path] = nil } }

    private let owner = pthread_self()
    /// The threads of this process that hold the lock on a store, by the path of its main file.
    private static let owners = Locked<[String: pthread_t]>([:])

    /// Whether the calling thread holds the lock on a store. The content cannot change then, and waiting for the lock
    /// would be a deadlock.
    static func isHeldHere(for store: SQLiteStoreFiles) -> Bool {
        owners.withLock { $0[store.main.path] } == pthread_self()
    }

    /// The main file's change counter. It stays as it is while the lock is held.
    func changeCounter() throws -> UInt32 { try connection.changeCounter() }

    /// Returns the store to its former journal mode, with a -wal if it had one. For a migration that has changed
    /// nothing.
    func giveBack() {
        Self.owners.withLock { $0[store.main.path] = nil }
        connection.rollback()
        if journalMode == "wal" { _ = try? connection.setJournalMode("wal") }
        SQLiteDatabase.resume(fileAt: store.main)
    }
}
