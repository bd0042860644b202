import Foundation

// Moving a store: SQLite to SQLite by copying what is there, anything else object by object, as a migration does it.
extension NSPersistentStoreCoordinator {
    /// What `migratePersistentStore(_:to:options:withType:)` does unless a subclass overrides it.
    final func plainMigratePersistentStore(
        _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]? = nil, withType storeType: String
    ) throws -> NSPersistentStore {
        let isWholeFile = try requireWholeFile(storeType, URL)
        if !isWholeFile, storeType != NSInMemoryStoreType { try Self.requireFileType(storeType, URL) }
        let progress = options?[NSMigrationProgressOption] as? Progress
        var options = options ?? [:]
        options[NSMigrationProgressOption] = nil
        // The history moves along with the rows. Who does not ask for it would get a store that cannot be written.
        if options[NSPersistentHistoryTrackingKey] == nil {
            options[NSPersistentHistoryTrackingKey] = store.options?[NSPersistentHistoryTrackingKey]
        }
        return try MigrationFeed.during(progress) {
            lock.lock()
            defer { lock.unlock() }
            let move = StoreMove(store: store, type: storeType, url: URL, options: options, progress: progress)
            let product = StoreEngines.engineOfProduct(for: storeType)
            if !isWholeFile, product == nil, let engine = StoreEngines.engine(of: store) {
                return try copy(store, of: engine, by: move)
            }
            return try convert(by: move, isWholeFile: isWholeFile, product)
        }
    }

    // MARK: Within an engine

    private func copy(
        _ source: NSPersistentStore, of engine: any StoreEngine, by move: StoreMove
    ) throws -> NSPersistentStore {
        let address = move.url.standardizedFileURL
        if move.place != .file, move.type == source.type, address == source.url || source.url == nil { return source }
        if move.place == .file {
            let parts = MigrationParts(move.progress, weights: [1])
            try parts.run(0) { part in
                MigrationFeed.of(part)?.begin(.copying)
                try engine.copy(source, to: move.url, replacing: true, part)
            }
        }
        let moved = try add(
            ofType: move.type, move.configuration, at: move.url, move.options, insteadOf: source)
        try plainRemove(source)
        return moved
    }

    // MARK: To and from other kinds

    private func convert(
        by move: StoreMove, isWholeFile: Bool, _ product: (any StoreEngine)?
    ) throws -> NSPersistentStore {
        if let url = move.store.url, move.place == .file, url == move.url.standardizedFileURL {
            if move.store.type == move.type { return move.store }
            throw move.refusal
        }
        let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("Moving-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: scratch) }
        try FileManager.default.createDirectory(
            at: scratch, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let between = SQLiteStoreFiles(scratch.appendingPathComponent("Store.sqlite"))
        let moved =
            if isWholeFile {
                try convertToWholeFile(by: move, between)
            } else if let product {
                try convert(to: product, by: move, between)
            } else {
                try convertToSQLite(by: move, between)
            }
        try plainRemove(move.store)
        return moved
    }

    /// The new file is made out of sight and takes the place of what lies at its address when it is whole.
    private func convertToWholeFile(by move: StoreMove, _ between: SQLiteStoreFiles) throws -> NSPersistentStore {
        guard move.place == .file else { throw move.refusal }
        try FileKind.require(.file, at: move.url, followsLinks: true)
        let source = try readable(move, between)
        let draft = between.main.deletingLastPathComponent().appendingPathComponent("Draft")
        let parts = MigrationParts(move.progress, weights: [1])
        try parts.run(0) { try convert(source, to: draft, type: move.type, $0) }
        try WholeFile.write(Data(contentsOf: draft), to: move.url)
        return try add(ofType: move.type, move.configuration, at: move.url, move.options, insteadOf: nil)
    }

    /// The store's content where it can be read object by object.
    private func readable(_ move: StoreMove, _ between: SQLiteStoreFiles) throws -> StoreMove {
        MigrationFeed.of(move.progress)?.begin(.copying)
        guard let engine = StoreEngines.engine(of: move.store) else { return move }
        // What is migrated is read without its -wal, and the store's own may hold its latest rows.
        try engine.copy(move.store, to: between.main, replacing: false, move.progress)
        return move.from(between.main, type: NSSQLiteStoreType)
    }

    /// A store of a product is filled where it is, and has to be a new one.
    private func convert(
        to product: any StoreEngine, by move: StoreMove, _ between: SQLiteStoreFiles
    ) throws -> NSPersistentStore {
        if (try? product.metadata(at: move.url)) != nil {
            throw NSError.coreData(
                NSPersistentStoreOperationError, reason: "There is a store already where this one is to move.",
                url: move.url)
        }
        let source = try readable(move, between)
        let parts = MigrationParts(move.progress, weights: [1])
        do {
            try parts.run(0) { try convert(source, to: move.url, type: move.type, $0) }
        } catch {
            // The store was not there before.
            try? product.destroy(at: move.place, move.url, timeout: 0, force: true)
            throw error
        }
        return try add(ofType: move.type, move.configuration, at: move.url, move.options, insteadOf: nil)
    }

    private func convertToSQLite(by move: StoreMove, _ between: SQLiteStoreFiles) throws -> NSPersistentStore {
        let parts = MigrationParts(move.progress, weights: [1])
        let isFile = move.place == .file && move.type == NSSQLiteStoreType
        try parts.run(0) { part in
            guard isFile else {
                return try convert(move, to: between.main, type: NSSQLiteStoreType, part)
            }
            try SQLiteStoreFiles(move.url).replace { copy in
                try convert(move, to: copy.main, type: NSSQLiteStoreType, part)
            }
        }
        if isFile { return try add(ofType: move.type, move.configuration, at: move.url, move.options, insteadOf: nil) }
        let other = NSPersistentStoreCoordinator(managedObjectModel: managedObjectModel)
        let copied = try other.add(ofType: NSSQLiteStoreType, move.configuration, at: between.main, nil, insteadOf: nil)
        defer { try? other.remove(copied) }
        return try add(ofType: move.type, move.configuration, at: move.url, move.options, insteadOf: copied)
    }
}
