import Foundation

extension SQLiteStoreFiles {
    /// Destroys a store and leaves its main file, its -wal and its -shm empty. An empty file is opened as a new store.
    /// If there is no store, the empty files are created, too: programs that destroy a store may remove these files
    /// next.
    ///
    /// A kill leaves the store complete, or an empty main file. The names of the external values are noted before, so
    /// that the next opening at this address removes those that a kill leaves. A store that another connection has
    /// open, or that a process migrates, is refused unless `force`.
    ///
    /// - Parameter opened: See `withoutUsers`.
    func empty(timeout: TimeInterval = 0, force: Bool = false, opened: () throws -> Void = {}) throws {
        try requireOwn()
        // A process that migrates the store, or puts another one in its place, holds the lock of this folder.
        let folder = force ? nil : try MigrationFolder.lock(main, creating: false, timeout: timeout)
        defer { withExtendedLifetime(folder) {} }
        guard FileManager.default.fileExists(atPath: main.path) else {
            try destroy(force: force, holding: folder)
            return makeEmptyFiles()
        }
        var hasBegun = false
        func take() throws {
            try removeMigrationFolder(folder, force: force)
            hasBegun = true
            let external = ExternalData(folder: externalDataFolder, storeName: main.lastPathComponent)
            var files = ExternalFileChanges()
            files.orphaned = ownExternalFiles
            // A value whose name cannot be noted only takes up space after a kill.
            try? external.note(files.orphaned, &files)
            MigrationMoment.reach(.logAbsorbed)
            let rights = FileRights(of: main)
            let isWhole = !hasLog
            if isWhole { try renew(wal, rights) }
            try renew(shm, rights)
            // SQLite has rolled the journal back. A -journal that stayed would be taken for that of a new store.
            try FileKind.remove(.file, at: journal)
            // The new main file is locked before it gets its name, so that no process creates a store in it while the
            // remaining files are removed.
            let lock = try? lockOfEmptyFile(at: shm)
            defer { withExtendedLifetime(lock) {} }
            MigrationMoment.reach(.logEmptied)
            // The main file is replaced by another file, as when it is removed and created again: a process that waits
            // for its lock then opens the new file.
            guard rename(shm.path, main.path) == 0 else {
                throw WriteFailure.error("The store could not be destroyed", main)
            }
            Disk.synchronizeFolder(main.deletingLastPathComponent())
            MigrationMoment.reach(.mainEmptied)
            // SQLite does not apply a -wal to an empty main file.
            if !isWhole { try renew(wal, rights) }
            // The store is destroyed at this point. If the disk is full, the next opening creates the file.
            try? rights.makeFile(at: shm)
            external.remove(files.orphaned)
            MigrationMoment.reach(.valuesRemoved)
            external.committed(files)
            removeSupportFolder()
            Disk.synchronizeFolder(main.deletingLastPathComponent())
        }
        do {
            // The -wal is copied into the main file first: without the -wal the main file would be an older state of
            // the store.
            try withoutUsers(timeout: timeout, force: force, absorbing: true, opened: opened, take)
        } catch let error as NSError where error.code == NSFileWriteOutOfSpaceError && !hasBegun {
            // A program may destroy a store because the disk is full.
            try withoutUsers(timeout: timeout, force: force, take)
        }
    }

    /// Creates the files that a destroyed store leaves. An error is ignored, because destroying a store that is not
    /// there succeeds in any case.
    private func makeEmptyFiles() {
        let rights = FileRights(of: main)
        for url in [main, wal, shm] { try? rights.makeFile(at: url) }
    }

    /// Removes the store with all its files. A store that another connection has open is refused unless `force`.
    ///
    /// The main file is removed last. As long as it is there, the address counts as that of a store that was not
    /// removed completely.
    ///
    /// - Parameter folder: the folder of the store's migrations, where the caller holds its lock.
    func destroy(timeout: TimeInterval = 0, force: Bool = false, holding folder: MigrationFolder? = nil) throws {
        try requireOwn()
        guard !existing.isEmpty else { return }
        // The names of the store's own external values are read from the main file.
        try withoutUsers(timeout: timeout, force: force, absorbing: SharedSupport(store: self).isShared) {
            let external = ExternalData(folder: externalDataFolder)
            try removeMigrationFolder(folder, force: force)
            let own = ownExternalFiles
            for url in [wal, shm, journal] { try FileKind.remove(.file, at: url) }
            external.remove(own)
            removeSupportFolder()
            try FileKind.remove(.file, at: main)
            Disk.synchronizeFolder(main.deletingLastPathComponent())
        }
    }

    /// Removes the files of a killed migration. If they stayed, a later opening would put them in the place of a new
    /// store. Throws, and leaves the files, if another process holds the lock of the folder.
    private func removeMigrationFolder(_ held: MigrationFolder?, force: Bool) throws {
        let url = MigrationFolder.url(for: main)
        if force { return try FileKind.remove(.folder, at: url) }
        // The timeout is 0, because a process that works in the folder may wait for the store, which is locked here.
        guard let folder = try held ?? MigrationFolder.lock(main, creating: false, timeout: 0) else { return }
        try withExtendedLifetime(folder) { try FileKind.remove(.folder, at: url) }
    }

    /// The names of the external values of this store, without those that may belong to another store.
    private var ownExternalFiles: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: externalDataFolder.path)) ?? []
        guard !names.isEmpty, SharedSupport(store: self).isShared else { return names }
        return Array((try? SharedSupport(store: self).ownFiles()) ?? [])
    }

    /// Removes the folder of external data with its remaining files, unless another store uses the folder, too.
    private func removeSupportFolder() {
        if !SharedSupport(store: self).isShared { try? FileKind.remove(.folder, at: supportFolder) }
    }

    /// Returns a connection whose lock keeps all other connections from an empty file.
    private func lockOfEmptyFile(at url: URL) throws -> SQLiteConnection {
        let connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 0)
        // SQLite makes a database of an empty file when it takes the lock, and would create a journal file first.
        try connection.setJournalMode("MEMORY")
        try connection.lockOutOthers()
        return connection
    }

    /// Puts an empty file at an address, in the place of the file there if there is one.
    private func renew(_ url: URL, _ rights: FileRights) throws {
        try FileKind.remove(.file, at: url)
        try rights.makeFile(at: url)
    }
}

/// The owner and the permissions of a file.
private struct FileRights {
    /// Whether there was a file whose owner and permissions are known. Without one a new file gets the process's
    /// defaults.
    private let isKnown: Bool
    private let mode: mode_t
    private let owner: uid_t
    private let group: gid_t

    init(of url: URL) {
        var status = stat()
        isKnown = stat(url.path, &status) == 0
        // The owner may always write, because a store that its owner cannot write to would be of no use.
        mode = isKnown ? status.st_mode & 0o666 | 0o200 : 0o644
        owner = isKnown ? status.st_uid : getuid()
        group = isKnown ? status.st_gid : getgid()
    }

    /// Creates an empty file. A file that another process has created at this address stays as it is.
    func makeFile(at url: URL) throws {
        // `mknod` needs no descriptor. Closing one would drop the locks of a connection that has just opened the file.
        guard mknod(url.path, S_IFREG | mode, 0) == 0 else {
            if errno == EEXIST { return }
            throw WriteFailure.error("An empty file could not be made", url)
        }
        // Only root can change the owner of a file; for other users the file already has the right owner.
        guard isKnown else { return }
        _ = lchown(url.path, owner, group)
        chmod(url.path, mode)
    }
}
