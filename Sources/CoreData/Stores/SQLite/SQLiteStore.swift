import CSQLite
import Foundation

/// A store in a SQLite file that has the layout of Core Data's own, or in memory with the same tables.
///
/// Rows are read by a pool of connections and written by one; see `SQLiteReaderPool`. Every method may be called from any
/// thread.
final class SQLiteStore: NSPersistentStore, RowStore, @unchecked Sendable {  // `writer` is used under `writerLock` only
    let layout: ModelLayout
    /// Keeps alive what the layout speaks of.
    private let model: NSManagedObjectModel
    let storeNumber: Int
    let schema: SQLSchema
    let rowCache: RowCache
    let externalData: ExternalData?
    let settings: SQLiteStoreOptions
    let use: StoreUse
    let derivedAttributes: DerivedAttributes
    /// The tables of persistent history; nil where there are none.
    let historyTables: HistoryTables?
    /// Whether changes are recorded in them.
    let tracksHistory: Bool

    /// Guards the writer, and with it the store's only connection where there is no -wal.
    let writerLock = NSRecursiveLock()
    /// Nil for a store that is read only, or closed.
    private(set) var writer: SQLiteConnection?
    let readers: SQLiteReaderPool
    /// Nil where there is no -wal to copy, and where the program has chosen `wal_autocheckpoint` itself.
    let checkpointer: SQLiteCheckpointer?
    private let typeName: String
    private let removesLog: Bool
    /// Whether the store lives in memory only.
    let isInMemory: Bool

    /// Decoders of whole hierarchies by root index, and those of single entities by layout index.
    let rootDecoders: [RowDecoder?]
    let decoders: [RowDecoder?]
    /// By root index: the only entity of its table, where it holds one only.
    let soleLayouts: [Int?]
    /// The statement's text for one row of a root entity, and for its batches.
    let rowTexts: [String]

    /// What becomes of files when the held transaction is committed; under `writerLock`.
    var heldFiles = ExternalFileChanges()

    /// SQLite's counter of changes to the tables, as it was when they were last known to be this model's; under
    /// `writerLock`.
    var knownSchemaVersion: Int64?

    let viewLock = NSLock()
    /// Views of past states that are in use; under `viewLock`.
    var views: [WeakView] = []

    private let metadataLock = NSLock()
    /// The metadata as they were last read or written; under `metadataLock`.
    private var savedMetadata: [String: Any]
    /// Whether somebody has set the metadata since; under `metadataLock`.
    private var metadataWereSet = false

    override var type: String { typeName }

    init(opened: Opened) {
        layout = opened.layout
        model = opened.layout.model
        storeNumber = opened.storeNumber
        schema = opened.schema
        settings = opened.settings
        use = opened.use
        derivedAttributes = opened.derivedAttributes
        historyTables = opened.historyTables
        tracksHistory = opened.settings.tracksHistory && opened.type == NSSQLiteStoreType
        writer = opened.writer
        typeName = opened.type
        removesLog = opened.removesLog
        isInMemory = opened.isInMemory
        let copiesLog = opened.isWAL && opened.settings.pragma("wal_autocheckpoint") == nil
        checkpointer = copiesLog ? opened.writer.map { SQLiteCheckpointer(following: $0) } : nil
        rowCache = RowCache(rootCount: opened.layout.entities.count, isOff: !opened.use.cachesRows)
        externalData = (opened.isInMemory ? nil : opened.url).map { url in
            let files = SQLiteStoreFiles(url)
            return ExternalData(folder: files.externalDataFolder, storeName: files.main.lastPathComponent)
        }
        let count = opened.layout.entities.count
        if let make = opened.makeReader {
            readers = SQLiteReaderPool(
                maximum: opened.settings.maximumReaders, rootCount: count, watchesWAL: opened.isWAL, make: make)
        } else {
            guard let only = opened.writer ?? opened.reader else {
                // `Opened.adopt` keeps the writer, `openReadOnly` and memory make readers: there is no fourth way.
                fatalError("A store was opened without a connection")
            }
            readers = SQLiteReaderPool(sharing: only, lock: writerLock, rootCount: count)
        }
        var decoders: [RowDecoder?] = []
        var texts: [String] = []
        for entity in layout.entities {
            guard opened.schema.numbers[entity.index] != nil,
                let table = opened.schema.table(ofRoot: entity.rootIndex)
            else {
                decoders.append(nil)
                texts.append("")
                continue
            }
            let decoder = RowDecoder(
                layout: entity, schema: opened.schema, storeNumber: opened.storeNumber, externalData: externalData,
                fileName: opened.url?.lastPathComponent)
            decoders.append(decoder)
            texts.append(
                entity.superIndex == nil ? "SELECT \(decoder.resultList(alias: "t0")) FROM \(table.name) t0" : "")
        }
        self.decoders = decoders
        rootDecoders = layout.entities.map { $0.superIndex == nil ? decoders[$0.index] : nil }
        rowTexts = texts
        soleLayouts = layout.entities.map {
            $0.superIndex == nil ? opened.schema.soleLayout(ofRoot: $0.index, in: opened.layout) : nil
        }
        savedMetadata = opened.metadata
        super.init(configurationName: opened.configurationName, at: opened.url, options: opened.options)
        super.metadata = opened.metadata
        identifier = opened.metadata[NSStoreUUIDKey] as? String
        isReadOnly = opened.writer == nil
    }

