import Foundation

/// The permissions of the files of a store: never more than those of the folder that the store lies in.
enum FilePermissions {
    /// The permissions of a new file in a folder, as `open` takes them: the process's mask is taken off besides.
    static func ofNewFile(in folder: URL) -> mode_t { 0o644 & permitted(in: folder) }

    /// The permissions of a new folder in a folder.
    static func ofNewFolder(in folder: URL) -> Int { Int(0o755 & (permitted(in: folder) | 0o111)) }

    /// Takes from a new file what its folder does not permit. SQLite gives its -wal and -shm the same permissions.
    static func limit(_ file: URL) {
        var status = stat()
        guard stat(file.path, &status) == 0 else { return }
        let limited = status.st_mode & 0o7777 & (permitted(in: file.deletingLastPathComponent()) | 0o7111)
        if limited != status.st_mode & 0o7777 { chmod(file.path, limited) }
    }

    /// Reading and writing for each class of users that may read the folder.
    private static func permitted(in folder: URL) -> mode_t {
        var status = stat()
        guard stat(folder.path, &status) == 0 else { return 0o666 }
        var permitted: mode_t = 0o600
        for shift: mode_t in [3, 0] where status.st_mode & (0o4 << shift) != 0 { permitted |= 0o6 << shift }
        return permitted
    }
}
