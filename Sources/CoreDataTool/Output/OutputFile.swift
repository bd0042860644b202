import Foundation

/// Files that commands write by an option or an operand.
enum OutputFile {
    /// Throws if a file exists at a path, unless the option `--force` was given.
    static func requireFree(_ path: String, force: Bool) throws {
        guard !force, FileManager.default.fileExists(atPath: path) else { return }
        throw ToolError(.failed, "\(path) is there already; nothing was written", details: ["--force overwrites it."])
    }

    /// Writes bytes to a file. An existing file stays as it is, unless `isForced` is true; then the new file replaces
    /// it when it is whole.
    static func write(_ bytes: Data, to path: String, isForced: Bool) throws {
        var state = stat()
        if isForced, lstat(path, &state) == 0, state.st_mode & S_IFMT == S_IFREG {
            do {
                try bytes.write(to: URL(fileURLWithPath: path), options: .atomic)
            } catch {
                throw ToolError(error, at: path)
            }
            return
        }
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_CREAT | (isForced ? 0 : O_EXCL), 0o644)
        guard descriptor >= 0 else {
            if errno == EEXIST {
                throw ToolError(.failed, "\(path) is there already", details: ["--force overwrites it."])
            }
            throw failure(path)
        }
        defer { close(descriptor) }
        try bytes.withUnsafeBytes { bytes in
            var start = 0
            while start < bytes.count {
                let count = Foundation.write(descriptor, bytes.baseAddress?.advanced(by: start), bytes.count - start)
                if count >= 0 { start += count } else if errno != EINTR { throw failure(path) }
            }
        }
    }

    private static func failure(_ path: String) -> ToolError {
        ToolError(.failed, "\(path): \(String(cString: strerror(errno)).lowercased())")
    }
}

extension Option {
    static let force = Option("force", "overwrite what is there")
}
