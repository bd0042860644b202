import Foundation

// A store is a unit of files: the main one, its -wal and -shm, and the folder of external data.
extension NSPersistentStoreCoordinator {
    /// Destroys a store: the objects in it, its external values, and everything else that belongs to it.
    ///
    /// A SQLite store leaves its main file, its -wal and its -shm, all of them empty, so that a program can remove them next;
    /// an empty file is opened as a new store. The file of an XML or binary store, or of a program's own atomic store, is
    /// removed. Nothing happens where no store is, and at `/dev/null`. A store that is open in this coordinator is removed from
    /// it first.
    ///
    /// May be called from any thread. See
    /// [Apple's page](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/destroypersistentstore(at:oftype:options:)).
    ///
    /// - Parameters:
    ///   - url: the store's URL.
    ///   - storeType: the store's type.
    ///   - options: `NSPersistentStoreForceDestroyOption` and `NSPersistentStoreTimeoutOption` count.
    /// - Throws: `NSPersistentStoreTimeoutError` when somebody else has the store open, unless
    ///   `NSPersistentStoreForceDestroyOption` is true; `NSFileWriteUnknownError` when something else than a regular file, or a
    ///   folder, lies in the place of one of the store's; 134070 for an incremental store.
    public final func destroyPersistentStore(
        at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
    ) throws {
        if storeType == NSInMemoryStoreType { return }
        let isWholeFile = try requireWholeFile(storeType, url)
        if !isWholeFile { try Self.requireFileType(storeType, url) }
        let place = StorePlace(url)
        if place == .memory { return }
        try detach(url)
        let force = StoreOptions.bool(options, NSPersistentStoreForceDestroyOption) ?? false
        switch place {
        case .sharedMemory(let name):
            // Stores of other types in memory are nobody else's.
            if !isWholeFile { try SharedMemory.destroy(name, url: url, force: force) }
        case .file where isWholeFile: try FileKind.remove(.file, at: SQLiteStoreFiles(url).main)
        default:
            try SQLiteStoreFiles(url).empty(
                timeout: StoreOptions.number(options, NSPersistentStoreTimeoutOption) ?? 0, force: force)
        }
    }

    /// Destroys a store, as `destroyPersistentStore(at:ofType:options:)` does.
    public final func destroyPersistentStore(
        at url: URL, type storeType: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil
    ) throws {
        try destroyPersistentStore(at: url, ofType: storeType.rawValue, options: options)
    }

    /// Puts a copy of a store in the place of another one (or where there is none), all of the unit; the source stays.
    ///
    /// A store in memory has nobody who could open the copy: where `/dev/null`, or a name below it, is to be replaced, the store
    /// there is destroyed and nothing else happens. May be called from any thread. See
    /// [Apple's page](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/replacepersistentstore(at:destinationoptions:withpersistentstorefrom:sourceoptions:oftype:)).
    ///
    /// - Throws: `NSFileReadNoSuchFileError` or `NSFileReadCorruptFileError` when the source is no store,
    ///   `NSPersistentStoreTimeoutError` when somebody else has the destination open, unless
    ///   `NSPersistentStoreForceDestroyOption` is true in its options, `NSFileWriteUnknownError` when something else than a
    ///   regular file, or a folder, lies in the place of one of the destination's. The destination is as it was then.
    public final func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil, ofType storeType: String
    ) throws {
        let isWholeFile = try requireWholeFile(storeType, destinationURL)
        if !isWholeFile { try Self.requireFileType(storeType, destinationURL) }
        try Self.requireFileURL(sourceURL)
        let (source, destination) = (StorePlace(sourceURL), StorePlace(destinationURL))
        guard destination == .file else {
            // The source has to be one, as with a file.
            _ = try Self.metadataForPersistentStore(ofType: storeType, at: sourceURL, options: sourceOptions)
            return try destroyPersistentStore(at: destinationURL, ofType: storeType, options: destinationOptions)
        }
        if isWholeFile {
            if source != .file { throw StorePlace.missing(sourceURL) }
            try FileKind.require(.file, at: sourceURL, followsLinks: true, .fileReadCorruptFile)
            try FileKind.require(.file, at: destinationURL, followsLinks: true)
            try detach(destinationURL)
            try WholeFile.write(Data(contentsOf: sourceURL), to: destinationURL)
            return
        }
        let timeout = StoreOptions.number(sourceOptions, NSPersistentStoreTimeoutOption) ?? 240
        let force = StoreOptions.bool(destinationOptions, NSPersistentStoreForceDestroyOption) ?? false
        if source == .memory { throw StorePlace.missing(sourceURL) }
        try detach(destinationURL)
        let files = SQLiteStoreFiles(destinationURL)
        guard case .sharedMemory(let name) = source else {
            return try files.replace(with: SQLiteStoreFiles(sourceURL), timeout: timeout, force: force)
        }
        try files.replace(timeout: timeout, force: force) { copy in
            guard let reader = try SharedMemory.reader(of: name, timeout: timeout) else {
                throw StorePlace.missing(sourceURL)
            }
            try reader.copyMemory(to: copy)
        }
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
    /// the coordinator. The files at the old address stay. A store in memory, at `/dev/null` or at a name below it, can be moved
    /// to a file, and a file's content into memory.
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
        let place = StorePlace(URL)
        if place != .file, URL.standardizedFileURL == source { return store }
        if place == .file {
            if let store = store as? SQLiteStore, store.isInMemory {
                try SQLiteStoreFiles(URL).replace { try store.copyMemory(to: $0) }
            } else {
                try SQLiteStoreFiles(URL).replace(with: SQLiteStoreFiles(source))
            }
        }
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
