import Foundation

extension SQLiteStoreFiles {
    /// Takes a store away and leaves its main file, its -wal and its -shm, all of them empty; an empty file is opened
    /// as a new store. If there is no store, empty files are made, too: programs that destroy a store may remove the
    /// files next.
    ///
    /// A kill leaves the store whole, or an empty main file. The external values are noted before, and the rest of them
    /// is removed when a store is opened there next. A store that somebody has open or migrates is refused unless
    /// `force`.
    ///
    /// - Parameter opened: See `withoutUsers`.
    func empty(timeout: TimeInterval = 0, force: Bool = false, opened: () throws -> Void = {}) throws {
        try requireOwn()
        // A process that migrates the store, or puts another one in its place, works in that folder.
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
            // A file that cannot be noted is waste after a kill.
            try? external.note(files.orphaned, &files)
            MigrationMoment.reach(.logAbsorbed)
            let rights = FileRights(of: main)
            let isWhole = !hasLog
            if isWhole { try renew(wal, rights) }
            try renew(shm, rights)
            // SQLite has rolled it back. Later it may be that of a new store.
            try FileKind.remove(.file, at: journal)
            // The new main file is locked before it has its name: nobody makes a store of it while the rest is removed.
            let lock = try? lockOfEmptyFile(at: shm)
            defer { withExtendedLifetime(lock) {} }
            MigrationMoment.reach(.logEmptied)
            // The main file gets another one in its place, as when it is removed: a process that waits for its lock
            // opens it anew.
            guard rename(shm.path, main.path) == 0 else {
                throw WriteFailure.error("The store could not be destroyed", main)
            }
            Disk.synchronizeFolder(main.deletingLastPathComponent())
            MigrationMoment.reach(.mainEmptied)
            // SQLite takes no -wal for the log of an empty file.
            if !isWhole { try renew(wal, rights) }
            // The store is destroyed. On a full disk the next opening makes the file.
            try? rights.makeFile(at: shm)
            external.remove(files.orphaned)
            MigrationMoment.reach(.valuesRemoved)
            external.committed(files)
            removeSupportFolder()
            Disk.synchronizeFolder(main.deletingLastPathComponent())
        }
        do {
            // The -wal goes into the main file first: without it the main file would be an older state of the store.
            try withoutUsers(timeout: timeout, force: force, absorbing: true, opened: opened, take)
        } catch let error as NSError where error.code == NSFileWriteOutOfSpaceError && !hasBegun {
            // A program may destroy a store because the disk is full.
            try withoutUsers(timeout: timeout, force: force, take)
        }
    }

    /// Makes the files that a destroyed store leaves, if its folder takes files: a store that is not there is destroyed
    /// in any case.
    private func makeEmptyFiles() {
        let rights = FileRights(of: main)
        for url in [main, wal, shm] { try? rights.makeFile(at: url) }
    }

    /// Removes the store with everything that belongs to it. A store that somebody has open is refused unless `force`.
    ///
    /// The main file is removed last: as long as it is there, the store is recognised as one that was not removed
    /// completely.
    ///
    /// - Parameter folder: the folder of the store's migrations, where the caller holds its lock.
    func destroy(timeout: TimeInterval = 0, force: Bool = false, holding folder: MigrationFolder? = nil) throws {
        try requireOwn()
        guard !existing.isEmpty else { return }
        // The main file has to tell the store's own files.
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

    /// Removes the files of a killed migration: found later, they would be put in the place of a new store. They stay,
    /// and this throws, if somebody has begun to work there meanwhile.
    private func removeMigrationFolder(_ held: MigrationFolder?, force: Bool) throws {
        let url = MigrationFolder.url(for: main)
        if force { return try FileKind.remove(.folder, at: url) }
        // No waiting: a process at work there may wait for the store, which is locked here.
        guard let folder = try held ?? MigrationFolder.lock(main, creating: false, timeout: 0) else { return }
        try withExtendedLifetime(folder) { try FileKind.remove(.folder, at: url) }
    }

    /// The names of the external values that are this store's, without those that may be another store's.
    private var ownExternalFiles: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: externalDataFolder.path)) ?? []
        guard !names.isEmpty, SharedSupport(store: self).isShared else { return names }
        return Array((try? SharedSupport(store: self).ownFiles()) ?? [])
    }

    /// Removes the folder of external data with its remaining files, unless it is another store's, too.
    private func removeSupportFolder() {
        if !SharedSupport(store: self).isShared { try? FileKind.remove(.folder, at: supportFolder) }
    }

    /// A connection that keeps everybody else from a file that is empty.
    private func lockOfEmptyFile(at url: URL) throws -> SQLiteConnection {
        let connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 0)
        // SQLite begins to make a database of an empty file, and would make a journal first.
        try connection.setJournalMode("MEMORY")
        try connection.lockOutOthers()
        return connection
    }

    /// Puts an empty file in the place of one, or where none is.
    private func renew(_ url: URL, _ rights: FileRights) throws {
        try FileKind.remove(.file, at: url)
        try rights.makeFile(at: url)
    }
}

/// The owner and the permissions of a file.
private struct FileRights {
    /// Whether there is a file to be like; otherwise a new one is as the process makes files.
    private let isKnown: Bool
    private let mode: mode_t
    private let owner: uid_t
    private let group: gid_t

    init(of url: URL) {
        var status = stat()
        isKnown = stat(url.path, &status) == 0
        // A store that nobody could write to would be of no use.
        mode = isKnown ? status.st_mode & 0o666 | 0o200 : 0o644
        owner = isKnown ? status.st_uid : getuid()
        group = isKnown ? status.st_gid : getgid()
    }

    /// Makes an empty file. One that somebody has made meanwhile stays as it is.
    func makeFile(at url: URL) throws {
        // Without a descriptor: closing one would drop the locks of a connection that has just opened the file.
        guard mknod(url.path, S_IFREG | mode, 0) == 0 else {
            if errno == EEXIST { return }
            throw WriteFailure.error("An empty file could not be made", url)
        }
        // Only root gives files away; others have files of their own here.
        guard isKnown else { return }
        _ = lchown(url.path, owner, group)
        chmod(url.path, mode)
    }
}
