import CoreData
import Foundation

/// A new file that gets its name when it is whole. An unfinished file is removed.
///
/// The next process removes the remains of a killed one.
final class DraftFile {
    let descriptor: Int32
    private let path: String
    private let draft: String
    private var isOpen = true

    /// - Throws: an error if a file has the name already; that file stays as it is.
    init(_ path: String) throws {
        self.path = path
        let url = URL(fileURLWithPath: path)
        let folder = url.deletingLastPathComponent()
        draft = folder.appendingPathComponent(".\(url.lastPathComponent).coredata-part").path
        if Self.isTaken(path) { throw Self.taken(path) }
        descriptor = try Self.open(draft, FilePermissions.limited(0o666, in: folder), shown: path)
        // Another process may have given its file the name before this one had the lock.
        if Self.isTaken(path) {
            discard()
            throw Self.taken(path)
        }
    }

    deinit { discard() }

    private static func isTaken(_ path: String) -> Bool {
        var state = stat()
        return lstat(path, &state) == 0
    }

    private static func taken(_ path: String) -> ToolError {
        ToolError(.failed, "\(path): there is something already; it stays as it is")
    }

    private static func failure(_ path: String) -> ToolError {
        ToolError(.failed, "\(path): \(String(cString: strerror(errno)).lowercased())")
    }

    /// Makes a new file that this process locks. A process that does not get the lock throws, because another one is
    /// writing.
    private static func open(_ draft: String, _ permissions: mode_t, shown: String) throws -> Int32 {
        while true {
            let descriptor = Foundation.open(draft, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, permissions)
            if descriptor >= 0 {
                if flock(descriptor, LOCK_EX | LOCK_NB) == 0, isFile(descriptor, at: draft) { return descriptor }
                // Another process took the file for the remains of a killed one, and removes it.
                close(descriptor)
            } else if errno == EEXIST {
                try removeRemains(draft, shown: shown)
            } else {
                throw failure(shown)
            }
        }
    }

    /// Removes what a killed process has left. Throws if a process is still writing it.
    private static func removeRemains(_ draft: String, shown: String) throws {
        let descriptor = Foundation.open(draft, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return }
            throw failure(draft)
        }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw ToolError(.busy, "\(shown): another process is writing this file")
        }
        if isFile(descriptor, at: draft), unlink(draft) != 0 { throw failure(draft) }
    }

    /// Whether a file still has a name.
    private static func isFile(_ descriptor: Int32, at path: String) -> Bool {
        var (own, named) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && lstat(path, &named) == 0 && own.st_dev == named.st_dev
            && own.st_ino == named.st_ino
    }

    func publish() throws {
        try Interruption.check()
        guard fsync(descriptor) == 0, link(draft, path) == 0 else { throw Self.failure(path) }
        discard()
    }

    private func discard() {
        if !isOpen { return }
        isOpen = false
        // While this process holds the lock, no other process takes the file for the remains of a killed one.
        unlink(draft)
        close(descriptor)
    }
}
