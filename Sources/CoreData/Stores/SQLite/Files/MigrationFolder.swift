import Foundation

/// The hidden folder beside a store in which a copying migration builds the newer version: `.NAME.migration`.
///
/// Whoever works in it holds a kernel lock on it, which ends with the process. The folder goes when the migration is
/// done.
final class MigrationFolder {
    let store: SQLiteStoreFiles
    let url: URL
    /// Open while the lock is held.
    private let descriptor: Int32

    /// Where the folder of a store lies, whether it is there or not.
    static func url(for store: SQLiteStoreFiles) -> URL {
        store.main.deletingLastPathComponent()
            .appendingPathComponent(".\(store.main.lastPathComponent).migration", isDirectory: true)
    }

    static func exists(for store: SQLiteStoreFiles) -> Bool {
        FileManager.default.fileExists(atPath: url(for: store).path)
    }

    /// The newer version of the store. It has the store's own name, so that its companions have their final names too.
    var copy: SQLiteStoreFiles { SQLiteStoreFiles(url.appendingPathComponent(store.main.lastPathComponent)) }

    /// Takes the lock, after waiting for whoever holds it.
    ///
    /// - Parameters:
    ///   - creating: whether to make the folder when it is not there; otherwise the answer is nil then.
    ///   - progress: ends the waiting when it is cancelled.
    /// - Throws: `NSPersistentStoreTimeoutError` when somebody else still holds it after `timeout` seconds.
    static func lock(
        _ store: SQLiteStoreFiles, creating: Bool, timeout: TimeInterval, _ progress: Progress? = nil
    ) throws -> MigrationFolder? {
        let url = url(for: store)
        let deadline = ContinuousClock.now + .seconds(max(0, timeout))
        while true {
            if creating, mkdir(url.path, 0o700) != 0, errno != EEXIST {
                throw failure("The folder for the migration could not be made", url)
            }
            // What lies in the folder is removed: a link may lead to anybody's.
            let descriptor = open(url.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            if descriptor < 0 {
                // Somebody has just removed it.
                if errno == ENOENT, creating { continue }
                if errno == ENOENT { return nil }
                let failure = failure("The folder of the migration could not be opened", url)
                try FileKind.require(.folder, at: url)
                throw failure
            }
            while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
                guard errno == EWOULDBLOCK || errno == EINTR else {
                    let failure = failure("The folder of the migration could not be locked", url)
                    close(descriptor)
                    throw failure
                }
                guard ContinuousClock.now < deadline else {
                    close(descriptor)
                    let waited = timeout > 0 ? ": the migration did not end within \(timeout.formatted()) s" : ""
                    throw NSError.coreData(
                        NSPersistentStoreTimeoutError,
                        reason: "The store “\(store.main.lastPathComponent)” is being migrated by "
                            + "\(LockHolders.names(of: [url]))\(waited). "
                            + "Try again when it has, or wait longer (NSPersistentStoreTimeoutOption).",
                        url: store.main)
                }
                if progress?.isCancelled == true { close(descriptor) }
                try MigrationCancellation.check(progress)
                // The kernel tells nobody when such a lock becomes free within a time limit; SQLite polls its own as
                // well.
                usleep(5000)
            }
            if isSame(descriptor, url) { return MigrationFolder(store, url, descriptor) }
            close(descriptor)
        }
    }

    private init(_ store: SQLiteStoreFiles, _ url: URL, _ descriptor: Int32) {
        self.store = store
        self.url = url
        self.descriptor = descriptor
        owner = pthread_self()
        Self.owners.withLock { $0[url.path] = owner }
    }

    deinit {
        Self.owners.withLock { $0[url.path] = nil }
        close(descriptor)
    }

    private let owner: pthread_t
    /// The threads of this process that hold a folder's lock, by the folder's path.
    private static let owners = Locked<[String: pthread_t]>([:])

    /// Whether the calling thread is migrating the store: what it opens meanwhile needs no recovery and must not wait.
    static func isHeldHere(for store: SQLiteStoreFiles) -> Bool {
        owners.withLock { $0[url(for: store).path] } == pthread_self()
    }

