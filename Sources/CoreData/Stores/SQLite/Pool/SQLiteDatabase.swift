import Foundation

/// A SQLite file, or a database in memory: a pool of connections that read, see `SQLiteReaderPool`, and one connection
/// that writes.
// @unchecked Sendable: mutable state is used under `writerLock` only.
final class SQLiteDatabase: SQLDatabase, @unchecked Sendable {
    /// Guards the writer. Without a -wal the writer is the only connection.
    let writerLock: NSRecursiveLock
    /// Nil for a database that is read-only, suspended or closed.
    var writer: SQLiteConnection?
    /// Whether a body of `write` runs.
    private(set) var isWriting = false
    let suspensionState = Locked(SuspensionState.open)
    /// Nil for a database that keeps its connections.
    var suspension: Suspension?
    /// Whether migrations may close the connections.
    let isSuspendable: Bool
    /// How many times the connections were opened again.
    var openings = 0
    let readers: SQLiteReaderPool
    /// Nil if there is no -wal to copy, or if the program has set `wal_autocheckpoint` itself.
    let checkpointer: SQLiteCheckpointer?

    /// Creates a database with connections for reading beside the writer.
    init(writer: SQLiteConnection?, copiesLog: Bool, readers: SQLiteReaderPool, suspension: Suspension? = nil) {
        writerLock = NSRecursiveLock()
        self.writer = writer
        self.readers = readers
        checkpointer = copiesLog ? writer.map { SQLiteCheckpointer(following: $0) } : nil
        self.suspension = suspension
        isSuspendable = suspension != nil
        // The pool is used by the database alone.
        if suspension != nil { readers.beforeMaking = { [unowned self] in try resume() } }
    }

    /// Creates a database with one connection, which reads, and writes unless the database is read-only.
    init(only connection: SQLiteConnection, isReadOnly: Bool) {
        writerLock = NSRecursiveLock()
        writer = isReadOnly ? nil : connection
        readers = SQLiteReaderPool(sharing: connection, lock: writerLock)
        checkpointer = nil
        isSuspendable = false
    }

    var capabilities: SQLCapabilities {
        var capabilities = SQLCapabilities()
        capabilities.readsWhereItWrites = readers.isShared
        capabilities.readsInOrderOfIndex = true
        return capabilities
    }

    var holdsTransaction: Bool { writerLock.withLock { writer?.holdsTransaction == true } }

    func read<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result {
        try readers.read { try body($0) }
    }

    func write<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result? {
        try lockWriter()
        defer { writerLock.unlock() }
        guard let writer else { return nil }
        if isWriting, writer.isInTransaction { throw NestedWriting.error }
        let isNested = isWriting
        isWriting = true
        defer { isWriting = isNested }
        readers.endIdleTransactions()
        do {
            return try body(writer)
        } catch {
            writer.rollback()
            throw error
        }
    }

    /// Locks the writer. A suspended database is opened again first.
    private func lockWriter() throws {
        writerLock.lock()
        closeWriter()
        while isSuspended {
            // The lock is not held while this waits for the migration, whose handlers may use the store, too.
            writerLock.unlock()
            try resume()
            writerLock.lock()
            closeWriter()
        }
    }

    func withoutWriting<Result>(_ body: () throws -> Result) rethrows -> Result { try writerLock.withLock(body) }

    func willSave() {
        guard let checkpointer else { return }
        writerLock.withLock { if let writer { checkpointer.lendHand(writer) } }
    }

    /// With more rows than this a save uses about as much memory for pages as a reader holds.
    private static let manyRows = 4_096

    func willSave(rows count: Int) {
        willSave()
        // The commit makes the pages of the readers old. Their memory serves the writer until then.
        if count > Self.manyRows { readers.forgetPages() }
    }

    /// Returns a database whose connection keeps its read transaction open.
    func pinned() throws -> (any SQLDatabase)? {
        try readers.makePinned().map { SQLiteDatabase(only: $0, isReadOnly: true) }
    }

    /// When the last connection of the process closes, SQLite copies the -wal into the main file.
    func close() {
        readers.close()
        writerLock.withLock {
            suspensionState.withLock { $0 = .open }
            suspension = nil
            checkpointer?.close()
            writer?.finalizeStatements()
            writer = nil
        }
    }
}
