import CSQLite
import Foundation

/// Reading the metadata of a SQLite store without adding it to a coordinator.
///
/// Nothing on the disk changes: no journal is created, no -wal is copied into the main file, no -shm appears.
enum SQLiteStoreMetadata {
    /// The key under which Apple's framework records the auto-vacuum mode of a file.
    static let vacuumKey = "_NSAutoVacuumLevel"

    /// The metadata of a store, with its type and UUID. Throws if there is no file, or if it is no Core Data store.
    static func metadata(at url: URL, timeout: TimeInterval = 240) throws -> [String: Any] {
        try peek(at: url, timeout: timeout) { try metadata(from: $0, at: url) }
    }

    /// The metadata as a connection to the file reads them.
    static func metadata(from connection: SQLiteConnection, at url: URL) throws -> [String: Any] {
        let metadata = try SQLStoreMetadata.read(from: connection, url: url)
        try requireOwnLog(at: url, metadata)
        return metadata
    }

    /// Whether the file is a database without any table, as a killed creation may leave it. An empty file counts, too.
    static func isEmptyDatabase(at url: URL, timeout: TimeInterval = 240) throws -> Bool {
        // A connection to an empty file would remove the empty -wal of a destroyed store.
        if SQLiteStoreFiles(url).isEmptied { return true }
        return try peek(at: url, timeout: timeout) { try $0.isEmpty() }
    }

