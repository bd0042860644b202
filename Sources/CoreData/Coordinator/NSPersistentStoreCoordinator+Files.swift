import Foundation

// A store is a unit of files: the main one, its -wal and -shm, and the folder of external data.
extension NSPersistentStoreCoordinator {
    /// Removes a store's files from the disk, all of the unit. Nothing happens when there are none.
    ///
    /// A store that is open in this coordinator is removed from it first. Throws when, unless
    /// `NSPersistentStoreForceDestroyOption` is true, somebody else holds it.
    public final func destroyPersistentStore(
        at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
    ) throws {
        if storeType == NSInMemoryStoreType { return }
        if try requireWholeFile(storeType, url) {
            try detach(url)
            if FileManager.default.fileExists(atPath: url.path) { try FileManager.default.removeItem(at: url) }
            return
        }
        try Self.requireFileType(storeType, url)
        try detach(url)
        try SQLiteStoreFiles(url).destroy(
            timeout: StoreOptions.number(options, NSPersistentStoreTimeoutOption) ?? 0,
            force: StoreOptions.bool(options, NSPersistentStoreForceDestroyOption) ?? false)
    }

    /// Removes a store's files from the disk, all of the unit.
    public final func destroyPersistentStore(
        at url: URL, type storeType: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil
    ) throws {
        try destroyPersistentStore(at: url, ofType: storeType.rawValue, options: options)
    }

    /// Puts a copy of a store in the place of another one (or where there is none), all of the unit; the source stays.
    public final func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil, ofType storeType: String
    ) throws {
        if try requireWholeFile(storeType, destinationURL) {
            try Self.requireFileURL(sourceURL)
            try detach(destinationURL)
            try Data(contentsOf: sourceURL).write(to: destinationURL, options: .atomic)
            return
        }
        try Self.requireFileType(storeType, destinationURL)
        try Self.requireFileURL(sourceURL)
        try detach(destinationURL)
        try SQLiteStoreFiles(destinationURL).replace(
            with: SQLiteStoreFiles(sourceURL),
            timeout: StoreOptions.number(sourceOptions, NSPersistentStoreTimeoutOption) ?? 240,
            force: StoreOptions.bool(destinationOptions, NSPersistentStoreForceDestroyOption) ?? false)
    }

    /// Puts a copy of a store in the place of another one (or where there is none), all of the unit; the source stays.
    public final func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
        type storeType: NSPersistentStore.StoreType
    ) throws {
        try replacePersistentStore(
            at: destinationURL, destinationOptions: destinationOptions, withPersistentStoreFrom: sourceURL,
            sourceOptions: sourceOptions, ofType: storeType.rawValue)
    }

    /// Moves a store's content to another address and continues there: the returned store takes the old one's place in
    /// the coordinator. The files at the old address stay.
    @discardableResult
    public final func migratePersistentStore(
        _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]? = nil, withType storeType: String
    ) throws -> NSPersistentStore {
        try Self.requireFileType(storeType, URL)
        guard let source = store.url, store.type == NSSQLiteStoreType else {
            throw NSError.coreData(
                NSPersistentStoreOperationError,
                reason: "A store of type '\(store.type)' cannot be moved to a file by this version", url: URL)
        }
        lock.lock()
        defer { lock.unlock() }
        try SQLiteStoreFiles(URL).replace(with: SQLiteStoreFiles(source))
        let configuration = store.configurationName == Self.defaultConfiguration ? nil : store.configurationName
        // The history moves along with the rows. Who does not ask for it would get a store that cannot be written.
        var options = options ?? [:]
        if options[NSPersistentHistoryTrackingKey] == nil {
            options[NSPersistentHistoryTrackingKey] = store.options?[NSPersistentHistoryTrackingKey]
        }
        let moved = try add(ofType: storeType, configuration, at: URL, options, insteadOf: store)
        try remove(store)
        return moved
    }

    /// Moves a store's content to another address and continues there.
    @discardableResult
    public final func migratePersistentStore(
        _ store: NSPersistentStore, to storeURL: URL, options: [AnyHashable: Any]? = nil,
        type storeType: NSPersistentStore.StoreType
    ) throws -> NSPersistentStore {
        try migratePersistentStore(store, to: storeURL, options: options, withType: storeType.rawValue)
    }

    /// Whether the type is one of a program's atomic stores: one file that is read and written as a whole. What an
    /// incremental store consists of only its class knows: 134070.
    private func requireWholeFile(_ storeType: String, _ url: URL) throws -> Bool {
        guard let storeClass = StoreClasses.storeClass(for: storeType) else { return false }
        guard storeClass is NSAtomicStore.Type else {
            throw NSError.coreData(
                NSPersistentStoreOperationError,
                reason: "Stores of the class \(storeClass) have no files that the coordinator knows.", url: url)
        }
        try Self.requireFileURL(url)
        return true
    }

    /// A store that is open here is closed before its files change.
    private func detach(_ url: URL) throws {
        if let store = persistentStore(for: url) { try remove(store) }
    }
}
