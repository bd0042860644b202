import CSQLite

/// SQLite's access to files (its VFS) with two additional rules: a main file that has lost its name gets no -wal and no
/// -journal, and the super-journal that a -journal names is neither read nor removed.
///
/// SQLite finds these files by the main file's name. Suppose that a connection has opened a store, and another process
/// then destroys, replaces or migrates that store. Without the first rule the connection would use the -wal and the
/// -shm of the next store as its own. It would read a mixture, remove the -wal or empty a -shm that this process has
/// mapped. SQLite opens these files under a lock on the main file, and a process that exchanges the file holds that
/// lock alone. So the result of the check stays true.
///
/// The end of a -journal can name a super-journal: the file that makes one transaction of the transactions of several
/// databases. After a rollback SQLite reads the file of that name and removes it: any file in any folder. So a forged
/// name could delete any file. A super-journal that stays does no harm: as long as it is there, every -journal that
/// names it is rolled back. Stores of this framework never write one.
enum SQLiteFileGuard {
    /// The name of the VFS to open connections with. Nil if SQLite has no VFS that could be guarded; connections then
    /// use SQLite's default.
    nonisolated(unsafe) static let name: UnsafePointer<CChar>? = {
        guard let original, let name = strdup("opencoredata") else { return nil }
        var guarded = original.pointee
        guarded.pNext = nil
        guarded.zName = UnsafePointer(name)
        guarded.xOpen = { _, name, file, flags, outFlags in
            guard let original = SQLiteFileGuard.original else { return SQLITE_CANTOPEN }
            if flags & SQLITE_OPEN_SUPER_JOURNAL != 0, flags & SQLITE_OPEN_CREATE == 0, let name {
                superJournals.withLock { $0[UInt(bitPattern: name)] = String(cString: name) }
                // The replacement is empty, so SQLite opens none of the journals that a super-journal would list.
                return original.pointee.xOpen(original, nothing, file, flags, outFlags)
            }
            if flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL) != 0, let name, hasMoved(mainFileOf: name) {
                // SQLite reads this pointer to decide whether the file must be closed.
                file?.pointee.pMethods = nil
                return SQLiteError.codeOfMovedFile
            }
            return original.pointee.xOpen(original, name, file, flags, outFlags)
        }
        guarded.xDelete = { _, name, isSynchronized in
            guard let original = SQLiteFileGuard.original else { return SQLITE_IOERR }
            if let name, isSuperJournal(name) { return SQLITE_OK }
            // Beside an empty main file SQLite removes the -wal. A -journal is not checked, because it does not show
            // whether the connection that removes it has created it, as a connection that destroys a store has.
            if let name, isLog(name), hasMoved(mainFileOf: name) { return SQLiteError.codeOfMovedFile }
            return original.pointee.xDelete(original, name, isSynchronized)
        }
        // SQLite keeps the address until the process ends.
        let kept = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        kept.initialize(to: guarded)
        return sqlite3_vfs_register(kept, 0) == SQLITE_OK ? UnsafePointer(name) : nil
    }()

    /// SQLite's own access.
    nonisolated(unsafe) private static let original = sqlite3_vfs_find(nil)

    /// An empty file that always exists. SQLite keeps the address as long as the file is open.
    nonisolated(unsafe) private static let nothing: UnsafePointer<CChar>? = UnsafePointer(strdup("/dev/null"))

    /// The super-journals that SQLite has opened for reading. SQLite removes each of them next, by the name at the same
    /// address.
    private static let superJournals = Locked<[UInt: String]>([:])

    /// Whether SQLite has just opened a file of this name as a super-journal.
    private static func isSuperJournal(_ name: UnsafePointer<CChar>) -> Bool {
        // The address alone is not enough, because it may hold another name by now.
        superJournals.withLock { $0.removeValue(forKey: UInt(bitPattern: name)) } == String(cString: name)
    }

    private static func isLog(_ name: UnsafePointer<CChar>) -> Bool {
        let length = strlen(name)
        return length > 4 && strcmp(name + length - 4, "-wal") == 0
    }

    /// - Parameter name: the name of a -wal or -journal, at the address that SQLite gave.
    private static func hasMoved(mainFileOf name: UnsafePointer<CChar>) -> Bool {
        guard let file = sqlite3_database_file_object(name), let methods = file.pointee.pMethods else { return false }
        var moved: Int32 = 0
        return methods.pointee.xFileControl(file, SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0
    }
}
