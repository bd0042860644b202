import Foundation
import Synchronization

/// The hidden folder beside a store in which a copying migration builds the newer version: `.NAME.migration`.
///
/// Whoever works in it holds a kernel lock on it, which ends with the process. The folder goes when the migration is done.
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
    /// - Parameter creating: whether to make the folder when it is not there; otherwise the answer is nil then.
    /// - Throws: `NSPersistentStoreTimeoutError` when somebody else still holds it after `timeout` seconds.
    static func lock(_ store: SQLiteStoreFiles, creating: Bool, timeout: TimeInterval) throws -> MigrationFolder? {
        let url = url(for: store)
        let deadline = ContinuousClock.now + .seconds(max(0, timeout))
        while true {
            if creating, mkdir(url.path, 0o755) != 0, errno != EEXIST {
                throw failure("The folder for the migration could not be made", url)
            }
            let descriptor = open(url.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            if descriptor < 0 {
                // Somebody has just removed it.
                if errno == ENOENT, creating { continue }
                if errno == ENOENT { return nil }
                throw failure("The folder of the migration could not be opened", url)
            }
            while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
                guard errno == EWOULDBLOCK || errno == EINTR, ContinuousClock.now < deadline else {
                    close(descriptor)
                    throw NSError.coreData(
                        NSPersistentStoreTimeoutError,
                        reason: "The store “\(store.main.lastPathComponent)” is being migrated by another process, "
                            + "which did not end within \(Int(timeout)) s.", url: store.main)
                }
                // The kernel tells nobody when such a lock becomes free within a time limit; SQLite polls its own as well.
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
    private static let owners = Mutex<[String: pthread_t]>([:])

    /// Whether the calling thread is migrating the store: what it opens meanwhile needs no recovery and must not wait.
    static func isHeldHere(for store: SQLiteStoreFiles) -> Bool {
        owners.withLock { $0[url(for: store).path] } == pthread_self()
    }

    /// Removes everything in the folder but the journal.
    func clear() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: url.path)
        where name != ExchangeJournal.url(in: url).lastPathComponent {
            try FileManager.default.removeItem(at: url.appendingPathComponent(name))
        }
    }

    /// Removes the folder with everything in it; the journal, if there is one, goes last.
    func remove() throws {
        let journal = ExchangeJournal.url(in: url)
        try clear()
        if FileManager.default.fileExists(atPath: journal.path) {
            SQLiteStoreFiles.synchronizeFolder(url)
            try FileManager.default.removeItem(at: journal)
        }
        guard rmdir(url.path) == 0 else { throw Self.failure("The folder of the migration could not be removed", url) }
        SQLiteStoreFiles.synchronizeFolder(url.deletingLastPathComponent())
    }

    /// Writes everything in the folder to the disk.
    func synchronize() throws {
        let files = FileManager.default.enumerator(at: url, includingPropertiesForKeys: [.isDirectoryKey])
        while let file = files?.nextObject() as? URL {
            if try file.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true {
                SQLiteStoreFiles.synchronizeFolder(file)
            } else {
                try SQLiteStoreFiles.synchronize(file)
            }
        }
        SQLiteStoreFiles.synchronizeFolder(url)
    }

    private static func isSame(_ descriptor: Int32, _ url: URL) -> Bool {
        var held = stat()
        var named = stat()
        return fstat(descriptor, &held) == 0 && stat(url.path, &named) == 0 && held.st_ino == named.st_ino
            && held.st_dev == named.st_dev
    }

    static func failure(_ what: String, _ url: URL) -> NSError {
        let code = errno
        let cocoa: CocoaError.Code =
            switch code {
            case EACCES, EPERM: .fileWriteNoPermission
            case EROFS: .fileWriteVolumeReadOnly
            case ENOSPC, EDQUOT: .fileWriteOutOfSpace
            default: .fileWriteUnknown
            }
        return .coreData(
            cocoa.rawValue, reason: "\(what): \(String(cString: strerror(code)))", url: url,
            underlying: NSError(domain: NSPOSIXErrorDomain, code: Int(code)))
    }
}
