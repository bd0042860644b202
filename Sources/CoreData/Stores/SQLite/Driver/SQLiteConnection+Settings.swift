import CSQLite
import Foundation

// The settings of a file and a connection.
extension SQLiteConnection {
    // MARK: The journal

    /// The kind of the journal, in small letters: `wal`, `delete` …
    func journalMode() throws -> String { try text("PRAGMA journal_mode") ?? "delete" }

    /// Asks for another kind of journal, and says which one the file has now.
    @discardableResult
    func setJournalMode(_ mode: String) throws -> String {
        try withoutDefense { try text("PRAGMA journal_mode = '\(mode)'") ?? "delete" }
    }

    /// Whether commits go into a -wal first.
    func hasLog() throws -> Bool { try journalMode() == "wal" }

    /// Nothing waits for the disk: for a file that a kill makes void, or that is brought to the disk later.
    func leaveOutSyncing() throws { try execute("PRAGMA synchronous = OFF") }

    // MARK: Stores

    /// Sets a pragma of a program's. Its name is a word, and its value has no quotation mark.
    func setPragma(_ name: String, to value: String) throws { try execute("PRAGMA \(name) = '\(value)'") }

    /// Sets every connection of a store up, before the program's own pragmas.
    func prepareForWork() throws {
        // 32 MB of pages: SQLite's 2 MB cost up to twice the time on random access.
        try execute("PRAGMA cache_size = -32768; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY")
    }

    /// Gives back the memory of pages that need not be written.
    func forgetPages() { sqlite3_db_release_memory(handle) }

    /// Takes the room of deleted rows out of the file, by writing it anew.
    func vacuum() throws { try execute("VACUUM") }

    /// Gathers the statistics by which SQLite chooses indexes.
    func analyze() throws { try execute("ANALYZE") }

    /// Whether nothing has been made in the database yet.
    func isEmpty() throws -> Bool { try integer("SELECT COUNT(*) FROM sqlite_master") == 0 }

    /// A number that is another one as soon as another connection has committed something.
    func dataVersion() throws -> Int64 { try integer("PRAGMA data_version") ?? 0 }

    // MARK: Locks

    /// Reads something. Only then SQLite takes its lock, undoes half-written changes of a killed process, finds the
    /// -wal, and has a transaction see one state.
    func readSomething() throws { _ = try integer("PRAGMA schema_version") }

    /// Refuses to write from now on.
    func refuseWriting() throws { try execute("PRAGMA query_only = 1") }

    /// Refuses to write from now on, and keeps the lock of its first reading: it needs no -shm.
    func readAlone() throws { try execute("PRAGMA query_only = 1; PRAGMA locking_mode = EXCLUSIVE") }

    /// Takes the lock that keeps everybody else out, and keeps it.
    func lockOutOthers() throws { try execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE") }

    /// Copies the -wal into the main file and empties it, while others are locked out.
    func absorbLog() throws { try execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE); BEGIN EXCLUSIVE") }

    /// Whether the connection gives its locks back behind each transaction, as it does unless a program's pragma says
    /// otherwise.
    func givesLocksBack() throws -> Bool { try text("PRAGMA locking_mode") == "normal" }

    // MARK: Transactions

    /// Begins a transaction during which nobody else reads, in a file without a -wal.
    func beginExclusively() throws { try execute("BEGIN EXCLUSIVE") }

    /// Takes out the number under which a held transaction was committed.
    func removeHeldNumber() throws { try execute("PRAGMA user_version = 0") }

    /// Moves the counter at which processes with the file open look before they write.
    func raiseSchemaVersion() throws { try execute("CREATE TABLE Z_MIGRATED (Z_PK INTEGER); DROP TABLE Z_MIGRATED") }

    /// Begins a transaction that takes its locks when it needs them.
    func beginLazily() throws { try execute("BEGIN") }

    /// Ends a transaction in which nothing was written: there is nothing that could fail.
    func endReading() { sqlite3_exec(handle, "COMMIT", nil, nil, nil) }

    /// Commits, and begins the next transaction.
    func commitAndBegin() throws { try execute("COMMIT; BEGIN") }

    /// Sets up a file that only this connection uses and that nobody needs when the machine went down. A file that is
    /// kept survives the end of the process at any moment.
    func prepareForScratch(isKept: Bool) throws {
        try setJournalMode(isKept ? "TRUNCATE" : "OFF")
        try execute(
            """
            PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -8192;
            PRAGMA temp_store = FILE
            """)
    }

    /// A database in a folder, with a -wal whose commits reach the disk, whose files have no names any more: a kill
    /// leaves nothing of it.
    static func nameless(in folder: URL) throws -> SQLiteConnection {
        let file = folder.appendingPathComponent(UUID().uuidString)
        func forget() { for suffix in ["", "-wal", "-shm"] { unlink(file.path + suffix) } }
        do {
            let connection = try SQLiteConnection(path: file.path, access: .create)
            try connection.setJournalMode("WAL")
            try connection.execute("PRAGMA synchronous = FULL")
            // SQLite has its files open behind the first transaction, and needs their names no more.
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

    /// Sets the connection up for one large transaction.
    ///
    /// - Parameter isDiscardable: whether the file is a copy that is thrown away when anything goes wrong.
    func prepareForMigration(isDiscardable: Bool) throws {
        // The commit must reach the disk, once; and pages of dropped tables need not be overwritten twice.
        try execute("PRAGMA synchronous = FULL; PRAGMA secure_delete = FAST; PRAGMA temp_store = FILE")
        try setCacheSize(kibibytes: Self.cacheOfMigrations)
        if isDiscardable {
            try execute("PRAGMA synchronous = OFF")
            try setJournalMode("OFF")
        }
    }

    /// SQLite sorts as much at once as the cache takes, in one instruction that cannot be stopped.
    func sortingInPieces(_ body: () throws -> Void) throws {
        try setCacheSize(kibibytes: 8192)
        try body()
        try setCacheSize(kibibytes: Self.cacheOfMigrations)
    }

    /// The length of the loops of the statement's program.
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

    func facts(ofTables names: Set<String>?) throws -> StoreFacts { try StoreFacts(self, tables: names) }

    func changingTables(_ body: () throws -> Void) throws {
        let indexes = try SpatialIndexes(self)
        try body()
        try indexes.follow(on: self)
    }

    // MARK: The file

    /// Bytes of the main file, with everything that is still in the -wal.
    func size() throws -> Int64 {
        try (integer("PRAGMA page_count") ?? 0) * (integer("PRAGMA page_size") ?? 0)
    }

    /// The main file's counter of changes, which SQLite moves with every transaction that changes it (not those in a
    /// -wal).
    func changeCounter() throws -> UInt32 {
        let bytes = try self.bytes(at: 24, count: 4)
        guard bytes.count == 4 else { throw error(SQLITE_IOERR | 2 << 8) }
        return bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Whether the file that is open no longer has the name it was opened under: it was exchanged, moved or removed.
    var hasMoved: Bool {
        var moved: Int32 = 0
        let code = withUnsafeMutablePointer(to: &moved) {
            sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, $0)
        }
        return code == SQLITE_OK && moved != 0
    }
}