    /// A view of a store by a connection that stands in its past: for reading alone, with a row cache of its own.
    init(pinning store: SQLiteStore, connection: SQLiteConnection) {
        layout = store.layout
        model = store.model
        storeNumber = store.storeNumber
        schema = store.schema
        settings = store.settings
        use = store.use
        derivedAttributes = store.derivedAttributes
        writer = nil
        typeName = store.typeName
        removesLog = false
        isInMemory = false
        checkpointer = nil
        rowCache = RowCache(rootCount: store.layout.entities.count)
        externalData = store.externalData
        historyTables = store.historyTables
        tracksHistory = false
        readers = SQLiteReaderPool(
            sharing: connection, lock: writerLock, rootCount: store.layout.entities.count)
        decoders = store.decoders
        rootDecoders = store.rootDecoders
        rowTexts = store.rowTexts
        soleLayouts = store.soleLayouts
        savedMetadata = store.metadata ?? [:]
        super.init(configurationName: store.configurationName, at: store.url, options: store.options)
        super.metadata = store.metadata
        identifier = store.identifier
        isReadOnly = true
    }

    /// Opens a store, or makes it when there is none. Nothing on disk changes when it throws, beyond what SQLite does to
    /// recover a file whose writer was killed.
    ///
    /// A nil URL, `/dev/null` and the type `NSInMemoryStoreType` give a private store in memory, a name below `/dev/null` one
    /// that the process shares. Such a store can have the content of another one from the beginning.
    convenience init(
        layout: ModelLayout, storeNumber: Int, type: String = NSSQLiteStoreType, configurationName: String? = nil,
        at url: URL?, options: [AnyHashable: Any]? = nil, use: StoreUse = .work, copying other: SQLiteStore? = nil
    ) throws {
        do {
            self.init(
                opened: try Opened(
                    layout: layout, storeNumber: storeNumber, type: type, configurationName: configurationName,
                    url: url, options: options, use: use, copying: other))
            sweepExternalData()
        } catch let error as SQLiteError {
            throw error.nsError(doing: .opening)
        }
    }

    // MARK: Remote changes

    private let monitorLock = NSLock()
    /// Under `monitorLock`; nil where nobody wants to know.
    private var remoteChangeMonitor: RemoteChangeMonitor?

    override func didAdd(to coordinator: NSPersistentStoreCoordinator) {
        super.didAdd(to: coordinator)
        watchRemoteChanges(for: coordinator)
    }

    /// The number of the last transaction that a save of this store recorded; under `monitorLock`.
    private var recordedTransaction: Int64?

    var lastRecordedTransaction: Int64? { monitorLock.withLock { recordedTransaction } }

    func didRecord(_ number: Int64) {
        monitorLock.withLock { recordedTransaction = number }
    }

    /// Takes over a monitor, in the place of the one there was.
    func setRemoteChangeMonitor(_ monitor: RemoteChangeMonitor?) {
        let old = monitorLock.withLock {
            defer { remoteChangeMonitor = monitor }
            return remoteChangeMonitor
        }
        old?.cancel()
    }

    // MARK: Metadata

    override func loadMetadata() throws {
        guard let url, !isInMemory else { return }
        let read = try SQLiteStoreMetadata.metadata(at: url, timeout: settings.timeout)
        super.metadata = read
        metadataWereSaved(read)
    }

    override var metadata: [String: Any]! {
        get { super.metadata }
        set {
            super.metadata = newValue
            metadataLock.withLock { metadataWereSet = true }
        }
    }

