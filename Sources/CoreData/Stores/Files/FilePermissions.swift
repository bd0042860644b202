import Foundation

/// The permissions of the files of a store: never more than those of the folder of the store.
///
/// Only reading and writing count: a user without the right to list a folder may still reach a file in it.
package enum FilePermissions {
    /// The permissions of a new file in a folder, as an argument of `open`, which also applies the process's mask.
    static func ofNewFile(in folder: URL) -> mode_t { limited(0o644, in: folder) }

    /// Removes those permissions that a folder does not have.
    package static func limited(_ permissions: mode_t, in folder: URL) -> mode_t {
        permissions & (permitted(in: folder) | 0o7111)
    }

    /// Removes those permissions from a new file that its folder does not have. SQLite gives its -wal and -shm the
    /// file's permissions.
    static func limit(_ file: URL) {
        var status = stat()
        guard stat(file.path, &status) == 0 else { return }
        let present = status.st_mode & 0o7777
        let limited = limited(present, in: file.deletingLastPathComponent())
        if limited != present { chmod(file.path, limited) }
    }

    /// Creates a folder, and its missing parents.
    static func makeFolder(_ folder: URL) throws {
        if FileKind(at: folder, followsLinks: true) == .folder { return }
        let parent = folder.deletingLastPathComponent()
        if parent.path != folder.path { try makeFolder(parent) }
        guard mkdir(folder.path, limited(0o755, in: parent)) == 0 || errno == EEXIST else {
            throw WriteFailure.error("The folder “\(folder.lastPathComponent)” could not be made", folder)
        }
    }

    /// The permissions for reading and writing of each class of users that may read the folder.
    private static func permitted(in folder: URL) -> mode_t {
        var status = stat()
        // Other users cannot enter the folder of a migration, but the files in it will be moved to the folder above it.
        guard stat(MigrationFolder.home(of: folder).path, &status) == 0 else { return 0o666 }
        var permitted: mode_t = 0o600
        for shift: mode_t in [3, 0] where status.st_mode & (0o4 << shift) != 0 { permitted |= 0o6 << shift }
        return permitted
    }
}
