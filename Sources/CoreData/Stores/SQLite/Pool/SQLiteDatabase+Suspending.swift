import Foundation

// A migration into a copy, and the recovery of one, need the store's file for themselves. Connections of the same
// process that no thread uses are closed for that long. The next use opens them again, if the file is still the one
// that the store was opened with.
//
// A use that is under way ends, and its connection is closed then. All later uses wait for the migration. So a thread
// that uses the store without a pause keeps no migration waiting. A thread waits without a lock of the database, and
// without a connection. A thread that has a connection open does not wait, because the migration waits for the thread.

/// An object that keeps a database. The list of databases does not retain it.
protocol SQLiteDatabaseHolder: AnyObject {
    var connections: SQLiteDatabase { get }
}

extension SQLiteDatabase {
    /// The actions that close and open a database again.
    struct Suspension {
        let url: URL
        /// Waits for a migration of the store, or completes the work of a killed process. Throws at once on the thread
        /// that carries out the migration.
        let awaitMigration: () throws -> Void
        /// Opens a connection to the file, which writes if the database is not read-only. Throws if another version of
        /// the store, or another store, is at the address by now.
        let reopen: () throws -> SQLiteConnection
        /// Called with true before the connections are closed, and with false after they were opened again.
        var changed: ((_ isSuspended: Bool) -> Void)?
        /// Whether `reopen` opens the connection that writes.
        let isWritable: Bool
    }

    enum SuspensionState {
        case open
        /// The connections are to be closed as soon as no thread uses them.
        case closing
        /// The connections are closed until the next use.
        case closed
    }

    /// A database with the file that it was opened with.
    private struct SuspendableDatabase {
        private let reference: SharedZeroingReference<AnyObject>
        let url: URL

        var holder: (any SQLiteDatabaseHolder)? { reference.object as? any SQLiteDatabaseHolder }

        init(holder: any SQLiteDatabaseHolder, url: URL) {
            reference = SharedZeroingReference(holder)
            self.url = url
        }
    }

    /// The databases of this process that can be suspended.
    private static let suspendable = Locked<[SuspendableDatabase]>([])

    /// Lets migrations suspend a database that was created with a suspension. `changed` is called before the
    /// connections are closed, and after they were opened again.
    func allowSuspending(
        heldBy holder: any SQLiteDatabaseHolder, changed: @escaping (_ isSuspended: Bool) -> Void
    ) {
        let url = writerLock.withLock {
            suspension?.changed = changed
            return suspension?.url
        }
        guard let url else { return }
        Self.suspendable.withLock { entries in
            entries.removeAll { $0.holder == nil }
            entries.append(SuspendableDatabase(holder: holder, url: url))
        }
    }

    private static func databases(at url: URL) -> [SQLiteDatabase] {
        guard let file = FileState(url) else { return [] }
        return suspendable.withLock { $0 }.compactMap {
            FileState($0.url)?.isSameFile(as: file) == true ? $0.holder?.connections : nil
        }
    }

    /// Closes the connections of this process to a file. Those that a thread uses at the moment are closed when it does
    /// not need them any more.
    static func suspend(fileAt url: URL) { for database in databases(at: url) { database.suspend() } }

    /// Opens the connections of suspended databases again, as far as the file permits it.
    static func resume(fileAt url: URL) {
        // A thread that holds the lock resumes the database itself. It may wait for the migration that calls this.
        for database in databases(at: url) {
            database.keepOpen()
            guard database.writerLock.try() else { continue }
            defer { database.writerLock.unlock() }
            try? database.resume()
        }
    }

    /// Whether the connections are closed until the next use. Called under `writerLock`.
    var isSuspended: Bool { suspension != nil && isClosedForMigration }

    /// Whether the connections are closed for a migration. Any thread may ask.
    var isClosedForMigration: Bool { suspensionState.withLock { $0 } == .closed }

    /// Closes the idle readers, and the connection that writes unless a thread uses it.
    private func suspend() {
        readers.suspend()
        suspensionState.withLock { if $0 == .open { $0 = .closing } }
        // A thread that writes now closes the connection before its next write.
        guard writerLock.try() else { return }
        defer { writerLock.unlock() }
        closeWriter()
    }

    /// Keeps connections that are to be closed and are in use.
    private func keepOpen() {
        let wasClosing = suspensionState.withLock { state in
            defer { if state == .closing { state = .open } }
            return state == .closing
        }
        if wasClosing { readers.resume() }
    }

    /// Closes the connection that writes if it is to be closed and no write is under way. Called under `writerLock`.
    func closeWriter() {
        guard let suspension, !isWriting, writer?.isInTransaction != true else { return }
        let isClosing = suspensionState.withLock { state in
            defer { if state == .closing { state = .closed } }
            return state == .closing
        }
        guard isClosing else { return }
        suspension.changed?(true)
        checkpointer?.waitUntilIdle()
        writer?.finalizeStatements()
        writer = nil
    }

    /// Opens the connection that writes, if the database is suspended. Readers follow on demand.
    func resume() throws {
        // A new reader of an open database does not wait for the writer.
        guard suspensionState.withLock({ $0 }) == .closed, let suspension = writerLock.withLock({ suspension })
        else { return }
        if !readers.isHeldHere { try suspension.awaitMigration() }
        try writerLock.withLock {
            // Another thread may have resumed the database, or closed it.
            guard isSuspended, let suspension = self.suspension else { return }
            let connection = try suspension.reopen()
            openings += 1
            if suspension.isWritable {
                writer = connection
                checkpointer?.follow(connection)
            }
            suspensionState.withLock { $0 = .open }
            readers.resume()
            suspension.changed?(false)
        }
    }
}