    override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        try SQLiteStoreMetadata.metadata(at: url)
    }

    override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        try SQLiteStoreMetadata.setMetadata(metadata ?? [:], at: url)
    }

    /// The model's version as the file has it, whatever the program has set since.
    var storedVersion: StoredVersion {
        metadataLock.withLock { StoredVersion(savedMetadata) }
    }

    /// Whether the program changed the metadata since they were last written.
    var hasUnsavedMetadata: Bool {
        let (wereSet, saved) = metadataLock.withLock { (metadataWereSet, savedMetadata) }
        return wereSet && !(saved as NSDictionary).isEqual((metadata ?? [:]) as NSDictionary)
    }

    /// Writes the metadata, if they were changed, without a save: at the end of a pass of a migration manager.
    func saveMetadata() throws {
        guard hasUnsavedMetadata else { return }
        let written = try writing { connection in
            try connection.transaction { try writeMetadata(on: connection) }
        }
        metadataWereSaved(written)
    }

    /// Writes the metadata within a transaction, and says what was written.
    func writeMetadata(on connection: SQLiteConnection) throws -> [String: Any] {
        let saved = metadataLock.withLock { savedMetadata }
        let merged = SQLiteStoreMetadata.merging(metadata ?? [:], over: saved)
        try SQLiteStoreMetadata.write(merged, to: connection, url: url)
        return merged
    }

    /// What was written is now what the store has.
    func metadataWereSaved(_ written: [String: Any]) {
        metadataLock.withLock {
            savedMetadata = written
            metadataWereSet = false
        }
        super.metadata = written
        identifier = written[NSStoreUUIDKey] as? String
    }

    /// Does the first piece of what a deferred migration left, in one transaction. False when there is nothing left.
    func finishDeferredPiece() throws -> Bool {
        guard let url, !isInMemory, !DeferredMigration.pending(metadata ?? [:]).isEmpty else { return false }
        do {
            let rest = try writing { connection in
                try connection.transaction { () -> [String] in
                    try requireSameModel(connection)
                    var present = try SQLiteStoreMetadata.read(from: connection, url: url)
                    var pending = DeferredMigration.pending(present)
                    if pending.isEmpty { return [] }
                    try connection.execute(pending.removeFirst())
                    present[DeferredMigration.metadataKey] = pending.isEmpty ? nil : pending
                    try SQLiteStoreMetadata.write(present, to: connection, url: url)
                    return pending
                }
            }
            let value = rest.isEmpty ? nil : rest
            metadataLock.withLock { savedMetadata[DeferredMigration.metadataKey] = value }
            super.metadata[DeferredMigration.metadataKey] = value
            return true
        } catch let error as SQLiteError {
            throw error.nsError(doing: .saving)
        }
    }

    // MARK: Connections

    /// Runs a body with the writer while no other thread writes. Errors of SQLite come out as Core Data's.
    func writing<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        writerLock.lock()
        defer { writerLock.unlock() }
        guard let writer else {
            if !isReadOnly { throw Self.closedError(url) }
            throw NSError.coreData(
                NSPersistentStoreSaveError,
                reason: "The store “\(url?.lastPathComponent ?? "")” was opened read-only and cannot be saved.",
                url: url)
        }
        readers.endIdleTransactions()
        do {
            return try body(writer)
        } catch let error as SQLiteError {
            writer.rollback()
            throw error.nsError(doing: .saving)
        } catch {
            writer.rollback()
            throw error
        }
    }

    /// Runs a body with a reader. Errors of SQLite come out as Core Data's.
    @inline(__always)
    func reading<Result>(_ body: (SQLiteReaderPool.Reader) throws -> Result) throws -> Result {
        do {
            return try readers.read(body)
        } catch let error as SQLiteError {
            throw error.nsError(doing: .reading)
        }
    }

    func sweepRowCache() { rowCache.sweep() }

    func trackRowAges() { rowCache.trackAges() }

    var cachedRowCount: Int { rowCache.count }

    func cachedRowAge(for key: Int64, rootIndex: Int) -> TimeInterval? { rowCache.age(of: key, rootIndex: rootIndex) }

    func cachedRow(for key: Int64, rootIndex: Int) -> Snapshot? { rowCache.row(for: key, rootIndex: rootIndex) }

    func isCached(_ row: Snapshot, for key: Int64, rootIndex: Int) -> Bool {
        rowCache.has(row, for: key, rootIndex: rootIndex)
    }

    func forgetCachedRow(_ key: Int64, rootIndex: Int) { rowCache.remove(key, rootIndex: rootIndex) }

    /// Commits what was written since the store was opened, where it holds its transaction until then.
    func commitHeldTransaction() throws {
        try writing { connection in
            try connection.commitHeldTransaction()
            releaseHeldFiles()
        }
    }

    /// Commits what was written since the last time, so that a killed process leaves it, and goes on holding the transaction.
    func commitHeldTransaction(as number: Int) throws {
        try writing { connection in
            try connection.commitHeldTransaction(as: number)
            releaseHeldFiles()
        }
    }

    /// Closes every connection, and with the last one of the process the -wal goes into the main file. Called when the store
    /// is removed from its coordinator; reading or writing afterwards throws.
    func close() {
        setRemoteChangeMonitor(nil)
        closeViews()
        readers.close()
        writerLock.lock()
        checkpointer?.close()
        writer?.finalizeStatements()
        writer = nil
        writerLock.unlock()
        rowCache.removeAll()
        if removesLog, let url { SQLiteStoreFiles(url).removeReadersTraces() }
    }

    static func closedError(_ url: URL?) -> NSError {
        .coreData(
            NSPersistentStoreOperationError, reason: "The store was removed from its coordinator and cannot be used.",
            url: url)
    }
}
