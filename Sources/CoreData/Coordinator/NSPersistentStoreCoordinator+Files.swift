import Foundation

// A store is a unit of files: the main one, its -wal and -shm, and the folder of external data.
extension NSPersistentStoreCoordinator {
    /// What `destroyPersistentStore(at:ofType:options:)` does unless a subclass overrides it.
    final func plainDestroyPersistentStore(
        at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
    ) throws {
        if StoreEngines.form(of: storeType) == .memory { return }
        let isWholeFile = try requireWholeFile(storeType, url)
        if !isWholeFile { try Self.requireFileType(storeType, url) }
        let place = StorePlace(url)
        if place == .memory { return }
        try detach(url)
        let force = StoreOptions.bool(options, NSPersistentStoreForceDestroyOption) ?? false
        if isWholeFile {
            // Stores of such types in memory are nobody else's.
            if place == .file { try WholeFile.remove(at: url) }
            return
        }
        try StoreEngines.fileEngine(for: storeType).destroy(
            at: place, url, timeout: StoreOptions.number(options, NSPersistentStoreTimeoutOption) ?? 0, force: force)
    }

    /// Destroys a store, as `destroyPersistentStore(at:ofType:options:)` does.
    public final func destroyPersistentStore(
        at url: URL, type storeType: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil
    ) throws {
        try destroyPersistentStore(at: url, ofType: storeType.rawValue, options: options)
    }

    /// What `replacePersistentStore(at:destinationOptions:withPersistentStoreFrom:sourceOptions:ofType:)` does unless a
    /// subclass overrides it.
    final func plainReplacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil, ofType storeType: String
    ) throws {
        let isWholeFile = try requireWholeFile(storeType, destinationURL)
        if !isWholeFile { try Self.requireFileType(storeType, destinationURL) }
        if isWholeFile {
            try StorePlace.requireFileURL(sourceURL)
        } else {
            try Self.requireFileType(storeType, sourceURL)
        }
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
        let waiting = StoreOptions.number(destinationOptions, NSPersistentStoreTimeoutOption) ?? 0
        let force = StoreOptions.bool(destinationOptions, NSPersistentStoreForceDestroyOption) ?? false
        if source == .memory { throw StorePlace.missing(sourceURL) }
        try detach(destinationURL)
        try StoreEngines.fileEngine(for: storeType).replace(
            fileAt: destinationURL, with: source, sourceURL, timeout: timeout, waiting: waiting, force: force)
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
    final func requireWholeFile(_ storeType: String, _ url: URL) throws -> Bool {
        guard let storeClass = StoreClasses.storeClass(for: storeType) else { return false }
        guard StoreClasses.form(of: storeType) == .wholeFile else {
            throw NSError.coreData(
                NSPersistentStoreOperationError,
                reason: "Stores of the class \(storeClass) have no files that the coordinator knows.", url: url)
        }
        try StorePlace.requireFileURL(url)
        return true
    }

    /// A store that is open here is closed before its files change.
    private func detach(_ url: URL) throws {
        if let store = plainPersistentStore(for: url) { try plainRemove(store) }
    }
}
