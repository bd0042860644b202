import Foundation

// A migration into a copy, and the recovery of one, need the store's file for themselves. Connections of the same
// process that no thread uses are closed for that long. The next use opens them again, if the file is still the one
// that the store was opened with.
extension SQLiteDatabase {
    /// The actions that close and open a database again.
    struct Suspension {
        let url: URL
        /// Opens a connection to the file, which writes if the database is not read-only. Throws if another version of
        /// the store, or another store, is at the address by now.
        let reopen: () throws -> SQLiteConnection
        /// Called with true before the connections are closed, and with false after they were opened again.
        var changed: ((_ isSuspended: Bool) -> Void)?
        /// Whether `reopen` opens the connection that writes.
        let isWritable: Bool
    }

    /// A database with the file that it was opened with.
    private struct SuspendableDatabase {
        weak var database: SQLiteDatabase?
        let url: URL
    }

    /// The databases of this process that can be suspended.
    private static let suspendable = Locked<[SuspendableDatabase]>([])

    /// Called once, at the end of the initialiser.
    func allowSuspending(_ suspension: Suspension) {
        self.suspension = suspension
        Self.suspendable.withLock { entries in
            entries.removeAll { $0.database == nil }
            entries.append(SuspendableDatabase(database: self, url: suspension.url))
        }
        readers.beforeMaking = { [weak self] in try self?.resume() }
    }

    /// Sets the function that is called before the connections are closed, and after they were opened again.
    func whenSuspended(_ body: @escaping (_ isSuspended: Bool) -> Void) {
        writerLock.withLock { suspension?.changed = body }
    }

    private static func databases(at url: URL) -> [SQLiteDatabase] {
        guard let file = FileState(url) else { return [] }
        return suspendable.withLock { $0 }.compactMap {
            FileState($0.url)?.isSameFile(as: file) == true ? $0.database : nil
        }
    }

    /// Closes the connections of this process to a file, except those that a thread uses at the moment.
    static func suspend(fileAt url: URL) { for database in databases(at: url) { database.suspend() } }

    /// Opens the connections of suspended databases again, as far as the file permits it.
    static func resume(fileAt url: URL) {
        // A thread that holds the lock resumes the database itself. It may wait for the migration that calls this.
        for database in databases(at: url) where database.writerLock.try() {
            defer { database.writerLock.unlock() }
            try? database.resume()
        }
    }

    /// Closes the idle readers, and the connection that writes unless a thread uses it.
    private func suspend() {
        guard writerLock.try() else { return }
        defer { writerLock.unlock() }
        guard let suspension, !isWriting, writer?.isInTransaction != true else { return }
        let isFirst = isSuspended.withLock { isSuspended in
            defer { isSuspended = true }
            return !isSuspended
        }
        if isFirst { suspension.changed?(true) }
        readers.closeIdle()
        checkpointer?.waitUntilIdle()
        writer?.finalizeStatements()
        writer = nil
    }

    /// Opens the connection that writes, if the database is suspended. Readers follow on demand.
    func resume() throws {
        guard isSuspended.withLock({ $0 }) else { return }
        try writerLock.withLock {
            // The recovery of a migration, before the file is opened, suspends and resumes all databases itself.
            guard isSuspended.withLock({ $0 }), !isResuming, let suspension else { return }
            isResuming = true
            defer { isResuming = false }
            let connection = try suspension.reopen()
            if suspension.isWritable {
                writer = connection
                checkpointer?.follow(connection)
            }
            isSuspended.withLock { $0 = false }
            suspension.changed?(false)
        }
    }
}
