import Foundation

extension SQLiteStore {
    /// The parts from which a store is opened: connections, schema and metadata, created and checked before the store
    /// exists.
    struct Opened {
        let layout: ModelLayout
        let storeNumber: Int
        let type: String
        let configurationName: String?
        let url: URL?
        let options: [AnyHashable: Any]?
        var settings: SQLiteStoreOptions
        let use: StoreUse
        var schema: SQLSchema
        var derivedAttributes: DerivedAttributes
        var metadata: [String: Any]
        var historyTables: HistoryTables?
        var writer: SQLiteConnection?
        /// The only connection of a store in memory that is read only.
        var reader: SQLiteConnection?
        var isInMemory = false
        var makeReader: (() throws -> SQLiteConnection)?
        var isWAL = false
        /// Whether opening this read-only store created the -wal that is there, and the -shm with it. Closing the store
        /// removes both then.
        var removesLog = false
        /// Whether the -shm was there before the store was opened.
        var keepsSharedMemoryFile = false

        /// The connections, once they are opened.
        var connections: SQLiteDatabase {
            if let makeReader {
                let readers = SQLiteReaderPool(maximum: settings.maximumReaders, watchesWAL: isWAL, make: makeReader)
                return SQLiteDatabase(
                    writer: writer, copiesLog: isWAL && settings.pragma("wal_autocheckpoint") == nil, readers: readers,
                    suspension: suspension)
            }
            guard let only = writer ?? reader else {
                // `adopt` keeps the writer, and `openReadOnly` and stores in memory make readers. There is no fourth
                // case.
                fatalError("A store was opened without a connection")
            }
            return SQLiteDatabase(only: only, isReadOnly: writer == nil)
        }

        /// The parts of the store, without its connections.
        var parts: SQLStore.Parts {
            var external: ExternalData?
            if !isInMemory, let url {
                let files = SQLiteStoreFiles(url)
                external = ExternalData(folder: files.externalDataFolder, storeName: files.main.lastPathComponent)
            }
            var parts = SQLStore.Parts(
                layout: layout, storeNumber: storeNumber, typeName: type, schema: schema, use: use,
                derivedAttributes: derivedAttributes, historyTables: historyTables,
                tracksHistory: settings.tracksHistory && type == NSSQLiteStoreType, metadata: metadata,
                externalData: external, configurationName: configurationName, url: url, options: options,
                name: url?.lastPathComponent, isShared: !isInMemory)
            parts.decidesByObject = type == NSInMemoryStoreType
            return parts
        }

        init(
            layout: ModelLayout, storeNumber: Int, type: String, configurationName: String?, url: URL?,
            options: [AnyHashable: Any]?, use: StoreUse, copying other: SQLiteStore? = nil,
            summary: SQLiteStoreSummary? = nil
        ) throws {
            self.layout = layout
            self.storeNumber = storeNumber
            self.type = type
            self.configurationName = configurationName
            self.url = url
            self.options = options
            self.use = use
            settings = try SQLiteStoreOptions(options, url: url)
            let entities = try StoreOpening(
                layout: layout, number: storeNumber, type: type, configuration: configurationName
            ).entities()
            let fresh = SQLSchemaBuilder.schema(of: layout, entities: entities)
            schema = fresh
            // This comes before any file is created, because a derivation that cannot be maintained refuses the model.
            derivedAttributes = try DerivedAttributes(layout: layout, schema: fresh, storeNumber: storeNumber)
            metadata = [:]

            let place = type == NSInMemoryStoreType ? .memory : url.map { StorePlace($0) } ?? .memory
            guard let url, place == .file else {
                try openInMemory(place, entities: entities, copying: other)
                return
            }
            if !settings.isReadOnly {
                if settings.makesTriggers { _ = try DerivedAttributeTriggers(layout, fresh) }
                for index in layout.model.missingIndexes { index.report() }
            }
            try openFile(url, entities: entities, summary)
        }

        /// Opens a store, or creates it. If another process destroys, replaces or migrates the store at the same time,
        /// the file that was opened first loses its name or its log. The file that is at the address then is opened
        /// instead.
        private mutating func openFile(_ url: URL, entities: Set<String>?, _ summary: SQLiteStoreSummary?) throws {
            let deadline = ContinuousClock.now + .seconds(settings.timeout.boundedTime)
            let isReadOnly = settings.isReadOnly
            let files = SQLiteStoreFiles(url)
            var reading = RepeatedReading(files, timeout: settings.timeout)
            for attempt in 1... {
                reading.begin()
                // The attempt before may have opened a store that set this to true.
                settings.isReadOnly = isReadOnly
                let file = FileState(url)
                do {
                    if attempt == 1, file != nil, let summary { return try openExisting(summary, entities: entities) }
                    return try openPresentFile(url, entities: entities)
                } catch
                    where (attempt < Self.attempts || ContinuousClock.now < deadline && FileState(url) != file)
                    && Self.isOfExchange(error, file, url)
                {
                    // A process that exchanges the file may not have finished yet.
                    _ = try MigrationFolder.lock(files.main, creating: false, timeout: settings.timeout)
                } catch let error as SQLiteError
                    where error.looksDamaged && attempt < Self.attempts && reading.isRepeatedAfterDamage()
                {
                    _ = try MigrationFolder.lock(files.main, creating: false, timeout: settings.timeout)
                }
            }
        }

