import Foundation

/// A summary of a store's file, read by one connection that leaves no trace.
struct SQLiteStoreSummary: StoreSummary {
    let url: URL
    let metadata: [String: Any]
    /// Whether there are the tables of persistent history.
    private let hasHistoryTables: Bool
    /// Whether these tables hold transactions.
    let keepsHistory: Bool
    /// The model that the store was last opened with, in its archived form; nil if the store keeps none (before 2014).
    let archivedModel: Data?

    /// Reads the summary of a store. Nil if no store has been created in the file yet: the file is empty, or a database
    /// without any table, as a killed creation leaves it. Throws if there is no file, or if it is no Core Data store.
    init?(at url: URL, timeout: TimeInterval = 240) throws {
        do {
            let summary = try Self.reading(at: url, timeout: timeout) { summary, _ in summary }
            guard let summary else { return nil }
            self = summary
        } catch let error as SQLiteError {
            throw error.nsError(doing: .opening)
        }
    }

    /// Runs a body with the summary of a store, and with the connection that read it. The connection reads the same
    /// state of the store, and leaves no trace. Nil if no store has been created in the file yet. If other processes
    /// disturb the reading, it is repeated together with the body.
    static func reading<Result>(
        at url: URL, timeout: TimeInterval, _ attempts: Attempts? = nil,
        _ body: (_ summary: Self, _ connection: SQLiteConnection) throws -> Result
    ) throws -> Result? {
        var attempts = attempts ?? Attempts(timeout: timeout)
        let files = SQLiteStoreFiles(url)
        let before = FileState(files.main)
        // A connection to an empty file would remove the empty -wal of a destroyed store.
        if files.isEmptied { return nil }
        do {
            return try SQLiteStoreMetadata.reading(at: url, timeout: timeout) { connection -> Result? in
                // A process that migrates the store changes all of it in one transaction, so one read transaction sees
                // one version.
                try connection.beginLazily()
                if try connection.isEmpty() { return nil }
                return try body(Self(at: url, by: connection), connection)
            }
        } catch let error as NSError where SQLStoreMetadata.isNotAStore(error) && files.isEmptied {
            // Another process has destroyed the store since the file was found not empty.
            return nil
        } catch let error as NSError
            where error.isOfMissingOrDamagedStore && FileState(files.main) != before && attempts.goOn()
        {
            // Another process has destroyed the store and created another one.
            return try reading(at: url, timeout: timeout, attempts, body)
        }
    }

    /// Reads the summary by a connection that is open.
    init(at url: URL, by connection: SQLiteConnection) throws {
        self.url = url
        metadata = try SQLiteStoreMetadata.metadata(from: connection, at: url)
        hasHistoryTables = try HistoryTables.read(from: connection) != nil
        keepsHistory = try HistoryTables.hasTransactions(connection)
        archivedModel = try StoredModel.archive(from: connection)
    }

    /// Whether a connection reads the store that this summary describes, in the same version.
    func isOfSameStore(as present: [String: Any], _ connection: SQLiteConnection) throws -> Bool {
        try present[NSStoreUUIDKey] as? String == metadata[NSStoreUUIDKey] as? String
            && StoredVersion(present) == StoredVersion(metadata)
            && (HistoryTables.read(from: connection) != nil) == hasHistoryTables
    }

    /// Returns the archived model. Throws 259, naming the file, if the bytes are not a model.
    func model() throws -> NSManagedObjectModel? {
        try archivedModel.map { try StoredModel.decode($0, of: url) }
    }
}

extension StoreModelCheck {
    /// Creates the check of a store from its summary.
    init(model: NSManagedObjectModel, layout: ModelLayout, configurationName: String?, _ summary: SQLiteStoreSummary) {
        self.init(
            model: model, layout: layout, configurationName: configurationName, url: summary.url,
            archivedModel: { try summary.model() })
    }
}
