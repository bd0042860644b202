// About the room Stores/SQLite/Files.
//
// - Only regular files and folders are ever removed, renamed or replaced (`FileKind`).
// - New files get no more permissions than the folder in which they end up has (`FilePermissions`). Files in the folder
//   of a migration count as files of the folder beside it.
// - Destroying a store copies the -wal into the main file, empties the companions, and renames one of them over the
//   main file. Before the renaming the store is whole; after it the file is empty.
// - A main file that has lost its name gets no -wal, -shm or -journal (`SQLiteFileGuard`). Opening compares the version
//   that it has checked with the version in the file that it has open.
// - A store that nobody seems to use is read without a lock, so a look may meet files that another process is writing,
//   exchanging or recovering. `RepeatedReading` looks again while the files change, or while another process has
//   SQLite's locks for writing. It looks once more in any case if the file was written a moment ago.
// - `SQLiteStoreLook.reading` runs further work in the same repetition: losses, plans, forecasts.
// - Files of external values are noted beside their folder before a transaction makes or forgets them. A note that is
//   there while nobody can be within a transaction comes from a killed process (`ExternalData+Sweeping`).
// - The kernel tells `RemoteChangeMonitor` of writes (inotify on the -wal). The monitor asks SQLite's `data_version`
//   for a commit, and history for a new transaction. It posts on a queue of its own.

import CSQLite
import Foundation

/// The files that are one SQLite store: the main file, its -wal and -shm (or -journal), and the folder of external
/// data.
///
/// They are destroyed, replaced and moved only together: an old -wal beside a new main file destroys data.
struct SQLiteStoreFiles: Sendable {
    let main: URL

    /// The files of the store at a URL. Where a symbolic link lies there, they are those of the file that it leads to:
    /// SQLite puts the -wal beside that one, and an exchange of files must not take the link's place.
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

    /// Throws if something that is no regular file lies in the place of one, or no folder in that of a folder. Only
    /// files and folders of a store are ever removed or renamed, and SQLite itself removes a file that it takes for an
    /// old -wal.
    func requireOwn() throws {
        try requireOwnFiles(.fileWriteUnknown)
        try requireOwnFolders(.fileWriteUnknown)
        try FileKind.require(.folder, at: MigrationFolder.url(for: main))
    }

    /// Throws where something that is no folder lies in the place of the external data's.
    func requireOwnFolders(_ code: CocoaError.Code) throws {
        try ExternalData(folder: externalDataFolder).requireOwnFolders(code)
    }

    /// Throws where something that is no regular file lies in the place of one, or a file that has another name, too:
    /// SQLite overwrites the files beside the main file.
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

    /// Whether something is in the -wal.
    var hasLog: Bool { FileKind.size(at: wal) > 0 }

    /// Whether nothing is in the main file: a store was destroyed there, or none was made yet. SQLite ignores the
    /// content of the -wal then.
    var isEmptied: Bool { FileKind(at: main, followsLinks: true) == .file && FileKind.size(at: main) == 0 }

