import CSQLite
import Foundation

/// The files that are one SQLite store: the main file, its -wal and -shm (or -journal), and the folder of external data.
///
/// They are destroyed, replaced and moved only together: an old -wal beside a new main file destroys data.
struct SQLiteStoreFiles: Sendable {
    let main: URL

    /// The files of the store at a URL. Where a symbolic link lies there, they are those of the file that it leads to: SQLite
    /// puts the -wal beside that one, and an exchange of files must not take the link's place.
    init(_ url: URL) { main = Self.resolved(url) }

    private static func resolved(_ url: URL) -> URL {
        var status = stat()
        guard lstat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK, let path = realpath(url.path, nil)
        else {
            return url
        }
        defer { free(path) }
        return URL(fileURLWithPath: String(cString: path))
    }

    var wal: URL { URL(fileURLWithPath: main.path + "-wal") }
    var shm: URL { URL(fileURLWithPath: main.path + "-shm") }
    var journal: URL { URL(fileURLWithPath: main.path + "-journal") }

    /// `.NAME_SUPPORT` beside the store, NAME being the file's name without extension.
    var supportFolder: URL {
        let name = main.deletingPathExtension().lastPathComponent
        return main.deletingLastPathComponent().appendingPathComponent(".\(name)_SUPPORT", isDirectory: true)
    }

    /// Where the values of attributes with external storage lie, one file each.
    var externalDataFolder: URL {
        supportFolder.appendingPathComponent("_EXTERNAL_DATA", isDirectory: true)
    }

    /// All files and folders of the store that exist now.
    var existing: [URL] {
        [main, wal, shm, journal, supportFolder].filter { FileManager.default.fileExists(atPath: $0.path) }
    }

    /// Whether something is in the -wal.
    var hasLog: Bool {
        ((try? FileManager.default.attributesOfItem(atPath: wal.path)[.size] as? NSNumber)??.intValue ?? 0) > 0
    }

