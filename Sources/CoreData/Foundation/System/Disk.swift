import Foundation

/// Writes buffered data through to the disk.
enum Disk {
    /// Writes the content of a file through to the disk.
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

    /// Writes a file through to the disk. Returns false with the reason in `errno` if that fails. A signal that
    /// interrupts a call does not end the writing, as it ends that of `Data.write(to:)`.
    static func write(_ data: Data, to url: URL) -> Bool {
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        if descriptor < 0 { return false }
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0 { break }
            rest = rest.dropFirst(count)
        }
        let isWritten = rest.isEmpty && fsync(descriptor) == 0
        let code = errno
        close(descriptor)
        errno = code
        return isWritten
    }

    /// Writes the names of a folder through to the disk.
    static func synchronizeFolder(_ url: URL) {
        let descriptor = open(url.path, O_RDONLY | O_DIRECTORY)
        if descriptor >= 0 {
            fsync(descriptor)
            close(descriptor)
        }
    }
}
