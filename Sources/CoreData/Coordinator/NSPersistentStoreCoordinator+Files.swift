import Foundation

// Destroys, replaces and moves stores. A store is a unit of files: the main file, its -wal and -shm, and the folder of
// external data.
extension NSPersistentStoreCoordinator {
    /// Does the work of `destroyPersistentStore(at:ofType:options:)` unless a subclass overrides it.
    final func _destroyPersistentStore(
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
            // A store of such a type in memory belongs to one coordinator only.
            if place == .file { try WholeFile.remove(at: url) }
            return
        }
        try StoreEngines.fileEngine(for: storeType).destroy(
            at: place, url, timeout: StoreOptions.number(options, NSPersistentStoreTimeoutOption) ?? 0, force: force)
    }

    /// Destroys a store with its objects, its external values and all other files that belong to it.
    ///
    /// See ``destroyPersistentStore(at:ofType:options:)``.
    ///
    /// - Parameters:
    ///   - url: The store's URL.
    ///   - storeType: The store's type.
    ///   - options: `NSPersistentStoreForceDestroyOption` and `NSPersistentStoreTimeoutOption`.
    /// - Throws: The errors of ``destroyPersistentStore(at:ofType:options:)``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/destroypersistentstore(at:type:options:))
    public final func destroyPersistentStore(
        at url: URL, type storeType: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil
    ) throws {
        try destroyPersistentStore(at: url, ofType: storeType.rawValue, options: options)
    }

    /// Does the work of `replacePersistentStore(at:destinationOptions:withPersistentStoreFrom:sourceOptions:ofType:)`
    /// unless a subclass overrides it.
    final func _replacePersistentStore(
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
            // The source has to be a store of the type, as with a file.
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

    /// Replaces a store, if there is one, with a copy of another store; the source stays.
    ///
    /// See ``replacePersistentStore(at:destinationOptions:withPersistentStoreFrom:sourceOptions:ofType:)``.
    ///
    /// - Parameters:
    ///   - destinationURL: The URL of the store to replace.
    ///   - destinationOptions: `NSPersistentStoreForceDestroyOption` and `NSPersistentStoreTimeoutOption` for the
    ///     destination.
    ///   - sourceURL: The URL of the store to copy.
    ///   - sourceOptions: `NSPersistentStoreTimeoutOption` for the source.
    ///   - storeType: The type of both stores.
    /// - Throws: The errors of
    ///   ``replacePersistentStore(at:destinationOptions:withPersistentStoreFrom:sourceOptions:ofType:)``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/replacepersistentstore(at:destinationoptions:withpersistentstorefrom:sourceoptions:type:))
    public final func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
        type storeType: NSPersistentStore.StoreType
    ) throws {
        try replacePersistentStore(
            at: destinationURL, destinationOptions: destinationOptions, withPersistentStoreFrom: sourceURL,
            sourceOptions: sourceOptions, ofType: storeType.rawValue)
    }

    /// Moves a store's content to another URL or to a store of another type, which replaces it in the coordinator.
    ///
    /// See ``migratePersistentStore(_:to:options:withType:)``.
    ///
    /// - Parameters:
    ///   - store: A store of this coordinator.
    ///   - storeURL: The new URL.
    ///   - options: The options of the new store.
    ///   - storeType: The type of the new store.
    /// - Returns: The new store.
    /// - Throws: The errors of ``migratePersistentStore(_:to:options:withType:)``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/migratepersistentstore(_:to:options:type:))
    @discardableResult
    public final func migratePersistentStore(
        _ store: NSPersistentStore, to storeURL: URL, options: [AnyHashable: Any]? = nil,
        type storeType: NSPersistentStore.StoreType
    ) throws -> NSPersistentStore {
        try migratePersistentStore(store, to: storeURL, options: options, withType: storeType.rawValue)
    }

    /// Whether the type is one of a program's atomic stores, which are one file that is read and written as a whole.
    /// Throws 134070 for an incremental store, because only its class can find the store's files.
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

    /// Closes a store that is open in this coordinator, before its files change.
    private func detach(_ url: URL) throws {
        if let store = _persistentStore(for: url) { try _remove(store) }
    }
}
