import CExchange
import Foundation

/// Long work on files that reports its progress and can be cancelled: copying, comparing, synchronising with the disk.
struct FollowedWork {
    let progress: Progress?

    /// Reports the fraction of the present part that is done, from 0 to 1. Throws if the migration is cancelled.
    func advance(_ fraction: Double) throws {
        try MigrationCancellation.check(progress)
        guard let progress else { return }
        if progress.totalUnitCount < 1000 { progress.totalUnitCount = 1000 }
        progress.completedUnitCount = max(progress.completedUnitCount, Int64(fraction * 999))
        MigrationFeed.of(progress)?.update(fraction: fraction)
    }

    private static let piece = 4 << 20

    /// Copies a folder with everything in it to a free address.
    func copyFolder(_ source: URL, to target: URL) throws {
        let manager = FileManager.default
        try FilePermissions.makeFolder(target)
        for name in try manager.contentsOfDirectory(atPath: source.path) {
            try MigrationCancellation.check(progress)
            let (from, to) = (source.appendingPathComponent(name), target.appendingPathComponent(name))
            var status = stat()
            guard lstat(from.path, &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: try copyFolder(from, to: to)
            case S_IFREG: try copyFile(from, to: to, mode: status.st_mode & 0o777)
            case S_IFLNK: try manager.copyItem(at: from, to: to)
            // Reading a pipe would wait for its writer.
            default: try FileKind.require(.file, at: from, .fileReadUnknown)
            }
        }
    }

    private func copyFile(_ source: URL, to target: URL, mode: mode_t) throws {
        let input = open(source.path, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else {
            throw WriteFailure.error("“\(source.lastPathComponent)” could not be read", source)
        }
        defer { close(input) }
        let permissions = FilePermissions.limited(mode, in: target.deletingLastPathComponent())
        let output = open(target.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions)
        guard output >= 0 else {
            throw WriteFailure.error("“\(target.lastPathComponent)” could not be made", target)
        }
        defer { close(output) }
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            try MigrationCancellation.check(progress)
            let count = read(input, buffer, 1 << 20)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw WriteFailure.error("“\(source.lastPathComponent)” could not be read", source)
            }
            if count == 0 { return }
            guard Disk.write(UnsafeRawBufferPointer(start: buffer, count: count), to: output) else {
                throw WriteFailure.error("“\(target.lastPathComponent)” could not be written", target)
            }
        }
    }

    /// Synchronises everything in a folder with the disk, in pieces. Between two pieces the work can be cancelled.
    func synchronize(_ folder: URL) throws {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isDirectoryKey])
        while let file = files?.nextObject() as? URL {
            try MigrationCancellation.check(progress)
            if try file.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true {
                Disk.synchronizeFolder(file)
                continue
            }
            try writeOut(file)
            try Disk.synchronize(file)
        }
        Disk.synchronizeFolder(folder)
    }

    /// Writes a file to the disk, in pieces. Not for a main file that is in use: closing it would release its locks.
    func writeOut(_ file: URL) throws {
        guard progress != nil else { return }
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return }
        var offset = 0
        while offset < status.st_size {
            try MigrationCancellation.check(progress)
            opencoredata_write_out(Int32(descriptor), Int64(offset), Int64(Self.piece))
            offset += Self.piece
        }
    }
}
