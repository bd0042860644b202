import Foundation

/// The hidden folder beside a store in which a copying migration builds the newer version: `.NAME.migration`.
///
/// The process that works in it holds a kernel lock on it, which ends with the process. The folder is removed when the
/// migration is done.
final class MigrationFolder {
    /// The store's file. If a symbolic link lies there, it is the link's target.
    let store: URL
    let url: URL
    /// Open while the lock is held.
    private let descriptor: Int32

    private static let suffix = ".migration"

    /// The address of the folder of a store, whether or not the folder exists.
    static func url(for store: URL) -> URL {
        store.deletingLastPathComponent()
            .appendingPathComponent(".\(store.lastPathComponent)\(suffix)", isDirectory: true)
    }

    /// The folder that contains the folder of a migration, for that folder and everything in it. Any other folder is
    /// returned unchanged.
    static func home(of folder: URL) -> URL {
        var parent = folder
        while parent.path.count > 1 {
            let name = parent.lastPathComponent
            parent = parent.deletingLastPathComponent()
            if name.hasPrefix("."), name.hasSuffix(suffix) { return parent }
        }
        return folder
    }

    static func exists(for store: URL) -> Bool {
        FileManager.default.fileExists(atPath: url(for: store).path)
    }

    /// Takes the lock. If another process or thread holds it, waits.
    ///
    /// - Parameters:
    ///   - creating: Whether to create the folder if it does not exist; otherwise the result is nil then.
    ///   - progress: Cancelling it ends the waiting.
    /// - Throws: `NSPersistentStoreTimeoutError` if the lock is still held after `timeout` seconds.
    static func lock(
        _ store: URL, creating: Bool, timeout: TimeInterval, _ progress: Progress? = nil
    ) throws -> MigrationFolder? {
        let url = url(for: store)
        // The kernel has no wait for such a lock with a time limit, so this polls. SQLite polls its own locks, too.
        var attempts = Attempts(.polling(every: 0.005, timeout: timeout))
        while true {
            if creating, mkdir(url.path, 0o700) != 0, errno != EEXIST {
                throw WriteFailure.error("The folder for the migration could not be made", url)
            }
            // The content of the folder is removed later, and a link may lead to a folder that is not a migration's.
            let descriptor = open(url.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            if descriptor < 0 {
                // Another process has just removed the folder.
                if errno == ENOENT, creating { continue }
                if errno == ENOENT { return nil }
                let failure = WriteFailure.error("The folder of the migration could not be opened", url)
                try FileKind.require(.folder, at: url)
                throw failure
            }
            while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
                guard errno == EWOULDBLOCK || errno == EINTR else {
                    let failure = WriteFailure.error("The folder of the migration could not be locked", url)
                    close(descriptor)
                    throw failure
                }
                guard !attempts.isOver else {
                    close(descriptor)
                    let waited = timeout > 0 ? ": the migration did not end within \(timeout.formatted()) s" : ""
                    throw NSError.timeout(
                        of: LockTimeout(
                            "The store “\(store.lastPathComponent)” is being migrated by "
                                + "\(LockHolders.names(of: [url]))\(waited).",
                            remedy: "Try again when it has"),
                        url: store)
                }
                if progress?.isCancelled == true { close(descriptor) }
                try MigrationCancellation.check(progress)
                attempts.pause()
            }
            if FileState.isNamed(descriptor, url) { return MigrationFolder(store, url, descriptor) }
            close(descriptor)
        }
    }

    private init(_ store: URL, _ url: URL, _ descriptor: Int32) {
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

    /// Whether the calling thread is migrating the store. A store that it opens during that needs no recovery and must
    /// not wait.
    static func isHeldHere(for store: URL) -> Bool {
        owners.withLock { $0[url(for: store).path] } == pthread_self()
    }

    /// Removes everything in the folder but the journal, the given places and, if there are places, the checkpoint.
    func clear(keeping places: [String] = []) throws {
        var kept = [ExchangeJournal.url(in: url).lastPathComponent]
        if !places.isEmpty { kept += places + [MigrationCheckpoint.url(in: url).lastPathComponent] }
        for name in try FileManager.default.contentsOfDirectory(atPath: url.path) where !kept.contains(name) {
            try FileManager.default.removeItem(at: url.appendingPathComponent(name))
        }
    }

    // MARK: Places of copies that are on their way

    /// The file of the copy in a place. It has the name of the store, so that the files beside it have their final
    /// names.
    func file(in place: String) -> URL {
        url.appendingPathComponent(place).appendingPathComponent(store.lastPathComponent)
    }

    /// Creates a place, empty unless its content is kept. Returns the file of the copy in it.
    func make(_ place: String, keeping isKept: Bool = false) throws -> URL {
        let folder = url.appendingPathComponent(place)
        if !isKept { try remove(place) }
        guard mkdir(folder.path, 0o700) == 0 || errno == EEXIST else {
            throw WriteFailure.error("A folder for the migration could not be made", folder)
        }
        return file(in: place)
    }

    func remove(_ place: String) throws {
        let folder = url.appendingPathComponent(place)
        if FileManager.default.fileExists(atPath: folder.path) { try FileManager.default.removeItem(at: folder) }
    }

    /// Writes a value to a small file of a migration's folder completely or not at all. The file is on the disk when
    /// this returns.
    static func write(_ value: some Encodable, to url: URL) throws {
        let draft = url.deletingPathExtension().appendingPathExtension("draft")
        guard try Disk.write(JSONEncoder().encode(value), to: draft), rename(draft.path, url.path) == 0 else {
            throw WriteFailure.error("The file “\(url.lastPathComponent)” of the migration could not be written", url)
        }
        Disk.synchronizeFolder(url.deletingLastPathComponent())
    }

    /// Removes the folder with everything in it. If there is a journal, it is removed last.
    func remove() throws {
        let journal = ExchangeJournal.url(in: url)
        try clear()
        if FileManager.default.fileExists(atPath: journal.path) {
            Disk.synchronizeFolder(url)
            try FileManager.default.removeItem(at: journal)
            MigrationMoment.reach(.journalRemoved)
        }
        guard rmdir(url.path) == 0 else {
            throw WriteFailure.error("The folder of the migration could not be removed", url)
        }
        Disk.synchronizeFolder(url.deletingLastPathComponent())
    }
}
