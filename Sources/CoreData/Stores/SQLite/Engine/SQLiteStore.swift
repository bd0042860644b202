import Foundation

/// A store in a SQLite file that has the layout of Apple's Core Data, or in memory with the same tables.
// @unchecked Sendable: mutable state is used under a lock.
final class SQLiteStore: SQLStore, HeldTransactionStore, SQLiteDatabaseHolder, @unchecked Sendable {
    let settings: SQLiteStoreOptions
    let connections: SQLiteDatabase
    private let removesLog: Bool
    private let keepsSharedMemoryFile: Bool
    private let wasClosed = Locked(false)
    private let monitors = RemoteChangeMonitors()
    /// Whether the store is held in memory only.
    let isInMemory: Bool

    override var isDurable: Bool { !isInMemory }

    init(opened: Opened) {
        settings = opened.settings
        removesLog = opened.removesLog
        keepsSharedMemoryFile = opened.keepsSharedMemoryFile
        isInMemory = opened.isInMemory
        connections = opened.connections
        super.init(opened.parts, database: connections)
        isReadOnly = opened.writer == nil
        // A weak reference would slow down all counting of references to the store, and each fetch counts some.
        let this = SharedZeroingReference(self)
        connections.allowSuspending(heldBy: self) { this.object?.monitors.setSuspended($0) }
    }

    /// Opens a store, or creates it if there is none. If it throws, nothing on the disk has changed, except that SQLite
    /// recovers a file whose writer was killed.
    ///
    /// A nil URL, `/dev/null` and the type `NSInMemoryStoreType` give a private store in memory. A name below
    /// `/dev/null` gives one that the process shares. Such a store can be created with the content of another one.
    convenience init(
        layout: ModelLayout, storeNumber: Int, type: String = NSSQLiteStoreType, configurationName: String? = nil,
        at url: URL?, options: [AnyHashable: Any]? = nil, use: StoreUse = .work, copying other: SQLiteStore? = nil,
        summary: SQLiteStoreSummary? = nil
    ) throws {
        do {
            self.init(
                opened: try Opened(
                    layout: layout, storeNumber: storeNumber, type: type, configurationName: configurationName,
                    url: url, options: options, use: use, copying: other, summary: summary))
            sweepExternalData()
        } catch let error as SQLiteError {
            throw error.nsError(doing: .opening)
        }
    }

    package override func watchCommits(
        _ post: @escaping @Sendable (_ transaction: Int64?) -> Void
    ) throws -> (any CommitWatch)? {
        guard !isInMemory, let url, type == NSSQLiteStoreType else { return nil }
        let timeout = settings.timeout
        func connect() throws -> SQLiteConnection {
            try SQLiteConnection(path: url.path, access: .readOnly, busyTimeout: timeout)
        }
        // Only a store with a -wal is suspended.
        let hasLog = try connections.isSuspendable || connect().hasLog()
        let monitor = try RemoteChangeMonitor(
            file: hasLog ? SQLiteStoreFiles(url).wal : url, keepsHistory: historyTables != nil, connect: connect,
            post: post)
        try monitors.add(monitor, of: connections)
        return monitor
    }

    /// The `data_version` of a connection counts the commits of all other connections. No connection of this store
    /// commits but the one that writes. A connection that was opened again counts from the beginning.
    package override var foreignVersion: Int64? {
        try? writingHere { try Int64(connections.openings) << 32 | $0.dataVersion() }
    }

    // MARK: Metadata

    override func loadMetadata() throws {
        guard let url, !isInMemory else { return }
        metadataWereSaved(try SQLiteStoreMetadata.metadata(at: url, timeout: settings.timeout))
    }

    override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        try SQLiteStoreMetadata.metadata(at: url)
    }

    override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        try SQLiteStoreMetadata.setMetadata(metadata ?? [:], at: url)
    }

    // MARK: Connections

    /// Runs a body with the store's SQLite connection for writing, while no other thread writes.
    func writingHere<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        try writing { connection in
            // The store's database makes only SQLite connections, so this cast does not fail.
            guard let connection = connection as? SQLiteConnection else { throw Self.closedError(url) }
            return try body(connection)
        }
    }

    func readingHere<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        do {
            return try connections.readers.read(body)
        } catch let error as SQLiteError {
            throw error.nsError(doing: .reading)
        }
    }

    override var heldTransaction: (any HeldTransactionStore)? { self }

    func commitHeldTransaction() throws {
        try writingHere { connection in
            try connection.commitHeldTransaction()
            releaseHeldFiles()
        }
    }

    func commitHeldTransaction(as number: Int) throws {
        try writingHere { connection in
            try connection.commitHeldTransaction(as: number)
            releaseHeldFiles()
        }
    }

    override func close() {
        wasClosed.withLock { $0 = true }
        super.close()
        if removesLog, let url {
            SQLiteStoreFiles(url).removeFilesLeftByReader(keepsSharedMemoryFile: keepsSharedMemoryFile)
        }
    }

    /// Closes the store if the program releases its coordinator without removing it, so that no files are left behind.
    deinit {
        if !wasClosed.withLock({ $0 }) { close() }
    }
}