        /// The number of attempts at opening, whatever the time limit. Further attempts follow only if the file was
        /// replaced.
        private static var attempts: Int { 20 }

        /// Whether an error may come from an exchange of the file since the state `file`.
        private static func isOfExchange(_ error: any Error, _ file: FileState?, _ url: URL) -> Bool {
            let code = (error as? SQLiteError)?.code ?? (error as NSError).codeOfEngine ?? 0
            if SQLiteError.codesOfLostFiles.contains(code) { return true }
            // The file was a store, and then an empty file. The next file may get the inode number of the first.
            if code == 0 { return (error as NSError).isOfMissingOrDamagedStore }
            return FileState(url).map { !$0.isSameFile(as: file) } ?? (file != nil)
        }

        private mutating func openPresentFile(_ url: URL, entities: Set<String>?) throws {
            let exists = FileManager.default.fileExists(atPath: url.path)
            guard exists, let summary = try SQLiteStoreSummary(at: url, timeout: settings.timeout) else {
                return try create(at: url, existed: exists, entities: entities)
            }
            try openExisting(summary, entities: entities)
        }

        // MARK: A new store

        private mutating func create(at url: URL, existed: Bool, entities: Set<String>?) throws {
            if settings.isReadOnly {
                try SQLiteStoreMetadata.requireFile(at: url)
                throw SQLStoreMetadata.withoutTables(url)
            }
            var isFolder: ObjCBool = false
            let folder = url.deletingLastPathComponent()
            guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), isFolder.boolValue else {
                throw NSError.coreData(
                    CocoaError.Code.fileNoSuchFile.rawValue,
                    reason: "The file “\(url.lastPathComponent)” couldn’t be made because the folder “\(folder.path)” "
                        + "doesn’t exist.", url: url)
            }
            let creation = SQLiteStoreCreation(layout: layout, schema: schema, entities: entities)
            do {
                let connection = try SQLiteConnection(path: url.path, access: .create, busyTimeout: settings.timeout)
                SQLiteFunctions.register(on: connection)
                try settings.configure(connection, isWriter: true)
                metadata = try creation.create(on: connection, settings: settings, url: url)
                // Another process has destroyed the empty file. The next attempt opens the file that is there then.
                if connection.hasMoved { throw Self.moved(url) }
                try adopt(connection, url: url)
            } catch is SQLiteStoreCreation.AlreadyMade {
                try openPresentFile(url, entities: entities)
            } catch {
                // Files that were created here are removed again, unless another process is making a store of them or
                // has made one.
                let isContended = (error as? SQLiteError).map { $0.isBusy || $0.isOfMovedFile } ?? false
                if !existed, !isContended, (try? SQLiteStoreMetadata.isEmptyDatabase(at: url, timeout: 0)) != false {
                    Self.removeUnfinished(SQLiteStoreFiles(url))
                }
                throw existed ? error : Self.refused(url) ?? error
            }
        }

        /// The error for a store that cannot be created because its folder accepts no new file.
        private static func refused(_ url: URL) -> NSError? {
            guard let code = WriteFailure.refusal(inFolderOf: url) else { return nil }
            return .coreData(
                WriteFailure.code(code).rawValue,
                reason: "The store “\(url.lastPathComponent)” couldn’t be made: \(WriteFailure.reason(code, url))",
                url: url, underlying: NSError(domain: NSPOSIXErrorDomain, code: Int(code)))
        }

        /// Removes the files of an unfinished creation, unless another connection has them open. On a full disk the
        /// files cannot be locked, and are removed without a lock.
        private static func removeUnfinished(_ files: SQLiteStoreFiles) {
            do {
                try files.destroy(timeout: 0)
            } catch {
                if (error as NSError).code != NSPersistentStoreTimeoutError { try? files.removeRemains() }
            }
        }

        // MARK: An existing store

