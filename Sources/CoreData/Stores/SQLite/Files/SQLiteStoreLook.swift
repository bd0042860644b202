import Foundation

/// A look at a store's file by one connection that leaves no trace.
struct SQLiteStoreLook: StoreLook {
    let url: URL
    let metadata: [String: Any]
    /// Whether there are the tables of persistent history.
    private let hasHistoryTables: Bool
    /// Whether there are transactions in them.
    let keepsHistory: Bool
    /// The model that the store was last opened with, as it lies there; nil where it keeps none (before 2014).
    let archivedModel: Data?

    /// Nil where no store has been made in the file yet: it is empty, or a database without any table, as a killed
    /// creation leaves it. Throws when there is no file, or when it is no Core Data store.
    init?(at url: URL, timeout: TimeInterval = 240) throws {
        do {
            let look = try Self.reading(at: url, timeout: timeout) { look, _ in look }
            guard let look else { return nil }
            self = look
        } catch let error as SQLiteError {
            throw error.nsError(doing: .opening)
        }
    }

    /// Runs a body with a look at a store, and with the connection that was used: it reads the same state of the store,
    /// and leaves no trace. Nil if no store has been made in the file yet. If others disturb the reading, it begins
    /// again, with the body.
    static func reading<Result>(
        at url: URL, timeout: TimeInterval, _ attempts: Attempts? = nil,
        _ body: (_ look: Self, _ connection: SQLiteConnection) throws -> Result
    ) throws -> Result? {
        var attempts = attempts ?? Attempts(timeout: timeout)
        let files = SQLiteStoreFiles(url)
        let before = FileState(files.main)
        // A connection to an empty file would remove the empty -wal of a store that was destroyed.
        if files.isEmptied { return nil }
        do {
            return try SQLiteStoreMetadata.reading(at: url, timeout: timeout) { connection -> Result? in
                // A process that migrates the store meanwhile changes all of it at once.
                try connection.beginLazily()
                if try connection.isEmpty() { return nil }
                return try body(Self(at: url, by: connection), connection)
            }
        } catch let error as NSError where SQLStoreMetadata.isNotAStore(error) && files.isEmptied {
            // Somebody has destroyed it between the two looks.
            return nil
        } catch let error as NSError
            where error.isOfMissingOrDamagedStore && FileState(files.main) != before && attempts.goOn()
        {
            // Somebody has destroyed it, and made another one.
            return try reading(at: url, timeout: timeout, attempts, body)
        }
    }

    /// A look by a connection that is open.
    init(at url: URL, by connection: SQLiteConnection) throws {
        self.url = url
        metadata = try SQLiteStoreMetadata.metadata(from: connection, at: url)
        hasHistoryTables = try HistoryTables.read(from: connection) != nil
        keepsHistory = try HistoryTables.hasTransactions(connection)
        archivedModel = try StoredModel.archive(from: connection)
    }

    /// Whether a connection reads the store, and the version of it, that was looked at.
    func isOfSameStore(as present: [String: Any], _ connection: SQLiteConnection) throws -> Bool {
        try present[NSStoreUUIDKey] as? String == metadata[NSStoreUUIDKey] as? String
            && StoredVersion(present) == StoredVersion(metadata)
            && (HistoryTables.read(from: connection) != nil) == hasHistoryTables
    }

    /// Throws 259, naming the file, when the bytes are not a model.
    func model() throws -> NSManagedObjectModel? {
        try archivedModel.map { try StoredModel.decode($0, of: url) }
    }
}

extension StoreModelCheck {
    /// For a store that was looked at.
    init(model: NSManagedObjectModel, layout: ModelLayout, configurationName: String?, _ look: SQLiteStoreLook) {
        self.init(
            model: model, layout: layout, configurationName: configurationName, url: look.url,
            archivedModel: { try look.model() })
    }
}
