import Foundation

/// The folder of external data if two stores share it: `Data.sqlite` and `Data.db` side by side have the same folder.
struct SharedSupport {
    let store: SQLiteStoreFiles

    /// Whether another file lies beside the store whose folder would be the same.
    var isShared: Bool {
        let (folder, own) = (store.main.deletingLastPathComponent(), store.main.lastPathComponent)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let base = (own as NSString).deletingPathExtension
        return names.contains { name in
            name != own && (name as NSString).deletingPathExtension == base
                && !["-wal", "-shm", "-journal"].contains { name.hasSuffix($0) }
        }
    }

    /// The names of the files in the folder that are removed when a newer version takes the store's place. The lock of
    /// the caller keeps other processes from writing the store. But another store with the same folder may be created
    /// at any moment.
    func olderFiles() throws -> Set<String> {
        // The order of the two readings matters: if another store has put a file there before the listing, that store's
        // own file was there earlier.
        var names: Set<String> = []
        let files = FileManager.default.enumerator(at: store.supportFolder, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL { names.insert(file.lastPathComponent) }
        return names.isEmpty || !isShared ? names : try ownFiles()
    }

    /// The names of the files that rows of the store name. Requires that no other process writes the store.
    func ownFiles() throws -> Set<String> {
        let connection = try SQLiteConnection(path: store.main.path, access: .immutable)
        var names: Set<String> = []
        for table in try StoreCatalog(connection).tables.values where table.name.hasPrefix("Z") {
            for column in table.columns where column.type == "BLOB" {
                names.formUnion(try connection.externalFileNames(in: column.name, of: table.name))
            }
        }
        return names
    }

    /// Moves or links everything that is not the store's own from one folder of external data into another, unless the
    /// other folder has it already.
    ///
    /// - Parameter isMoved: whether a file leaves the first folder; otherwise it lies in both, under two names of one
    ///   file.
    static func carry(from source: URL, to target: URL, except own: Set<String>, isMoved: Bool) throws {
        let manager = FileManager.default
        // A symbolic link would take files from a folder that does not belong to the store, or put them there.
        for folder in [source, target] { try FileKind.require(.folder, at: folder) }
        for name in (try? manager.contentsOfDirectory(atPath: source.path)) ?? [] {
            let (from, to) = (source.appendingPathComponent(name), target.appendingPathComponent(name))
            var status = stat()
            guard lstat(from.path, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                try carry(from: from, to: to, except: own, isMoved: isMoved)
                continue
            }
            // External values are files or links. Everything else stays in its place.
            guard [S_IFREG, S_IFLNK].contains(status.st_mode & S_IFMT) else { continue }
            if own.contains(name) || name.hasPrefix(StoreExchange.markPrefix) || manager.fileExists(atPath: to.path) {
                continue
            }
            if !manager.fileExists(atPath: target.path) {
                try manager.createDirectory(at: target, withIntermediateDirectories: true)
                if stat(source.path, &status) == 0 { chmod(target.path, status.st_mode & 0o7777) }
            }
            let isDone = isMoved ? rename(from.path, to.path) == 0 : Foundation.link(from.path, to.path) == 0
            // The other store's program may have removed the file just now. Some volumes have no hard links.
            if !isDone, errno != ENOENT { try manager.copyItem(at: from, to: to) }
        }
    }
}