        private mutating func openExisting(_ summary: SQLiteStoreSummary, entities: Set<String>?) throws {
            let url = summary.url
            metadata = summary.metadata
            try requireModel(summary)
            if summary.keepsHistory { requireTracking(at: url) }
            if settings.isReadOnly {
                try openReadOnly(summary, entities: entities)
                derivedAttributes = try DerivedAttributes(layout: layout, schema: schema, storeNumber: storeNumber)
                return
            }
            let connection = try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: settings.timeout)
            try connection.requireWritable(at: url)
            SQLiteFunctions.register(on: connection)
            try settings.configure(connection, isWriter: true)
            // The checks above were of another store if a process has destroyed, replaced or migrated that one since.
            let present = try SQLStoreMetadata.read(from: connection, url: url)
            guard try summary.isOfSameStore(as: present, connection) else { throw Self.moved(url) }
            metadata = present
            try connection.trustIndexTables()
            schema = try IntrospectedSchema(connection).fit(layout, entities: entities, url: url)
            try connection.setJournalMode(settings.pragma("journal_mode") ?? "WAL")
            // A process that waited for a migration has opened the older file, which has another name by now or none.
            if connection.hasMoved { throw Self.moved(url) }
            if settings.vacuums { try connection.vacuum() }
            if settings.analyzes { try connection.analyze() }
            try adopt(connection, url: url)
            derivedAttributes = try DerivedAttributes(layout: layout, schema: schema, storeNumber: storeNumber)
        }

        /// Throws if the store has another version of the model.
        func requireModel(_ summary: SQLiteStoreSummary) throws {
            if settings.ignoresVersioning { return }
            try StoreModelCheck(
                model: layout.model, layout: layout, configurationName: configurationName, summary
            ).check(summary.metadata)
        }

        /// Makes a store with persistent history read-only if the options do not ask for history. Otherwise the program
        /// would save changes that are missing in the history, and readers of the history would lose them.
        mutating func requireTracking(at url: URL) {
            if settings.isReadOnly || settings.tracksHistory { return }
            SQLStore.reportUntrackedOpening(of: url)
            settings.isReadOnly = true
        }

        private mutating func openReadOnly(_ summary: SQLiteStoreSummary, entities: Set<String>?) throws {
            let url = summary.url
            let files = SQLiteStoreFiles(url)
            if !use.isImmutable { files.rollBackJournal(timeout: settings.timeout) }
            let mode = use.isImmutable ? .immutable : files.readingAccess
            let leavesSharedMemoryFile = mode == .readOnlySharedMemory && UntouchedSharedMemoryFiles.areWanted
            keepsSharedMemoryFile = FileManager.default.fileExists(atPath: files.shm.path)
            removesLog =
                leavesSharedMemoryFile
                ? !FileManager.default.fileExists(atPath: files.wal.path) : mode == .readOnly && !keepsSharedMemoryFile
            do {
                let connection = try SQLiteConnection(path: url.path, access: mode, busyTimeout: settings.timeout)
                // As in `openExisting`: another store may have come to this address since the checks above.
                let present = try SQLStoreMetadata.read(from: connection, url: url)
                guard try summary.isOfSameStore(as: present, connection) else { throw Self.moved(url) }
                makeReader = try readers(of: url, mode, beside: connection)
                historyTables = try HistoryTables.read(from: connection)
                isWAL = try (mode == .readOnly || leavesSharedMemoryFile) && connection.hasLog()
                schema = try IntrospectedSchema(connection).fit(layout, entities: entities, url: url)
            } catch {
                if removesLog { files.removeFilesLeftByReader(keepsSharedMemoryFile: keepsSharedMemoryFile) }
                throw error
            }
        }

        private mutating func adopt(_ connection: SQLiteConnection, url: URL) throws {
            historyTables =
                try settings.tracksHistory
                ? HistoryTables.prepare(connection, for: layout) : HistoryTables.read(from: connection)
            try SpatialIndexes(connection).keep(on: connection, url: url)
            if settings.makesTriggers {
                try DerivedAttributeTriggers(layout, schema).install(on: connection)
                try StoredModel.renew(layout.model, on: connection)
            }
            writer = connection
            isWAL = try connection.hasLog()
            guard isWAL, !use.holdsTransaction, try connection.givesLocksBack() else {
                isWAL = false
                // This connection serves the reads of the store, too.
                connection.holdsTransaction = use.holdsTransaction
                return
            }
            makeReader = try readers(of: url, .readOnly, beside: connection)
        }

        /// The error that `openFile` takes for an exchange of the file. `openFile` then opens the file at the address
        /// again.
        private static func moved(_ url: URL) -> SQLiteError {
            SQLiteError(code: SQLiteError.codeOfMovedFile, message: "another store lies there now", path: url.path)
        }

        /// Returns a function that makes connections to the file that `connection` has open. The function throws if
        /// another file has come into its place.
        private func readers(
            of url: URL, _ access: SQLiteConnection.Access, beside connection: SQLiteConnection
        ) throws -> () throws -> SQLiteConnection {
            let settings = settings
            let path = url.path
            let moved = Self.moved(url)
            // Without an open connection the inode number is not reserved: the next file may get it.
            let identifier = writer == nil ? metadata[NSStoreUUIDKey] as? String : nil
            let file = FileState(url)
            if connection.hasMoved { throw moved }
            return {
                let reader = try SQLiteConnection(
                    path: path, access: access, busyTimeout: settings.timeout, isOneMore: true)
                guard let present = FileState(url), present.isSameFile(as: file) else { throw moved }
                SQLiteFunctions.register(on: reader)
                try settings.configure(reader, isWriter: false)
                if let identifier {
                    let present = try SQLStoreMetadata.read(from: reader, url: url)
                    let former = present[SQLStoreMetadata.previousIdentifiersKey] as? [String] ?? []
                    guard present[NSStoreUUIDKey] as? String == identifier || former.contains(identifier) else {
                        throw moved
                    }
                }
                return reader
            }
        }
    }
}
