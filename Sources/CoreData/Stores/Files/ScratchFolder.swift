import Foundation

/// A folder for files that nobody needs after a piece of work, in the temporary folder of the system.
///
/// Its process holds a kernel lock on it. So the next process that makes such a folder can tell the ones that killed
/// processes of the same user have left, and removes them. Work on a store's file uses the `MigrationFolder` beside it.
package enum ScratchFolder {
    private static let prefix = "opencoredata-scratch-"

    /// Runs a body with an empty folder that only this user can read, and removes the folder.
    package static func with<Result>(_ body: (URL) throws -> Result) throws -> Result {
        removeRemains()
        let (folder, descriptor) = try make()
        defer {
            try? FileManager.default.removeItem(at: folder)
            close(descriptor)
        }
        return try body(folder)
    }

    private static func make() throws -> (URL, Int32) {
        while true {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(prefix + UUID().uuidString)
            guard mkdir(folder.path, 0o700) == 0 else {
                throw WriteFailure.error("A temporary folder could not be made", folder)
            }
            if let descriptor = lock(folder) { return (folder, descriptor) }
            // Another process has taken it for one that a killed process has left.
        }
    }

    /// Takes the lock of a folder of this user; nil where somebody holds it or has removed the folder.
    private static func lock(_ folder: URL) -> Int32? {
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        if descriptor < 0 { return nil }
        var held = stat()
        var named = stat()
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &held) == 0, held.st_uid == geteuid(),
            lstat(folder.path, &named) == 0, held.st_ino == named.st_ino, held.st_dev == named.st_dev
        else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private static func removeRemains() {
        let parent = FileManager.default.temporaryDirectory
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let folder = parent.appendingPathComponent(name)
            guard let descriptor = lock(folder) else { continue }
            try? FileManager.default.removeItem(at: folder)
            close(descriptor)
        }
    }
}
