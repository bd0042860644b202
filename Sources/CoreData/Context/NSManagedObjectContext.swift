import Foundation
import Synchronization

/// How a context is tied to a queue.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
    /// Legacy: the context belongs to the thread that uses it; `perform` is not available.
    case confinementConcurrencyType = 0
    /// The context has a serial queue of its own.
    case privateQueueConcurrencyType = 1
    /// The context belongs to the main queue.
    case mainQueueConcurrencyType = 2
}

/// A scratch pad of managed objects: it fetches them, tracks their changes and saves them, to its coordinator or to its
/// parent context.
///
/// Everything of a context and of its objects is for its queue only: inside `perform` and `performAndWait` blocks (on the
/// main queue for a main-queue context). Debug builds report what is used elsewhere, and the launch argument
/// `-com.apple.CoreData.ConcurrencyDebug 1` stops the process there (`confinementResponse`). The reference to a context may be passed between threads, and its
/// `concurrencyType`, `parent` and `persistentStoreCoordinator`, which do not change any more once it is used, be asked for
/// anywhere; so may an object's `objectID`, `entity` and `managedObjectContext`.
///
/// - Topics: queues (`+Perform`), fetching (`+Fetching`), saving (`+Saving`), parents and children (`+Nesting`), pending
///   changes and notifications (`+PendingChanges`), faults and identity (`+Registering`).
// @unchecked Sendable: all state is confined to the context's queue, or guarded by `mailboxLock` where said so.
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
    /// What kind of queue the context is tied to.
    public let concurrencyType: NSManagedObjectContextConcurrencyType

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

    private var storedCoordinator: NSPersistentStoreCoordinator?
    private var storedParent: NSManagedObjectContext?
    private var storedName: String?
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

    /// Objects that to-one relationships led to lately.
    let recentObjects = RecentObjects()

    /// Objects with unsaved changes, kept alive; an object whose flag was cleared is skipped and dropped later.
    @exclusivity(unchecked) final var insertedList: [NSManagedObject] = []
    @exclusivity(unchecked) final var updatedList: [NSManagedObject] = []
    var deletedList: [NSManagedObject] = []
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
    /// Fetches with a batch size, latest last.
    var fetchedBatches: [FetchedBatches] = []
    /// Which state of the stores is read.
    var readingState = Reading.present
    var storedStalenessInterval: TimeInterval = -1
    var storedRetainsRegisteredObjects = false
    /// Temporary keys that a save of this context made permanent, for children that still use them.
    var permanentKeys: [Int64: Int64] = [:]
    /// Stores that new objects were assigned to.
    var assignedStores: [ObjectIdentifier: AssignedStore] = [:]

    /// The store that was chosen for a new object, which is held: another one in its place in memory was not assigned.
    struct AssignedStore {
        let object: NSManagedObject
        let store: NSPersistentStore
    }

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
    /// New objects that gave way to others with the same unique values, until the next successful save: key → the other.
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

    struct WeakContext {
        weak var context: NSManagedObjectContext?
    }

    /// Makes a context of the legacy confinement type.
    public convenience override init() {
        self.init(concurrencyType: .confinementConcurrencyType)
    }

    /// Makes a context that is tied to a queue of the given kind.
    public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
        concurrencyType = ct
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

    /// The coordinator whose stores the context works on: its own, or its parent's. Set it once, before first use; from then
    /// on any thread may ask for it.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { storedParent?.persistentStoreCoordinator ?? storedCoordinator }
        set {
            checkConfinementOnceUsed()
            require(storedParent == nil, "Context already has a parent context; cannot set a coordinator")
            require(
                storedCoordinator == nil || storedCoordinator === newValue || !hasRegisteredObjects,
                "Context already has a coordinator; cannot replace.")
            storedCoordinator = newValue
            #if DEBUG
                liveEntry = liveEntry ?? LiveAccount.Entry(.context, in: newValue?.liveEntry?.account)
            #endif
            use(model: newValue?.managedObjectModel)
            subscribeToCoordinator()
        }
    }

    /// The context that fetches go to and saves end up in, instead of a coordinator. Set it once, before first use; from then
    /// on any thread may ask for it.
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

    /// Settings may be made, and asked for, by whoever has just made the context; from its first object on they belong to its
    /// queue.
    final func checkConfinementOnceUsed(_ operation: StaticString = #function) {
        if hasRegisteredObjects { checkConfinement(operation) }
    }

    private var hasRegisteredObjects: Bool {
        identityMaps.contains { ($0?.count ?? 0) > 0 }
    }

    /// Whether the delete rules are applied each time pending changes are processed (true unless set), or by the save only.
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

    /// Whether an object whose row turns out to be gone becomes a deleted object without values (the default). Otherwise
    /// reading it stops the process: "CoreData could not fulfill a fault".
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
    /// process. What `shouldDeleteInaccessibleFaults` says, unless overridden. The property is nil where the object as a
    /// whole was asked for.
    open func shouldHandleInaccessibleFault(
        _ fault: NSManagedObject, for oid: NSManagedObjectID, triggeredByProperty property: NSPropertyDescription?
    ) -> Bool {
        shouldDeleteInaccessibleFaults
    }

    /// Whether a fetched-results controller shows objects of the entity, or depends on them.
    final func isFollowed(_ layoutIndex: Int) -> Bool {
        followers.contains { $0.core?.follows(layoutIndex) == true }
    }

    /// How the context appears in messages.
    final var debugName: String {
        let kind =
            switch concurrencyType {
            case .mainQueueConcurrencyType: "main-queue context"
            case .privateQueueConcurrencyType: "private-queue context"
            case .confinementConcurrencyType: "confinement context"
            }
        return storedName.map { "\(kind) '\($0)'" }
            ?? "\(kind) 0x\(String(UInt(bitPattern: ObjectIdentifier(self).hashValue), radix: 16))"
    }

    open override var description: String { "<NSManagedObjectContext: \(debugName)>" }

    /// The source of rows: the parent context or the coordinator.
    final var source: Source? {
        if let storedParent { return .parent(storedParent) }
        return storedCoordinator.map { .coordinator($0) }
    }

    enum Source {
        case parent(NSManagedObjectContext)
        case coordinator(NSPersistentStoreCoordinator)
    }
}
