import Foundation

/// The one door to the stores of a model: contexts fetch and save through it.
///
/// May be used from any thread. The model becomes immutable with the first coordinator that uses it.
///
/// - Topics: adding and removing stores (`+Stores`), files of stores as a unit (`+Files`), rows for contexts (`+Rows`).
// @unchecked Sendable: the list of stores is guarded by `lock`.
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
    /// The model whose objects the stores hold.
    open var managedObjectModel: NSManagedObjectModel { frozenModel }
    private let frozenModel: NSManagedObjectModel
    let modelLayout: ModelLayout

    let lock = NSRecursiveLock()
    var attached: [AttachedStore] = []
    /// Never reused: ids of a removed store stay recognisable.
    var nextStoreNumber = 0
    /// While a store is opened that takes another's place: that one's number.
    var inheritedStoreNumber: Int?
    private var storedName: String?
    /// Whether new contexts read from standbys, and the views of these by the stores that there were; under `lock`.
    var storedReadsFromStandbys = false
    var knownStandbys: (numbers: [Int], generation: QueryGeneration)?
    /// Contexts that want to hear of saves.
    var subscribers: [WeakContext] = []
    /// Held while a context writes and says so to the others.
    let saveLock = NSLock()
    private let queue = DispatchQueue(label: "NSPersistentStoreCoordinator")

    struct AttachedStore {
        let number: Int
        let store: NSPersistentStore
        let rows: any RowStore
        /// The same, where the store is one that a program wrote.
        var objects: (any ObjectStore)?
    }

    #if DEBUG
        let liveEntry = LiveAccount.Entry(.coordinator)
    #endif

    /// Makes a coordinator without stores. Stops the process when the model contradicts itself; ask
    /// `NSPersistentContainer` or check the model's file first where the model is a user's input.
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

    /// Makes a coordinator of an empty model, without stores.
    public convenience override init() {
        self.init(managedObjectModel: NSManagedObjectModel())
    }

    /// A name for messages.
    open var name: String? {
        get { lock.withLock { storedName } }
        set { lock.withLock { storedName = newValue } }
    }

    /// The stores, in the order they were added.
    open var persistentStores: [NSPersistentStore] { lock.withLock { attached.map(\.store) } }

    // MARK: Queue

    /// Runs the block on the coordinator's queue later and returns at once.
    @preconcurrency
    open func perform(_ block: @escaping @Sendable () -> Void) {
        queue.async(execute: block)
    }

    /// Runs the block while nothing else runs on the coordinator's queue.
    open func performAndWait(_ block: () -> Void) {
        queue.sync(execute: block)
    }

    /// Runs the block while nothing else runs on the coordinator's queue, and returns its result.
    public final func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
        try returning(block, rescue: { throw $0 }, by: performAndWait(_:))
    }

    /// Runs the block on the coordinator's queue, suspending the caller meanwhile.
    ///
    /// The block may hold what the caller uses: the compiler lets it, and what is confined to a queue is checked at run
    /// time.
    nonisolated(nonsending) public final func perform<T>(_ block: @escaping () throws -> T) async rethrows -> T {
        let caller = #isolation
        return try await awaiting(block, rescue: { throw $0 }) { work, resume in
            queue.async(for: caller) {
                work()
                resume()
            }
        }
    }

    // MARK: What subclasses may override

    // An extension's methods cannot be overridden: these are here and do their work there.

    /// Executes a request for a context and returns what it gives: an array for a fetch, an `NSPersistentStoreResult`
    /// for other requests. Called on the context's queue.
    @discardableResult
    open func execute(
        _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext
    ) throws -> Any { try plainExecute(request, with: context) }

    /// Opens a store and adds it, making the file when there is none.
    ///
    /// Runs on the calling thread, including a migration when the options ask for one. Throws an `NSError` that names
    /// the file: 134100 when the store belongs to another version of the model and the options do not say to migrate,
    /// 134110 to 134190 when a migration fails, file errors otherwise. Nothing on disk changes then.
    @discardableResult
    open func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try plainAddPersistentStore(ofType: storeType, configurationName: configuration, at: storeURL, options: options)
    }

    /// Adds the described store: at once on the calling thread, or in the background when the description says so.
    ///
    /// The handler is called once, with the error if the store could not be added: on the calling thread before this
    /// returns, or, in the background case, on a queue of the coordinator.
    open func addPersistentStore(
        with storeDescription: NSPersistentStoreDescription,
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) { plainAddPersistentStore(with: storeDescription, completionHandler: block) }

    /// Moves a store's content to another address, or to a store of another kind, and continues there: the returned
    /// store takes the old one's place in the coordinator. The files at the old address stay.
    ///
    /// SQLite, XML and binary stores, those in memory and a program's own atomic stores are moved to each other; a
    /// store in memory may lie at `/dev/null` or at a name below it. Between SQLite files, and with such in memory,
    /// objects keep their ids; between stores of other kinds they get new ones, and objects of the old store are
    /// objects of a removed store. See [Apple's
    /// page](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/migratepersistentstore(_:to:options:withtype:)).
    ///
    /// - Parameter options: those of the new store. A `Progress` under `NSMigrationProgressOption` follows the work,
    ///   and cancelling it ends the move.
    /// - Throws: 134070 where a store of these kinds cannot be moved so, 134120 when the progress is cancelled, and the
    ///   errors of opening and of writing stores. The old store is as it was then, and open.
    @discardableResult
    open func migratePersistentStore(
        _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]? = nil, withType storeType: String
    ) throws -> NSPersistentStore {
        try migration.moveStore(store, to: URL, options, withType: storeType)
    }

    /// Destroys a store: the objects in it, its external values, and everything else that belongs to it.
    ///
    /// A SQLite store leaves its main file, its -wal and its -shm, all of them empty, so that a program can remove them
    /// next; an empty file is opened as a new store. The file of an XML or binary store, or of a program's own atomic
    /// store, is removed. Where no store is, a SQLite one leaves the empty files, too. Nothing happens at `/dev/null`.
    /// A store that is open in this coordinator is removed from it first.
    ///
    /// May be called from any thread. See [Apple's
    /// page](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/destroypersistentstore(at:oftype:options:)).
    ///
    /// - Parameters:
    ///   - url: the store's URL.
    ///   - storeType: the store's type.
    ///   - options: `NSPersistentStoreForceDestroyOption` and `NSPersistentStoreTimeoutOption` count.
    /// - Throws: `NSPersistentStoreTimeoutError` when somebody else has the store open, unless
    ///   `NSPersistentStoreForceDestroyOption` is true; `NSFileWriteUnknownError` when something else than a regular
    ///   file, or a folder, lies in the place of one of the store's; 134070 for an incremental store.
    open func destroyPersistentStore(
        at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
    ) throws { try plainDestroyPersistentStore(at: url, ofType: storeType, options: options) }

    /// Puts a copy of a store in the place of another one (or where there is none), all of the unit; the source stays.
    ///
    /// A store in memory has nobody who could open the copy: where `/dev/null`, or a name below it, is to be replaced,
    /// the store there is destroyed and nothing else happens. May be called from any thread. See [Apple's
    /// page](https://developer.apple.com/documentation/coredata/nspersistentstorecoordinator/replacepersistentstore(at:destinationoptions:withpersistentstorefrom:sourceoptions:oftype:)).
    ///
    /// `NSPersistentStoreTimeoutOption` of the destination's options limits the wait for processes that have the
    /// destination open. It is 0 unless set. That of the source's options limits the wait for the source.
    ///
    /// - Throws: `NSFileReadNoSuchFileError` or `NSFileReadCorruptFileError` when the source is no store,
    ///   `NSPersistentStoreTimeoutError` when somebody else has the destination open, unless
    ///   `NSPersistentStoreForceDestroyOption` is true in its options, `NSFileWriteUnknownError` when something else
    ///   than a regular file, or a folder, lies in the place of one of the destination's. The destination is as it was
    ///   then.
    open func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil, ofType storeType: String
    ) throws {
        try plainReplacePersistentStore(
            at: destinationURL, destinationOptions: destinationOptions, withPersistentStoreFrom: sourceURL,
            sourceOptions: sourceOptions, ofType: storeType)
    }

    /// Removes a store; its file stays. Objects that came from it can no longer read from it.
    open func remove(_ store: NSPersistentStore) throws { try plainRemove(store) }

    /// The store that lies at an address.
    open func persistentStore(for URL: URL) -> NSPersistentStore? { plainPersistentStore(for: URL) }

    /// Has a store that is read and written as a whole be written to another address from its next save on; false for
    /// stores of other kinds, and where a device, a pipe, a socket or a folder lies at the address: the store stays
    /// where it is.
    open func setURL(_ url: URL, for store: NSPersistentStore) -> Bool { plainSetURL(url, for: store) }

    /// Where a store lies.
    open func url(for store: NSPersistentStore) -> URL { plainUrl(for: store) }

    /// The metadata of a store of this coordinator.
    open func metadata(for store: NSPersistentStore) -> [String: Any] { plainMetadata(for: store) }

    /// Sets the metadata of a store of this coordinator; written with the next save.
    open func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
        plainSetMetadata(metadata, for: store)
    }

    /// The metadata of a store at an address, without opening it as a store: changes nothing on disk.
    ///
    /// Throws when there is no file, or when it is not a store. Of the options `NSPersistentStoreTimeoutOption` counts:
    /// how long whoever holds the store is waited for.
    open class func metadataForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] { try plainMetadata(ofType: storeType, at: url, options: options) }

    /// Sets the metadata of a store at an address.
    open class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws { try plainSetMetadata(metadata, ofType: storeType, at: url) }

    /// Makes a class of stores known under a type, so that stores of that type can be added; nil takes the class away.
    ///
    /// Stops the process when it is neither a subclass of `NSAtomicStore` nor of `NSIncrementalStore`.
    open class func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {
        plainRegister(storeClass, forStoreType: storeType)
    }

    /// The store types that can be added. A value holds the address of the class, as a number: `getValue(_:)` reads it.
    open class var registeredStoreTypes: [String: NSValue] { plainRegisteredStoreTypes }

    /// The present end of the history of some stores (nil: of all); nil when none of them keeps any.
    open func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? {
        plainCurrentPersistentHistoryToken(fromStores: stores)
    }

    /// Does everything that deferred migrations of this coordinator's stores have left. Nothing happens when there is
    /// none.
    ///
    /// One transaction per piece: other writers come between. Runs on the calling thread. Throws the store's error;
    /// what is done stays done, the rest can be finished later.
    open func finishDeferredLightweightMigration() throws { try plainFinishDeferredLightweightMigration() }

    /// Does one piece of the pending work of each store, for programs that do it while nothing else is to be done.
    open func finishDeferredLightweightMigrationTask() throws { try plainFinishDeferredLightweightMigrationTask() }

    // MARK: Object ids

    /// The id of an object by its URI; nil when the URI is not one of an object in the coordinator's stores.
    open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        // Taken apart as text: a name in a program's own store may hold an escaped slash.
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

    private func primaryKey(_ text: Substring, _ layout: EntityLayout, _ store: NSPersistentStore) -> Int64? {
        if let references = store.references {
            return text.removingPercentEncoding.map { references.primaryKey(ofText: $0, entity: layout.name) }
        }
        return Int64(text).flatMap { $0 > 0 && $0 <= ObjectKey.primaryKeyMask ? $0 : nil }
    }

    /// The id of an object by its URI as text.
    open func managedObjectID(for string: String) -> NSManagedObjectID? {
        URL(string: string).flatMap { managedObjectID(forURIRepresentation: $0) }
    }
}
