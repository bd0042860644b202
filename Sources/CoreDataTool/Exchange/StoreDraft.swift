import CoreData
import Foundation

/// A new store that is made out of sight, in a folder beside its place, and gets its name when it is whole.
///
/// The next process removes the files that a killed one has left there.
final class StoreDraft {
    /// Where the store is made.
    let url: URL
    private let target: URL
    private let shown: String
    private let folder: URL
    private let lock: Int32
    private let hasFolder: Bool
    private var isOpen = true

    /// - Throws: where there is something at the store's place already; that stays as it is.
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
        // The files of a store get no more permissions than their folder has: this one has those of the store's place.
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

    /// Makes room for the new store. A process that was killed while it gave a store its name has left the folder of
    /// external data without the store, and the store here without the folder.
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
                details: ["It belongs to a store that is gone, or has the same name with another suffix."])
        }
        guard mkdir(content.path, Self.permissions(of: folder)) == 0 else { throw Self.failure(shown) }
    }

    /// Gives the store its name, which nobody may have taken meanwhile. The store has to be closed.
    func publish() throws {
        try Interruption.check()
        let external = Self.support(url)
        let hasExternal = Self.isTaken(external)
        if hasExternal {
            // Tells the next run after a kill that the folder beside the store's place is ours.
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

    /// Moves a file or folder to where nothing is.
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
        // Folders have no second names, and some file systems' files have none.
        guard rename(source.path, target.path) == 0 else { throw failure(shown) }
    }

    /// Removes what was made.
    func discard() {
        if !isOpen { return }
        isOpen = false
        try? FileManager.default.removeItem(at: folder)
        close(lock)
    }
}
