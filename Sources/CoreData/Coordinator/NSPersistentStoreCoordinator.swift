// Implementation notes: Coordinator.
//
// - The coordinator finds the engine of a product by its name (`StoreEngines`), and has a table of URL schemes
//   (`StoreEngines.type(of:)`). So if a program lacks the product, the error names the product to add.
// - Each of several stores answers a sorted fetch in the order of the fetch. `MergedRows` merges the lists by the
//   values in their rows, without making objects.
// - `StorePlace` decides whether a URL leads to a file or into memory. `/dev/null` leads into memory. A name below it
//   is one of SQLite's databases in memory that connections share.

import Foundation
import Synchronization

/// Connects contexts with the stores of one model.
///
/// Any thread may use a coordinator. A model cannot be changed any more once a coordinator uses it.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator)
// @unchecked Sendable: the list of stores is guarded by `lock`.
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
    /// The model whose objects the stores hold.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/managedobjectmodel)
    open var managedObjectModel: NSManagedObjectModel { frozenModel }
    private let frozenModel: NSManagedObjectModel
    let modelLayout: ModelLayout

    let lock = NSRecursiveLock()
    // Unchecked: each fetch reads it several times, under `lock`.
    @exclusivity(unchecked) final var attached: [AttachedStore] = [] {
        didSet {
            haveStoresInMemory.store(attached.contains(where: \.store.decidesByObject), ordering: .relaxed)
            haveObjectStores.store(attached.contains { $0.objects != nil }, ordering: .relaxed)
        }
    }
    /// Whether a store is one whose fetches may have no SQL (`hasSQL(for:in:)`); read by each fetch, without a lock.
    let haveStoresInMemory = Atomic(false)
    /// Whether a program wrote a store; read by each fetch, without a lock.
    private let haveObjectStores = Atomic(false)
    final var hasObjectStores: Bool { haveObjectStores.load(ordering: .relaxed) }
    /// The number of the next store. A number is never reused, so ids of a removed store stay recognisable.
    var nextStoreNumber = 0
    /// The number of the store that is being replaced, while its replacement is opened.
    var inheritedStoreNumber: Int?
    private var storedName: String?
    /// Whether new contexts read from standbys, and the views of the standbys with the numbers of the stores for which
    /// the views were made; under `lock`.
    var storedReadsFromStandbys = false
    var knownStandbys: (numbers: [Int], generation: QueryGeneration)?
    /// The contexts that merge the saves of other contexts.
    var subscribers: [WeakContext] = []
    /// Held while a context writes a save and publishes its changes to the other contexts.
    let saveLock = NSLock()
    private let queue = DispatchQueue(label: "NSPersistentStoreCoordinator")

    struct AttachedStore {
        let number: Int
        let store: NSPersistentStore
        let rows: any RowStore
        /// The store as an object store, if a program wrote its class.
        var objects: (any ObjectStore)?
    }

    #if DEBUG
    let liveEntry = LiveAccount.Entry(.coordinator)
    #endif

    /// Creates a coordinator without stores.
    ///
    /// The process stops if the model contradicts itself. The model cannot be changed afterwards.
    ///
    /// - Parameter model: The model of the stores.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/init(managedobjectmodel:))
    public init(managedObjectModel model: NSManagedObjectModel) {
        model.resolveReferences()
        do {
            try model.validate()
        } catch {
            fatalError("The model cannot be used: \(error.localizedDescription)")
        }
        frozenModel = model
        modelLayout = model.layout
        super.init()
    }

    /// Creates a coordinator without stores, for an empty model.
    public convenience override init() {
        self.init(managedObjectModel: NSManagedObjectModel())
    }

    /// A name for the coordinator. The framework does not use it.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/name)
    open var name: String? {
        get { lock.withLock { storedName } }
        set { lock.withLock { storedName = newValue } }
    }

    /// The stores, in the order in which they were added.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/persistentstores)
    open var persistentStores: [NSPersistentStore] { lock.withLock { attached.map(\.store) } }

    // MARK: Queue

    /// Runs the block on the coordinator's queue later and returns at once.
    ///
    /// - Parameter block: The work to do.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/perform(_:)-7jqb)
    @preconcurrency
    open func perform(_ block: @escaping @Sendable () -> Void) {
        queue.async { self.holdingQueue(block) }
    }

    /// Runs the block while nothing else runs on the coordinator's queue.
    ///
    /// Calls may be nested: one from a block of this coordinator runs its block at once.
    ///
    /// - Parameter block: The work to do.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/performandwait(_:)-d3kq)
    open func performAndWait(_ block: () -> Void) {
        if Thread.current.threadDictionary[heldKey] != nil { return block() }
        queue.sync { holdingQueue(block) }
    }

    /// Runs a body on the coordinator's queue, on which this method is called. A thread-local value notes that the
    /// thread holds the queue.
    ///
    /// A queue-specific value would not show it, because the body may wait for another queue, whose block calls this
    /// coordinator.
    private func holdingQueue(_ body: () -> Void) {
        let thread = Thread.current.threadDictionary
        thread[heldKey] = true
        defer { thread.removeObject(forKey: heldKey) }
        body()
    }

    private var heldKey: String { "NSPersistentStoreCoordinator \(UInt(bitPattern: ObjectIdentifier(self)))" }

    /// Runs the block while nothing else runs on the coordinator's queue, and returns its result.
    ///
    /// Calls may be nested: one from a block of this coordinator runs its block at once.
    ///
    /// - Parameter block: The work to do.
    /// - Returns: The block's result.
    /// - Throws: The block's error.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/performandwait(_:)-15ude)
    public final func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
        try returning(block, rescue: { throw $0 }, by: performAndWait(_:))
    }

    /// Runs the block on the coordinator's queue and returns its result; the caller is suspended until then.
    ///
    /// The block may capture values that are not `Sendable`: the compiler treats it as code of the caller. It must not
    /// read or change the state of an actor that calls it.
    ///
    /// - Parameter block: The work to do.
    /// - Returns: The block's result.
    /// - Throws: The block's error.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/perform(_:)-74udx)
    nonisolated(nonsending) public final func perform<T>(_ block: @escaping () throws -> T) async rethrows -> T {
        let caller = #isolation
        return try await awaiting(block, rescue: { throw $0 }) { work, resume in
            queue.async(for: caller) {
                self.holdingQueue(work)
                resume()
            }
        }
    }

    // MARK: Members that subclasses may override

    // An extension's methods cannot be overridden, so these methods are declared in the class. Extensions implement
    // them.

    /// Executes a request for a context. Call it on the context's queue.
    ///
    /// - Parameters:
    ///   - request: The request to execute.
    ///   - context: The context that the results belong to.
    /// - Returns: An array for a fetch, and an `NSPersistentStoreResult` for other requests. A request class of a
    ///   program's own gives an array with the answer of each store that a program wrote.
    /// - Throws: The errors of ``NSManagedObjectContext/execute(_:)`` and `NSManagedObjectContext.fetch(_:)`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/execute(_:with:))
    @discardableResult
    open func execute(
        _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext
    ) throws -> Any { try _execute(request, with: context) }

    /// Opens a store, creating it if it does not exist, and adds it to the coordinator.
    ///
    /// The work is done on the calling thread, including a migration if the options allow one. If the coordinator has a
    /// store at the URL already, it returns that store. When the call throws, a store on disk is as it was before.
    ///
    /// - Parameters:
    ///   - storeType: The store's type, such as `NSSQLiteStoreType`.
    ///   - configuration: The configuration of the model that the store holds; nil for all entities.
    ///   - storeURL: The store's URL; nil for a store in memory.
    ///   - options: The store's options, such as `NSMigratePersistentStoresAutomaticallyOption`.
    /// - Returns: The added store.
    /// - Throws:
    ///   - `NSPersistentStoreIncompatibleVersionHashError` (134100) if the store is of another version of the model and
    ///     the options do not allow a migration.
    ///   - The errors 134110 to 134190 if a migration fails.
    ///   - `NSPersistentStoreTimeoutError` (134090) if another program holds the store for longer than
    ///     `NSPersistentStoreTimeoutOption` allows.
    ///   - `NSPersistentStoreInvalidTypeError` (134000) if no class has the store's type.
    ///   - `NSPersistentStoreOpenError` (134080) if the model does not have the configuration, or the options or the
    ///     URL do not fit the store.
    ///   - The error of the file, such as `NSFileReadCorruptFileError` (259) if it is no store.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/addpersistentstore(oftype:configurationname:at:options:))
    @discardableResult
    open func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try _addPersistentStore(ofType: storeType, configurationName: configuration, at: storeURL, options: options)
    }

    /// Adds the store that a description describes, at once or in the background.
    ///
    /// The handler is called once. Without `shouldAddStoreAsynchronously` that happens on the calling thread, before
    /// this method returns. With it, it happens later on a global queue.
    ///
    /// - Parameters:
    ///   - storeDescription: The store's type, URL and options.
    ///   - block: The handler. Its error is nil if the store was added, and otherwise one of
    ///     ``addPersistentStore(ofType:configurationName:at:options:)``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/addpersistentstore(with:completionhandler:))
    open func addPersistentStore(
        with storeDescription: NSPersistentStoreDescription,
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) { _addPersistentStore(with: storeDescription, completionHandler: block) }

    /// Moves a store's content to another URL or to a store of another type, which replaces it in the coordinator.
    ///
    /// The files at the old URL stay. SQLite, XML and binary stores, stores in memory, databases and a program's own
    /// atomic stores can be moved to each other. `/dev/null`, or a name below it, stands for a store in memory.
    ///
    /// Between SQLite stores, on disk or in memory, objects keep their ids. Between stores of other types they get new
    /// ids, and objects of the old store belong to a removed store.
    ///
    /// - Parameters:
    ///   - store: A store of this coordinator.
    ///   - URL: The new URL.
    ///   - options: The options of the new store. A `Progress` under `NSMigrationProgressOption` follows the work, and
    ///     cancelling it ends the move.
    ///   - storeType: The type of the new store.
    /// - Returns: The new store.
    /// - Throws: `NSPersistentStoreOperationError` (134070) if these types cannot be moved to each other,
    ///   `NSMigrationCancelledError` (134120) if the progress is cancelled, and the errors of opening and writing
    ///   stores. The old store is then unchanged and open.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/migratepersistentstore(_:to:options:withtype:))
    @discardableResult
    open func migratePersistentStore(
        _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]? = nil, withType storeType: String
    ) throws -> NSPersistentStore {
        try migration.moveStore(store, to: URL, options, withType: storeType)
    }

    /// Destroys a store with its objects, its external values and all other files that belong to it.
    ///
    /// A store that is open in this coordinator is removed from it first. A SQLite store leaves an empty main file,
    /// -wal and -shm, also if there was none; an empty file opens as a new store. The file of an XML or binary store,
    /// or of a program's own atomic store, is removed. Nothing happens for a store in memory or at `/dev/null`.
    ///
    /// - Parameters:
    ///   - url: The store's URL.
    ///   - storeType: The store's type.
    ///   - options: `NSPersistentStoreForceDestroyOption` and `NSPersistentStoreTimeoutOption` (0 unless set); other
    ///     options are ignored.
    /// - Throws:
    ///   - `NSPersistentStoreTimeoutError` (134090) if another coordinator or program has the store open, unless
    ///     `NSPersistentStoreForceDestroyOption` is true.
    ///   - `NSFileWriteUnknownError` (512) if something other than a regular file or a folder is in the place of one of
    ///     the store's files.
    ///   - `NSPersistentStoreOperationError` (134070) for an incremental store.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/destroypersistentstore(at:oftype:options:))
    open func destroyPersistentStore(
        at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
    ) throws { try _destroyPersistentStore(at: url, ofType: storeType, options: options) }

    /// Replaces a store, if there is one, with a copy of another store; the source stays.
    ///
    /// All files of the source that belong together are copied. A destination that is open in this coordinator is
    /// removed from it first. If the destination is `/dev/null` or a name below it, the store there is destroyed and
    /// nothing is copied.
    ///
    /// - Parameters:
    ///   - destinationURL: The URL of the store to replace.
    ///   - destinationOptions: `NSPersistentStoreForceDestroyOption`, and `NSPersistentStoreTimeoutOption`, which
    ///     limits the wait for coordinators and programs that have the destination open (0 unless set).
    ///   - sourceURL: The URL of the store to copy.
    ///   - sourceOptions: `NSPersistentStoreTimeoutOption`, which limits the wait for the source (240 seconds unless
    ///     set).
    ///   - storeType: The type of both stores.
    /// - Throws: The destination is unchanged after each of these errors.
    ///   - `NSFileReadNoSuchFileError` (260) or `NSFileReadCorruptFileError` (259) if the source is no store.
    ///   - `NSPersistentStoreTimeoutError` (134090) if another coordinator or program has the destination open, unless
    ///     `NSPersistentStoreForceDestroyOption` is true in its options.
    ///   - `NSFileWriteUnknownError` (512) if something other than a regular file or a folder is in the place of one of
    ///     the destination's files.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/replacepersistentstore(at:destinationoptions:withpersistentstorefrom:sourceoptions:oftype:))
    open func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil, ofType storeType: String
    ) throws {
        try _replacePersistentStore(
            at: destinationURL, destinationOptions: destinationOptions, withPersistentStoreFrom: sourceURL,
            sourceOptions: sourceOptions, ofType: storeType)
    }

    /// Removes a store from the coordinator; its files stay.
    ///
    /// Faults of objects from this store can no longer be read.
    ///
    /// - Parameter store: A store of this coordinator.
    /// - Throws: `NSPersistentStoreOperationError` (134070) if the store is not one of this coordinator's, and the
    ///   store's error if it cannot be closed.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/remove(_:))
    open func remove(_ store: NSPersistentStore) throws { try _remove(store) }

    /// Returns the coordinator's store at a URL.
    ///
    /// - Parameter URL: The URL, for a database with or without the password.
    /// - Returns: The store, or nil.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/persistentstore(for:))
    open func persistentStore(for URL: URL) -> NSPersistentStore? { _persistentStore(for: URL) }

    /// Sets the URL to which a store is written from its next save on.
    ///
    /// Only stores that are read and written as a whole can be moved this way, such as XML and binary stores.
    ///
    /// - Parameters:
    ///   - url: The new URL.
    ///   - store: A store of this coordinator.
    /// - Returns: False if the store is of another kind, or if a device, a pipe, a socket or a folder is at the URL.
    ///   Nothing changes then.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/seturl(_:for:))
    open func setURL(_ url: URL, for store: NSPersistentStore) -> Bool { _setURL(url, for: store) }

    /// Returns the URL of a store; `/dev/null` for a store without one.
    ///
    /// - Parameter store: The store.
    /// - Returns: The URL, for a database without the password.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/url(for:))
    open func url(for store: NSPersistentStore) -> URL { _url(for: store) }

    /// Returns the metadata of a store.
    ///
    /// - Parameter store: A store of this coordinator.
    /// - Returns: The metadata, including those that have been set and not saved yet.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/metadata(for:))
    open func metadata(for store: NSPersistentStore) -> [String: Any] { _metadata(for: store) }

    /// Sets the metadata of a store. The next save of a context writes them.
    ///
    /// - Parameters:
    ///   - metadata: The new metadata, which must be a property list; nil for none.
    ///   - store: A store of this coordinator.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/setmetadata(_:for:))
    open func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
        _setMetadata(metadata, for: store)
    }

    /// Reads the metadata of a store at a URL without opening the store. Nothing on disk changes.
    ///
    /// Any thread may call it.
    ///
    /// - Parameters:
    ///   - storeType: The store's type.
    ///   - url: The store's URL.
    ///   - options: `NSPersistentStoreTimeoutOption`, which limits the wait for a program that holds the store (240
    ///     seconds unless set).
    /// - Returns: The metadata.
    /// - Throws: `NSFileReadNoSuchFileError` (260) if there is no file, `NSFileReadCorruptFileError` (259) if it is no
    ///   store, and `NSPersistentStoreInvalidTypeError` (134000) for a type whose stores are not files.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/metadataforpersistentstore(oftype:at:options:))
    open class func metadataForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] { try _metadata(ofType: storeType, at: url, options: options) }

    /// Writes the metadata of a store at a URL.
    ///
    /// Any thread may call it.
    ///
    /// - Parameters:
    ///   - metadata: The new metadata, which must be a property list; nil for none.
    ///   - storeType: The store's type.
    ///   - url: The store's URL.
    ///   - options: `NSPersistentStoreTimeoutOption`, which limits the wait for a program that holds the store (240
    ///     seconds unless set).
    /// - Throws: The errors of ``metadataForPersistentStore(ofType:at:options:)``, and the error of the file if it
    ///   cannot be written.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/setmetadata(_:forpersistentstoreoftype:at:options:))
    open class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws { try _setMetadata(metadata, ofType: storeType, at: url, options: options) }

    /// Registers a class of stores under a type, so that stores of that type can be added.
    ///
    /// The process stops if the class is neither a subclass of `NSAtomicStore` nor of `NSIncrementalStore`. Any thread
    /// may call it.
    ///
    /// - Parameters:
    ///   - storeClass: The class; nil removes the registration.
    ///   - storeType: The type.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/registerstoreclass(_:forstoretype:))
    open class func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {
        _register(storeClass, forStoreType: storeType)
    }

    /// The store types that can be added.
    ///
    /// Each value holds the address of the class as a number, which `getValue(_:)` reads.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/registeredstoretypes)
    open class var registeredStoreTypes: [String: NSValue] { _registeredStoreTypes }

    /// Returns a token for the present end of the history of some stores.
    ///
    /// - Parameter stores: Stores of this coordinator; nil or an empty array for all of them.
    /// - Returns: The token; nil if none of the stores keeps history. A store that cannot be read is left out of the
    ///   token.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/currentpersistenthistorytoken(fromstores:))
    open func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? {
        _currentPersistentHistoryToken(fromStores: stores)
    }

    /// Does all work that deferred migrations of this coordinator's stores have left.
    ///
    /// Each piece of work has a transaction of its own, so other writers can come between. The work is done on the
    /// calling thread. Without such work nothing happens.
    ///
    /// - Throws: The store's error. Finished pieces stay finished, and a later call does the remaining ones.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/finishdeferredlightweightmigration())
    open func finishDeferredLightweightMigration() throws { try _finishDeferredLightweightMigration() }

    /// Does one piece of the deferred work of each store.
    ///
    /// Programs call it at moments when they have nothing else to do.
    ///
    /// - Throws: The store's error.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/finishdeferredlightweightmigrationtask())
    open func finishDeferredLightweightMigrationTask() throws { try _finishDeferredLightweightMigrationTask() }

    // MARK: Object ids

    /// Returns the id of an object by its URI.
    ///
    /// Nothing is read: the row may no longer exist.
    ///
    /// - Parameter url: The URI that an id gives.
    /// - Returns: The id; nil if the URI is not one of an object in the coordinator's stores.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/managedobjectid(forurirepresentation:))
    open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        // The URI is parsed as text, because a name in a program's own store may hold an escaped slash.
        let parts = url.absoluteString.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0] == "x-coredata:", parts[1].isEmpty, parts[4].first == "p",
            let entity = parts[3].removingPercentEncoding, let layout = modelLayout.layout(named: entity)
        else { return nil }
        let identifier = parts[2].removingPercentEncoding ?? String(parts[2])
        let match = lock.withLock {
            attached.first { $0.store.identifier.caseInsensitiveCompare(identifier) == .orderedSame }
        }
        guard let match, let primaryKey = primaryKey(parts[4].dropFirst(), layout, match.store) else { return nil }
        let key = ObjectKey.key(storeNumber: match.number, primaryKey: primaryKey)
        return NSManagedObjectID(
            objectKey: ObjectKey(layoutIndex: layout.index, key: key), modelLayout: modelLayout, store: match.store)
    }

    /// Returns the id of an object by its URI as text.
    ///
    /// - Parameter string: The URI that an id gives.
    /// - Returns: The id; nil if the text is not the URI of an object in the coordinator's stores.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator)
    open func managedObjectID(for string: String) -> NSManagedObjectID? {
        URL(string: string).flatMap { managedObjectID(forURIRepresentation: $0) }
    }
}
