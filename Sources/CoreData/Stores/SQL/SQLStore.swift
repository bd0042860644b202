import Foundation

/// A store in tables: what it does with them, over a database that a driver has opened.
///
/// Every method may be called from any thread.
class SQLStore: NSPersistentStore, RowStore, @unchecked Sendable {  // what may change is used under a lock
    /// What a store is made of.
    struct Parts {
        var layout: ModelLayout
        var storeNumber: Int
        var typeName: String
        var schema: SQLSchema
        var use: StoreUse
        var derivedAttributes: DerivedAttributes
        /// The tables of persistent history; nil where there are none.
        var historyTables: HistoryTables?
        /// Whether changes are recorded in them.
        var tracksHistory: Bool
        var metadata: [String: Any]
        /// Where large values lie; nil where they lie in the rows.
        var externalData: ExternalData?
        var configurationName: String?
        var url: URL?
        var options: [AnyHashable: Any]?
        /// What errors call the store.
        var name: String?
        /// Whether others can open the store, and migrate it meanwhile.
        var isShared = true
    }

    let layout: ModelLayout
    /// Keeps alive what the layout speaks of.
    private let model: NSManagedObjectModel
    let storeNumber: Int
    let schema: SQLSchema
    let database: any SQLDatabase
    let capabilities: SQLCapabilities
    let rowCache: RowCache
    let externalData: ExternalData?
    let use: StoreUse
    let derivedAttributes: DerivedAttributes
    let historyTables: HistoryTables?
    let tracksHistory: Bool
    /// Whether others can open the store, and migrate it meanwhile.
    let isShared: Bool
    private let typeName: String

    /// How whole rows lie in their tables: of hierarchies by root index, and of single entities by layout index.
    let rootShapes: [RowShape?]
    let shapes: [RowShape?]
    /// By root index: the only entity of its table, where it holds one only.
    let soleLayouts: [Int?]

    /// What becomes of files when the held transaction is committed; used while nobody writes.
    var heldFiles = ExternalFileChanges()

    /// The number of the tables, as it was when they were last known to be this model's; used while nobody writes.
    var knownSchemaVersion: Int64?

    private let stateLock = NSLock()
    /// The metadata as they were last read or written; under `stateLock`.
    private var savedMetadata: [String: Any]
    /// Whether somebody has set the metadata since; under `stateLock`.
    private var metadataWereSet = false
    /// The number of the last transaction that a save of this store recorded; under `stateLock`.
    private var recordedTransaction: Int64?

    override var type: String { typeName }

    init(_ parts: Parts, database: any SQLDatabase) {
        layout = parts.layout
        model = parts.layout.model
        storeNumber = parts.storeNumber
        schema = parts.schema
        self.database = database
        capabilities = database.capabilities
        use = parts.use
        derivedAttributes = parts.derivedAttributes
        historyTables = parts.historyTables
        tracksHistory = parts.tracksHistory
        isShared = parts.isShared
        typeName = parts.typeName
        externalData = parts.externalData
        rowCache = RowCache(rootCount: parts.layout.entities.count, isOff: !parts.use.cachesRows)
        let shapes = layout.entities.map { entity -> RowShape? in
            guard parts.schema.numbers[entity.index] != nil, parts.schema.table(ofRoot: entity.rootIndex) != nil else {
                return nil
            }
            return RowShape(
                layout: entity, schema: parts.schema, storeNumber: parts.storeNumber,
                externalData: parts.externalData, fileName: parts.name)
        }
        self.shapes = shapes
        rootShapes = layout.entities.map { $0.superIndex == nil ? shapes[$0.index] : nil }
        soleLayouts = layout.entities.map {
            $0.superIndex == nil ? parts.schema.soleLayout(ofRoot: $0.index, in: parts.layout) : nil
        }
        savedMetadata = parts.metadata
        super.init(configurationName: parts.configurationName, at: parts.url, options: parts.options)
        super.metadata = parts.metadata
        identifier = parts.metadata[NSStoreUUIDKey] as? String
    }

    /// The parts of another store, for one that shows the same tables by other connections.
    var parts: Parts {
        Parts(
            layout: layout, storeNumber: storeNumber, typeName: typeName, schema: schema, use: use,
            derivedAttributes: derivedAttributes, historyTables: historyTables, tracksHistory: false,
            metadata: metadata ?? [:], externalData: externalData, configurationName: configurationName, url: url,
            options: options, name: url?.lastPathComponent, isShared: isShared)
    }

    /// The entity of a row of a root entity's table, by the number in the row.
    final func layoutIndex(number: Int64, rootIndex: Int) -> Int? {
        soleLayouts[rootIndex] ?? schema.layoutOfNumber[Int(number)]
    }

    /// A view of the store as it is now; nil where nothing could be written meanwhile, or the database has no such
    /// view.
    func pinned() throws -> (any RowStore)? { nil }

    // MARK: Connections

