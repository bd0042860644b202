// Implementation notes: Stores/SQLite/Files.
//
// - Only regular files and folders are ever removed, renamed or replaced (`FileKind`).
// - New files get no more permissions than the folder in which they end up has (`FilePermissions`). Files in the folder
//   of a migration count as files of the folder beside it.
// - Destroying a store copies the -wal into the main file, empties the companions, and renames one of them over the
//   main file. Before the renaming the store is complete; after it the file is empty.
// - A main file that has lost its name gets no -wal, -shm or -journal (`SQLiteFileGuard`). Opening compares the version
//   that it has checked with the version in the file that it has open.
// - A store that no connection seems to use is read without a lock, so a reading may meet files that another process is
//   writing, exchanging or recovering. `RepeatedReading` repeats the reading while the files change, or while another
//   process has SQLite's locks for writing. If the file was written a moment ago, it repeats the reading once in any
//   case.
// - `SQLiteStoreSummary.reading` runs further work in the same repetition: losses, plans, forecasts.
// - The names of files of external values are noted beside their folder before a transaction creates or orphans the
//   files. A note that is there although no transaction can be under way comes from a killed process
//   (`ExternalData+Sweeping`).
// - The kernel reports writes to `RemoteChangeMonitor` (inotify on the -wal). The monitor asks SQLite's `data_version`
//   for a commit, and history for a new transaction. It posts on a queue of its own.

import CSQLite
import Foundation

/// The files that are one SQLite store: the main file, its -wal and -shm (or -journal), and the folder of external
/// data.
///
/// They are destroyed, replaced and moved only together, because an old -wal beside a new main file destroys data.
struct SQLiteStoreFiles: Sendable {
    let main: URL

    /// The files of the store at a URL. If a symbolic link lies there, they are the files at the link's target: SQLite
    /// creates the -wal beside the target, and an exchange of files must not replace the link.
    init(_ url: URL) { main = FileKind.target(of: url) }

    var wal: URL { URL(fileURLWithPath: main.path + "-wal") }
    var shm: URL { URL(fileURLWithPath: main.path + "-shm") }
    var journal: URL { URL(fileURLWithPath: main.path + "-journal") }

    /// `.NAME_SUPPORT` beside the store, NAME being the file's name without extension.
    var supportFolder: URL {
        let name = main.deletingPathExtension().lastPathComponent
        return main.deletingLastPathComponent().appendingPathComponent(".\(name)_SUPPORT", isDirectory: true)
    }

    /// The folder of the values of attributes with external storage, one file each.
    var externalDataFolder: URL {
        supportFolder.appendingPathComponent("_EXTERNAL_DATA", isDirectory: true)
    }

    /// All files and folders of the store that exist now.
    var existing: [URL] {
        [main, wal, shm, journal, supportFolder].filter { FileManager.default.fileExists(atPath: $0.path) }
    }

    /// Throws if the place of a file has something that is no regular file, or the place of a folder has something that
    /// is no folder. Only files and folders of a store are ever removed or renamed. SQLite itself removes a file that
    /// it takes for an old -wal.
    func requireOwn() throws {
        try requireOwnFiles(.fileWriteUnknown)
        try requireOwnFolders(.fileWriteUnknown)
        try FileKind.require(.folder, at: MigrationFolder.url(for: main))
    }

    /// Throws if something that is no folder lies in the place of the folder of external data.
    func requireOwnFolders(_ code: CocoaError.Code) throws {
        try ExternalData(folder: externalDataFolder).requireOwnFolders(code)
    }

    /// Throws if something that is no regular file lies in the place of one, or a file that has a second name: SQLite
    /// overwrites the files beside the main file.
    ///
    /// - Parameter isWritten: Whether SQLite may write the files.
    func requireOwnFiles(_ code: CocoaError.Code, isWritten: Bool = true) throws {
        try FileKind.require(.file, at: main, followsLinks: true, code)
        for companion in [wal, shm, journal] {
            try FileKind.require(.file, at: companion, code)
            if isWritten, FileKind.nameCount(at: companion) > 1 {
                throw NSError.coreData(
                    code.rawValue,
                    reason: "“\(companion.path)” is a hard link: the file has another name, too, and its content there "
                        + "would change. It was left as it is. If it is the store’s own, and the other name is that of "
                        + "a backup made by hard links, put a copy of the file in its place while no program has the "
                        + "store open: copy it to another name, and rename the copy.", url: companion)
            }
        }
    }

    /// Whether the -wal has content.
    var hasLog: Bool { FileKind.size(at: wal) > 0 }

    /// Whether the main file is empty: a store was destroyed there, or none has been created yet. SQLite ignores the
    /// content of the -wal then.
    var isEmptied: Bool { FileKind(at: main, followsLinks: true) == .file && FileKind.size(at: main) == 0 }

