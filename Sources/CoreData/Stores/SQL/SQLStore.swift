// Implementation notes: Stores/SQL.
//
// - `Language/` has statements as values, `Driver/` the protocols of connections, `Schema/` the tables, `Values/` the
//   forms of decimals and external values in columns. `Reading/`, `Saving/`, `Batches/` and `History/` are the work of
//   the store. `Transfer/` moves rows between databases, and `Views/` has query generations and the notices of commits
//   of all processes.
// - `SQLStore` is the store; `SQLiteStore` is the part that only SQLite stores have. A `StoreEngine` opens, copies,
//   destroys and replaces stores, and is found by the store's type.
// - The form of the stores of a type is a value (`StoreForm`: a file, a database, memory, a whole file …). The layers
//   above use it, and never a store's type or class. `SourceLayerTests` checks that, and lists two exceptions: the
//   table of classes (`StoreClasses`), and tables whose rows move to another store (`StoreMove`). `isDurable` and
//   `decidesByObject` depend on an open store; they are properties of `NSPersistentStore`.
// - Stores in memory are SQL stores, too. Their SQL treats a missing value as unequal to every other value
//   (`decidesByObject`), as in the evaluation of predicates object by object.
// - Statements are cached. Stores insert, read and prefetch many rows by one prepared statement.
// - An engine of another module creates its store by `SQLStore.opened`.

import Foundation

