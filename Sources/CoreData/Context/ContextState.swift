import Foundation

// The state of a context, in groups. Each is touched on the context's queue only, except `GuardedState`.

/// The coordinator or the parent that a context works with, which is set once.
struct ContextLinks {
    var coordinator: NSPersistentStoreCoordinator?
    var parent: NSManagedObjectContext?
}

/// The saves of children that reach a private context. Changed while its FIFO lock is held.
struct ChildSaves {
    /// Whether the context has released its FIFO lock to children, because it is writing.
    var isHandedOff = false
    /// Saves that are checked and not taken over yet.
    var incoming: [PushedSave] = []
}

/// Sizes from which a context works in another way. Tests lower them.
package struct ContextThresholds {
    /// The number of objects that a child's save must have to be taken over after it has returned.
    package var childSaveSizeToWait = 500
    /// The number of unsaved objects that are evaluated one by one before an index is made for fetches that compare an
    /// attribute with a value.
    package var unsavedCountToIndex = 32
}

/// The settings of a context that a program changes, or a migration.
struct ContextSettings {
    let userInfo = NSMutableDictionary()
    var name: String?
    var transactionAuthor: String?
    var propagatesDeletesAtEndOfEvent = true
    var shouldDeleteInaccessibleFaults = true
    var readsFromStandbys = false
    var stalenessInterval: TimeInterval = -1
    var retainsRegisteredObjects = false
    /// Decides about the conflicts of a save.
    var mergePolicy = NSMergePolicy.error
    /// Whether the context posts no notifications. A migration's contexts post none, because they are between versions.
    var isQuiet = false
    /// The objects that the program observes; nil while it observes none.
    var observation: ObservedObjects?
    /// Gets the ids of the objects of each save, as they are after it.
    var savedObjects: ((SavedObjectIDs) -> Void)?
}

/// The ids of the objects that a save wrote, in the order of the save.
package struct SavedObjectIDs: Sendable {
    package let inserted: [NSManagedObjectID]
    package let updated: [NSManagedObjectID]
    package let deleted: [NSManagedObjectID]
}

extension NSManagedObjectContext {
    /// Sets what gets the ids of the objects of each save, on the context's queue, before the notifications.
    package final func onSave(_ body: @escaping (SavedObjectIDs) -> Void) { settings.savedObjects = body }
}

/// The objects with unsaved changes, and those of which the next notification reports.
struct TrackedChanges {
    /// Objects with unsaved changes, kept alive; an object whose flag was cleared is skipped and dropped later.
    var inserted: [NSManagedObject] = []
    var updated: [NSManagedObject] = []
    var deleted: [NSManagedObject] = [] {
        didSet { if !deletedSets.isEmpty { deletedSets = ObjectSets() } }
    }
    /// The set of all deleted objects, once it was used since the last deletion.
    var deletedSets = ObjectSets()
    /// Finds inserted and changed objects by their values. Nil until a fetch uses it, and again when a list gets
    /// shorter.
    var unsavedIndex: UnsavedIndex?
    /// Objects that changed since the last `processPendingChanges`.
    var pending: [NSManagedObject] = []
    var pendingDeletions: [NSManagedObject] = []
    /// Objects refreshed since the last did-change notification.
    var pendingRefreshes: [NSManagedObject] = []
    /// New objects taken back since the last did-change notification, which calls them deleted.
    var pendingVanished: [NSManagedObject] = []
    /// Objects deleted by another context, taken over since the last did-change notification.
    var mergedDeletions: [NSManagedObject] = []
    /// Objects inserted by another context, taken over since the last did-change notification.
    var mergedInsertions: [NSManagedObject] = []
    var isProcessing = false
    var isProcessingScheduled = false
    /// Objects that the next save only checks for conflicts.
    var watched: [NSManagedObject] = []
}

/// The keys of new objects, where they go, and the entity of the latest one.
struct ObjectIDState {
    /// Temporary keys that a save of this context made permanent, for children that still use them.
    var permanentKeys: PermanentKeys = [:]
    /// Objects that may lead to temporary keys, beside the inserted, changed and deleted ones.
    var temporaryHolders = TemporaryHolders()
    /// The layout index of the entity that was looked up last. Mostly the next new object has that entity.
    var latestEntityIndex = 0
    /// Stores that new objects were assigned to.
    var assignedStores: [ObjectIdentifier: NSManagedObjectContext.AssignedStore] = [:]
}

/// The running save.
struct SaveState {
    var isRunning = false
    /// The sets of the save's notifications.
    var objectSets = ObjectSets()
    /// Replaces the validation, where a migration validates at its end.
    var deferredValidation: ((NSManagedObjectContext.SaveWork) -> Void)?
    /// Objects whose rows are gone and come back by the save.
    var reinserted: Set<ObjectIdentifier> = []
    /// The temporary keys of the new objects by the keys they are written under.
    var temporaryKeys: [ObjectKey: Int64] = [:]
    /// The rows of objects that were deleted as faults, by the keys they have under their root entities.
    var rowsOfDeletedFaults: [ObjectKey: Snapshot] = [:]
    /// The key of each new object that another object with equal unique values replaced, with the key of that object.
    /// Kept until the next successful save.
    var replacedKeys: [Int64: ObjectKey] = [:]
}

/// The fetches whose results the context follows, and the faults of a running operation.
struct FetchState {
    /// Fetches with a batch size, latest last.
    var batches: [FetchedBatches] = []
    /// Fetches that found new objects, while a result still holds the keys.
    var fetchesOfNew: [NSManagedObjectContext.WeakBatches] = []
    /// Whether the `fetch(_:)` of a subclass that overrides it is running.
    var isWithinOverride = false
    /// During an operation that can throw: the faults in it that could not be fulfilled.
    var readErrors: NSManagedObjectContext.ReadErrors?
    /// The entity of the latest fetch.
    var latestLayout: EntityLayout?
    /// Whether the row of any object was found to be gone.
    var hasMetInaccessible = false
}

/// What other queues append or read, under the context's `guardedLock`.
struct GuardedState {
    var pendingUpdates: [NSManagedObjectContext.PermanentIDUpdate] = []
    var mergesAutomatically = false
    var pendingMerges: [MergedChanges] = []
    var isMergeScheduled = false
    /// What merges the saves of other processes while results follow the context.
    var remoteChangeMerging = WeakRemoteChangeMerging()
    var children: [WeakContext] = []
}