    /// Whether a file or folder is not to be written: because of its rights or its medium, or because nobody has the
    /// right to, as in an archive. Root may write everywhere, and does not write there either.
    private static func isWriteProtected(_ url: URL) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue ?? 0o222
        return mode & 0o222 == 0 || access(url.path, W_OK) != 0
    }

    /// The access for reading the files without writing to any of them, where that is possible; an ordinary reader
    /// otherwise.
    var readingAccess: SQLiteConnection.Access {
        let protected = [main, main.deletingLastPathComponent()].filter(Self.isWriteProtected).count
        if leavesIndex { return .frozen }
        if protected == 0 || FileManager.default.fileExists(atPath: journal.path) { return .readOnly }
        let hasIndex = FileManager.default.fileExists(atPath: shm.path)
        // Without a -wal no index is needed, unless a process that may write has left one.
        if !hasLog { return protected == 2 || !hasIndex ? .immutable : .readOnly }
        return protected == 2 && hasIndex ? .frozen : .readOnly
    }

    /// Whether there is a -shm that reading is to leave as it is.
    var leavesIndex: Bool {
        UntouchedIndexes.areWanted && FileManager.default.fileExists(atPath: shm.path)
            && !FileManager.default.fileExists(atPath: journal.path)
    }

    /// Undoes changes that a killed process has left half written in the main file. Readers cannot, and could not read
    /// either.
    ///
    /// Nothing happens to the journal of a process that is still writing. A process without the right to write leaves
    /// it alone, too.
    func rollBackJournal(timeout: TimeInterval) {
        guard FileManager.default.fileExists(atPath: journal.path), !Self.isWriteProtected(main),
            !Self.isWriteProtected(main.deletingLastPathComponent()),
            let connection = try? SQLiteConnection(path: main.path, access: .readWrite, busyTimeout: timeout)
        else { return }
        connection.disableCheckpointOnClose()
        try? connection.readSomething()
    }

    /// Removes the -shm that a reader made, and the -wal with it where that is empty, if nobody has the store open.
    ///
    /// Only a connection that may write does that; one that only reads makes the two files and leaves them.
    ///
    /// - Parameter keepsIndex: Whether the -shm was there before, and stays as it is.
    func removeReadersTraces(keepsIndex: Bool = false) {
        // Files beside an empty main file are those of a store that was destroyed.
        guard FileManager.default.fileExists(atPath: shm.path), !isEmptied,
            let connection = try? SQLiteConnection(path: main.path, access: .readWrite, busyTimeout: 0)
        else { return }
        guard hasLog || keepsIndex else {
            // SQLite removes both when this connection closes.
            try? connection.readSomething()
            return
        }
        // The -wal stays as it is. Exclusive mode does without a -shm, and while its lock is held nobody else uses one.
        connection.disableCheckpointOnClose()
        guard (try? connection.readAlone()) != nil,
            (try? connection.readSomething()) != nil
        else { return }
        if !keepsIndex { return (try? FileKind.remove(.file, at: shm)) ?? () }
        if !hasLog { try? FileKind.remove(.file, at: wal) }
    }

    /// Whether anything of a store is there. The empty files of one that was destroyed are nothing.
    var exist: Bool {
        [main, wal, journal].contains { FileKind.size(at: $0) > 0 } || FileKind(at: supportFolder) != nil
    }

    // MARK: Copying

    /// Copies the store to an address where nothing lies. SQLite's backup reads one consistent state while others
    /// write.
    ///
    /// - Parameter work: Gets the progress of the copy, and may end it.
    func copy(to destination: SQLiteStoreFiles, timeout: TimeInterval = 240, following work: FollowedWork? = nil) throws
    {
        try StoreExchange.recover(self, timeout: timeout)
        try SQLiteStoreMetadata.requireFile(at: main)
        // The copy of nothing would take the place of a store.
        if isEmptied { throw SQLStoreMetadata.notAStore(main) }
        do {
            var attempts = Attempts(timeout: timeout)
            var isLocking = false
            // A reader that has a lock makes a -shm where there is none.
            var hadIndex = true
            defer { if !hadIndex { removeReadersTraces() } }
            while try !copyDatabase(to: destination, timeout: timeout, work, isLocking: isLocking) {
                guard attempts.goOn() else {
                    throw SQLiteError(
                        code: SQLiteError.codeOfMovedFile, message: "others exchange it again and again",
                        path: main.path)
                }
                try destination.removeRemains()
                // A lock keeps one state, however often others write.
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

    /// - Returns: false where the copy may hold parts of several states, as somebody has written meanwhile.
    private func copyDatabase(
        to destination: SQLiteStoreFiles, timeout: TimeInterval, _ work: FollowedWork?, isLocking: Bool = false
    ) throws -> Bool {
        let before = FileState(main)
        // A file that nobody uses is read as it lies, without a lock that would keep others out.
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
            // One transaction: others may write meanwhile, and the pieces are of one state.
            try source.beginLazily()
            try source.readSomething()
            // Somebody has destroyed it since. The copy of nothing would take the place of a store.
            if try source.size() == 0 { throw SQLStoreMetadata.notAStore(main) }
            try source.backUp(to: target, following: work.map { work in { try work.advance($0) } })
            source.endReading()
            if isWAL { try target.setJournalMode("WAL") }
        } catch let error as SQLiteError where source.access == .immutable && !isUnchanged() {
            // A file that is half written can look damaged.
            if [SQLITE_CORRUPT, SQLITE_NOTADB].contains(error.primaryCode) { return false }
            throw error
        } catch let error as SQLiteError where isLocking && error.isOfMovedFile {
            return false
        }
        return source.access != .immutable || SoleUse.isHeldHere(for: self) || isUnchanged()
    }

    /// Removes the files of an unfinished copy, all of them or none. Only for files that nobody can have opened yet.
    func removeRemains() throws {
        try requireOwn()
        let isShared = SharedSupport(store: self).isShared
        for url in existing where url != supportFolder || !isShared { try FileManager.default.removeItem(at: url) }
    }

    // MARK: Locks

    /// Runs a body while nobody else can have the store open, or throws if somebody has.
    ///
    /// SQLite's own lock is used: an exclusive lock of a connection on the main file. Only this lock is one that other
    /// users of the store respect. Opening the file once more and closing it again, for `flock` or `fcntl`, would drop
    /// every POSIX lock that SQLite holds on it in this process. `absorbing` first copies a -wal into the main file, so
    /// that nothing depends on it any more. A file that is no database is locked by nobody.
    ///
    /// - Parameter opened: Called between the opening of the file and its locking; tests look at this moment.
    func withoutUsers(
        timeout: TimeInterval, force: Bool, absorbing: Bool = false, opened: () throws -> Void = {},
        _ body: () throws -> Void
    ) throws {
        do {
            let deadline = ContinuousClock.now + .seconds(timeout.boundedTime)
            var failures = 0
            var waits = false
            while !force, FileManager.default.fileExists(atPath: main.path) {
                // A new connection each time, and none while this waits: one that failed keeps a shared lock, and two
                // of them would wait for each other.
                if waits {
                    waits = false
                    // A random time, so that processes that wait for the same store do not meet again and again.
                    sqlite3_sleep(.random(in: 5...15))
                    continue
                }
                let connection = try SQLiteConnection(path: main.path, access: .readWrite, busyTimeout: 0)
                connection.disableCheckpointOnClose()
                try opened()
                do {
                    try connection.lockOutOthers()
                    if absorbing { try connection.absorbLog() }
                } catch let error as SQLiteError where error.primaryCode == SQLITE_BUSY {
                    guard ContinuousClock.now < deadline else { throw error.nsError(doing: .saving) }
                    waits = true
                    continue
                } catch let error as SQLiteError where error.cannotBeLocked {
                    // A file that somebody exchanges at this moment looks like that, too.
                    failures += 1
                    if failures < Attempts.always { continue }
                    // A file that can only be read cannot be written by anybody like us either. In one that is not a
                    // database any more there is nothing that SQLite could lock.
                    if !error.needsNoLock {
                        guard SQLiteError.codesOfLostFiles.contains(error.code), ContinuousClock.now < deadline else {
                            throw error
                        }
                        waits = true
                        continue
                    }
                }
                // Somebody has put another file in its place: that one is to be locked.
                if connection.hasMoved {
                    failures += 1
                    guard failures < Attempts.always || ContinuousClock.now < deadline else {
                        throw SQLiteError(
                            code: SQLiteError.codeOfMovedFile, message: "others exchange it again and again",
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
