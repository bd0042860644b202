import CSQLite
import Foundation

// The settings of a file and of a connection.
extension SQLiteConnection {
    // MARK: The journal

    /// The mode of the journal, in small letters: `wal`, `delete` …
    func journalMode() throws -> String { try text("PRAGMA journal_mode") ?? "delete" }

    /// Requests another journal mode, and returns the mode that the file has now.
    @discardableResult
    func setJournalMode(_ mode: String) throws -> String {
        try withoutDefense { try text("PRAGMA journal_mode = '\(mode)'") ?? "delete" }
    }

    /// Whether commits are written to a -wal first.
    func hasLog() throws -> Bool { try journalMode() == "wal" }

    /// Turns synchronising with the disk off: for a file that a kill makes void, or that is synchronised later.
    func leaveOutSyncing() throws { try execute("PRAGMA synchronous = OFF") }

    // MARK: Stores

    /// Sets a pragma that the program has chosen. Its name is a word, and its value has no quotation mark.
    func setPragma(_ name: String, to value: String) throws { try execute("PRAGMA \(name) = '\(value)'") }

    /// Applies the settings of every connection of a store, before the program's own pragmas.
    func prepareForWork() throws {
        // 32 MB of pages: SQLite's 2 MB cost up to twice the time on random access.
        try execute("PRAGMA cache_size = -32768; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY")
    }

    /// Frees the memory of pages that need not be written.
    func forgetPages() { sqlite3_db_release_memory(handle) }

    /// Frees the space of deleted rows by writing the file anew.
    func vacuum() throws { try execute("VACUUM") }

    /// Collects the statistics by which SQLite chooses indexes.
    func analyze() throws { try execute("ANALYZE") }

    /// Whether the database has no table or other schema item yet.
    func isEmpty() throws -> Bool { try integer("SELECT COUNT(*) FROM sqlite_master") == 0 }

    /// A number that changes as soon as another connection has committed.
    func dataVersion() throws -> Int64 { try integer("PRAGMA data_version") ?? 0 }

    // MARK: Locks

    /// Runs a first read. Only then does SQLite take its lock, roll back half-written changes of a killed process, find
    /// the -wal, and fix the state that a transaction sees.
    func readSomething() throws { _ = try integer("PRAGMA schema_version") }

    /// Refuses to write from this call on.
    func refuseWriting() throws { try execute("PRAGMA query_only = 1") }

    /// Refuses to write from this call on, and keeps the lock of its first read, so that no -shm is needed.
    func readAlone() throws { try execute("PRAGMA query_only = 1; PRAGMA locking_mode = EXCLUSIVE") }

