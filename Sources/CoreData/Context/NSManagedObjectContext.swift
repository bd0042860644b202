// Implementation notes: Context.
//
// - Permanent keys: a context that saved appends a permanent-ID update to the pending updates of each child. A child
//   applies its pending updates when it is next used. It checks the objects that were renamed, the unsaved ones, and
//   those in `temporaryHolders`: objects whose row or members lead to temporary keys. `checkInvariants` verifies that
//   none is missing.
// - Unsaved objects: a fetch evaluates them by their present values. `UnsavedIndex` finds the unsaved objects with a
//   value of an attribute, so find-or-create stays linear. The index reads the lists of inserted and of changed objects
//   as they grow, and reads each object that changes again. A count is the count of the source, minus the changed
//   objects in it, plus those that match now.
// - Recent objects (`RecentObjects`): the context holds the latest destinations of to-one relationships, and the
//   results of fetches, saves and to-many relationships. They stay until the block or the turn of the main queue ends,
//   as a Mac's pools hold them. Their number is limited. Results lie as whole arrays in two generations.
// - Reading in the middle of a block propagates pending deletes (`propagatePendingDeletes`) and posts nothing. Undo and
//   notifications wait for `processPendingChanges`.
// - Notifications: their sets of objects take a tenth of a large save. The first and the last notification of a save
//   have the same objects as a rule, and so the same sets (`ObjectSets`).
// - The FIFO lock (`FIFOLock`): everything that runs on a private context's queue takes it, and so do children that
//   read. A save releases the lock while it writes and takes it again before the commit. So children continue to read
//   and see either all of the save or nothing. They wait only while objects are checked and taken over (`bin/bench
//   nested`).
// - The lock hand-off (`LockHandOff`): a child's block that stands before the awaited one may read through the contexts
//   above, as a merge does, while their holder waits for it. So the holder releases the FIFO locks of private contexts
//   above the child, and hands off the main queue (`MainQueueHandOff`). The holder takes all of them back when its
//   block has its turn, in the order in which readers take them.
// - A thread that waits to read through a context hands off the contexts that it holds above that one, too. A child's
//   save needs its parent's queue and still waits.
// - A large save of a child (`PushedSave`) is checked against a private parent before it returns, and waits there with
//   the rows that were found. The next block on the parent's queue takes it over first. It may wait only if taking it
//   over reads nothing, so that the result is the same.
// - A query generation is a connection with an open read transaction behind a store of its own, with a row cache of its
//   own. A pinned context reads from that store. A context that reads from standbys has a generation whose stores are
//   views of the standbys.
// - A fetch with a batch size reads keys (`FetchedKeys`: pieces of some thousand, four bytes a key where they lie near
//   each other) and makes faults of them. The context remembers the keys (`FetchedBatches`). The first fault of a batch
//   that fires reads the rows of the whole batch. At the end of a block, and before the next such fetch, the context
//   forgets batches for which no object waits.
// - Unsaved objects get their places among the keys of such a fetch (`+KeysWithUnsaved`). The binary search makes only
//   the objects with which it compares.
// - Large results (`FetchedObjects`) are the same keys without the faults. A `FetchedWindow` holds the objects of one
//   batch; the collection has one, and each iterator its own. The window releases them before it makes the next batch.
//   The context refers to such keys (`fetchesOfNew`, weakly) only where new objects are among them, to rename these
//   when they are saved.
// - The fetched-results controller does not use such keys. It has to return an array of its objects, find a changed
//   object's old place by the object, and hand deleted objects to its delegate. Merges report only registered objects
//   to it.
// - Prefetching fills rows and members of many objects by few requests (`+Prefetching`), through parents too, and
//   leaves faults faults.
// - A fault that cannot be read stops the process, unless an operation is under way that can throw
//   (`+FulfillingFaults`). A fetch, a save and `fulfillFaults` collect such errors (`ReadErrors`) and throw the first
//   of them before anything is written.
// - Confinement: `HeldContexts` is a stack per thread of the contexts whose queues it holds. It answers three
//   questions: re-entrancy, the wrong queue, and whether main is held below a private context's block.
//   `ConfinementCheck` decides the result of a wrong use: a line on standard error, the end of the process, or nothing.
// - Locks are Foundation's (`NSLock`, `Locked`) and libdispatch's queues, because the thread sanitizer sees them. The
//   sanitizer does not see `Synchronization.Mutex` and reports the values that a mutex guards as races. It sees
//   `Atomic`.
// - Members that subclasses may override are `open` and stand in the class. The work is in a method `plain…` of an
//   extension, which the framework itself calls.