    /// Removes everything in the folder but the journal and, with its checkpoint, places that are to be kept.
    func clear(keeping places: [String] = []) throws {
        var kept = [ExchangeJournal.url(in: url).lastPathComponent]
        if !places.isEmpty { kept += places + [MigrationCheckpoint.url(in: url).lastPathComponent] }
        for name in try FileManager.default.contentsOfDirectory(atPath: url.path) where !kept.contains(name) {
            try FileManager.default.removeItem(at: url.appendingPathComponent(name))
        }
    }

    // MARK: Places of copies that are on their way

    /// The copy in a place.
    func files(in place: String) -> SQLiteStoreFiles {
        SQLiteStoreFiles(url.appendingPathComponent(place).appendingPathComponent(store.main.lastPathComponent))
    }

    /// Makes a place, empty unless what it holds is kept; the files that a copy in it will have.
    func make(_ place: String, keeping isKept: Bool = false) throws -> SQLiteStoreFiles {
        let folder = url.appendingPathComponent(place)
        if !isKept { try remove(place) }
        guard mkdir(folder.path, 0o700) == 0 || errno == EEXIST else {
            throw Self.failure("A folder for the migration could not be made", folder)
        }
        return files(in: place)
    }

    func remove(_ place: String) throws {
        let folder = url.appendingPathComponent(place)
        if FileManager.default.fileExists(atPath: folder.path) { try FileManager.default.removeItem(at: folder) }
    }

    /// Puts the copy in a place, whose way is done, where the exchange will look for it. Goes on where a killed process
    /// stopped doing so.
    func settle(_ place: String) throws {
        let source = files(in: place)
        for (from, to) in [(source.supportFolder, copy.supportFolder), (source.main, copy.main)]
        where FileManager.default.fileExists(atPath: from.path) {
            guard rename(from.path, to.path) == 0 else {
                throw Self.failure("“\(from.lastPathComponent)” could not be renamed", from)
            }
        }
        try remove(place)
        SQLiteStoreFiles.synchronizeFolder(url)
    }

    /// Writes a value to a small file of a migration's folder so that it is there whole or not at all, and on the disk
    /// when this returns.
    static func write(_ value: some Encodable, to url: URL) throws {
        let draft = url.deletingPathExtension().appendingPathExtension("draft")
        try JSONEncoder().encode(value).write(to: draft)
        try SQLiteStoreFiles.synchronize(draft)
        guard rename(draft.path, url.path) == 0 else {
            throw failure("The file “\(url.lastPathComponent)” of the migration could not be written", url)
        }
        SQLiteStoreFiles.synchronizeFolder(url.deletingLastPathComponent())
    }

    /// Removes the folder with everything in it; the journal, if there is one, goes last.
    func remove() throws {
        let journal = ExchangeJournal.url(in: url)
        try clear()
        if FileManager.default.fileExists(atPath: journal.path) {
            SQLiteStoreFiles.synchronizeFolder(url)
            try FileManager.default.removeItem(at: journal)
            MigrationMoment.reach(.journalRemoved)
        }
        guard rmdir(url.path) == 0 else { throw Self.failure("The folder of the migration could not be removed", url) }
        SQLiteStoreFiles.synchronizeFolder(url.deletingLastPathComponent())
    }

    private static func isSame(_ descriptor: Int32, _ url: URL) -> Bool {
        var held = stat()
        var named = stat()
        return fstat(descriptor, &held) == 0 && stat(url.path, &named) == 0 && held.st_ino == named.st_ino
            && held.st_dev == named.st_dev
    }

    static func failure(_ what: String, _ url: URL) -> NSError {
        let code = errno
        return .coreData(
            WriteFailure.code(code).rawValue, reason: "\(what): \(WriteFailure.reason(code, url))", url: url,
            underlying: NSError(domain: NSPOSIXErrorDomain, code: Int(code)))
    }
}