    /// Whether a file or folder is protected from writing: by its permissions, by its medium, or because no user has
    /// the right to write, as in an archive. For root, too, a file without any write permission counts as protected.
    private static func isWriteProtected(_ url: URL) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue ?? 0o222
        return mode & 0o222 == 0 || access(url.path, W_OK) != 0
    }

    /// The access for reading the files without writing to any of them, if that is possible; otherwise that of an
    /// ordinary reader.
    var readingAccess: SQLiteConnection.Access {
        let protected = [main, main.deletingLastPathComponent()].filter(Self.isWriteProtected).count
        if leavesSharedMemoryFile { return .readOnlySharedMemory }
        if protected == 0 || FileManager.default.fileExists(atPath: journal.path) { return .readOnly }
        let hasSharedMemoryFile = FileManager.default.fileExists(atPath: shm.path)
        // Without a -wal no -shm is needed, unless a process that may write has left one.
        if !hasLog { return protected == 2 || !hasSharedMemoryFile ? .immutable : .readOnly }
        return protected == 2 && hasSharedMemoryFile ? .readOnlySharedMemory : .readOnly
    }

    /// Whether there is a -shm that reading leaves as it is.
    var leavesSharedMemoryFile: Bool {
        UntouchedSharedMemoryFiles.areWanted && FileManager.default.fileExists(atPath: shm.path)
            && !FileManager.default.fileExists(atPath: journal.path)
    }

    /// Undoes changes that a killed process has left half written in the main file. Read-only connections cannot do
    /// that, and cannot read such a file either.
    ///
    /// The journal of a process that is still writing stays as it is. A process without the right to write changes
    /// nothing.
    func rollBackJournal(timeout: TimeInterval) {
        guard FileManager.default.fileExists(atPath: journal.path), !Self.isWriteProtected(main),
            !Self.isWriteProtected(main.deletingLastPathComponent()),
            let connection = try? SQLiteConnection(path: main.path, access: .readWrite, busyTimeout: timeout)
        else { return }
        connection.disableCheckpointOnClose()
        try? connection.readSomething()
    }

    /// Removes the -shm that a reader created, and the -wal with it if that is empty, unless another connection has the
    /// store open.
    ///
    /// Only a connection that may write removes the two files. A read-only connection creates them and leaves them
    /// behind.
    ///
    /// - Parameter keepsSharedMemoryFile: Whether the -shm was there before the reading, and stays as it is.
    func removeFilesLeftByReader(keepsSharedMemoryFile: Bool = false) {
        // Files beside an empty main file belong to a store that was destroyed.
        guard FileManager.default.fileExists(atPath: shm.path), !isEmptied,
            let connection = try? SQLiteConnection(path: main.path, access: .readWrite, busyTimeout: 0)
        else { return }
        guard hasLog || keepsSharedMemoryFile else {
            // SQLite removes both when this connection closes.
            try? connection.readSomething()
            return
        }
        // The -wal stays as it is. Exclusive mode needs no -shm, and while its lock is held no other connection uses
        // one.
        connection.disableCheckpointOnClose()
        guard (try? connection.readAlone()) != nil,
            (try? connection.readSomething()) != nil
        else { return }
        if !keepsSharedMemoryFile { return (try? FileKind.remove(.file, at: shm)) ?? () }
        if !hasLog { try? FileKind.remove(.file, at: wal) }
    }

    /// Whether any part of a store is there. The empty files of a destroyed store do not count.
    var exist: Bool {
        [main, wal, journal].contains { FileKind.size(at: $0) > 0 } || FileKind(at: supportFolder) != nil
    }

    // MARK: Copying

    /// Copies the store to a free address. SQLite's backup reads one consistent state while other connections write.
    ///
    /// - Parameter work: Receives the progress of the copy, and may cancel it.
    func copy(to destination: SQLiteStoreFiles, timeout: TimeInterval = 240, following work: FollowedWork? = nil) throws
    {
        try StoreExchange.recover(self, timeout: timeout)
        try SQLiteStoreMetadata.requireFile(at: main)
        // The copy of an empty file would take the place of a store.
        if isEmptied { throw SQLStoreMetadata.notAStore(main) }
        do {
            var attempts = Attempts(timeout: timeout)
            var isLocking = false
            // A reader that takes a lock creates a -shm if there is none.
            var hadIndex = true
            defer { if !hadIndex { removeFilesLeftByReader() } }
            while try !copyDatabase(to: destination, timeout: timeout, work, isLocking: isLocking) {
                guard attempts.goOn() else {
                    throw SQLiteError(
                        code: SQLiteError.codeOfMovedFile, message: "other processes exchange it again and again",
                        path: main.path)
                }
                try destination.removeRemains()
                // A lock keeps one state readable, however often other processes write.
                if !isLocking { hadIndex = FileManager.default.fileExists(atPath: shm.path) }
                isLocking = true
            }
            if FileManager.default.fileExists(atPath: supportFolder.path) {
                try requireOwnFolders(.fileReadUnknown)
                try (work ?? FollowedWork(progress: nil)).copyFolder(supportFolder, to: destination.supportFolder)
            }
        } catch let error as SQLiteError {
            try? destination.removeRemains()
            throw error.nsError(doing: .saving)
        } catch {
            try? destination.removeRemains()
            throw error
        }
    }

    /// - Returns: false if the copy may hold parts of several states, because another process has written during the
    ///   copying.
    private func copyDatabase(
        to destination: SQLiteStoreFiles, timeout: TimeInterval, _ work: FollowedWork?, isLocking: Bool = false
    ) throws -> Bool {
        let before = FileState(main)
        // A file that no connection uses is read as it lies, without a lock that would keep other connections out.
        func isUnchanged() -> Bool { FileState(main) == before }
        // A connection to an empty file would remove the empty -wal of a store that was destroyed.
        if isEmptied { throw SQLStoreMetadata.notAStore(main) }
        if isLocking { rollBackJournal(timeout: timeout) }
        let source =
            isLocking
            ? try SQLiteConnection(path: main.path, access: readingAccess, busyTimeout: timeout)
            : try SQLiteStoreMetadata.quietConnection(at: main, timeout: timeout)
        do {
            let isWAL = try source.hasLog()
            let target = try SQLiteConnection(path: destination.main.path, access: .create, busyTimeout: timeout)
            // One read transaction: all pieces of the backup are of one state, although other connections may write.
            try source.beginLazily()
            try source.readSomething()
            // Another process has destroyed the store since. The copy of an empty file would take the place of a store.
            if try source.size() == 0 { throw SQLStoreMetadata.notAStore(main) }
            try source.backUp(to: target, following: work.map { work in { try work.advance($0) } })
            source.endReading()
            if isWAL { try target.setJournalMode("WAL") }
        } catch let error as SQLiteError where source.access == .immutable && !isUnchanged() {
            // A half-written file can give the errors of a damaged one.
            if [SQLITE_CORRUPT, SQLITE_NOTADB].contains(error.primaryCode) { return false }
            throw error
        } catch let error as SQLiteError where isLocking && error.isOfMovedFile {
            return false
        }
        return source.access != .immutable || SoleUse.isHeldHere(for: self) || isUnchanged()
    }

    /// Removes all files of an unfinished copy, or none. Only for files that no other connection can have opened yet.
    func removeRemains() throws {
        try requireOwn()
        let isShared = SharedSupport(store: self).isShared
        for url in existing where url != supportFolder || !isShared { try FileManager.default.removeItem(at: url) }
    }

    // MARK: Locks

    /// Runs a body while no other connection can have the store open. Throws if another connection has it open.
    ///
    /// The lock is SQLite's own: an exclusive lock of a connection on the main file. Other users of the store respect
    /// no other lock. Opening the file once more and closing it again, for `flock` or `fcntl`, would drop every POSIX
    /// lock that SQLite holds on it in this process. `absorbing` first copies the -wal into the main file, so that the
    /// -wal is not needed any more. The body runs without a lock if the file is no database.
    ///
    /// - Parameter opened: Called between the opening of the file and its locking. Tests use this moment.
    func withoutUsers(
        timeout: TimeInterval, force: Bool, absorbing: Bool = false, opened: () throws -> Void = {},
        _ body: () throws -> Void
    ) throws {
        do {
            var polling = Attempts(.storeLock(timeout: timeout))
            var failures = 0
            var waits = false
            while !force, FileManager.default.fileExists(atPath: main.path) {
                // Each attempt uses a new connection, and no connection is open while this waits: a connection that
                // failed keeps a shared lock, and two of them would wait for each other.
                if waits {
                    waits = false
                    polling.pause()
                    continue
                }
                let connection = try SQLiteConnection(path: main.path, access: .readWrite, busyTimeout: 0)
                connection.disableCheckpointOnClose()
                try opened()
                do {
                    try connection.lockOutOthers()
                    if absorbing { try connection.absorbLog() }
                } catch let error as SQLiteError where error.primaryCode == SQLITE_BUSY {
                    guard !polling.isOver else { throw error.nsError(doing: .saving) }
                    waits = true
                    continue
                } catch let error as SQLiteError where error.cannotBeLocked {
                    // A file that another process exchanges at this moment gives these errors, too.
                    failures += 1
                    if failures < Attempts.always { continue }
                    // A file that this process can only read cannot be written by another process of the same user
                    // either. A file that is not a database any more has nothing that SQLite could lock.
                    if !error.needsNoLock {
                        guard SQLiteError.codesOfLostFiles.contains(error.code), !polling.isOver else {
                            throw error
                        }
                        waits = true
                        continue
                    }
                }
                // Another process has put another file in its place. The next attempt locks that file.
                if connection.hasMoved {
                    failures += 1
                    guard failures < Attempts.always || !polling.isOver else {
                        throw SQLiteError(
                            code: SQLiteError.codeOfMovedFile, message: "other processes exchange it again and again",
                            path: main.path)
                    }
                    waits = failures >= Attempts.always
                    continue
                }
                defer { withExtendedLifetime(connection) {} }
                return try body()
            }
            try body()
        } catch let error as SQLiteError {
            throw error.nsError(doing: .saving)
        }
    }
}

extension RetryPolicy {
    /// The policy of SQLite's lock on a whole store, for which SQLite itself must not wait: a waiting connection would
    /// keep a shared lock.
    static func storeLock(timeout: TimeInterval) -> RetryPolicy {
        RetryPolicy(pauses: 0.005...0.015, timeout: timeout)
    }
}