    /// Replaces the program's part of the metadata of a store that is not open. The description of the schema stays.
    static func setMetadata(
        _ metadata: [String: Any], at url: URL, timeout: TimeInterval = 240, _ attempts: Attempts? = nil
    ) throws {
        var attempts = attempts ?? Attempts(timeout: timeout)
        // All checks come first, because a connection that writes changes files when it opens and when it closes.
        let known = try self.metadata(at: url, timeout: timeout)
        do {
            let connection: SQLiteConnection
            if case .sharedMemory(let name) = StorePlace(url) {
                connection = try SharedMemory.connection(to: name, timeout: timeout)
            } else {
                connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: timeout)
            }
            try connection.requireWritable(at: url)
            try connection.transaction {
                // The description of the model is read within the write transaction, in which no other process can
                // migrate the store.
                let present = try SQLStoreMetadata.read(from: connection, url: url)
                guard present[NSStoreUUIDKey] as? String == known[NSStoreUUIDKey] as? String else {
                    throw SQLiteError(
                        code: SQLiteError.codeOfMovedFile, message: "another store lies there now", path: url.path)
                }
                try SQLStoreMetadata.write(SQLStoreMetadata.merging(metadata, over: present), to: connection, url: url)
            }
        } catch let error as SQLiteError where error.isOfMovedFile && attempts.goOn() {
            // Another store has come into the place of the one whose metadata was read.
            return try setMetadata(metadata, at: url, timeout: timeout, attempts)
        } catch let error as SQLiteError {
            throw error.nsError(doing: .saving)
        }
    }

    // MARK: Opening without a trace

    /// Runs a body with a connection that leaves no trace, as `reading` does, and throws SQLite's errors as Core
    /// Data's.
    static func peek<Result>(
        at url: URL, timeout: TimeInterval, _ body: (SQLiteConnection) throws -> Result
    ) throws -> Result {
        do {
            return try reading(at: url, timeout: timeout, body)
        } catch let error as SQLiteError {
            throw error.nsError(doing: .opening)
        }
    }

    /// Runs a body with a connection that leaves no trace. The body runs again if other processes have disturbed it.
    static func reading<Result>(
        at url: URL, timeout: TimeInterval, _ body: (SQLiteConnection) throws -> Result
    ) throws -> Result {
        if case .sharedMemory(let name) = StorePlace(url) {
            guard let reader = try SharedMemory.reader(of: name, timeout: timeout) else {
                throw StorePlace.missing(url)
            }
            return try body(reader)
        }
        try requireFile(at: url)
        let files = SQLiteStoreFiles(url)
        // A connection would remove the empty -wal that a destroyed store has left.
        if files.isEmptied { throw SQLStoreMetadata.notAStore(url) }
        return try RepeatedReading.run(files, timeout: timeout) { try body(openQuietly(at: url, timeout: timeout)) }
    }

    /// A connection that reads and leaves no trace.
    ///
    /// The thread that holds the lock on the store reads the file as it is, and ignores files that other processes have
    /// left beside it. Without a -wal the file is read as it is (`immutable=1`: no locks, no other files). With a -wal
    /// and a -shm another process is using the store, or was killed: the connection is an ordinary read-only one. With
    /// a -wal alone an ordinary connection would create a -shm. So the connection is in exclusive mode, in which SQLite
    /// keeps that index in memory. It does not copy the -wal into the main file when it closes.
    static func quietConnection(at url: URL, timeout: TimeInterval) throws -> SQLiteConnection {
        try RepeatedReading.run(SQLiteStoreFiles(url), timeout: timeout) {
            try openQuietly(at: url, timeout: timeout)
        }
    }

    private static func openQuietly(at url: URL, timeout: TimeInterval) throws -> SQLiteConnection {
        let connection = try connectQuietly(at: url, timeout: timeout)
        // The first read takes the lock that keeps the file in its place.
        try connection.readSomething()
        return connection
    }

    private static func connectQuietly(at url: URL, timeout: TimeInterval) throws -> SQLiteConnection {
        let files = SQLiteStoreFiles(url)
        if SoleUse.isHeldHere(for: files) {
            return try SQLiteConnection(path: url.path, access: .immutable, busyTimeout: timeout)
        }
        files.rollBackJournal(timeout: timeout)
        let hasJournal = FileManager.default.fileExists(atPath: files.journal.path)
        let hasSharedMemoryFile = FileManager.default.fileExists(atPath: files.shm.path)
        // A process that has the store open has a -wal, too, which may be empty.
        let isUnused =
            !hasSharedMemoryFile
            || UntouchedSharedMemoryFiles.areWanted && !FileManager.default.fileExists(atPath: files.wal.path)
        if !hasJournal, isUnused, !files.hasLog {
            return try SQLiteConnection(path: url.path, access: .immutable, busyTimeout: timeout)
        }
        if hasSharedMemoryFile || hasJournal {
            return try SQLiteConnection(path: url.path, access: files.readingAccess, busyTimeout: timeout)
        }
        let connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: timeout)
        connection.disableCheckpointOnClose()
        try connection.readAlone()
        return connection
    }

    /// Throws if the -wal beside a store belongs to another store: SQLite would copy its pages over the store's own.
    ///
    /// A -wal does not say which file it belongs to. But most begin with a complete new store or hold its metadata, and
    /// then the main file alone has another UUID than the main file with its -wal.
    ///
    /// A checkpoint that a loss of power has cut off leaves pages of which some sectors are old. Then the main file has
    /// no valid UUID, the -wal has the complete page, and the store is accepted.
    private static func requireOwnLog(at url: URL, _ metadata: [String: Any]) throws {
        let files = SQLiteStoreFiles(url)
        // Without the -wal the main file may hold nothing yet, or an incomplete state. Then nothing can be compared.
        guard files.hasLog, let alone = try? SQLiteConnection(path: url.path, access: .immutable),
            let before = try? SQLStoreMetadata.read(from: alone, url: url),
            let identifier = before[NSStoreUUIDKey] as? String, UUID(uuidString: identifier) != nil,
            identifier != metadata[NSStoreUUIDKey] as? String,
            !(metadata[SQLStoreMetadata.previousIdentifiersKey] as? [String] ?? []).contains(identifier)
        else { return }
        throw NSError.coreData(
            CocoaError.Code.fileReadCorruptFile.rawValue,
            reason: "The file “\(url.lastPathComponent)” couldn’t be opened because the file "
                + "“\(files.wal.lastPathComponent)” beside it belongs to another store. Put the store’s own -wal there, "
                + "or move this one away; the last saves are missing then. \(SQLiteFault.remedy)", url: url)
    }

    /// The smallest page size of SQLite.
    private static let smallestDatabase = 512

    static func requireFile(at url: URL) throws {
        guard StorePlace(url) == .file else { throw StorePlace.missing(url) }
        guard let kind = FileKind(at: url, followsLinks: true) else {
            throw NSError.coreData(
                CocoaError.Code.fileReadNoSuchFile.rawValue,
                reason: "The file “\(url.lastPathComponent)” couldn’t be opened because there is no such file.",
                url: url)
        }
        if kind != .file {
            throw NSError.coreData(
                CocoaError.Code.fileReadCorruptFile.rawValue,
                reason: "The file “\(url.lastPathComponent)” couldn’t be opened because it is \(kind.rawValue).",
                url: url)
        }
        // SQLite treats a file of one byte as a new database.
        let size = FileKind.size(at: url)
        if size > 0, size < smallestDatabase {
            throw NSError.coreData(
                CocoaError.Code.fileReadCorruptFile.rawValue,
                reason:
                    "The file “\(url.lastPathComponent)” couldn’t be opened because it isn’t in the correct format: "
                    + "it is too small for a database.", url: url, sqliteCode: SQLITE_NOTADB)
        }
    }
}
