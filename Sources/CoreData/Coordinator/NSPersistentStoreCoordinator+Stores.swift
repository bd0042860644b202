import Foundation

extension NSPersistentStoreCoordinator {
    // MARK: Adding and removing

    /// Does the work of `addPersistentStore(ofType:configurationName:at:options:)` unless a subclass overrides it.
    @discardableResult
    final func _addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try add(ofType: storeType, configuration, at: storeURL, options, insteadOf: nil)
    }

    /// Adds a store. A store that replaces another one takes over its number, so that the objects of the replaced store
    /// become objects of the new one.
    final func add(
        ofType storeType: String, _ configuration: String?, at storeURL: URL?, _ options: [AnyHashable: Any]?,
        for use: StoreUse = .work, insteadOf other: NSPersistentStore?
    ) throws -> NSPersistentStore {
        let customClass = StoreClasses.storeClass(for: storeType)
        // The progress covers the whole call, because only the refusal of a file shows that it has to be migrated.
        return try MigrationFeed.during(options?[NSMigrationProgressOption] as? Progress) {
            let form = StoreEngines.form(of: storeType)
            if let storeURL, form == .file || form == .database {
                try Self.requireFileType(storeType, storeURL)
                return try Self.untilTimeLimit(options) {
                    // This comes before the lock: a migration can take long, and no other caller has to wait for it.
                    let summary = try migration.prepareStore(at: storeURL, ofType: storeType, configuration, options)
                    return try attach(
                        storeType, customClass: customClass, configuration: configuration, at: storeURL,
                        options: options, for: use, insteadOf: other, summary: summary)
                }
            }
            return try migration.openingFile(ofType: storeType, at: storeURL, configuration, options) {
                try attach(
                    storeType, customClass: customClass, configuration: configuration, at: storeURL, options: options,
                    for: use, insteadOf: other)
            }
        }
    }

    /// Tries again, until the time limit, while another program has a store locked. SQLite does not wait for every
    /// lock, such as the lock of a change of the journal mode, and fails at once if waiting could end in a deadlock.
    private static func untilTimeLimit<Result>(
        _ options: [AnyHashable: Any]?, _ body: () throws -> Result
    ) throws -> Result {
        var attempts = Attempts(.polling(every: 0.005, timeout: StoreOptions.timeout(options)))
        while true {
            do {
                return try body()
            } catch let error as NSError where error.code == NSPersistentStoreTimeoutError && attempts.goOn() {
                try MigrationCancellation.check(options?[NSMigrationProgressOption] as? Progress)
            }
        }
    }

    /// Opens a store as it is and adds it.
    private func attach(
        _ storeType: String, customClass: NSPersistentStore.Type?, configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]?, for use: StoreUse, insteadOf other: NSPersistentStore?,
        summary: (any StoreSummary)? = nil
    ) throws -> NSPersistentStore {
        lock.lock()
        defer { lock.unlock() }
        guard customClass != nil || StoreEngines.engine(for: storeType) != nil else {
            throw Self.unsupported(storeType, at: storeURL)
        }
        if let configuration, configuration != NSManagedObjectModel.defaultConfigurationName,
            managedObjectModel.entities(forConfigurationName: configuration) == nil
        {
            throw NSError.coreData(
                NSPersistentStoreOpenError, reason: "The model has no configuration named '\(configuration)'",
                url: storeURL)
        }
        if let storeURL, let existing = persistentStore(for: storeURL) { return existing }
        let added = try open(
            storeType, customClass: customClass, configuration: configuration, at: storeURL, options: options, for: use,
            insteadOf: other, summary: summary)
        if let existing = try present(insteadOf: added, for: use) { return existing }
        attached.append(added)
        nextStoreNumber = max(nextStoreNumber, added.number + 1)
        added.store.didAdd(to: self)
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorStoresDidChange, object: self,
            userInfo: [NSAddedPersistentStoresKey: [added.store]])
        return added.store
    }

    /// The coordinator's store of the same database if there is one, because a database has many addresses. The added
    /// store is closed then. A copy of a file is a store of its own.
    private func present(insteadOf added: AttachedStore, for use: StoreUse) throws -> NSPersistentStore? {
        guard use == .work, added.rows.isAskedByRoundTrips, let identifier = added.store.identifier,
            let existing = attached.first(where: { $0.rows.isAskedByRoundTrips && $0.store.identifier == identifier })
        else { return nil }
        try added.rows.close()
        return existing.store
    }

    /// The error for a type that no class or product has. The error names the product that would provide the type.
    static func unsupported(_ storeType: String, at url: URL?) -> NSError {
        let types = registeredStoreTypes.keys.sorted().joined(separator: "', '")
        var reason = "Unsupported store type '\(storeType)'; there are '\(types)'."
        if let product = StoreEngines.product(for: storeType) {
            reason +=
                " A product that brings it has to be among the target's dependencies; its name would be '\(product)'."
        }
        return .coreData(NSPersistentStoreInvalidTypeError, reason: reason, url: url)
    }

    private func open(
        _ storeType: String, customClass: NSPersistentStore.Type?, configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]?, for use: StoreUse, insteadOf other: NSPersistentStore?,
        summary: (any StoreSummary)?
    ) throws -> AttachedStore {
        inheritedStoreNumber = attached.first { $0.store === other }?.number
        defer { inheritedStoreNumber = nil }
        if let customClass {
            return try openCustomStore(
                customClass, type: storeType, configuration: configuration, at: storeURL, options: options, use: use)
        }
        let opening = StoreOpening(
            layout: modelLayout, number: numberOfNextStore, type: storeType, configuration: configuration,
            url: storeURL, options: options, use: use, summary: summary)
        let engine = StoreEngines.fileEngine(for: storeType)
        let store = try engine.open(opening, copying: other)
        return AttachedStore(number: opening.number, store: store, rows: store)
    }

    /// Opens a store, creating it if it does not exist, and adds it to the coordinator.
    ///
    /// See ``addPersistentStore(ofType:configurationName:at:options:)``.
    ///
    /// - Parameters:
    ///   - type: The store's type.
    ///   - configuration: The configuration of the model that the store holds; nil for all entities.
    ///   - storeURL: The store's URL.
    ///   - options: The store's options.
    /// - Returns: The added store.
    /// - Throws: The errors of ``addPersistentStore(ofType:configurationName:at:options:)``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/addpersistentstore(type:configuration:at:options:))
    @discardableResult
    public final func addPersistentStore(
        type: NSPersistentStore.StoreType, configuration: String? = nil, at storeURL: URL,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try addPersistentStore(
            ofType: type.rawValue, configurationName: configuration, at: storeURL, options: options)
    }

    /// Does the work of `addPersistentStore(with:completionHandler:)` unless a subclass overrides it.
    final func _addPersistentStore(
        with storeDescription: NSPersistentStoreDescription,
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        let sent = UncheckedSendable((description: storeDescription, block: block))
        let work: @Sendable () -> Void = {
            let (description, block) = sent.value
            do {
                try self.addPersistentStore(
                    ofType: description.type, configurationName: description.configuration, at: description.url,
                    options: description.openingOptions)
                block(description, nil)
            } catch {
                block(description, error)
            }
        }
        if storeDescription.shouldAddStoreAsynchronously {
            DispatchQueue.global(qos: .userInitiated).async(execute: work)
        } else {
            work()
        }
    }

    /// Does the work of `remove(_:)` unless a subclass overrides it.
    final func _remove(_ store: NSPersistentStore) throws {
        lock.lock()
        defer { lock.unlock() }
        guard let position = attached.firstIndex(where: { $0.store === store }) else {
            throw NSError.coreData(
                NSPersistentStoreOperationError, reason: "The store is not one of this coordinator's", url: store.url)
        }
        NotificationCenter.default.post(name: .NSPersistentStoreCoordinatorWillRemoveStore, object: store)
        let removed = attached.remove(at: position)
        store.willRemove(from: self)
        try removed.rows.close()
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorStoresDidChange, object: self,
            userInfo: [NSRemovedPersistentStoresKey: [store]])
    }

    /// Does the work of `persistentStore(for:)` unless a subclass overrides it.
    final func _persistentStore(for URL: URL) -> NSPersistentStore? {
        let address = URL.standardizedFileURL
        // The URL of a server's store has no password.
        let known = [address, URL, URL.shown]
        return lock.withLock { attached.first { $0.store.url.map(known.contains) ?? false }?.store }
    }

    /// Does the work of `setURL(_:for:)` unless a subclass overrides it.
    final func _setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        guard store.isWholeFile, attached.contains(where: { $0.store === store }),
            StorePlace(url) != .file || [nil, .file].contains(FileKind(at: url, followsLinks: true))
        else { return false }
        store.url = url
        return true
    }

    /// Does the work of `url(for:)` unless a subclass overrides it.
    final func _url(for store: NSPersistentStore) -> URL {
        store.url ?? URL(fileURLWithPath: "/dev/null")
    }

    // MARK: Metadata

    /// Does the work of `metadata(for:)` unless a subclass overrides it.
    final func _metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata }

    /// Does the work of `setMetadata(_:for:)` unless a subclass overrides it.
    final func _setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
        store.metadata = metadata ?? [:]
    }

    /// Writes metadata that were set since the last save, for a save that writes nothing else.
    final func saveMetadata() throws {
        let stores = lock.withLock { attached }.filter { !$0.store.isReadOnly && $0.rows.hasUnsavedMetadata }
        if stores.isEmpty { return }
        try withSaveLock { for store in stores { try store.rows.saveMetadata() } }
    }

    /// Does the work of `metadataForPersistentStore(ofType:at:options:)` unless a subclass overrides it.
    static func _metadata(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]?
    ) throws -> [String: Any] {
        if let custom = StoreClasses.storeClass(for: storeType) {
            return try custom.metadataForPersistentStore(with: url)
        }
        try requireFileType(storeType, url)
        return try StoreEngines.fileEngine(for: storeType).metadata(at: url, timeout: StoreOptions.timeout(options))
    }

    /// Reads the metadata of a store at a URL without opening the store. Nothing on disk changes.
    ///
    /// - Parameters:
    ///   - type: The store's type.
    ///   - url: The store's URL.
    ///   - options: `NSPersistentStoreTimeoutOption`, which limits the wait for a program that holds the store.
    /// - Returns: The metadata.
    /// - Throws: The errors of ``metadataForPersistentStore(ofType:at:options:)``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/metadataforpersistentstore(type:at:options:))
    public static func metadataForPersistentStore(
        type: NSPersistentStore.StoreType, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try metadataForPersistentStore(ofType: type.rawValue, at: url, options: options)
    }

    /// Does the work of `setMetadata(_:forPersistentStoreOfType:at:options:)` unless a subclass overrides it.
    static func _setMetadata(
        _ metadata: [String: Any]?, ofType storeType: String, at url: URL, options: [AnyHashable: Any]?
    ) throws {
        if let custom = StoreClasses.storeClass(for: storeType) {
            return try custom.setMetadata(metadata, forPersistentStoreAt: url)
        }
        try requireFileType(storeType, url)
        try StoreEngines.fileEngine(for: storeType).setMetadata(
            metadata ?? [:], at: url, timeout: StoreOptions.timeout(options))
    }

    /// Writes the metadata of a store at a URL.
    ///
    /// - Parameters:
    ///   - metadata: The new metadata, which must be a property list; nil for none.
    ///   - type: The store's type.
    ///   - url: The store's URL.
    ///   - options: `NSPersistentStoreTimeoutOption`, which limits the wait for a program that holds the store.
    /// - Throws: The errors of ``metadataForPersistentStore(ofType:at:options:)``, and the error of the file if it
    ///   cannot be written.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/setmetadata(_:type:at:options:))
    public static func setMetadata(
        _ metadata: [String: Any]?, type: NSPersistentStore.StoreType, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try setMetadata(metadata, forPersistentStoreOfType: type.rawValue, at: url, options: options)
    }

    static func requireFileType(_ storeType: String, _ url: URL) throws {
        switch StoreEngines.form(of: storeType) {
        case .file: try StorePlace.requireFileURL(url)
        // The engine decides which addresses are those of its stores.
        case .database: break
        default:
            throw NSError.coreData(
                NSPersistentStoreInvalidTypeError,
                reason: "Stores of type '\(storeType)' have no file this version reads", url: url)
        }
    }
}

