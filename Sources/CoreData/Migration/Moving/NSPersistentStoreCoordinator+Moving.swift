import Foundation

// Moving a store. SQLite moves to SQLite by copying its files. The tables of a database move to those of another one
// row by row. All other stores move object by object, as in a migration.
extension NSPersistentStoreCoordinator {
    final func moveStore(
        _ store: NSPersistentStore, to URL: URL, _ options: [AnyHashable: Any]?, withType storeType: String
    ) throws -> NSPersistentStore {
        let isWholeFile = try requireWholeFile(storeType, URL)
        if !isWholeFile, StoreEngines.form(of: storeType) != .memory { try Self.requireFileType(storeType, URL) }
        let progress = options?[NSMigrationProgressOption] as? Progress
        var options = options ?? [:]
        options[NSMigrationProgressOption] = nil
        // The history is moved with the rows. Without the option the caller would get a store that cannot be written.
        if options[NSPersistentHistoryTrackingKey] == nil {
            options[NSPersistentHistoryTrackingKey] = store.options?[NSPersistentHistoryTrackingKey]
        }
        return try MigrationFeed.during(progress) {
            lock.lock()
            defer { lock.unlock() }
            let move = StoreMove(store: store, type: storeType, url: URL, options: options, progress: progress)
            let product = StoreEngines.engineOfProduct(for: storeType)
            return try Self.reportingMove {
                if !isWholeFile, product == nil, let engine = StoreEngines.engine(of: store) {
                    return try copy(store, of: engine, by: move)
                }
                return try convert(by: move, isWholeFile: isWholeFile, product)
            }
        }
    }

    // MARK: Within an engine

    private func copy(
        _ source: NSPersistentStore, of engine: any StoreEngine, by move: StoreMove
    ) throws -> NSPersistentStore {
        let address = move.url.standardizedFileURL
        if move.place != .file, move.type == source.type, address == source.url || source.url == nil { return source }
        if move.isOntoItself, address != source.url { throw move.refusal }
        if move.place == .file {
            let parts = MigrationParts(move.progress, weights: [1])
            try parts.run(0) { part in
                MigrationFeed.of(part)?.begin(.copying)
                try engine.copy(source, to: move.url, replacing: true, part)
            }
        }
        let moved = try add(
            ofType: move.type, move.configuration, at: move.url, move.options, insteadOf: source)
        try _remove(source)
        return moved
    }

    // MARK: To and from other kinds

    private func convert(
        by move: StoreMove, isWholeFile: Bool, _ product: (any StoreEngine)?
    ) throws -> NSPersistentStore {
        if move.isOntoItself {
            if move.store.type == move.type { return move.store }
            throw move.refusal
        }
        let moved =
            if isWholeFile {
                try convertToWholeFile(by: move)
            } else if let product {
                try transfer(to: product, by: move)
            } else if let source = move.tables {
                try transfer(source, by: move)
            } else {
                try convertToSQLite(by: move)
            }
        try _remove(move.store)
        return moved
    }

    private func convertToSQLite(by move: StoreMove) throws -> NSPersistentStore {
        let parts = MigrationParts(move.progress, weights: [1])
        guard move.place == .file, StoreEngines.form(of: move.type) == .file else {
            return try withFileBetween { between in
                try parts.run(0) { try convert(move, to: between.main, type: NSSQLiteStoreType, $0) }
                return try add(move, copying: between)
            }
        }
        try parts.run(0) { part in
            try SQLiteStoreFiles(move.url).replace { copy in
                try convert(move, to: copy.main, type: NSSQLiteStoreType, part)
            }
        }
        return try add(ofType: move.type, move.configuration, at: move.url, move.options, insteadOf: nil)
    }

    /// Runs a body with the address of a temporary file, which is removed afterwards.
    private func withFileBetween<Result>(_ body: (SQLiteStoreFiles) throws -> Result) throws -> Result {
        try ScratchFolder.with { try body(SQLiteStoreFiles($0.appendingPathComponent("Store.sqlite"))) }
    }

