import CSQLite
import Foundation

/// Decides whether a store's file is looked at again after an error, because others were at work on it meanwhile.
///
/// If nobody seems to use a store, its file is read without a lock, and no lock holds a name. So another file can come
/// into the store's place. The -wal and the -shm that told how to read can go. Changes of somebody else can look
/// damaged meanwhile. A file that stays as it is, and that nobody writes, is damaged if it looks so.
struct RepeatedReading {
    private let files: SQLiteStoreFiles
    private var attempts: Attempts
    private var before: Sight
    private var hasLookedTwice = false

    /// The facts about the files that change when somebody else opens, writes, exchanges, recovers or migrates the
    /// store. The content of the -wal is not among them: its reader holds a lock.
    private struct Sight: Equatable {
        let main: FileState?
        let hasLog: Bool
        let hasIndex: Bool
        let hasJournal: Bool

        init(_ files: SQLiteStoreFiles) {
            main = FileState(files.main)
            hasLog = files.hasLog
            hasIndex = FileManager.default.fileExists(atPath: files.shm.path)
            hasJournal = FileManager.default.fileExists(atPath: files.journal.path)
        }
    }

    init(_ files: SQLiteStoreFiles, timeout: TimeInterval) {
        self.files = files
        attempts = Attempts(timeout: timeout)
        before = Sight(files)
    }

    /// Runs a body until the work of others does not disturb it any more, or until the time limit.
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

    /// Called before each look.
    mutating func begin() { before = Sight(files) }

    /// Whether the look that failed so is to be begun again.
    mutating func isRepeated(after error: SQLiteError) -> Bool {
        // Another file has come into the store's place since the connection was opened.
        if error.isOfMovedFile { return attempts.goOn() }
        if error.looksDamaged { return isRepeatedAfterDamage() }
        // The last process that had the store open has closed it: SQLite says that it cannot open the -wal and the
        // -shm, or that it may not make them.
        guard before.hasIndex, [SQLITE_READONLY, SQLITE_CANTOPEN].contains(error.primaryCode) else { return false }
        return !FileManager.default.fileExists(atPath: files.shm.path) && attempts.goOn()
    }

    /// Whether a look at files that seemed damaged is to be begun again.
    mutating func isRepeatedAfterDamage() -> Bool {
        if isBeingWritten || Sight(files) != before { return attempts.goOn() }
        // The clock of the disk may be coarse: files that were written before the look and during it have one time
        // then. A second look begins later.
        guard !hasLookedTwice, before.main?.hasDistinctTime == false else { return false }
        hasLookedTwice = true
        usleep(Self.tick)
        return true
    }

    /// Whether another process writes the store, or may begin to at any moment: it has SQLite's locks for that on the
    /// main file, or those for copying a -wal and for recovery on the -shm.
    private var isBeingWritten: Bool {
        LockHolders.isLockedForWriting(files.main) || LockHolders.isLockedForWriting(files.shm, bytes: 121...122)
    }

    /// Longer than the clock of a disk stands still, in microseconds.
    private static let tick: UInt32 = 20_000
}
