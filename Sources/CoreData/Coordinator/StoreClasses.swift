import Foundation

/// The store classes that derive from the base classes for programs, by type: the framework's own and those that
/// programs have registered.
enum StoreClasses {
    private static let classes = Locked<[String: NSPersistentStore.Type]>([:])

    private static let ownClasses: [String: NSPersistentStore.Type] = [
        NSBinaryStoreType: BinaryStore.self, NSXMLStoreType: XMLStore.self,
    ]

    static func storeClass(for type: String) -> NSPersistentStore.Type? {
        classes.withLock { $0[type] } ?? ownClasses[type]
    }

    /// The form of the stores of a registered class; nil for types without one.
    static func form(of type: String) -> StoreForm? {
        storeClass(for: type).map { $0 is NSAtomicStore.Type ? .wholeFile : .incremental }
    }

    /// The class of the stores of a type, if such stores are read and written as a whole.
    static func wholeFileClass(for type: String) -> NSAtomicStore.Type? { storeClass(for: type) as? NSAtomicStore.Type }

    /// The class that can read a file as a store that is read and written as a whole; nil if no class can. Not for
    /// files that may be SQLite's: opening one without SQLite drops the locks that this process has on it.
    static func classOfFile(at url: URL) -> NSAtomicStore.Type? {
        let registered = classes.withLock { $0 }
        let own = ownClasses.filter { registered[$0.key] == nil }
        for (_, candidate) in own.sorted(by: { $0.key < $1.key }) + registered.sorted(by: { $0.key < $1.key }) {
            guard let atomic = candidate as? NSAtomicStore.Type,
                let metadata = try? atomic.metadataForPersistentStore(with: url),
                metadata[NSStoreModelVersionHashesKey] != nil
            else { continue }
            return atomic
        }
        return nil
    }

    static func register(_ storeClass: NSPersistentStore.Type?, for type: String) {
        classes.withLock { $0[type] = storeClass }
    }

    static var all: [String: NSPersistentStore.Type] {
        ownClasses.merging(classes.withLock { $0 }) { _, registered in registered }
    }
}

extension NSPersistentStoreCoordinator: StoreHost {
    /// Does the work of `registerStoreClass(_:forStoreType:)` unless a subclass overrides it.
    static func _register(_ storeClass: AnyClass?, forStoreType storeType: String) {
        guard let storeClass else { return StoreClasses.register(nil, for: storeType) }
        guard storeClass is NSAtomicStore.Type || storeClass is NSIncrementalStore.Type else {
            fatalError(
                "The class \(storeClass) cannot be registered for the store type '\(storeType)': it is neither a "
                    + "subclass of NSAtomicStore nor of NSIncrementalStore")
        }
        StoreClasses.register(storeClass as? NSPersistentStore.Type, for: storeType)
    }

    /// Registers a class of stores under a type, so that stores of that type can be added.
    ///
    /// The process stops if the class is neither a subclass of `NSAtomicStore` nor of `NSIncrementalStore`. Any thread
    /// may call it.
    ///
    /// - Parameters:
    ///   - storeClass: The class.
    ///   - storeType: The type.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/registerstoreclass(_:type:))
    public static func registerStoreClass(_ storeClass: AnyClass, type storeType: NSPersistentStore.StoreType) {
        registerStoreClass(storeClass, forStoreType: storeType.rawValue)
    }

    /// The value of `registeredStoreTypes` unless a subclass overrides it.
    static var _registeredStoreTypes: [String: NSValue] {
        var classes: [String: AnyClass] = StoreEngines.storeClasses
        for (type, storeClass) in StoreClasses.all { classes[type] = storeClass }
        return classes.mapValues { storeClass in
            withUnsafePointer(to: storeClass) { NSValue(bytes: $0, objCType: "Q") }
        }
    }

    final var numberOfNextStore: Int { lock.withLock { inheritedStoreNumber ?? nextStoreNumber } }

    /// Creates a store of a registered class and reads its metadata, and its nodes if it is atomic. The caller holds
    /// `lock`.
    final func openCustomStore(
        _ storeClass: NSPersistentStore.Type, type: String, configuration: String?, at url: URL?,
        options: [AnyHashable: Any]?, use: StoreUse
    ) throws -> AttachedStore {
        let address = url ?? URL(fileURLWithPath: "/dev/null")
        func prepare(_ store: NSPersistentStore) throws {
            store.setRegisteredType(type)
            if url == nil { store.url = nil }
            try store.loadMetadata()
            try requireModel(of: store, configuration)
        }
        if let atomic = storeClass as? NSAtomicStore.Type {
            let store = atomic.make(self, configuration: configuration, at: address, options: options)
            try prepare(store)
            try store.load()
            try requireModel(of: store, configuration)
            noteModel(in: store, configuration)
            try store.makeFile()
            let rows = AtomicRows(store, of: self, use: use)
            return AttachedStore(number: numberOfNextStore, store: store, rows: rows, objects: rows)
        }
        guard let incremental = storeClass as? NSIncrementalStore.Type else {
            throw NSError.coreData(
                NSPersistentStoreInvalidTypeError, reason: "The class \(storeClass) of '\(type)' is no store", url: url)
        }
        let store = incremental.make(self, configuration: configuration, at: address, options: options)
        try prepare(store)
        noteModel(in: store, configuration)
        let rows = IncrementalRows(store, of: self)
        return AttachedStore(number: numberOfNextStore, store: store, rows: rows, objects: rows)
    }

    /// Requires that a store whose metadata have a model's version hashes has this model's.
    private func requireModel(of store: NSPersistentStore, _ configuration: String?) throws {
        guard let metadata = store.metadata, metadata[NSStoreModelVersionHashesKey] != nil,
            StoreOptions.bool(store.options, NSIgnorePersistentStoreVersioningOption) != true,
            let entities = managedObjectModel.compatibility(
                ofConfiguration: configuration, withStoreMetadata: metadata
            ).differences
        else { return }
        throw NSError.coreData(
            NSPersistentStoreIncompatibleVersionHashError,
            reason: """
                The model used to open the store is incompatible with the one used to create the store \
                (entities: \(entities.joined(separator: ", ")))
                """,
            url: store.url, userInfo: ["metadata": metadata])
    }

    /// Puts the model's version hashes into the metadata, to be saved with the store.
    private func noteModel(in store: NSPersistentStore, _ configuration: String?) {
        var metadata = store.metadata ?? [:]
        guard metadata[NSStoreModelVersionHashesKey] == nil else { return }
        let names = managedObjectModel.entities(forConfigurationName: configuration)?.compactMap(\.name)
        let hashes = managedObjectModel.entityVersionHashesByName.filter { names?.contains($0.key) ?? true }
        metadata[NSStoreModelVersionHashesKey] = hashes
        let notes = StoredVersion.notes(of: managedObjectModel, with: hashes)
        if !notes.isEmpty { metadata[StoredVersion.notesKey] = notes }
        metadata[NSStoreModelVersionIdentifiersKey] =
            managedObjectModel.versionIdentifiers.map { "\($0.base)" }.sorted()
        store.metadata = metadata
    }
}
