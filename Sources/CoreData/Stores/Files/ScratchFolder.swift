import Foundation

/// A folder for files that are not needed after a piece of work, in the temporary folder of the system.
///
/// Its process holds a kernel lock on it. So the next process that creates such a folder can recognise the folders that
/// killed processes of the same user have left, and removes them. Work on a store's file uses the `MigrationFolder`
/// beside it.
package enum ScratchFolder {
    private static let prefix = "opencoredata-scratch-"

    /// Runs a body with an empty folder that only this user can read, and removes the folder.
    package static func with<Result>(_ body: (URL) throws -> Result) throws -> Result {
        removeRemains()
        let (folder, descriptor) = try make()
        defer {
            try? FileManager.default.removeItem(at: folder)
            if descriptor >= 0 { close(descriptor) }
        }
        return try body(folder)
    }

    /// Creates a folder and locks it. If locks are not supported, no other process removes the folder as a left one
    /// either.
    private static func make() throws -> (URL, Int32) {
        for _ in 0..<20 {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(prefix + UUID().uuidString)
            guard mkdir(folder.path, 0o700) == 0 else {
                throw WriteFailure.error("A temporary folder could not be made", folder)
            }
            let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            if descriptor < 0, errno != ENOENT {
                let failure = WriteFailure.error("A temporary folder could not be opened", folder)
                rmdir(folder.path)
                throw failure
            }
            let isLocked = descriptor >= 0 && (flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
            if isLocked, FileState.isNamed(descriptor, folder) { return (folder, descriptor) }
            // Another process has removed the folder as one that a killed process has left.
            if descriptor >= 0 { close(descriptor) }
        }
        throw CocoaError(.fileWriteUnknown)
    }

    private static func removeRemains() {
        let parent = FileManager.default.temporaryDirectory
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
        for name in names where name.hasPrefix(prefix) {
            if UUID(uuidString: String(name.dropFirst(prefix.count))) == nil { continue }
            let folder = parent.appendingPathComponent(name)
            let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            if descriptor < 0 { continue }
            defer { close(descriptor) }
            var status = stat()
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &status) == 0,
                status.st_uid == geteuid(), FileState.isNamed(descriptor, folder)
            else { continue }
            try? FileManager.default.removeItem(at: folder)
        }
    }
}
