import Foundation

/// Replaces a file in one step, so that at any moment either the old or the new file is at the address.
///
/// The new file is written beside the old one under a fixed name, `.NAME.saving`, under a kernel lock on that file, and
/// then renamed. A killed process leaves at most that one file, without a lock. The next opening of the store removes
/// it.
enum WholeFile {
    /// Writes the bytes of a file, synchronises it with the disk, and keeps the permissions of the file at the address.
    static func write(_ data: Data, to url: URL) throws {
        WriteFailure.survivesSizeLimit
        let target = FileKind.target(of: url)
        let draft = draft(of: target)
        let descriptor = try lock(draft)
        defer { close(descriptor) }
        do {
            var status = stat()
            if stat(target.path, &status) == 0 { fchmod(descriptor, status.st_mode & 0o7777) }
            guard ftruncate(descriptor, 0) == 0 else { throw failure(url) }
            try write(data, to: descriptor, url)
            guard fsync(descriptor) == 0, rename(draft.path, target.path) == 0 else { throw failure(url) }
        } catch {
            unlink(draft.path)
            throw error
        }
        Disk.synchronizeFolder(target.deletingLastPathComponent())
    }

    /// Removes the file at an address.
    static func remove(at url: URL) throws { try FileKind.remove(.file, at: FileKind.target(of: url)) }

    /// Removes the file that a killed process has left beside a file. Does nothing while another process writes.
    static func sweep(_ url: URL) {
        let draft = draft(of: FileKind.target(of: url))
        let descriptor = open(draft.path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard FileKind(of: descriptor) == .file, flock(descriptor, LOCK_EX | LOCK_NB) == 0,
            FileState.isNamed(descriptor, draft)
        else { return }
        unlink(draft.path)
    }

    /// The address at which the new version of a file is written.
    static func draft(of url: URL) -> URL {
        url.deletingLastPathComponent().appendingPathComponent(".\(url.lastPathComponent).saving")
    }

    /// Opens the draft and takes its lock. If another process holds the lock, waits.
    private static func lock(_ draft: URL) throws -> Int32 {
        while true {
            let permissions = FilePermissions.ofNewFile(in: draft.deletingLastPathComponent())
            let descriptor = open(draft.path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, permissions)
            guard descriptor >= 0 else { throw failure(draft) }
            guard FileKind(of: descriptor) == .file else {
                close(descriptor)
                throw failure(draft)
            }
            while flock(descriptor, LOCK_EX) != 0 {
                if errno == EINTR { continue }
                defer { close(descriptor) }
                throw failure(draft)
            }
            if FileState.isNamed(descriptor, draft) { return descriptor }
            // The draft has become the store, or was removed.
            close(descriptor)
        }
    }

    private static func write(_ data: Data, to descriptor: Int32, _ url: URL) throws {
        try data.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 20))
                guard Disk.write(piece, to: descriptor) else { throw failure(url) }
                MigrationMoment.reach(.pieceWritten)
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
            }
        }
    }

    private static func failure(_ url: URL) -> NSError {
        WriteFailure.error("“\(url.lastPathComponent)” could not be written", url)
    }
}
