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

    /// Writes all bytes to a file. Returns false with the reason in `errno` if that fails. A call that a signal
    /// interrupts, or that writes a part, is continued; `Data.write(to:)` fails there.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
        return true
    }

    /// Writes a file through to the disk. Returns false with the reason in `errno` if that fails.
    static func write(_ data: Data, to url: URL) -> Bool {
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        if descriptor < 0 { return false }
        let isWritten = data.withUnsafeBytes { write($0, to: descriptor) } && fsync(descriptor) == 0
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