    /// Runs a body with the connection that writes while no other thread writes. Failures come out as Core Data's
    /// errors.
    final func writing<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result {
        do {
            if let result = try database.write(body) { return result }
        } catch let failure as any SQLFailure {
            throw failure.nsError(doing: .saving)
        }
        if !isReadOnly { throw Self.closedError(url) }
        throw NSError.readOnlyStore(self)
    }

    /// Runs a body with a connection that reads. Failures come out as Core Data's errors.
    @inline(__always)
    final func reading<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result {
        do {
            return try database.read(body)
        } catch let failure as any SQLFailure {
            throw failure.nsError(doing: .reading)
        }
    }

    /// Closes every connection. Called when the store is removed from its coordinator; reading or writing afterwards
    /// throws.
    func close() {
        database.close()
        rowCache.removeAll()
    }

    static func closedError(_ url: URL?) -> NSError {
        .coreData(
            NSPersistentStoreOperationError, reason: "The store was removed from its coordinator and cannot be used.",
            url: url)
    }

    // MARK: Metadata

    override var metadata: [String: Any]! {
        get { super.metadata }
        set {
            super.metadata = newValue
            stateLock.withLock { metadataWereSet = true }
        }
    }

    /// The model's version as the store has it, whatever the program has set since.
    final var storedVersion: StoredVersion { stateLock.withLock { StoredVersion(savedMetadata) } }

    /// Whether the program changed the metadata since they were last written.
    final var hasUnsavedMetadata: Bool {
        let (wereSet, saved) = stateLock.withLock { (metadataWereSet, savedMetadata) }
        return wereSet && !(saved as NSDictionary).isEqual((metadata ?? [:]) as NSDictionary)
    }

    /// Writes the metadata, if they were changed, without a save: at the end of a pass of a migration manager.
    final func saveMetadata() throws {
        guard hasUnsavedMetadata else { return }
        let written = try writing { connection in
            try connection.transaction {
                // The description of the model goes along: that of another version would be overwritten.
                try requireSameModel(connection)
                return try writeMetadata(on: connection)
            }
        }
        metadataWereSaved(written)
    }

    /// Writes the metadata within a transaction, and says what was written.
    final func writeMetadata(on connection: any SQLConnection) throws -> [String: Any] {
        let saved = stateLock.withLock { savedMetadata }
        let merged = SQLStoreMetadata.merging(metadata ?? [:], over: saved)
        try SQLStoreMetadata.write(merged, to: connection, url: url)
        return merged
    }

    /// What was read or written is now what the store has.
    final func metadataWereSaved(_ written: [String: Any]) {
        stateLock.withLock {
            savedMetadata = written
            metadataWereSet = false
        }
        super.metadata = written
        identifier = written[NSStoreUUIDKey] as? String
    }

    /// One entry of the metadata was written besides what the program may have set.
    final func metadataEntryWasSaved(_ value: Any?, forKey key: String) {
        stateLock.withLock { savedMetadata[key] = value }
        super.metadata[key] = value
    }

    // MARK: History

    final var lastRecordedTransaction: Int64? { stateLock.withLock { recordedTransaction } }

    final func didRecord(_ number: Int64) { stateLock.withLock { recordedTransaction = number } }

    // MARK: The row cache

    final func sweepRowCache() { rowCache.sweep() }

    final func trackRowAges() { rowCache.trackAges() }

    final var cachedRowCount: Int { rowCache.count }

    final func cachedRowAge(for key: Int64, rootIndex: Int) -> TimeInterval? {
        rowCache.age(of: key, rootIndex: rootIndex)
    }

    final func cachedRow(for key: Int64, rootIndex: Int) -> Snapshot? { rowCache.row(for: key, rootIndex: rootIndex) }

    final func isCached(_ row: Snapshot, for key: Int64, rootIndex: Int) -> Bool {
        rowCache.has(row, for: key, rootIndex: rootIndex)
    }

    final func forgetCachedRow(_ key: Int64, rootIndex: Int) { rowCache.remove(key, rootIndex: rootIndex) }
}

// Files of a transaction that is held: what its parts have orphaned goes when the whole is committed, and so does the
// note.
extension SQLStore {
    /// The files of a transaction that begins.
    func filesOfTransaction() -> ExternalFileChanges {
        var files = ExternalFileChanges()
        files.note = database.withoutWriting { heldFiles.note }
        return files
    }

    func didCommit(_ files: ExternalFileChanges) {
        database.withoutWriting {
            guard database.holdsTransaction else {
                externalData?.committed(files)
                return
            }
            heldFiles.orphaned += files.orphaned
            heldFiles.note = files.note
        }
    }

    func didAbandon(_ files: ExternalFileChanges) {
        database.withoutWriting {
            guard database.holdsTransaction else {
                externalData?.abandoned(files)
                return
            }
            externalData?.remove(files.created)
            heldFiles.note = files.note
        }
    }

    /// The held transaction was committed; called while nobody writes.
    func releaseHeldFiles() {
        externalData?.committed(heldFiles)
        heldFiles = ExternalFileChanges()
    }
}
