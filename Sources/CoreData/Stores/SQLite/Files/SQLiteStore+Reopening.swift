import Foundation

extension SQLiteStore.Opened {
    /// The way to close the connections for a migration and to open them again; nil for a store whose connections hold
    /// no lock while they are idle, or one that no other coordinator can open.
    var suspension: SQLiteDatabase.Suspension? {
        guard isWAL, use == .work, let url, let makeReader else { return nil }
        let files = SQLiteStoreFiles(url)
        let (settings, isWritable, file) = (settings, writer != nil, FileState(url))
        let (version, identifier) = (StoredVersion(metadata), metadata[NSStoreUUIDKey] as? String)
        return SQLiteDatabase.Suspension(
            url: url,
            awaitMigration: {
                if SoleUse.isHeldHere(for: files) { throw Self.lockedHere(url) }
                try StoreExchange.recover(files, timeout: settings.timeout)
            },
            reopen: {
                do {
                    let connection = try SQLiteConnection(
                        path: url.path, access: isWritable ? .readWrite : files.readingAccess,
                        busyTimeout: settings.timeout)
                    let present = try SQLStoreMetadata.read(from: connection, url: url)
                    guard StoredVersion(present) == version else { throw SQLStoreMetadata.migrated(url, to: present) }
                    guard SQLStoreMetadata.isSameStore(present, as: identifier),
                        FileState(url)?.isSameFile(as: file) == true, !connection.hasMoved
                    else { throw SQLStoreMetadata.replaced(url) }
                    // A reader is made, and checked, where the database has no connection that writes.
                    return isWritable ? try Self.writer(connection, at: url, settings) : try makeReader()
                } catch let error as SQLiteError {
                    throw error.nsError(doing: .opening)
                }
            }, changed: nil, isWritable: isWritable)
    }

    private static func writer(
        _ connection: SQLiteConnection, at url: URL, _ settings: SQLiteStoreOptions
    ) throws -> SQLiteConnection {
        try connection.requireWritable(at: url)
        SQLiteFunctions.register(on: connection)
        try settings.configure(connection, isWriter: true)
        try connection.trustIndexTables()
        try connection.setJournalMode(settings.pragma("journal_mode") ?? "WAL")
        try SpatialIndexes(connection).keep(on: connection, url: url)
        return connection
    }

    /// The error of a handler of a migration that uses the store's older coordinator. Waiting would be a deadlock.
    private static func lockedHere(_ url: URL) -> NSError {
        .timeout(
            of: LockTimeout(
                "The store “\(url.lastPathComponent)” is locked by the migration that this thread carries out.",
                remedy: "Use the contexts of the migration"), url: url)
    }
}
