import Foundation

/// Brings a SQLite store to another version of its model, in place and in one transaction, without a mapping model.
///
/// After any end of the process the file holds either the old version or the new one, with every row. Rows are never
/// read into the program: SQLite rewrites them.
struct LightweightMigrator {
    let request: MigrationRequest
    /// Whether the file is a copy that the caller removes after a failure. Then no change needs a rollback, and no page
    /// needs to reach the disk before the whole file does.
    let isDiscardable: Bool
    /// Whether a store that fits the model is migrated too: it gets the identifiers of the version.
    let isForced: Bool
    /// Finds losses of rows, in the transaction; nil if the program has named all losses.
    let lossGuard: LossGuard?

    init(
        _ request: MigrationRequest, isDiscardable: Bool = false, isForced: Bool = false, lossGuard: LossGuard? = nil
    ) {
        self.request = request
        self.isDiscardable = isDiscardable
        self.isForced = isForced
        self.lossGuard = lossGuard
    }

    private var url: URL { request.url }

    /// Applies the hops to the store if it does not fit the model. Starts again if another process has migrated the
    /// store in between. Returns false if the store fits already.
    ///
    /// - Parameters:
    ///   - versions: The versions between, in their order; empty for the direct hop. All hops are one transaction, so
    ///     no program ever reads the store at one of these versions.
    ///   - source: The model the store was made with; nil to use the model that the store keeps, or one of the main
    ///     bundle's.
    ///   - progress: Gets the progress of the work, and may cancel it.
    @discardableResult
    func apply(
        through versions: [NSManagedObjectModel] = [], from source: NSManagedObjectModel? = nil,
        _ progress: Progress? = nil
    ) throws -> Bool {
        let settings = try SQLiteStoreOptions(request.options, url: url)
        var attempts = Attempts(timeout: settings.timeout)
        do {
            while true {
                guard let summary = try SQLiteStoreSummary(at: url, timeout: settings.timeout) else {
                    throw SQLStoreMetadata.notAStore(url)
                }
                if try !isForced && fits(summary) { return false }
                let source = try SourceModel(summary).find(given: source)
                // Nil: another process migrated the store between reading its metadata and locking it.
                if let done = try applyOnce(through: versions, from: source, summary.metadata, settings, progress) {
                    return done
                }
                try MigrationCancellation.check(progress)
                guard attempts.goOn() else {
                    throw SQLiteError(
                        code: SQLiteError.codeOfMovedFile,
                        message: "other processes change its version again and again", path: url.path)
                }
            }
        } catch let error as SQLiteError {
            throw MigrationErrors.translated(error, url: url, doing: "opening")
        }
    }

    /// The plan for the present store; nil if it fits the model already. Making the plan changes nothing on disk.
    func plan(from source: NSManagedObjectModel? = nil) throws -> MigrationPlan? {
        do {
            let plan = try SQLiteStoreSummary.reading(at: url, timeout: request.timeout) {
                summary, connection -> MigrationPlan? in
                if try fits(summary) { return nil }
                let source = try SourceModel(summary).find(given: source)
                let transaction = MigrationTransaction(request)
                let (old, catalog) = try transaction.state(of: source, summary.metadata, on: connection)
                let layout = request.model.layout
                let new = SQLSchemaBuilder.schema(of: layout, entities: try transaction.entityNames())
                return try transaction.plan(
                    from: source.layout, oldSchema: old, to: layout, newSchema: new, catalog: catalog,
                    in: connection.dialect
                ).plan
            }
            return plan ?? nil
        } catch let error as SQLiteError {
            throw MigrationErrors.translated(error, url: url, doing: "planning")
        }
    }

    /// Whether the store of a summary was made with this version of the model.
    private func fits(_ summary: SQLiteStoreSummary) throws -> Bool {
        try StoreModelCheck(request, archivedModel: summary.model).fits(summary.metadata)
    }

    // MARK: The transaction

    /// Applies the hops in one transaction on a connection of its own. Returns nil if the store is not at that version
    /// any more.
    private func applyOnce(
        through versions: [NSManagedObjectModel], from source: NSManagedObjectModel, _ metadata: [String: Any],
        _ settings: SQLiteStoreOptions, _ progress: Progress?
    ) throws -> Bool? {
        let hadLog = FileManager.default.fileExists(atPath: SQLiteStoreFiles(url).wal.path)
        let connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: settings.timeout)
        SQLiteFunctions.register(on: connection)
        let functions = MigrationFunctions.State(
            externalData: ExternalData(folder: SQLiteStoreFiles(url).externalDataFolder))
        MigrationFunctions.register(on: connection, state: functions)
        defer { withExtendedLifetime(functions) {} }
        // The next process that opens the store copies a large -wal into the main file.
        connection.disableCheckpointOnClose()

        do {
            try settings.configure(connection, isWriter: true)
            try connection.prepareForMigration(isDiscardable: isDiscardable)
            try connection.begin()
            // From here on SQLite's lock keeps other processes from putting another file in the store's place.
            if connection.hasMoved {
                connection.rollback()
                return nil
            }
            MigrationMoment.reach(.transactionBegun)
            try connection.trustIndexTables()
            let present = try SQLStoreMetadata.read(from: connection, url: url)
            guard StoredVersion(present) == StoredVersion(metadata) else {
                connection.rollback()
                return nil
            }
            try lossGuard?.check(present, source, on: connection)
            try transaction(on: connection).apply(through: versions, from: source, on: connection, progress)
            // Processes that have the store open compare SQLite's schema counter before they write. It must rise even
            // if only rows and metadata changed.
            try connection.raiseSchemaVersion()
            if !isDiscardable { try writeOut(connection, progress) }
            MigrationMoment.reach(.stepsDone)
            try connection.commit()
        } catch let error as SQLiteError where error.isOfMovedFile {
            // Another store has this name now.
            return nil
        } catch {
            connection.rollback()
            // Where there was no -wal before, the connection removes the one that it made: no page in it is committed.
            if !hadLog { connection.enableCheckpointOnClose() }
            throw error
        }
        MigrationMoment.reach(.committed)
        if let progress { progress.completedUnitCount = progress.totalUnitCount }
        return true
    }

    /// The transaction's work, with additions that only files need.
    private func transaction(on connection: SQLiteConnection) -> MigrationTransaction {
        var transaction = MigrationTransaction(request)
        transaction.defersCleaning =
            StoreOptions.bool(request.options, NSPersistentStoreDeferredLightweightMigrationOptionKey) == true
        transaction.forecast = { try HopForecaster(request.to($0)).forecastDirectHop() }
        transaction.forget = { try $0.note(storeAt: url, on: connection) }
        return transaction
    }

    /// Brings the pages of the commit to the disk, in pieces, because the commit itself cannot be cancelled any more.
    private func writeOut(_ connection: SQLiteConnection, _ progress: Progress?) throws {
        guard progress != nil, try connection.journalMode() == "wal" else { return }
        connection.flushCache()
        try FollowedWork(progress: progress).writeOut(SQLiteStoreFiles(url).wal)
    }
}
