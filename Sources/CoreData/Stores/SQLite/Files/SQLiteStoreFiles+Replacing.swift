import Foundation

extension SQLiteStoreFiles {
    /// Puts a copy of another store in the place of this one. The copy is made in the folder of this store's
    /// migrations, then takes this store's name.
    ///
    /// Until the main file takes the name, the old store stays where it was, and a failure leaves it complete. A kill
    /// leaves one of the two stores with its external values. Both have their external values in the folder while the
    /// names change. The values that belong to neither afterwards are noted. The next opening removes them, and the
    /// folder, too.
    ///
    /// - Parameters:
    ///   - timeout: How long to wait for the source, and for a process that migrates this store.
    ///   - waiting: How long to wait for processes that have this store open.
    ///   - rename: Gives the main file its name. Tests replace it to observe this moment.
    func replace(
        with source: SQLiteStoreFiles, timeout: TimeInterval = 240, waiting: TimeInterval = 0, force: Bool = false,
        rename: (String, String) -> Int32 = { Foundation.rename($0, $1) }
    ) throws {
        try replace(timeout: timeout, waiting: waiting, force: force, rename: rename) {
            try source.copy(to: $0, timeout: timeout)
        }
    }

    /// Puts a new store, which `make` creates at a free address, in the place of this one.
    func replace(
        timeout: TimeInterval = 240, waiting: TimeInterval = 0, force: Bool = false,
        rename: (String, String) -> Int32 = { Foundation.rename($0, $1) },
        making make: (SQLiteStoreFiles) throws -> Void
    ) throws {
        try requireOwn()
        try StoreExchange.recover(self, timeout: timeout)
        guard let place = try MigrationFolder.lock(main, creating: true, timeout: timeout) else { return }
        // A file that cannot be removed only takes up space, and the next opening removes it.
        defer { try? place.remove() }
        try place.clear()
        let sibling = place.copy
        try make(sibling)
        // The external values are synchronised, too, because no older store is left if the new one is damaged.
        try FollowedWork(progress: nil).synchronize(place.url)
        if FileManager.default.fileExists(atPath: main.path) {
            try withoutUsers(timeout: waiting, force: force, absorbing: true) { try take(sibling, rename: rename) }
        } else {
            try take(sibling, rename: rename)
        }
    }

    /// Gives a complete store (a single file and its external values) the name of the store at this address.
    ///
    /// - Parameter rename: Gives the main file its name.
    func take(
        _ sibling: SQLiteStoreFiles, rename: (String, String) -> Int32 = { Foundation.rename($0, $1) }
    ) throws {
        try requireOwn()
        // The old -wal must be removed before the new main file appears.
        for url in [wal, shm, journal] { try FileKind.remove(.file, at: url) }
        let external = ExternalData(folder: externalDataFolder, storeName: main.lastPathComponent)
        let files = try join(sibling, in: external)
        guard rename(sibling.main.path, main.path) == 0 else {
            let failure = WriteFailure.error("The store could not be put in its place", main)
            giveUp(files, in: external)
            throw failure
        }
        Disk.synchronizeFolder(main.deletingLastPathComponent())
        external.committed(files)
    }

    /// Moves the external values of a store that is to take this one's place beside those of this one.
    ///
    /// - Returns: The files to remove if the new store does not take the place, and the files to remove if it does.
    private func join(_ sibling: SQLiteStoreFiles, in external: ExternalData) throws -> ExternalFileChanges {
        func names(_ folder: URL) -> Set<String> {
            Set((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        }
        var old = names(externalDataFolder)
        let shared = SharedSupport(store: self)
        if !old.isEmpty, shared.isShared {
            // Files that may belong to another store stay.
            old.formIntersection((try? shared.ownFiles()) ?? [])
        }
        let new = names(sibling.externalDataFolder)
        var files = ExternalFileChanges()
        files.created = new.subtracting(old).sorted()
        files.orphaned = old.subtracting(new).sorted()
        guard !old.isEmpty || !new.isEmpty else { return files }
        try external.note(files.created + files.orphaned, &files)
        do {
            try FilePermissions.makeFolder(externalDataFolder)
            // A file of that name has the same bytes, unless a loss of power has damaged it.
            for name in new {
                let place = externalDataFolder.appendingPathComponent(name)
                guard Foundation.rename(sibling.externalDataFolder.appendingPathComponent(name).path, place.path) == 0
                else { throw WriteFailure.error("An external value could not be put in its place", place) }
            }
        } catch {
            giveUp(files, in: external)
            throw error
        }
        return files
    }

    /// Removes the files of the store that does not take the place, and the folders if they are empty.
    private func giveUp(_ files: ExternalFileChanges, in external: ExternalData) {
        external.abandoned(files)
        for folder in [externalDataFolder, supportFolder] { rmdir(folder.path) }
    }
}