/// A store in tables, in a database that a driver has opened.
///
/// Any thread may call every method.
package class SQLStore: NSPersistentStore, RowStore, @unchecked Sendable {  // mutable state is used under a lock
    /// The parts from which a store is made.
    package struct Parts {
        package var layout: ModelLayout
        package var storeNumber: Int
        package var typeName: String
        package var schema: SQLSchema
        package var use: StoreUse
        package var derivedAttributes: DerivedAttributes
        /// The tables of persistent history; nil if there are none.
        package var historyTables: HistoryTables?
        /// Whether changes are recorded in these tables.
        package var tracksHistory: Bool
        package var metadata: [String: Any]
        /// The folder of large values; nil if they are in the rows.
        package var externalData: ExternalData?
        package var configurationName: String?
        package var url: URL?
        package var options: [AnyHashable: Any]?
        /// The name of the store in errors.
        package var name: String?
        /// Whether other processes can open the store, and migrate it while it is open.
        package var isShared = true
        /// Whether conditions are evaluated object by object, and batches are refused. This is the behaviour of Apple's
        /// stores in memory, although this store has tables.
        package var decidesByObject = false

        package init(
            layout: ModelLayout, storeNumber: Int, typeName: String, schema: SQLSchema, use: StoreUse,
            derivedAttributes: DerivedAttributes, historyTables: HistoryTables?, tracksHistory: Bool,
            metadata: [String: Any], externalData: ExternalData?, configurationName: String?, url: URL?,
            options: [AnyHashable: Any]?, name: String?, isShared: Bool = true
        ) {
            self.layout = layout
            self.storeNumber = storeNumber
            self.typeName = typeName
            self.schema = schema
            self.use = use
            self.derivedAttributes = derivedAttributes
            self.historyTables = historyTables
            self.tracksHistory = tracksHistory
            self.metadata = metadata
            self.externalData = externalData
            self.configurationName = configurationName
            self.url = url
            self.options = options
            self.name = name
            self.isShared = isShared
        }
    }

    #if DEBUG
    package let tableScans = TableScans()
    #endif
    package let layout: ModelLayout
    /// Keeps the entities and properties of the layout in memory.
    private let model: NSManagedObjectModel
    package let storeNumber: Int
    package let schema: SQLSchema
    package let database: any SQLDatabase
    package let capabilities: SQLCapabilities
    /// The types of the database's expressions; nil if the database computes all expressions as predicates do.
    package let types: SQLTypes?
    package let rowCache: RowCache
    package let externalData: ExternalData?
    package let use: StoreUse
    package let derivedAttributes: DerivedAttributes
    package let historyTables: HistoryTables?
    package let tracksHistory: Bool
    /// Whether other processes can open the store, and migrate it while it is open.
    package let isShared: Bool
    private let isDecidedByObject: Bool
    /// The seconds of processor time for a request; nil without a limit.
    private let requestTimeLimit: Double?
    private let typeName: String

    /// The shapes of whole rows of tables: those of hierarchies by root index, and those of single entities by layout
    /// index.
    package let rootShapes: [RowShape?]
    package let shapes: [RowShape?]
    /// The statements of earlier fetches.
    let knownFetches = KnownFetches()
    /// The highest number before which all transactions have ended, as far as the database has given it.
    let highestBound = Locked<Int64>(0)
    /// Whether the database may have lost changes to rows that were read before (`databaseWasContinued`).
    let doubtsRows = Locked(false)
    /// By root index, the only entity of the table; nil if the table holds several.
    package let soleLayouts: [Int?]

    /// The changes of files that follow the commit of the held transaction. Used while no thread writes.
    package var heldFiles = ExternalFileChanges()

    /// The schema counter of the database when its tables were last checked against this model. Used while no thread
    /// writes.
    package var knownSchemaVersion: Int64?

    private let stateLock = NSLock()
    /// The metadata as they were last read or written; used under `stateLock`.
    private var savedMetadata: [String: Any]
    /// Whether the program has set the metadata since; used under `stateLock`.
    private var metadataWereSet = false
    /// The writers that saves have used, by the numbers of their entities' layouts.
    let rowWriters = Locked<[Int: RowWriter]>([:])
    /// The transactions that the saves through this store recorded.
    let recordedSaves = RecordedSaves()

    package override var type: String { typeName }

    package final var readsRangesOfKeys: Bool { true }
    package final var versionedLinks: VersionedLinks? { schema.versionedLinks }
    package final var isAskedByRoundTrips: Bool { capabilities.takesLists }

    init(_ parts: Parts, database: any SQLDatabase) {
        layout = parts.layout
        model = parts.layout.model
        storeNumber = parts.storeNumber
        schema = parts.schema
        self.database = database
        capabilities = database.capabilities
        types = capabilities.isTyped ? SQLTypes(parts.schema, capabilities) : nil
        use = parts.use
        derivedAttributes = parts.derivedAttributes
        historyTables = parts.historyTables
        tracksHistory = parts.tracksHistory
        isShared = parts.isShared
        isDecidedByObject = parts.decidesByObject
        requestTimeLimit = StoreOptions.number(parts.options, NSPersistentStoreRequestTimeLimitOption)
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
        database.follow(self)
    }

    override final var decidesByObject: Bool { isDecidedByObject }

    /// Creates a store over a database that an engine has opened.
    package static func opened(_ parts: Parts, database: any SQLDatabase) -> SQLStore {
        SQLStore(parts, database: database)
    }

    /// The parts of this store, for another store that reads the same tables by other connections.
    package var parts: Parts {
        var parts = Parts(
            layout: layout, storeNumber: storeNumber, typeName: typeName, schema: schema, use: use,
            derivedAttributes: derivedAttributes, historyTables: historyTables, tracksHistory: false,
            metadata: metadata ?? [:], externalData: externalData, configurationName: configurationName, url: url,
            options: options, name: url?.lastPathComponent, isShared: isShared)
        parts.decidesByObject = decidesByObject
        return parts
    }

    /// The entity of a row of a root entity's table, by the number in the row; nil if no entity with rows in that table
    /// has the number.
    package final func layoutIndex(number: Int64, rootIndex: Int) -> Int? {
        if let sole = soleLayouts[rootIndex] { return sole }
        guard let index = schema.layoutOfNumber[Int(number)], layout.entities[index].rootIndex == rootIndex else {
            return nil
        }
        return index
    }

    // MARK: Objects that depend on it

    let dependents = StoreDependents()

    package override func didAdd(to coordinator: NSPersistentStoreCoordinator) {
        super.didAdd(to: coordinator)
        watchRemoteChanges(for: coordinator)
    }

    final func setCommitWatch(_ watch: (any CommitWatch)?) { dependents.set(watch) }

    package func watchCommits(
        _ post: @escaping @Sendable (_ transaction: Int64?) -> Void
    ) throws -> (any CommitWatch)? {
        var newest: (() throws -> Int64?)?
        if historyTables != nil { newest = { [weak self] in try self?.lastTransactionNumber() } }
        return try database.watchCommits(CommitNotices(newest: newest, post: post))
    }

    package var foreignVersion: Int64? { nil }

    // MARK: Connections

    /// Runs a body with the connection that writes while no other thread writes. Throws failures as Core Data's errors.
    package final func writing<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result {
        do {
            return try attempting(body)
        } catch let failure as any SQLFailure {
            throw failure.nsError(doing: .saving)
        }
    }

    /// Runs a body that writes. The body may run again if another transaction has disturbed it, or the connection was
    /// lost.
    package final func repeating<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result {
        var repetitions = Repetitions()
        while true {
            do {
                return try attempting(body)
            } catch let failure as any SQLFailure {
                if !repetitions.goOn(after: failure) { throw failure.nsError(doing: .saving) }
                database.willRepeat()
            }
        }
    }

    /// Runs a body with the connection that writes while no other thread writes. Throws the database's failures
    /// unchanged.
    package final func attempting<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result {
        let result = try database.write { connection in
            connection.readSince = nil
            return try limited(connection, body)
        }
        if let result { return result }
        if !isReadOnly { throw Self.closedError(url) }
        throw NSError.readOnlyStore(self)
    }

    /// Runs a body within the time limit that the program has set for a request.
    @inline(__always)
    private func limited<Result>(
        _ connection: any SQLConnection, _ body: (any SQLConnection) throws -> Result
    ) throws -> Result {
        #if DEBUG
        defer { tableScans.note(connection.takeScannedRows()) }
        #endif
        guard let requestTimeLimit else { return try body(connection) }
        return try limited(to: requestTimeLimit, connection, body)
    }

    private func limited<Result>(
        to seconds: Double, _ connection: any SQLConnection, _ body: (any SQLConnection) throws -> Result
    ) throws -> Result {
        try ProcessorDeadline.run(seconds: seconds) { deadline in
            do {
                return try connection.interruptible(every: 20_000, by: { deadline.isOver }) { try body(connection) }
            } catch let failure as any SQLFailure where failure.isOfStopping && deadline.wasReached {
                throw deadline.error
            }
        }
    }

    /// Runs a body with a connection that reads. Throws failures as Core Data's errors.
    @inline(__always)
    package final func reading<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result {
        let moment = rowCache.moment
        do {
            return try database.read { connection in
                connection.readSince = moment
                return try limited(connection, body)
            }
        } catch let failure as any SQLFailure {
            throw failure.nsError(doing: .reading)
        }
    }

    /// Runs a body of one statement with a connection that reads. Throws failures as Core Data's errors.
    @inline(__always)
    package final func readingOnce<Result>(_ body: (any SQLConnection) throws -> Result) throws -> Result {
        let moment = rowCache.moment
        do {
            return try database.readOnce { connection in
                connection.readSince = moment
                return try limited(connection, body)
            }
        } catch let failure as any SQLFailure {
            throw failure.nsError(doing: .reading)
        }
    }

    /// Runs a body with the statement of a SELECT. Conditions that the database cannot decide are evaluated on the
    /// client first, in the same state of the database.
    package final func reading<Result>(
        _ select: SQLSelect, _ body: (any SQLPreparedStatement) throws -> Result
    ) throws -> Result {
        guard let types else { return try readingOnce { try body($0.statement(select)) } }
        let coerced = types.coerced(select)
        if !SQLClientEvaluation.isNeeded(for: coerced, types) {
            return try readingOnce { try body($0.statement(coerced)) }
        }
        return try reading {
            try body($0.statement(SQLClientEvaluation(connection: $0, types: types).resolved(coerced)))
        }
    }

    /// Closes every connection. Called when the store is removed from its coordinator. Reading or writing afterwards
    /// throws.
    package func close() {
        dependents.close()
        database.close()
        rowCache.removeAll()
    }

    package static func closedError(_ url: URL?) -> NSError {
        .coreData(
            NSPersistentStoreOperationError, reason: "The store was removed from its coordinator and cannot be used.",
            url: url)
    }

    // MARK: Metadata

    package override var metadata: [String: Any]! {
        get { super.metadata }
        set {
            super.metadata = newValue
            stateLock.withLock { metadataWereSet = true }
        }
    }

    /// The version of the model in the saved metadata, whatever metadata the program has set since.
    final var storedVersion: StoredVersion { stateLock.withLock { StoredVersion(savedMetadata) } }

    /// The store's UUID in the saved metadata, whatever metadata the program has set since.
    final var savedIdentifier: String? { stateLock.withLock { savedMetadata[NSStoreUUIDKey] as? String } }

    /// Whether the program has changed the metadata since they were last written.
    package final var hasUnsavedMetadata: Bool {
        let (wereSet, saved) = stateLock.withLock { (metadataWereSet, savedMetadata) }
        return wereSet && !(saved as NSDictionary).isEqual((metadata ?? [:]) as NSDictionary)
    }

    /// Writes changed metadata without a save, at the end of a pass of a migration manager.
    package final func saveMetadata() throws {
        guard hasUnsavedMetadata else { return }
        let written = try writing { connection in
            try connection.transaction {
                // The metadata contain the description of the model, and that of another version must not be
                // overwritten.
                try requireSameModel(connection)
                return try writeMetadata(on: connection)
            }
        }
        metadataWereSaved(written)
    }

    /// Writes the metadata within a transaction, and returns them. For entries that the program has not changed since
    /// it read them, the values that other processes have written are kept.
    package final func writeMetadata(on connection: any SQLConnection) throws -> [String: Any] {
        let saved = stateLock.withLock { savedMetadata }
        let present =
            if let url, isShared { try SQLStoreMetadata.read(from: connection, url: url) } else { saved }
        let merged = SQLStoreMetadata.merging(
            SQLStoreMetadata.changes(to: metadata ?? [:], since: saved, over: present), over: present)
        try SQLStoreMetadata.write(merged, to: connection, url: url)
        return merged
    }

    /// Sets metadata that were read or written as those of the store.
    package final func metadataWereSaved(_ written: [String: Any]) {
        let written = stateLock.withLock {
            // The database gives these entries at each reading; they are never written.
            let reported = savedMetadata.filter { SQLStoreMetadata.reportedKeys.contains($0.key) }
            savedMetadata = written.merging(reported) { $1 }
            metadataWereSet = false
            return savedMetadata
        }
        super.metadata = written
        identifier = written[NSStoreUUIDKey] as? String
    }

    /// Records that one entry of the metadata was written. Entries that the program may have set stay unsaved.
    package final func metadataEntryWasSaved(_ value: Any?, forKey key: String) {
        stateLock.withLock { savedMetadata[key] = value }
        super.metadata[key] = value
    }

    // MARK: The row cache

    package final func sweepRowCache() { rowCache.sweep() }

    package final func trackRowAges() { rowCache.trackAges() }

    package final var cachedRowCount: Int { rowCache.count }

    package final func rowCacheContradiction() -> String? {
        rowCache.contradiction(in: layout, storeNumber: storeNumber)
    }

    /// The keys of the cached rows that differ from the database, for tests, while no process saves. Rows that other
    /// coordinators have saved are among them.
    package final func rowsUnlikeTheDatabase() throws -> [Int64] {
        try rootShapes.indices.flatMap { root in
            try rowCache.rows(rootIndex: root).filter { row in
                let read = try readRow(row.key, rootIndex: root, refreshing: false, cache: nil)
                return read.map { !isSame(row, $0) } ?? true
            }
            .map(\.key)
        }
    }

    /// Whether two rows are equal in all that a database stores.
    final func isSame(_ one: Snapshot, _ other: Snapshot) -> Bool {
        guard one.version == other.version, one.layoutIndex == other.layoutIndex else { return false }
        let slots = layout.entities[one.layoutIndex].slots
        return slots.indices.allSatisfy { Snapshot.isSame(one, other, at: $0, kind: slots[$0].kind) }
    }

    package final func cachedRowAge(for key: Int64, rootIndex: Int) -> TimeInterval? {
        rowCache.age(of: key, rootIndex: rootIndex)
    }

    package final func cachedRow(for key: Int64, rootIndex: Int) -> Snapshot? {
        rowCache.row(for: key, rootIndex: rootIndex)
    }

    package final func isCached(_ row: Unmanaged<Snapshot>, for key: Int64, rootIndex: Int) -> Bool {
        rowCache.has(row, for: key, rootIndex: rootIndex)
    }

    package final func forgetCachedRow(_ key: Int64, rootIndex: Int) { rowCache.remove(key, rootIndex: rootIndex) }
}

// The external files of a held transaction. Files that its parts have orphaned are removed when the whole transaction
// is committed, and so is the note.
extension SQLStore {
    /// The external files of a transaction that begins.
    package func filesOfTransaction() -> ExternalFileChanges {
        var files = ExternalFileChanges()
        files.note = database.withoutWriting { heldFiles.note }
        return files
    }

    package func didCommit(_ files: ExternalFileChanges) {
        database.withoutWriting {
            guard database.holdsTransaction else {
                externalData?.committed(files)
                return
            }
            heldFiles.orphaned += files.orphaned
            heldFiles.note = files.note
        }
    }

    package func didAbandon(_ files: ExternalFileChanges) {
        database.withoutWriting {
            guard database.holdsTransaction else {
                externalData?.abandoned(files)
                return
            }
            externalData?.remove(files.created)
            heldFiles.note = files.note
        }
    }

    /// Removes the orphaned files of the held transaction, which was committed. Called while no thread writes.
    package func releaseHeldFiles() {
        externalData?.committed(heldFiles)
        heldFiles = ExternalFileChanges()
    }
}
