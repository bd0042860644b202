import CSQLite
import Foundation

/// Decides whether a store's file is read again after an error, because another process changed the file during the
/// reading.
///
/// A store that no connection seems to use is read without a lock, and no lock keeps a file under its name. So a second
/// process can put another file into the store's place, can remove the -wal and the -shm by which the way of reading
/// was chosen, and can write pages that look damaged until the write is complete. A file counts as damaged only if it
/// looks damaged, stays as it is, and has no writer.
struct RepeatedReading {
    private let files: SQLiteStoreFiles
    private var attempts: Attempts
    private var before: Sight
    private var hasLookedTwice = false

    /// The properties of the files that change when another process opens, writes, exchanges, recovers or migrates the
    /// store. The content of the -wal is not among them, because its reader holds a lock.
    private struct Sight: Equatable {
        let main: FileState?
        let hasLog: Bool
        let hasSharedMemoryFile: Bool
        let hasJournal: Bool

        init(_ files: SQLiteStoreFiles) {
            main = FileState(files.main)
            hasLog = files.hasLog
            hasSharedMemoryFile = FileManager.default.fileExists(atPath: files.shm.path)
            hasJournal = FileManager.default.fileExists(atPath: files.journal.path)
        }
    }

    init(_ files: SQLiteStoreFiles, timeout: TimeInterval) {
        self.files = files
        attempts = Attempts(timeout: timeout)
        before = Sight(files)
    }

    /// Runs a body, and runs it again as long as other processes disturb it, up to the time limit.
    static func run<Result>(
        _ files: SQLiteStoreFiles, timeout: TimeInterval, _ body: () throws -> Result
    ) throws -> Result {
        var reading = RepeatedReading(files, timeout: timeout)
        while true {
            reading.begin()
            do {
                return try body()
            } catch let error as SQLiteError where reading.isRepeated(after: error) {}
        }
    }

    /// Records the state of the files. Called before each reading.
    mutating func begin() { before = Sight(files) }

    /// Whether a reading that failed with this error is repeated.
    mutating func isRepeated(after error: SQLiteError) -> Bool {
        // Another file has come into the store's place since the connection was opened.
        if error.isOfMovedFile { return attempts.goOn() }
        if error.looksDamaged { return isRepeatedAfterDamage() }
        // The last process that had the store open has closed it: SQLite reports that it cannot open the -wal and the
        // -shm, or must not create them.
        guard before.hasSharedMemoryFile, [SQLITE_READONLY, SQLITE_CANTOPEN].contains(error.primaryCode) else {
            return false
        }
        return !FileManager.default.fileExists(atPath: files.shm.path) && attempts.goOn()
    }

    /// Whether a reading of files that seemed damaged is repeated.
    mutating func isRepeatedAfterDamage() -> Bool {
        if isBeingWritten || Sight(files) != before { return attempts.goOn() }
        // The clock of the disk may be coarse: a write before the reading and a write during it leave the same time
        // then. A second reading begins after that clock has advanced.
        guard !hasLookedTwice, before.main?.hasDistinctTime == false else { return false }
        hasLookedTwice = true
        Thread.sleep(forTimeInterval: Self.tick)
        return true
    }

    /// Whether another process writes the store, or may begin to at any moment: it has SQLite's locks for writing on
    /// the main file, or the locks for a checkpoint and for recovery on the -shm.
    private var isBeingWritten: Bool {
        LockHolders.isLockedForWriting(files.main) || LockHolders.isLockedForWriting(files.shm, bytes: 121...122)
    }

    /// Longer than the steps of a disk's clock, in seconds.
    private static let tick = 0.02
}
