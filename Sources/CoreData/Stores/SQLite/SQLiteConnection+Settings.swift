import CSQLite
import Foundation

// What SQLite is told about a file and a connection, and what it says about them.
extension SQLiteConnection {
    // MARK: The journal

    /// The kind of the journal, in small letters: `wal`, `delete` …
    func journalMode() throws -> String { try text("PRAGMA journal_mode") ?? "delete" }

    /// Asks for another kind of journal, and says which one the file has now.
    @discardableResult
    func setJournalMode(_ mode: String) throws -> String { try text("PRAGMA journal_mode = '\(mode)'") ?? "delete" }

    /// Nothing waits for the disk: for a file that a kill makes void, or that is brought to the disk later.
    func leaveOutSyncing() throws { try execute("PRAGMA synchronous = OFF") }

    // MARK: Transactions

    /// Begins a transaction during which nobody else reads, in a file without a -wal.
    func beginExclusively() throws { try execute("BEGIN EXCLUSIVE") }

    /// Takes out the number under which a held transaction was committed.
    func removeHeldNumber() throws { try execute("PRAGMA user_version = 0") }

    /// Moves the counter that whoever has the file open looks at before it writes.
    func raiseSchemaVersion() throws { try execute("CREATE TABLE Z_MIGRATED (Z_PK INTEGER); DROP TABLE Z_MIGRATED") }

    /// Begins a transaction that takes its locks when it needs them.
    func beginLazily() throws { try execute("BEGIN") }

    /// Commits, and begins the next transaction.
    func commitAndBegin() throws { try execute("COMMIT; BEGIN") }

    /// Sets up a file that only this connection uses and that nobody needs when the machine went down. A file that is
    /// kept survives the end of the process at any moment.
    func prepareForScratch(isKept: Bool) throws {
        try execute(
            """
            PRAGMA journal_mode = \(isKept ? "TRUNCATE" : "OFF"); PRAGMA synchronous = OFF;
            PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -8192; PRAGMA temp_store = FILE
            """)
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
        if isDiscardable { try execute("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF") }
    }

    /// What is sorted at once is as much as the cache takes, in one instruction that cannot be stopped.
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
    ///
    /// Read through SQLite's own descriptor: closing another one would drop all locks that this process has on the
    /// file.
    func changeCounter() throws -> UInt32 {
        var pointer: UnsafeMutablePointer<sqlite3_file>?
        let code = withUnsafeMutablePointer(to: &pointer) {
            sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, $0)
        }
        guard code == SQLITE_OK, let pointer, let read = pointer.pointee.pMethods?.pointee.xRead else {
            throw error(code)
        }
        var bytes: [UInt8] = [0, 0, 0, 0]
        let result = bytes.withUnsafeMutableBytes { read(pointer, $0.baseAddress, 4, 24) }
        guard result == SQLITE_OK else { throw error(result) }
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