    /// Adds a store in memory that has the content of a file.
    private func add(_ move: StoreMove, copying between: SQLiteStoreFiles) throws -> NSPersistentStore {
        let other = NSPersistentStoreCoordinator(managedObjectModel: managedObjectModel)
        let copied = try other.add(ofType: NSSQLiteStoreType, move.configuration, at: between.main, nil, insteadOf: nil)
        defer { try? other.remove(copied) }
        return try add(ofType: move.type, move.configuration, at: move.url, move.options, insteadOf: copied)
    }

    // MARK: Row by row

    /// Fills a store of another product in place. It must be a new store, or one that a killed process has not filled
    /// to its end.
    private func transfer(to product: any StoreEngine, by move: StoreMove) throws -> NSPersistentStore {
        guard let engine = product.inPlace else { throw move.refusal }
        try withTables(of: move) { source in
            let transfer = StoreTransfer(
                source: source, identifier: move.store.identifier ?? "", progress: move.progress)
            let opening = StoreOpening(
                layout: source.layout, number: 1, type: move.type, configuration: move.configuration, url: move.url,
                options: move.options)
            try transfer.run(to: engine.shown(move.url), engine.limits(of: source.schema, source.layout)) { body in
                try engine.filling(opening, note: transfer.note, timeout: move.timeout, move.progress, body)
            }
        }
        return try add(ofType: move.type, move.configuration, at: move.url, move.options, insteadOf: nil)
    }

    /// Reads a store of another product in place.
    private func transfer(_ source: SQLStore, by move: StoreMove) throws -> NSPersistentStore {
        let isFile = move.place == .file && StoreEngines.form(of: move.type) == .file
        let opening = StoreOpening(
            layout: source.layout, number: 1, type: NSSQLiteStoreType, configuration: move.configuration, url: move.url,
            options: isFile ? move.options : nil)
        let transfer = StoreTransfer(
            source: source, identifier: move.store.identifier ?? "", progress: move.progress)
        guard isFile else {
            return try withFileBetween { between in
                try transfer.run(to: move.url, TransferLimits()) { body in
                    try SQLiteFilling.fill(between, opening, note: transfer.note, body)
                }
                return try add(move, copying: between)
            }
        }
        try transfer.run(to: move.url, TransferLimits()) { body in
            try SQLiteFilling.fill(
                SQLiteStoreFiles(move.url), for: opening, note: transfer.note, timeout: move.timeout,
                progress: move.progress, body: body)
        }
        return try add(ofType: move.type, move.configuration, at: move.url, move.options, insteadOf: nil)
    }

    /// Runs a body with the store as one in tables. A store of another kind is converted first.
    private func withTables(of move: StoreMove, _ body: (SQLStore) throws -> Void) throws {
        if let store = move.tables { return try body(store) }
        try withFileBetween { between in
            try convert(move, to: between.main, type: NSSQLiteStoreType, move.progress)
            let other = NSPersistentStoreCoordinator(managedObjectModel: managedObjectModel)
            let copied = try other.add(
                ofType: NSSQLiteStoreType, move.configuration, at: between.main, nil, insteadOf: nil)
            defer { try? other.remove(copied) }
            guard let store = StoreMove.tables(of: copied) else { throw move.refusal }
            try body(store)
        }
    }

    // MARK: Object by object

    /// Makes a store of another kind at an address without a file.
    final func convert(_ move: StoreMove, to target: URL, type: String, _ progress: Progress?) throws {
        let (from, to) = (managedObjectModel.copied(), managedObjectModel.copied())
        MigrationFeed.of(progress)?.begin(.copying)
        let manager = NSMigrationManager(sourceModel: from, destinationModel: to)
        manager.destinationConfiguration = move.configuration
        manager.follower = progress
        manager.isCopyStage = true
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: from, destinationModel: to)
        let source = try move.source
        try manager.migrateStore(
            from: source.url, sourceType: source.type, options: move.store.options, with: mapping,
            toDestinationURL: target, destinationType: type, destinationOptions: nil)
    }
}
