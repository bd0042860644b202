import Foundation

/// A new file that has its name when it is whole. What was not finished is removed.
final class DraftFile {
    let descriptor: Int32
    private let path: String
    private let draft: String
    private var isOpen = true

    /// - Throws: where there is something of that name; it stays as it is.
    init(_ path: String) throws {
        self.path = path
        draft = "\(path).\(getpid()).part"
        var state = stat()
        if lstat(path, &state) == 0 {
            throw ToolError(.failed, "\(path): there is something already; it stays as it is")
        }
        descriptor = open(draft, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            throw ToolError(.failed, "\(path): \(String(cString: strerror(errno)).lowercased())")
        }
    }

    deinit { discard() }

    func publish() throws {
        try Interruption.check()
        guard fsync(descriptor) == 0, link(draft, path) == 0 else {
            throw ToolError(.failed, "\(path): \(String(cString: strerror(errno)).lowercased())")
        }
        discard()
    }

    private func discard() {
        if !isOpen { return }
        isOpen = false
        close(descriptor)
        unlink(draft)
    }
}
