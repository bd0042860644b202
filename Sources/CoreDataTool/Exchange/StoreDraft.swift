import CoreData
import Foundation

/// A new store that is made in a folder beside its place, and gets its name when it is whole.
///
/// The next process removes the files that a killed one has left in the folder.
final class StoreDraft {
    /// The address at which the store is made.
    let url: URL
    private let target: URL
    private let shown: String
    private let folder: URL
    private let lock: Int32
    private let hasFolder: Bool
    private var isOpen = true

    /// - Throws: an error if a file has the store's name already; it stays as it is.
    ///
    /// - Parameter type: Only SQLite stores have folders of external data.
    init(of target: URL, type: String, shown: String) throws {
        self.target = target
        hasFolder = type == NSSQLiteStoreType
        self.shown = shown
        let parent = target.deletingLastPathComponent()
        folder = parent.appendingPathComponent(".\(target.lastPathComponent).coredata-draft")
        url = folder.appendingPathComponent("store").appendingPathComponent(target.lastPathComponent)
        if Self.isTaken(target) {
            throw ToolError(.failed, "\(shown): there is something already; it stays as it is")
        }
        // The files of a store get no more permissions than their folder has. This folder has the permissions of the
        // one in which the store will be.
        guard mkdir(folder.path, Self.permissions(of: parent)) == 0 || errno == EEXIST else {
            throw Self.failure(shown)
        }
        lock = open(folder.appendingPathComponent("lock").path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw Self.failure(shown) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            isOpen = false
            close(lock)
            throw ToolError(.busy, "\(shown): another process is making this store")
        }
        do {
            try clear()
        } catch {
            discard()
            throw error
        }
    }

    deinit { discard() }

    private static func permissions(of folder: URL) -> mode_t {
        var state = stat()
        return stat(folder.path, &state) == 0 ? state.st_mode & 0o777 | 0o700 : 0o700
    }

    private static func failure(_ shown: String) -> ToolError {
        ToolError(.failed, "\(shown): \(String(cString: strerror(errno)).lowercased())")
    }

    private static func isTaken(_ url: URL) -> Bool {
        var state = stat()
        return lstat(url.path, &state) == 0
    }

    private static func support(_ url: URL) -> URL {
        url.deletingLastPathComponent()
            .appendingPathComponent(".\(url.deletingPathExtension().lastPathComponent)_SUPPORT")
    }

    /// Removes the remains of a killed process. If it was killed while it published a store, the folder of external
    /// data has its final name already, and the store in the draft is without the folder.
    private func clear() throws {
        let files = FileManager.default
        let content = url.deletingLastPathComponent()
        let external = Self.support(target)
        if hasFolder, Self.isTaken(url), Self.isTaken(folder.appendingPathComponent("external")), Self.isTaken(external)
        {
            try files.removeItem(at: external)
        }
        for name in ["store", "external"] { try? files.removeItem(at: folder.appendingPathComponent(name)) }
        if hasFolder, Self.isTaken(external) {
            throw ToolError(
                .failed, "\(shown): there is a folder of external data already: \(external.lastPathComponent)",
                details: ["It belongs to a deleted store, or to one of this name with another suffix."])
        }
        guard mkdir(content.path, Self.permissions(of: folder)) == 0 else { throw Self.failure(shown) }
    }

    /// Gives the store its name, and throws if another process has used the name by then. The store must be closed.
    func publish() throws {
        try Interruption.check()
        let external = Self.support(url)
        let hasExternal = Self.isTaken(external)
        if hasExternal {
            // After a kill, this file shows the next run that the folder beside the store's place belongs to the draft.
            close(open(folder.appendingPathComponent("external").path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
            try Self.move(external, to: Self.support(target), shown)
        }
        for suffix in ["-wal"] where Self.isTaken(URL(fileURLWithPath: url.path + suffix)) {
            try Self.move(
                URL(fileURLWithPath: url.path + suffix), to: URL(fileURLWithPath: target.path + suffix), shown)
        }
        do {
            try Self.move(url, to: target, shown)
        } catch {
            if hasExternal { try? FileManager.default.removeItem(at: Self.support(target)) }
            throw error
        }
        discard()
    }

    /// Moves a file or folder to an unused name.
    private static func move(_ source: URL, to target: URL, _ shown: String) throws {
        var state = stat()
        let isFile = lstat(source.path, &state) == 0 && state.st_mode & S_IFMT == S_IFREG
        if isFile, link(source.path, target.path) == 0 {
            unlink(source.path)
            return
        }
        if errno == EEXIST || isTaken(target) {
            throw ToolError(.failed, "\(shown): another process has made something here; it stays as it is")
        }
        // Folders have no hard links, and files of some file systems have none either.
        guard rename(source.path, target.path) == 0 else { throw failure(shown) }
    }

    /// Removes the draft.
    func discard() {
        if !isOpen { return }
        isOpen = false
        try? FileManager.default.removeItem(at: folder)
        close(lock)
    }
}
