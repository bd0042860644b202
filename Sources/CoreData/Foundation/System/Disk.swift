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

    /// Writes the names of a folder through to the disk.
    static func synchronizeFolder(_ url: URL) {
        let descriptor = open(url.path, O_RDONLY | O_DIRECTORY)
        if descriptor >= 0 {
            fsync(descriptor)
            close(descriptor)
        }
    }
}