    /// Takes the exclusive lock, which excludes all other connections, and keeps it.
    func lockOutOthers() throws { try execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE") }

    /// Copies the -wal into the main file and empties it, while the exclusive lock is held.
    func absorbLog() throws { try execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE); BEGIN EXCLUSIVE") }

    /// Whether the connection releases its locks after each transaction. A pragma of the program can prevent that.
    func givesLocksBack() throws -> Bool { try text("PRAGMA locking_mode") == "normal" }

    // MARK: Transactions

    /// Begins a transaction during which no other connection reads, in a file without a -wal.
    func beginExclusively() throws { try execute("BEGIN EXCLUSIVE") }

    /// Removes the number under which a held transaction was committed.
    func removeHeldNumber() throws { try execute("PRAGMA user_version = 0") }

    /// Raises the schema counter, which processes with the file open compare before they write.
    func raiseSchemaVersion() throws { for statement in Self.raisingSchemaVersion { try execute(statement) } }

    /// The statements that raise it.
    static let raisingSchemaVersion = ["CREATE TABLE Z_MIGRATED (Z_PK INTEGER)", "DROP TABLE Z_MIGRATED"]

    /// Begins a transaction that takes its locks at its first read or write.
    func beginLazily() throws { try execute("BEGIN") }

    /// Ends a transaction in which nothing was written, so that the commit cannot fail.
    func endReading() { sqlite3_exec(handle, "COMMIT", nil, nil, nil) }

    /// Commits, and begins another transaction.
    func commitAndBegin() throws { try execute("COMMIT; BEGIN") }

    /// Applies the settings of a file that only this connection uses, and that is not needed after a crash of the
    /// machine. If `isKept`, the file survives the end of the process at any moment.
    func prepareForScratch(isKept: Bool) throws {
        try setJournalMode(isKept ? "TRUNCATE" : "OFF")
        try execute(
            """
            PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -8192;
            PRAGMA temp_store = FILE
            """)
    }

    /// Opens a database in a folder, with a -wal whose commits are synchronised. Its files are unlinked at once, so
    /// that a kill leaves nothing.
    static func nameless(in folder: URL) throws -> SQLiteConnection {
        let file = folder.appendingPathComponent(UUID().uuidString)
        func forget() { for suffix in ["", "-wal", "-shm"] { unlink(file.path + suffix) } }
        do {
            let connection = try SQLiteConnection(path: file.path, access: .create)
            try connection.setJournalMode("WAL")
            try connection.execute("PRAGMA synchronous = FULL")
            // After the first transaction SQLite has its files open, and does not need their names any more.
            try connection.raiseSchemaVersion()
            forget()
            return connection
        } catch {
            forget()
            throw error
        }
    }

    // MARK: Migrations

    /// Kibibytes of memory for pages while a store is migrated.
    static let cacheOfMigrations = 65536

    func setCacheSize(kibibytes: Int) throws { try execute("PRAGMA cache_size = -\(kibibytes)") }

    /// Applies the settings for one large transaction.
    ///
    /// - Parameter isDiscardable: whether the file is a copy that is removed after any error.
    func prepareForMigration(isDiscardable: Bool) throws {
        // The commit must reach the disk, once. Pages of dropped tables need not be overwritten twice.
        try execute("PRAGMA synchronous = FULL; PRAGMA secure_delete = FAST; PRAGMA temp_store = FILE")
        try setCacheSize(kibibytes: Self.cacheOfMigrations)
        if isDiscardable {
            try execute("PRAGMA synchronous = OFF")
            try setJournalMode("OFF")
        }
    }

    /// Runs a body with a smaller cache. SQLite sorts as much at once as the cache holds, in one instruction that
    /// cannot be interrupted.
    func sortingInPieces(_ body: () throws -> Void) throws {
        try setCacheSize(kibibytes: 8192)
        try body()
        try setCacheSize(kibibytes: Self.cacheOfMigrations)
    }

    /// The number of instructions in the loops of the statement's program.
    func stepsPerRow(of statement: SQLStatement) -> Int {
        var length = 0
        try? prepare("EXPLAIN " + statement.text).rows { row in
            let address = Int(row.int64(0))
            let target = Int(row.int64(3))
            if ["Next", "Prev", "SorterNext"].contains(row.string(1)), target < address {
                length += address - target + 1
            }
        }
        return length
    }

    // MARK: Tables

    var dialect: any SQLDialect { SQLiteDialect() }

    var assumedStoreType: String? { NSSQLiteStoreType }

    func catalog(ofTables names: Set<String>?) throws -> StoreCatalog { try StoreCatalog(self, tables: names) }

    func changingTables(_ body: () throws -> Void) throws {
        let indexes = try SpatialIndexes(self)
        try body()
        try indexes.follow(on: self)
    }

    // MARK: The file

    /// The bytes of the main file, with everything that is still in the -wal.
    func size() throws -> Int64 {
        try (integer("PRAGMA page_count") ?? 0) * (integer("PRAGMA page_size") ?? 0)
    }

    /// The main file's change counter, which SQLite raises with every transaction that changes the main file (a
    /// transaction in a -wal does not).
    func changeCounter() throws -> UInt32 {
        let bytes = try self.bytes(at: 24, count: 4)
        guard bytes.count == 4 else { throw error(SQLITE_IOERR | 2 << 8) }
        return bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Whether the open file does not have the name any more under which it was opened: it was exchanged, moved or
    /// removed.
    var hasMoved: Bool {
        var moved: Int32 = 0
        let code = withUnsafeMutablePointer(to: &moved) {
            sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, $0)
        }
        return code == SQLITE_OK && moved != 0
    }
}