import Foundation
import Synchronization

/// Fetches managed objects, tracks their changes, and saves them to its coordinator or to its parent context.
///
/// Use a context and its objects on the context's queue only. That is inside ``perform(_:)`` and `performAndWait`
/// blocks, or on the main queue for a main-queue context. Debug builds report any other use on standard error. The
/// launch argument `-com.apple.CoreData.ConcurrencyDebug 1` stops the process there instead (``confinementResponse``).
///
/// Any thread may hold a reference to a context. Any thread may also read the context's ``concurrencyType``, ``parent``
/// and ``persistentStoreCoordinator``, which do not change once the context is used. The same holds for an object's
/// ``NSManagedObject/objectID``, ``NSManagedObject/entity`` and ``NSManagedObject/managedObjectContext``.
///
/// Before the first object of a context exists, the code that created the context may set its properties on any thread.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext)
// @unchecked Sendable: all state is confined to the context's queue, or guarded by `guardedLock` where a comment says
// so.
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
    /// The kind of queue that the context is tied to.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/concurrencytype-swift.property)
    open var concurrencyType: NSManagedObjectContextConcurrencyType { queueType }
    /// The context's queue type, which the framework itself reads.
    final let queueType: NSManagedObjectContextConcurrencyType

    /// The private context's queue, the main queue, or nil for the legacy type.
    let queue: DispatchQueue?
    /// A FIFO lock that lets children read while a private context writes; blocks on its queue take the lock too.
    let fifoLock: FIFOLock?
    @exclusivity(unchecked) final var childSaves = ChildSaves()
    @exclusivity(unchecked) package final var thresholds = ContextThresholds()

    @exclusivity(unchecked) final var links = ContextLinks()
    @exclusivity(unchecked) final var settings = ContextSettings()

    /// The model's layouts; set with the coordinator or the parent.
    @exclusivity(unchecked) final var modelLayout: ModelLayout?
    var model: NSManagedObjectModel?

    /// By layout index; made on demand.
    @exclusivity(unchecked) final var bindings: [EntityBinding?] = []
    /// The entities of classes that `init(context:)` was called on.
    @exclusivity(unchecked) final var entitiesByClass: [ObjectIdentifier: NSEntityDescription] = [:]
    /// By root layout index; made on demand.
    @exclusivity(unchecked) final var identityMaps: [IdentityMap?] = []
    /// Objects that relationships led to, fetches gave and saves wrote lately.
    let recentObjects = RecentObjects()

    // Unchecked, as those above: each fetch, and each object that a program makes or changes, goes through them.
    @exclusivity(unchecked) final var tracked = TrackedChanges()
    @exclusivity(unchecked) final var idState = ObjectIDState()
    @exclusivity(unchecked) final var saveState = SaveState()
    @exclusivity(unchecked) final var fetchState = FetchState()
    /// The changes that can be undone; nil without an undo manager.
    var undoRecord: ContextUndo?
    /// Fetched-results controllers with a delegate.
    var followers: [Follower] = []
    /// The state of the stores that is read.
    var readingState = Reading.present
    #if DEBUG
    /// Counts this context for the test that made it, or for its coordinator or parent.
    private(set) var liveEntry = LiveAccount.Entry(.context)
    #endif

    /// Guards `guarded`, which other queues change.
    let guardedLock = NSLock()
    final var guarded = GuardedState()
    /// Whether the context has pending updates. It is set under `guardedLock` and read without it.
    let hasPendingUpdates = Atomic<Bool>(false)
    /// The `confinementResponse` that the program has set; 0 when it has set none.
    let ownConfinementResponse = Atomic<UInt8>(0)

    /// Creates a context of the legacy confinement type.
    ///
    /// Such a context has no queue: `perform` and `performAndWait` stop the process. Use ``init(concurrencyType:)`` in
    /// new code.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/init())
    public convenience override init() {
        self.init(concurrencyType: .confinementConcurrencyType)
    }

    /// Creates a context that is tied to a queue of the given kind.
    ///
    /// The new context has neither a coordinator nor a parent. Set one of them before the first use.
    ///
    /// - Parameter ct: The main queue, or a private queue that the context creates.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/init(concurrencytype:))
    public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
        queueType = ct
        fifoLock = ct == .privateQueueConcurrencyType ? FIFOLock() : nil
        switch ct {
        case .confinementConcurrencyType: queue = nil
        case .mainQueueConcurrencyType: queue = .main
        case .privateQueueConcurrencyType:
            queue = DispatchQueue(label: "NSManagedObjectContext", qos: .userInitiated)
        }
        super.init()
        ConfinementCheck.prepare()
        ObjectMaterializer.prepare()
    }

    deinit {
        recentObjects.removeAll()
        for map in identityMaps {
            for object in map?.objects ?? [] { object.detach(unregister: false) }
            map?.removeAll()
        }
        for binding in bindings { binding?.context = nil }
        links.coordinator?.contextDidRelease(isParentless: links.parent == nil)
    }

    /// The coordinator that the context works with: its own, or that of the topmost parent.
    ///
    /// Set it once, before the first use. It cannot be set in a context that has a parent, nor replaced once the
    /// context has objects: both stop the process. Any thread may read it from then on.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/persistentstorecoordinator)
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { links.parent?.persistentStoreCoordinator ?? links.coordinator }
        set {
            checkConfinementOnceUsed()
            require(links.parent == nil, "Context already has a parent context; cannot set a coordinator")
            require(
                links.coordinator == nil || links.coordinator === newValue || !hasRegisteredObjects,
                "Context already has a coordinator; cannot replace.")
            links.coordinator = newValue
            if newValue?.readsFromStandbys == true { readsFromStandbys = true }
            #if DEBUG
            liveEntry = liveEntry ?? LiveAccount.Entry(.context, in: newValue?.liveEntry?.account)
            #endif
            use(model: newValue?.managedObjectModel)
            subscribeToCoordinator()
        }
    }

    /// The context that this one fetches from and saves to, in place of a coordinator.
    ///
    /// Set it once, before the first use. A context with a coordinator of its own cannot have a parent, a confinement
    /// context cannot be one, and a parent cannot be replaced once the context has objects: each stops the process. Any
    /// thread may read it from then on.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/parent)
    open var parent: NSManagedObjectContext? {
        get { links.parent }
        set {
            checkConfinementOnceUsed()
            require(links.coordinator == nil, "Context already has a coordinator; cannot set a parent context.")
            require(
                links.parent == nil || links.parent === newValue || !hasRegisteredObjects,
                "Context already has a parent context; cannot replace.")
            require(
                newValue?.concurrencyType != .confinementConcurrencyType,
                "Parent NSManagedObjectContext must use either NSPrivateQueueConcurrencyType or "
                    + "NSMainQueueConcurrencyType.")
            links.parent = newValue
            newValue?.adopt(child: self)
            if let newValue { inheritConfinementResponse(from: newValue) }
            #if DEBUG
            liveEntry = liveEntry ?? LiveAccount.Entry(.context, in: newValue?.liveEntry?.account)
            #endif
            use(model: newValue?.persistentStoreCoordinator?.managedObjectModel)
        }
    }

    private func use(model: NSManagedObjectModel?) {
        self.model = model
        modelLayout = model?.layout
        entitiesByClass = [:]
        bindings = Array(repeating: nil, count: modelLayout?.entities.count ?? 0)
        identityMaps = Array(repeating: nil, count: modelLayout?.entities.count ?? 0)
    }

    /// Checks the queue once the context has objects. Before that, the creator of the context may read and change its
    /// settings anywhere.
    final func checkConfinementOnceUsed(_ operation: StaticString = #function) {
        if hasRegisteredObjects { checkConfinement(operation) }
    }

    private var hasRegisteredObjects: Bool {
        identityMaps.contains { ($0?.count ?? 0) > 0 }
    }

    /// Whether delete rules are applied each time pending changes are processed (the default), or only by a save.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/propagatesdeletesatendofevent)
    open var propagatesDeletesAtEndOfEvent: Bool {
        get {
            checkConfinementOnceUsed()
            return settings.propagatesDeletesAtEndOfEvent
        }
        set {
            checkConfinementOnceUsed()
            settings.propagatesDeletesAtEndOfEvent = newValue
        }
    }

    /// A name for the context, which messages and the persistent history show.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/name)
    open var name: String? {
        get {
            checkConfinementOnceUsed()
            return settings.name
        }
        set {
            checkConfinementOnceUsed()
            settings.name = newValue
        }
    }

    /// The author that the persistent history records for this context's saves; nil unless set.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/transactionauthor)
    open var transactionAuthor: String? {
        get {
            checkConfinementOnceUsed()
            return settings.transactionAuthor
        }
        set {
            checkConfinementOnceUsed()
            settings.transactionAuthor = newValue
        }
    }

    /// A dictionary in which the application may keep values with the context.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/userinfo)
    open var userInfo: NSMutableDictionary {
        checkConfinement()
        return settings.userInfo
    }

    /// Whether an object whose row no longer exists becomes a deleted object without values (the default).
    ///
    /// When it is false, reading such an object stops the process with "CoreData could not fulfill a fault".
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/shoulddeleteinaccessiblefaults)
    open var shouldDeleteInaccessibleFaults: Bool {
        get {
            checkConfinementOnceUsed()
            return settings.shouldDeleteInaccessibleFaults
        }
        set {
            checkConfinementOnceUsed()
            settings.shouldDeleteInaccessibleFaults = newValue
        }
    }

    /// Decides what happens when an object is read whose row no longer exists.
    ///
    /// The framework calls it on the context's queue. This implementation returns ``shouldDeleteInaccessibleFaults``.
    ///
    /// - Parameters:
    ///   - fault: The object whose row is missing.
    ///   - oid: The object's id.
    ///   - property: Always nil here, because a fault reads the whole row.
    /// - Returns: True to make the object a deleted object without values, false to stop the process.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/shouldhandleinaccessiblefault(_:for:triggeredbyproperty:))
    open func shouldHandleInaccessibleFault(
        _ fault: NSManagedObject, for oid: NSManagedObjectID, triggeredByProperty property: NSPropertyDescription?
    ) -> Bool {
        shouldDeleteInaccessibleFaults
    }

    // MARK: Members that subclasses may override

    // An extension's methods cannot be overridden, so these methods are declared in the class. Extensions implement
    // them.

    /// Runs the block on the context's queue later and returns at once.
    ///
    /// Pending changes are processed after the block. Any thread may call it. A confinement context has no queue, so
    /// the call stops the process.
    ///
    /// - Parameter block: The work to do on the context's queue.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/perform(_:))
    @preconcurrency
    open func perform(_ block: @escaping @Sendable () -> Void) { _perform(block) }

    /// Runs the block while the context's queue is held, and returns when the block has finished.
    ///
    /// Calls may be nested: inside a block of the same context the block runs directly. Pending changes are processed
    /// at the end if the context has an undo manager. Otherwise they wait for the next `perform` block or save, and on
    /// a main-queue context for the end of the current event.
    ///
    /// Any thread may call it. A confinement context has no queue, so the call stops the process.
    ///
    /// - Parameter block: The work to do on the context's queue.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/performandwait(_:)-ypye)
    // The form with a result calls this method, which is not disfavoured, so that `super.performAndWait(block)` in an
    // override means this method.
    open func performAndWait(_ block: () -> Void) { _performAndWait(block) }

    /// Saves the unsaved changes to the coordinator's stores, or passes them to the parent context.
    ///
    /// Each store gets one transaction. A parent context keeps the changes as its own unsaved changes.
    ///
    /// The steps are, in this order: pending changes are processed, the will-save notification is posted,
    /// ``NSManagedObject/willSave()`` is called once for each object to be written. Then the objects are validated and
    /// written, ``NSManagedObject/didSave()`` is called, and the did-save notification is posted. A save without
    /// changes posts both notifications too.
    ///
    /// The ``mergePolicy`` resolves conflicts, and the save writes the result. When the save throws, nothing is written
    /// and every change is still unsaved.
    ///
    /// No store commits before all stores have taken their part. Stores that programs wrote come last, one after the
    /// other. If one of them refuses, the part that an earlier one of them has taken stays saved.
    ///
    /// - Throws:
    ///   - Validation errors with the codes 1550 to 1690; several at once are `NSValidationMultipleErrorsError` (1560)
    ///     with the list under ``NSDetailedErrorsKey``.
    ///   - `NSManagedObjectMergeError` (133020) or `NSManagedObjectConstraintMergeError` (133021) for conflicts that
    ///     the merge policy does not resolve.
    ///   - `NSPersistentStoreSaveError` (134030) if the context has changes and neither a coordinator nor a parent, or
    ///     if no store holds the entity of a new object.
    ///   - `NSCoreDataError` (134060) if the coordinator has no stores, if the context is being saved already, or if
    ///     ``NSManagedObject/willSave()`` changes new objects in every one of 1,000 rounds.
    ///   - The store's error if it cannot write, and the error of a fault that has to be read and cannot be.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/save())
    open func save() throws { try _save() }

    /// Fetches with a request whose result type is not known at compile time.
    ///
    /// Override this method to intercept the fetches of a subclass: the generic form then calls it for every fetch.
    ///
    /// - Parameter request: The entity, predicate, order and result type.
    /// - Returns: Managed objects, ids, dictionaries or one number, as the request's `resultType` says.
    /// - Throws: The same errors as `fetch(_:)`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/fetch(_:)-38ys1)
    // Disfavoured, so that `let found = try context.fetch(request)` has the type of the request's results.
    @_disfavoredOverload
    open func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] { try _fetch(request) }

    /// Counts the results of a request whose result type is not known at compile time.
    ///
    /// Override this method to intercept the counts of a subclass: the generic form then calls it for every count.
    ///
    /// - Parameter request: The request to count for.
    /// - Returns: The number of results that a fetch would give.
    /// - Throws: The same errors as `fetch(_:)`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/count(for:)-93zbm)
    open func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int {
        try _count(for: request)
    }

    /// Inserts an object that has no context yet. The next save writes it.
    ///
    /// Objects without a context that are related to it are inserted with it. An object of this context that was
    /// deleted since the last save is no longer deleted. An object of another context stops the process.
    ///
    /// - Parameter object: The object to insert.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/insert(_:))
    open func insert(_ object: NSManagedObject) { _insert(object) }

    /// Marks an object for deletion by the next save.
    ///
    /// ``NSManagedObject/prepareForDeletion()`` is called at once. The delete rules reach related objects when pending
    /// changes are processed. A second call for the same object does nothing. An object of another context stops the
    /// process.
    ///
    /// - Parameter object: An object of this context.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/delete(_:))
    open func delete(_ object: NSManagedObject) { _delete(object) }

    /// Returns the object with the id, as a fault if the context does not have it yet.
    ///
    /// Nothing is read. Only firing the fault shows whether the row exists. An id of a store that the coordinator does
    /// not have stops the process.
    ///
    /// - Parameter objectID: A temporary or permanent id.
    /// - Returns: The registered object, or a new fault.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/object(with:))
    open func object(with objectID: NSManagedObjectID) -> NSManagedObject { _object(with: objectID) }

    /// Returns the object with the id and its values, never a fault.
    ///
    /// The row is read unless the context has it already. To read many objects at once, use
    /// ``fulfillFaults(of:relationshipKeyPaths:)``.
    ///
    /// - Parameter objectID: A temporary or permanent id.
    /// - Returns: The object, with its values in memory.
    /// - Throws: `NSManagedObjectReferentialIntegrityError` (133000) if the row does not exist, the store is not one of
    ///   the coordinator's, or this context has marked the object as deleted. The store's error, which names the row,
    ///   if the row cannot be read.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/existingobject(with:))
    open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        try _existingObject(with: objectID)
    }

    /// Returns the object with the id if the context has it in memory; reads nothing.
    ///
    /// - Parameter objectID: A temporary or permanent id.
    /// - Returns: The object, which may be a fault, or nil.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/registeredobject(for:))
    open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
        _registeredObject(for: objectID)
    }

    /// Gives new objects their permanent ids before they are saved.
    ///
    /// Objects that have a permanent id keep it. An object that was saved into the parent before gets the id that it
    /// has there. An object of another context stops the process.
    ///
    /// - Parameter objects: Objects of this context.
    /// - Throws: `NSPersistentStoreSaveError` (134030) if the context has neither a coordinator nor a parent, and the
    ///   store's error if it cannot reserve the ids.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/obtainpermanentids(for:))
    open func obtainPermanentIDs(for objects: [NSManagedObject]) throws { try _obtainPermanentIDs(for: objects) }

    /// Chooses the store in which a new object is saved, if several stores hold its entity.
    ///
    /// Without it the object goes to the first of them. The call stops the process for an object with a permanent id,
    /// for one of another context, and for a store that is not in the context's coordinator.
    ///
    /// - Parameters:
    ///   - object: A new managed object of this context; any other value is ignored.
    ///   - store: One of the coordinator's stores.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/assign(_:to:))
    open func assign(_ object: Any, to store: NSPersistentStore) { _assign(object, to: store) }

    /// Makes an object read its row again, with or without its unsaved changes.
    ///
    /// The next access reads from the parent or the store, not from the row cache. A new object has no row: without
    /// merging it gets back its default values, and with merging it stays as it is. An object of another context is
    /// ignored.
    ///
    /// - Parameters:
    ///   - object: The object to refresh.
    ///   - flag: True to keep the unsaved changes on top of the new row. False to drop them and turn the object into a
    ///     fault.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/refresh(_:mergechanges:))
    open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) { _refresh(object, mergeChanges: flag) }

    /// Refreshes every registered object and keeps all unsaved changes.
    ///
    /// It calls ``refresh(_:mergeChanges:)`` with merging for each object.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/refreshallobjects())
    open func refreshAllObjects() { _refreshAllObjects() }

    /// Drops every unsaved change, and everything that could be undone.
    ///
    /// New objects leave the context. Changed and deleted objects show the values of their rows again.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/rollback())
    open func rollback() { _rollback() }

    /// Empties the context: drops every unsaved change and detaches every object.
    ///
    /// A detached object has no context any more and shows default values. The did-change notification has the ids of
    /// all of them under ``NSInvalidatedAllObjectsKey``. A pinned context advances to the newest state of the stores.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/reset())
    open func reset() { _reset() }

    /// Applies the delete rules and posts the did-change notification for all changes since the last call.
    ///
    /// The framework calls it at the end of each `perform` block, before a save, and after the current event on the
    /// main queue. A fetch applies the delete rules without it and posts nothing, so observers never see half of a
    /// block's changes.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/processpendingchanges())
    open func processPendingChanges() { _processPendingChanges() }

    /// Makes the next save check whether an unchanged object's row has changed since it was read.
    ///
    /// A changed row is then a conflict, as it is for a changed object. The object's fault fires. New objects and
    /// objects of other contexts are ignored.
    ///
    /// - Parameter object: The object to check.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/detectconflicts(for:))
    open func detectConflicts(for object: NSManagedObject) { _detectConflicts(for: object) }

    /// Executes a request of any kind and returns its result.
    ///
    /// A batch request changes stores without making objects. A history request reads or deletes changes. An
    /// asynchronous fetch starts and returns at once. A plain fetch returns a finished `NSAsynchronousFetchResult`. No
    /// object of this context changes, so merge what a batch has changed
    /// (``mergeChanges(fromRemoteContextSave:into:)``).
    ///
    /// - Parameter request: The request to execute.
    /// - Returns: A result whose class depends on the request.
    /// - Throws: `NSPersistentStoreUnsupportedRequestTypeError` (134091) if a context or a store cannot execute the
    ///   request, and the errors that the request's own class documents.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/execute(_:))
    @discardableResult
    open func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        try _execute(request)
    }

    /// Merges the changes that another context has saved, from its did-save notification.
    ///
    /// Objects of this context get their new rows and keep their unsaved changes. Inserted objects are registered as
    /// faults. Deleted objects leave the context and are no changes to save. One did-change notification reports all of
    /// it, followed by `NSManagedObjectContextDidMergeChangesObjectIDs`.
    ///
    /// The notification may carry objects or ids, may come from any coordinator with the same stores, and may be merged
    /// at any later time. A notification of this context itself is ignored.
    ///
    /// - Parameter notification: The did-save notification.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/mergechanges(fromcontextdidsave:))
    open func mergeChanges(fromContextDidSave notification: Notification) {
        _mergeChanges(fromContextDidSave: notification)
    }

    /// Merges changes that were made elsewhere, such as in another process or by a batch request, into several
    /// contexts.
    ///
    /// Contexts whose queue the caller holds are merged before the method returns. The other contexts merge on their
    /// queues, before anything that is enqueued there later. The caller waits for none of them. Any thread may call it.
    ///
    /// - Parameters:
    ///   - changeNotificationData: Collections of ids, URIs or objects under ``NSInsertedObjectsKey``,
    ///     ``NSUpdatedObjectsKey``, ``NSDeletedObjectsKey`` and the like, or under their `…ObjectIDsKey` forms.
    ///   - contexts: The contexts to merge into. Those without a coordinator are left out.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/mergechanges(fromremotecontextsave:into:))
    open class func mergeChanges(
        fromRemoteContextSave changeNotificationData: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
    ) {
        _mergeChanges(fromRemoteContextSave: changeNotificationData, into: contexts)
    }

    /// Pins the context's reads to one state of the stores.
    ///
    /// With `.current` the context is pinned to the state that its next read finds. With another context's token it
    /// reads the state of that context. Nil ends the pinning.
    ///
    /// Objects in memory stay as they are until ``refreshAllObjects()``. Saving, merging and ``reset()`` pin the
    /// context to the newest state again. Stores that keep no states, such as stores in memory, are read as they are.
    ///
    /// - Parameter generation: The state to read, or nil for the present one.
    /// - Throws: `NSCoreDataError` (134060) if the context has a parent, or if the token is of another coordinator.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/setquerygenerationfrom(_:))
    open func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
        try _setQueryGenerationFrom(generation)
    }

    /// Undoes the changes of the undo manager's last group.
    ///
    /// Pending changes are processed first. Without an undo manager nothing is undone.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/undo())
    open func undo() { _undo() }

    /// Repeats the changes that were undone last.
    ///
    /// Pending changes are processed first. Without an undo manager nothing is repeated.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/redo())
    open func redo() { _redo() }

    /// Whether the context has unsaved changes.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/haschanges)
    open var hasChanges: Bool { _hasChanges }

    /// The new objects that the next save will insert.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/insertedobjects)
    open var insertedObjects: Set<NSManagedObject> { _insertedObjects }

    /// The changed objects that the next save will update. New and deleted objects are not among them.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/updatedobjects)
    open var updatedObjects: Set<NSManagedObject> { _updatedObjects }

    /// The objects that the next save will delete. New objects that were deleted again are not among them.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/deletedobjects)
    open var deletedObjects: Set<NSManagedObject> { _deletedObjects }

    /// All objects that the context has in memory, including faults.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/registeredobjects)
    open var registeredObjects: Set<NSManagedObject> { _registeredObjects }

    /// The ``NSMergePolicy`` that resolves the conflicts of this context's saves; ``NSMergePolicy/error`` in a new
    /// context.
    ///
    /// Setting a value of another type stops the process. The save of a child context compares values with its parent
    /// only under another policy than the error policy. Under the error policy a conflict is an object that the parent
    /// has lost, and values that both have changed become the child's.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/mergepolicy)
    open var mergePolicy: Any {
        get { _mergePolicy }
        set { _mergePolicy = newValue }
    }

    /// Whether the context automatically merges what other contexts save to its coordinator or parent; false in a new
    /// context.
    ///
    /// A child context also merges what its parent saves or merges. Merging happens on the context's queue soon after
    /// the save, as in ``mergeChanges(fromContextDidSave:)``. Several waiting saves are merged together. Saves of other
    /// coordinators and other processes are not merged. A confinement context cannot set it: that stops the process.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/automaticallymergeschangesfromparent)
    open var automaticallyMergesChangesFromParent: Bool {
        get { _automaticallyMergesChangesFromParent }
        set { _automaticallyMergesChangesFromParent = newValue }
    }

    /// Whether the context keeps every registered object alive; by default it keeps only objects with unsaved changes.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/retainsregisteredobjects)
    open var retainsRegisteredObjects: Bool {
        get { _retainsRegisteredObjects }
        set { _retainsRegisteredObjects = newValue }
    }

    /// The age in seconds up to which a row of the coordinator's cache may fulfill a fault.
    ///
    /// An older row is read from the store again. A negative value (-1 in a new context) accepts any age, and 0 accepts
    /// none. A child context reads through its parent, by the parent's interval.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/stalenessinterval)
    open var stalenessInterval: TimeInterval {
        get { _stalenessInterval }
        set { _stalenessInterval = newValue }
    }

    /// The state of the stores that the context is pinned to; nil if it reads the present state.
    ///
    /// A child context returns the token of its parent.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/querygenerationtoken)
    open var queryGenerationToken: NSQueryGenerationToken? { _queryGenerationToken }

    /// The undo manager that records the context's changes; nil in a new context, which records nothing.
    ///
    /// Insertions, deletions and changes of attributes and relationships are recorded when pending changes are
    /// processed. That happens at the end of a block, before a save, and whenever the manager opens or closes a group.
    ///
    /// To leave changes out, process pending changes, disable registration, make the changes, process them again, and
    /// enable registration.
    ///
    /// The record outlasts a save: undoing a saved insertion deletes the object, and undoing a saved deletion inserts
    /// it again under its id. ``rollback()`` and ``reset()`` drop the record.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/undomanager)
    open var undoManager: UndoManager? {
        get { _undoManager }
        set { _undoManager = newValue }
    }

    /// Names the context by its kind and its ``name``.
    open override var description: String { "<NSManagedObjectContext: \(debugName)>" }

    /// The source of rows and the target of saves; nil without a parent and a coordinator.
    final var rowSource: (any RowSource)? {
        if let parent = links.parent { return ParentRows(parent: parent) }
        return links.coordinator.map { StoreRows(coordinator: $0) }
    }

    /// The parent and the coordinator that were set on this context itself, past a subclass's overrides. A child has no
    /// coordinator of its own.
    final var ownParent: NSManagedObjectContext? { links.parent }
    final var ownCoordinator: NSPersistentStoreCoordinator? { links.coordinator }
}
