import Foundation
import Synchronization

/// A scratch pad of managed objects: it fetches them, tracks their changes and saves them, to its coordinator or to its
/// parent context.
///
/// Everything of a context and of its objects is for its queue only: inside `perform` and `performAndWait` blocks (on
/// the main queue for a main-queue context). Debug builds report what is used elsewhere, and the launch argument
/// `-com.apple.CoreData.ConcurrencyDebug 1` stops the process there (`confinementResponse`). The reference to a context
/// may be passed between threads, and its `concurrencyType`, `parent` and `persistentStoreCoordinator`, which do not
/// change once it is used, be asked for anywhere; so may an object's `objectID`, `entity` and `managedObjectContext`.
///
/// - Topics: queues (`+Perform`), fetching (`+Fetching`), saving (`+Saving`), parents and children (`+Nesting`),
///   pending changes and notifications (`+PendingChanges`), faults and identity (`+Registering`).
// @unchecked Sendable: all state is confined to the context's queue, or guarded by `mailboxLock` where said so.
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
    /// What kind of queue the context is tied to.
    open var concurrencyType: NSManagedObjectContextConcurrencyType { queueType }
    /// The same, for the framework itself.
    final let queueType: NSManagedObjectContextConcurrencyType

    /// The private context's queue, the main queue, or nil for the legacy type.
    let queue: DispatchQueue?
    /// Lets children read while a private context writes; blocks on its queue pass it too.
    let gate: ContextGate?
    /// Whether this context has left its gate to children, because it is writing; changed inside the gate.
    var isLending = false
    /// Saves of children that are checked and not taken over yet; touched inside the gate.
    var incoming: [PushedSave] = []
    /// How many objects a child's save must have to be taken over after it has returned.
    package var childSaveSizeToWait = 500

    /// How many unsaved objects are judged one by one before an index is made for fetches that ask for a value.
    package var unsavedCountToIndex = 32

    private var storedCoordinator: NSPersistentStoreCoordinator?
    private var storedParent: NSManagedObjectContext?
    private(set) var storedName: String?
    private var storedTransactionAuthor: String?
    private let storedUserInfo = NSMutableDictionary()
    private var storedPropagatesDeletesAtEndOfEvent = true
    private var storedShouldDeleteInaccessibleFaults = true

    /// The model's layouts; set with the coordinator or the parent.
    var modelLayout: ModelLayout?
    var model: NSManagedObjectModel?

    /// By layout index; made on demand.
    @exclusivity(unchecked) final var homes: [ObjectHome?] = []
    /// The entities of classes that `init(context:)` was called on.
    var entitiesByClass: [ObjectIdentifier: NSEntityDescription] = [:]
    /// By root layout index; made on demand.
    var identityMaps: [IdentityMap?] = []

    /// Objects that relationships led to, fetches gave and saves wrote lately.
    let recentObjects = RecentObjects()

    /// Objects with unsaved changes, kept alive; an object whose flag was cleared is skipped and dropped later.
    @exclusivity(unchecked) final var insertedList: [NSManagedObject] = []
    @exclusivity(unchecked) final var updatedList: [NSManagedObject] = []
    var deletedList: [NSManagedObject] = []
    /// Finds inserted and changed objects by their values; nil until a fetch asks, and again when a list gets shorter.
    final var unsavedIndex: UnsavedIndex?
    /// Objects that changed since the last `processPendingChanges`.
    @exclusivity(unchecked) final var pendingList: [NSManagedObject] = []
    var pendingDeletions: [NSManagedObject] = []
    /// Objects refreshed since the last did-change notification.
    var pendingRefreshes: [NSManagedObject] = []
    /// Objects that others have deleted, taken over since the last did-change notification.
    var mergedDeletions: [NSManagedObject] = []
    /// Objects that others have inserted, the same.
    var mergedInsertions: [NSManagedObject] = []
    /// New objects taken back since the last did-change notification, which calls them deleted.
    var pendingVanished: [NSManagedObject] = []
    /// What can be undone; nil without an undo manager.
    var undoRecord: ContextUndo?
    #if DEBUG
        /// Of the test that made the context, or else its coordinator or parent.
        private(set) var liveEntry = LiveAccount.Entry(.context)
    #endif
    /// Fetched-results controllers with a delegate.
    var followers: [Follower] = []
    var isProcessingPendingChanges = false
    /// While something goes on that can throw: the faults in it that could not be fulfilled.
    var readErrors: ReadErrors?
    /// Whether the row of any object was found to be gone.
    var hasMetInaccessible = false
    var isPendingProcessingScheduled = false
    var isSaving = false
    /// The sets of the running save's notifications.
    final var setsOfSave = ObjectSets()
    /// Fetches with a batch size, latest last.
    var fetchedBatches: [FetchedBatches] = []
    /// Fetches that found new objects, for whom somebody holds the keys.
    var fetchesOfNew: [WeakBatches] = []
    /// Which state of the stores is read.
    var readingState = Reading.present
    var storedReadsFromStandbys = false
    var storedStalenessInterval: TimeInterval = -1
    var storedRetainsRegisteredObjects = false
    /// Temporary keys that a save of this context made permanent, for children that still use them.
    @exclusivity(unchecked) final var permanentKeys: [Int64: Int64] = [:]
    /// Objects that may lead to temporary keys, beside the inserted, changed and deleted ones.
    var temporaryHolders = TemporaryHolders()
    /// Stores that new objects were assigned to.
    var assignedStores: [ObjectIdentifier: AssignedStore] = [:]

    /// Decides about the conflicts of a save.
    var storedMergePolicy = NSMergePolicy.error
    /// Whether what happens is told to nobody: a migration's contexts, which are between versions.
    var isQuiet = false
    /// Takes the place of a save's validation, where a migration leaves that to its end.
    var deferredValidation: ((SaveWork) -> Void)?
    /// Objects that the next save only checks for conflicts.
    var watchedObjects: [NSManagedObject] = []
    /// While a save goes on: objects whose rows are gone and come back by it.
    var reinsertedObjects: Set<ObjectIdentifier> = []
    /// While a save goes on: the temporary keys of the new objects by the keys they are written under.
    var temporaryKeys: [ObjectKey: Int64] = [:]
    /// New objects that gave way to others with the same unique values, until the next successful save: key → the
    /// other.
    var replacedKeys: [Int64: ObjectKey] = [:]

    /// Guards what other queues leave here.
    let mailboxLock = NSLock()
    var mailbox: [PermanentKeys] = []
    /// Whether there is anything in the mailbox; set under `mailboxLock`, looked at without.
    let hasMail = Atomic<Bool>(false)
    /// What the program has set of `confinementResponse`; 0 where it has said nothing.
    let ownConfinementResponse = Atomic<UInt8>(0)
    var mergesAutomatically = false
    var pendingMerges: [MergedChanges] = []
    var isMergeScheduled = false
    var childReferences: [WeakContext] = []

    /// Makes a context of the legacy confinement type.
    public convenience override init() {
        self.init(concurrencyType: .confinementConcurrencyType)
    }

    /// Makes a context that is tied to a queue of the given kind.
    public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
        queueType = ct
        gate = ct == .privateQueueConcurrencyType ? ContextGate() : nil
        switch ct {
        case .confinementConcurrencyType: queue = nil
        case .mainQueueConcurrencyType: queue = .main
        case .privateQueueConcurrencyType:
            queue = DispatchQueue(label: "NSManagedObjectContext", qos: .userInitiated)
        }
        super.init()
        ConfinementCheck.prepare()
        Birth.prepare()
    }

    deinit {
        recentObjects.removeAll()
        for map in identityMaps {
            for object in map?.objects ?? [] { object.detach(unregister: false) }
            map?.removeAll()
        }
        for home in homes { home?.context = nil }
        storedCoordinator?.contextDidRelease(isParentless: storedParent == nil)
    }

    /// The coordinator whose stores the context works on: its own, or its parent's. Set it once, before first use; from
    /// then on any thread may ask for it.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { storedParent?.persistentStoreCoordinator ?? storedCoordinator }
        set {
            checkConfinementOnceUsed()
            require(storedParent == nil, "Context already has a parent context; cannot set a coordinator")
            require(
                storedCoordinator == nil || storedCoordinator === newValue || !hasRegisteredObjects,
                "Context already has a coordinator; cannot replace.")
            storedCoordinator = newValue
            if newValue?.readsFromStandbys == true { readsFromStandbys = true }
            #if DEBUG
                liveEntry = liveEntry ?? LiveAccount.Entry(.context, in: newValue?.liveEntry?.account)
            #endif
            use(model: newValue?.managedObjectModel)
            subscribeToCoordinator()
        }
    }

    /// The context that fetches go to and saves end up in, instead of a coordinator. Set it once, before first use;
    /// from then on any thread may ask for it.
    open var parent: NSManagedObjectContext? {
        get { storedParent }
        set {
            checkConfinementOnceUsed()
            require(storedCoordinator == nil, "Context already has a coordinator; cannot set a parent context.")
            require(
                storedParent == nil || storedParent === newValue || !hasRegisteredObjects,
                "Context already has a parent context; cannot replace.")
            require(
                newValue?.concurrencyType != .confinementConcurrencyType,
                "Parent NSManagedObjectContext must use either NSPrivateQueueConcurrencyType or "
                    + "NSMainQueueConcurrencyType.")
            storedParent = newValue
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
        homes = Array(repeating: nil, count: modelLayout?.entities.count ?? 0)
        identityMaps = Array(repeating: nil, count: modelLayout?.entities.count ?? 0)
    }

    /// Settings may be made, and asked for, by whoever has just made the context; from its first object on they belong
    /// to its queue.
    final func checkConfinementOnceUsed(_ operation: StaticString = #function) {
        if hasRegisteredObjects { checkConfinement(operation) }
    }

    private var hasRegisteredObjects: Bool {
        identityMaps.contains { ($0?.count ?? 0) > 0 }
    }

    /// Whether the delete rules are applied each time pending changes are processed (true unless set), or by the save
    /// only.
    open var propagatesDeletesAtEndOfEvent: Bool {
        get {
            checkConfinementOnceUsed()
            return storedPropagatesDeletesAtEndOfEvent
        }
        set {
            checkConfinementOnceUsed()
            storedPropagatesDeletesAtEndOfEvent = newValue
        }
    }

    /// A name for messages and for history.
    open var name: String? {
        get {
            checkConfinementOnceUsed()
            return storedName
        }
        set {
            checkConfinementOnceUsed()
            storedName = newValue
        }
    }

    /// Who makes the changes that this context saves, for persistent history. Nil unless set.
    open var transactionAuthor: String? {
        get {
            checkConfinementOnceUsed()
            return storedTransactionAuthor
        }
        set {
            checkConfinementOnceUsed()
            storedTransactionAuthor = newValue
        }
    }

    /// A place for whatever the application wants to keep with the context.
    open var userInfo: NSMutableDictionary {
        checkConfinement()
        return storedUserInfo
    }

    /// Whether an object whose row turns out to be gone becomes a deleted object without values (the default).
    /// Otherwise reading it stops the process: "CoreData could not fulfill a fault".
    open var shouldDeleteInaccessibleFaults: Bool {
        get {
            checkConfinementOnceUsed()
            return storedShouldDeleteInaccessibleFaults
        }
        set {
            checkConfinementOnceUsed()
            storedShouldDeleteInaccessibleFaults = newValue
        }
    }

    /// Called when an object is read whose row is gone. True makes it a deleted object without values; false stops the
    /// process. What `shouldDeleteInaccessibleFaults` says, unless overridden. The property is nil where the object as
    /// a whole was asked for.
    open func shouldHandleInaccessibleFault(
        _ fault: NSManagedObject, for oid: NSManagedObjectID, triggeredByProperty property: NSPropertyDescription?
    ) -> Bool {
        shouldDeleteInaccessibleFaults
    }

    // MARK: What subclasses may override

    // An extension's methods cannot be overridden: these are here and do their work there.

    /// Runs the block on the context's queue later and returns at once. Pending changes are processed after it.
    @preconcurrency
    open func perform(_ block: @escaping @Sendable () -> Void) { plainPerform(block) }

    /// Runs the block on the calling thread while holding the context's queue; re-entrant.
    // What the form with a result calls. Not disfavoured: an override's `super.performAndWait(block)` has to mean this
    // one.
    open func performAndWait(_ block: () -> Void) { plainPerformAndWait(block) }

    /// Saves the unsaved changes: to the coordinator's stores in one transaction per store, or to the parent context
    /// (which then has them as its own unsaved changes).
    ///
    /// Order: the will-save notification, pending changes, `willSave()` once of each object that is written,
    /// validation, the write, `didSave()`, the did-save notification. A conflict goes to the `mergePolicy`, and the
    /// save writes what that leaves. When it throws, nothing was written and everything is still unsaved: validation
    /// errors (1550…1690, several as 1560), conflicts (133020, 133021), store errors (134030…). Of several stores
    /// none commits before all have taken what is theirs; stores that a program wrote come last, one after the other,
    /// and what one of them has taken before the next refuses is saved. Called while the same context is being saved,
    /// by an observer or from `willSave()`, it throws 134060. A save that has nothing to write posts both
    /// notifications, too.
    open func save() throws { try plainSave() }

    /// Fetches where the type of the results is not known. Every fetch comes here in a subclass that overrides it.
    open func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] { try plainFetch(request) }

    /// Counts where the type of the results is not known. Every count comes here in a subclass that overrides it.
    open func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int {
        try plainCount(for: request)
    }

    /// Inserts an object that was made without a context; it is saved with the next save. Objects without a context
    /// that it is related to come with it.
    open func insert(_ object: NSManagedObject) { plainInsert(object) }

    /// Deletes an object with the next save. Related objects follow the delete rules when pending changes are
    /// processed.
    open func delete(_ object: NSManagedObject) { plainDelete(object) }

    /// The object with the id, as a fault when the context does not know it; whether the row exists shows when the
    /// fault fires.
    open func object(with objectID: NSManagedObjectID) -> NSManagedObject { plainObject(with: objectID) }

    /// The object with the id, never a fault. Throws 133000 when its row does not exist, and the store's error, which
    /// names the row, when it cannot be read. For many objects see `fulfillFaults(of:relationshipKeyPaths:)`.
    open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        try plainExistingObject(with: objectID)
    }

    /// The object with the id if this context knows it; nothing is read.
    open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
        plainRegisteredObject(for: objectID)
    }

    /// Gives new objects their permanent ids before they are saved. Throws when a store cannot reserve them.
    ///
    /// An object that was saved into the parent before gets the id it has there.
    open func obtainPermanentIDs(for objects: [NSManagedObject]) throws { try plainObtainPermanentIDs(for: objects) }

    /// Chooses the store a new object is saved in, where several hold its entity.
    open func assign(_ object: Any, to store: NSPersistentStore) { plainAssign(object, to: store) }

    /// Turns an object into a fault, dropping its unsaved changes (`mergeChanges` false), or reads its row anew and
    /// keeps the unsaved changes on top of it (true). The next access reads from the parent or the store. A new object
    /// has its default values then.
    open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) { plainRefresh(object, mergeChanges: flag) }

    /// Refreshes every object without unsaved changes of its own losing any: `refresh(_:mergeChanges: true)` for all.
    open func refreshAllObjects() { plainRefreshAllObjects() }

    /// Drops every unsaved change: new objects go, changed and deleted ones are as the store has them.
    open func rollback() { plainRollback() }

    /// Empties the context: every object is cut loose, every unsaved change dropped. The did-change notification has
    /// the ids of all of them under `NSInvalidatedAllObjectsKey`.
    open func reset() { plainReset() }

    /// Propagates deletions to related objects and posts the did-change notification for what happened since last time.
    ///
    /// Called by itself at the end of `perform` blocks, before a save, and on the main queue after the current event. A
    /// fetch propagates deletions only: observers hear of a block's changes when the block has made all of them.
    open func processPendingChanges() { plainProcessPendingChanges() }

    /// Makes the next save look whether the object's row has changed, even if the object itself has not: then it is in
    /// conflict like a changed one.
    open func detectConflicts(for object: NSManagedObject) { plainDetectConflicts(for: object) }

    /// Executes a request of any kind and returns its result: a batch request changes stores without objects, a history
    /// request reads what was changed, an asynchronous fetch begins, a plain fetch gives an `NSAsynchronousFetchResult`
    /// that is complete.
    ///
    /// Objects of this context stay as they are. Throws 134091 where a store does not know the request, and what the
    /// request itself documents.
    @discardableResult
    open func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        try plainExecute(request)
    }

    /// Takes over what another context has saved, from its did-save notification (or from one with object ids).
    ///
    /// Objects that this context knows get their new rows, under unsaved changes of their own, which stay; inserted
    /// ones are registered as faults; deleted ones go, without being changes to save. One did-change notification says
    /// what happened, and `NSManagedObjectContextDidMergeChangesObjectIDs` after it. The notification may come from a
    /// context of any coordinator that has the same stores; it may be merged any time later. On this context's queue.
    open func mergeChanges(fromContextDidSave notification: Notification) {
        plainMergeChanges(fromContextDidSave: notification)
    }

    /// Takes over changes that were made elsewhere (in another process, or by a batch request) into several contexts.
    ///
    /// The dictionary has `NSInsertedObjectsKey`, `NSUpdatedObjectsKey`, `NSDeletedObjectsKey` … or their
    /// `…ObjectIDsKey` forms, for collections of ids or of their URIs. Contexts whose queue the caller holds are
    /// merged at once, the others on their queues, before anything put there afterwards: the caller waits for nobody.
    open class func mergeChanges(
        fromRemoteContextSave changeNotificationData: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
    ) {
        plainMergeChanges(fromRemoteContextSave: changeNotificationData, into: contexts)
    }

    /// Pins what the context reads to a state of the stores: `.current`, to the one that its next read finds, another
    /// context's token, to that one's; nil ends it.
    ///
    /// Objects that are in memory stay as they are: `refreshAllObjects()` makes them what the state says. Saving,
    /// merging and `reset()` pin the context to the newest state again. Stores that keep no states (in memory, or
    /// without a -wal) are read as they are. Throws 134060 for a child, which reads through its parent, and for a token
    /// of another coordinator.
    open func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
        try plainSetQueryGenerationFrom(generation)
    }

    /// Takes back the changes of the last group.
    open func undo() { plainUndo() }

    /// Makes again the changes that were taken back last.
    open func redo() { plainRedo() }

    /// Whether anything is unsaved.
    open var hasChanges: Bool { plainHasChanges }

    /// New objects that the next save will insert.
    open var insertedObjects: Set<NSManagedObject> { plainInsertedObjects }

    /// Changed objects that the next save will update.
    open var updatedObjects: Set<NSManagedObject> { plainUpdatedObjects }

    /// Objects that the next save will delete.
    open var deletedObjects: Set<NSManagedObject> { plainDeletedObjects }

    /// All objects the context knows, faults included.
    open var registeredObjects: Set<NSManagedObject> { plainRegisteredObjects }

    /// Who decides about the conflicts of this context's saves: an `NSMergePolicy`. The policy of a new context makes
    /// every conflict an error.
    ///
    /// A child's save meets its parent by the child's policy. With the error policy only an object that the parent has
    /// lost is a conflict; values that both changed are the child's, as Apple's contexts have it.
    open var mergePolicy: Any {
        get { plainMergePolicy }
        set { plainMergePolicy = newValue }
    }

    /// Whether the context takes over by itself what is saved to its coordinator by other contexts, or to and by its
    /// parent. Off in a new context.
    ///
    /// It happens on the context's queue soon after the save, as `mergeChanges(fromContextDidSave:)` does it; saves
    /// that come meanwhile are taken over together. What other coordinators or processes save is not part of it.
    open var automaticallyMergesChangesFromParent: Bool {
        get { plainAutomaticallyMergesChangesFromParent }
        set { plainAutomaticallyMergesChangesFromParent = newValue }
    }

    /// Whether the context holds every object it knows. Otherwise (the default) it holds those with unsaved changes
    /// only.
    open var retainsRegisteredObjects: Bool {
        get { plainRetainsRegisteredObjects }
        set { plainRetainsRegisteredObjects = newValue }
    }

    /// How old, in seconds, a row of the coordinator's cache may be to make a fault real; an older one is read from the
    /// store. Negative (-1 in a new context) for any age, 0 for none. A child reads through its parent, by the parent's
    /// interval.
    open var stalenessInterval: TimeInterval {
        get { plainStalenessInterval }
        set { plainStalenessInterval = newValue }
    }

    /// The state of the stores that the context is pinned to; nil when it reads the present one.
    open var queryGenerationToken: NSQueryGenerationToken? { plainQueryGenerationToken }

    /// Who records the context's changes so that they can be taken back; nil, as it is at first, records nothing.
    ///
    /// Insertions, deletions and changes of attributes and relationships are recorded when pending changes are
    /// processed: at the end of a block, before a save, and whenever the manager opens or closes a group. To leave
    /// changes out, process pending changes, disable registration, make them, process again and enable it. The record
    /// outlasts a save: undoing a saved insertion deletes the object, undoing a saved deletion inserts it again under
    /// its id. `rollback()` and `reset()` drop it.
    open var undoManager: UndoManager? {
        get { plainUndoManager }
        set { plainUndoManager = newValue }
    }

    open override var description: String { "<NSManagedObjectContext: \(debugName)>" }

    /// Where rows come from and saves go; nil without a parent and a coordinator.
    final var rowSource: (any RowSource)? {
        if let storedParent { return ParentRows(parent: storedParent) }
        return storedCoordinator.map { StoreRows(coordinator: $0) }
    }

    /// The parent, and the coordinator that the context itself stands on. A child has none.
    final var ownParent: NSManagedObjectContext? { storedParent }
    final var ownCoordinator: NSPersistentStoreCoordinator? { storedCoordinator }
}