extension Notification.Name {
    /// Never posted. On Apple's systems it announces a change of stores by iCloud.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsnotification/name-swift.struct/nspersistentstorecoordinatorstoreswillchange)
    public static let NSPersistentStoreCoordinatorStoresWillChange = Notification.Name(
        "NSPersistentStoreCoordinatorStoresWillChangeNotification")
    /// Posted after a store was added to a coordinator or removed from it. The notification's object is the
    /// coordinator.
    ///
    /// The user info has arrays of stores under ``NSAddedPersistentStoresKey`` or ``NSRemovedPersistentStoresKey``. It
    /// is posted on the thread that makes the change.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsnotification/name-swift.struct/nspersistentstorecoordinatorstoresdidchange)
    public static let NSPersistentStoreCoordinatorStoresDidChange = Notification.Name(
        "NSPersistentStoreCoordinatorStoresDidChangeNotification")
    /// Posted before a store is removed from its coordinator. The notification's object is the store.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsnotification/name-swift.struct/nspersistentstorecoordinatorwillremovestore)
    public static let NSPersistentStoreCoordinatorWillRemoveStore = Notification.Name(
        "NSPersistentStoreCoordinatorWillRemoveStoreNotification")
}

/// The array of added stores, in the user info of the stores-did-change notification.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsaddedpersistentstoreskey)
public let NSAddedPersistentStoresKey = "added"
/// The array of removed stores, in the user info of the stores-did-change notification.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsremovedpersistentstoreskey)
public let NSRemovedPersistentStoresKey = "removed"
/// The stores before and after a change of their UUID, in the user info of the stores-did-change notification.
///
/// It is never there, because a store keeps its UUID while it is open.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsuuidchangedpersistentstoreskey)
public let NSUUIDChangedPersistentStoresKey = "NSUUIDChangedPersistentStoresKey"
