import Foundation

/// A SQLite store that is filled in the folder of a store's migrations, and takes that store's place when it is
/// complete.
///
/// Files of a killed process stay in the folder. The next attempt with the same note resumes them, and the next opening
/// of the store removes them.
final class SQLiteFilling: UnfinishedStore {
    private static let place = "move"

    private let transaction: FillingTransaction
    let end: TransferEnd
    let isResumed: Bool

    /// Writes the note that the store is being filled into a new store. A transaction is open when this returns.
    private init(
        _ store: SQLiteStore, _ connection: SQLiteConnection, _ url: URL, note: String, isResumed: Bool
    ) throws {
        self.isResumed = isResumed
        end = TransferEnd(
            connection, store.layout, store.schema, externalData: store.externalData,
            name: url.lastPathComponent)
        if !isResumed {
            try connection.transaction {
                var metadata = try SQLStoreMetadata.read(from: connection, url: url)
                metadata[SQLStoreMetadata.unfinishedKey] = note
                try SQLStoreMetadata.write(metadata, to: connection, url: url)
            }
        }
        transaction = try FillingTransaction(connection, url)
    }

    /// Lets a body fill a new store, and puts the new store in the place of the one at an address.
    static func fill(
        _ files: SQLiteStoreFiles, for opening: StoreOpening, note: String, timeout: TimeInterval, progress: Progress?,
        body: (any UnfinishedStore) throws -> Void
    ) throws {
        try files.requireOwn()
        // If a journal is there, its exchange is completed first: `clear` would remove the files that the journal
        // needs.
        let journal = ExchangeJournal.url(in: MigrationFolder.url(for: files.main))
        if FileManager.default.fileExists(atPath: journal.path) { try StoreExchange.recover(files, timeout: timeout) }
        let found = try MigrationFolder.lock(files.main, creating: true, timeout: timeout, progress)
        guard let folder = found else { return }
        MigrationMoment.reach(.folderLocked)
        // A file that cannot be removed only takes up space, and the next opening removes it.
        defer { try? folder.remove() }
        try folder.clear(keeping: [place])
        let copy = SQLiteStoreFiles(try folder.make(place, keeping: true))
        try fill(copy, opening, note: note, body)
        try Disk.synchronize(copy.main)
        if FileManager.default.fileExists(atPath: files.main.path) {
            try files.withoutUsers(timeout: 0, force: false, absorbing: true) { try files.take(copy) }
        } else {
            try files.take(copy)
        }
    }

    /// Fills a store that lies in a folder of the caller's own, or resumes filling it.
    static func fill(
        _ files: SQLiteStoreFiles, _ opening: StoreOpening, note: String, _ body: (any UnfinishedStore) throws -> Void
    ) throws {
        do {
            let isResumed = try isLeft(files, note)
            if !isResumed { try files.removeRemains() }
            var options = opening.options ?? [:]
            for key in [
                NSPersistentHistoryTrackingKey, NSPersistentStoreRemoteChangeNotificationPostOptionKey,
                NSReadOnlyPersistentStoreOption, NSMigrationProgressOption,
            ] { options[key] = nil }
            let store = try SQLiteStore(
                layout: opening.layout, storeNumber: 1, configurationName: opening.configuration, at: files.main,
                options: options)
            do {
                defer { store.close() }
                try store.writingHere { connection in
                    try body(SQLiteFilling(store, connection, files.main, note: note, isResumed: isResumed))
                }
            }
            try files.withoutUsers(timeout: 0, force: false, absorbing: true) {}
        } catch let error as SQLiteError {
            throw error.nsError(doing: .saving)
        }
    }

    /// Whether an earlier attempt has left something that can be resumed.
    private static func isLeft(_ files: SQLiteStoreFiles, _ note: String) throws -> Bool {
        guard FileManager.default.fileExists(atPath: files.main.path),
            let metadata = try? SQLiteStoreMetadata.metadata(at: files.main, timeout: 0)
        else { return false }
        return metadata[SQLStoreMetadata.unfinishedKey] as? String == note
    }

    func keep() throws { try transaction.keep() }

    func finish(_ metadata: [String: Any]) throws { try transaction.finish(metadata) }
}