    /// Whether a file or folder is not to be written: because of its rights or its medium, or because nobody has the right
    /// to, as in an archive. Root, who may write everywhere, does not write there either.
    private static func isWriteProtected(_ url: URL) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue ?? 0o222
        return mode & 0o222 == 0 || access(url.path, W_OK) != 0
    }

    /// How to read the files without writing to any of them, where that is possible; like an ordinary reader otherwise.
    var readingAccess: SQLiteConnection.Access {
        let protected = [main, main.deletingLastPathComponent()].filter(Self.isWriteProtected).count
        if protected == 0 || FileManager.default.fileExists(atPath: journal.path) { return .readOnly }
        let hasIndex = FileManager.default.fileExists(atPath: shm.path)
        // Without a -wal no index is needed, unless somebody who may write has left one.
        if !hasLog { return protected == 2 || !hasIndex ? .immutable : .readOnly }
        return protected == 2 && hasIndex ? .frozen : .readOnly
    }

    /// Undoes what a killed process has left half written in the main file. Readers cannot, and could not read either.
    ///
    /// Nothing happens to the journal of a process that is still writing; one who may not write leaves it alone, too.
    func rollBackJournal(timeout: TimeInterval) {
        guard FileManager.default.fileExists(atPath: journal.path), !Self.isWriteProtected(main),
            !Self.isWriteProtected(main.deletingLastPathComponent()),
            let connection = try? SQLiteConnection(path: main.path, access: .readWrite, busyTimeout: timeout)
        else { return }
        connection.disableCheckpointOnClose()
        _ = try? connection.integer("SELECT COUNT(*) FROM sqlite_master")
    }

    /// Removes the -shm that a reader made, and the -wal with it where that is empty, if nobody has the store open.
    ///
    /// Only a connection that may write does that; one that only reads makes the two files and leaves them.
    func removeReadersTraces() {
        guard FileManager.default.fileExists(atPath: shm.path),
            let connection = try? SQLiteConnection(path: main.path, access: .readWrite, busyTimeout: 0)
        else { return }
        guard hasLog else {
            // SQLite removes both when this connection closes.
            _ = try? connection.integer("SELECT COUNT(*) FROM sqlite_master")
            return
        }
        // The -wal stays as it is. Exclusive mode does without a -shm, and while its lock is held nobody else uses one.
        connection.disableCheckpointOnClose()
        guard (try? connection.execute("PRAGMA query_only = 1; PRAGMA locking_mode = EXCLUSIVE")) != nil,
            (try? connection.integer("SELECT COUNT(*) FROM sqlite_master")) != nil
        else { return }
        try? FileManager.default.removeItem(at: shm)
    }

    /// Whether any file of the store exists.
    var exist: Bool { !existing.isEmpty }

    // MARK: Destroying

    /// Removes the store with everything that belongs to it. A store that somebody has open is refused unless `force`.
    ///
    /// The main file goes last: as long as it is there, the store is recognised as one that was not removed completely.
    func destroy(timeout: TimeInterval = 0, force: Bool = false) throws {
        guard exist else { return }
        // Which files are its own has to be in the main file.
        try withoutUsers(timeout: timeout, force: force, absorbing: SharedSupport(store: self).isShared) {
            // What a migration has left, too: found later, it would be put in the place of a new store.
            let unfinished = MigrationFolder.url(for: self)
            var urls = [unfinished, wal, shm, journal, supportFolder, main]
            if SharedSupport(store: self).isShared {
                // What cannot be told from another store's stays.
                let own = (try? SharedSupport(store: self).ownFiles()) ?? []
                urls.replaceSubrange(4..<5, with: own.map { externalDataFolder.appendingPathComponent($0) })
            }
            for url in urls where FileManager.default.fileExists(atPath: url.path) {
                try FileManager.default.removeItem(at: url)
            }
            Self.synchronizeFolder(main.deletingLastPathComponent())
        }
    }

    // MARK: Copying

    /// Copies the store to an address where nothing lies. SQLite's backup reads one consistent state while others write.
    ///
    /// - Parameter work: is told how far the copy is, and may end it.
    func copy(to destination: SQLiteStoreFiles, timeout: TimeInterval = 240, following work: FollowedWork? = nil) throws
    {
        try StoreExchange.recover(self, timeout: timeout)
        try SQLiteStoreMetadata.requireFile(at: main)
        do {
            try copyDatabase(to: destination, timeout: timeout, work)
            if FileManager.default.fileExists(atPath: supportFolder.path) {
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

    private func copyDatabase(
        to destination: SQLiteStoreFiles, timeout: TimeInterval, _ work: FollowedWork?
    ) throws {
        let source = try SQLiteStoreMetadata.quietConnection(at: main, timeout: timeout)
        let isWAL = try source.text("PRAGMA journal_mode") == "wal"
        let target = try SQLiteConnection(path: destination.main.path, access: .create, busyTimeout: timeout)
        // One transaction: others may write meanwhile, and the pieces are of one state.
        try source.execute("BEGIN; SELECT COUNT(*) FROM sqlite_master")
        try source.backUp(to: target, following: work.map { work in { try work.advance($0) } })
        try source.execute("COMMIT")
        if isWAL { _ = try target.text("PRAGMA journal_mode = WAL") }
    }

    /// Removes what an unfinished copy left. Only for files that nobody can have opened yet.
    func removeRemains() throws {
        for url in existing { try FileManager.default.removeItem(at: url) }
    }

    // MARK: Locks

    /// Runs a body while nobody else can have the store open, or throws when somebody has.
    ///
    /// SQLite's own lock is used: an exclusive lock of a connection on the main file. Opening the file once more and
    /// closing it again (for `flock` or `fcntl`) would drop every POSIX lock that SQLite holds on it in this process;
    /// and only SQLite's lock is one that other users of the store respect. `absorbing` first copies a -wal into the
    /// main file, so that nothing depends on it any more. A file that is no database is locked by nobody.
    func withoutUsers(
        timeout: TimeInterval, force: Bool, absorbing: Bool = false, _ body: () throws -> Void
    ) throws {
        guard !force, FileManager.default.fileExists(atPath: main.path) else { return try body() }
        do {
            let connection = try SQLiteConnection(path: main.path, access: .readWrite, busyTimeout: timeout)
            connection.disableCheckpointOnClose()
            do {
                try connection.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
                if absorbing { try connection.execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE); BEGIN EXCLUSIVE") }
            } catch let error as SQLiteError where error.primaryCode == SQLITE_BUSY {
                throw error.nsError(doing: .saving)
            } catch let error as SQLiteError where error.primaryCode == SQLITE_READONLY {
                // It cannot be locked, but it cannot be written by anybody like us either.
            } catch let error as SQLiteError
                where [SQLITE_NOTADB, SQLITE_CORRUPT, SQLITE_IOERR, SQLITE_CANTOPEN].contains(error.primaryCode)
            {
                // Not a database any more: there is nothing SQLite could lock.
            }
            defer { withExtendedLifetime(connection) {} }
            try body()
        } catch let error as SQLiteError {
            throw error.nsError(doing: .saving)
        }
    }

    static func synchronize(_ url: URL) throws {
        let descriptor = open(url.path, O_RDONLY)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        if fsync(descriptor) != 0 {
            throw NSError.coreData(
                CocoaError.Code.fileWriteUnknown.rawValue,
                reason: "The file could not be written to the disk: \(String(cString: strerror(errno)))", url: url)
        }
    }

    static func synchronizeFolder(_ url: URL) {
        let descriptor = open(url.path, O_RDONLY | O_DIRECTORY)
        if descriptor >= 0 {
            fsync(descriptor)
            close(descriptor)
        }
    }
}
