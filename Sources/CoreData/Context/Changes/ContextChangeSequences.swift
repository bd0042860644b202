import Foundation

/// The changes of a context at one moment, by the ids of the objects.
///
/// OpenCoreData only.
public struct ManagedObjectChanges: Sendable, Hashable {
    /// The ids of the objects that were inserted.
    public var insertedObjectIDs: Set<NSManagedObjectID> = []
    /// The ids of the objects whose values changed.
    public var updatedObjectIDs: Set<NSManagedObjectID> = []
    /// The ids of the objects that were deleted.
    public var deletedObjectIDs: Set<NSManagedObjectID> = []
    /// The ids of the objects that took values of the store.
    public var refreshedObjectIDs: Set<NSManagedObjectID> = []
    /// Whether the context was reset, so that none of its objects is usable.
    public var invalidatesAllObjects = false

    init(ids info: [AnyHashable: Any]) {
        func ids(_ key: String) -> Set<NSManagedObjectID> { info[key] as? Set<NSManagedObjectID> ?? [] }
        insertedObjectIDs = ids(NSInsertedObjectIDsKey)
        updatedObjectIDs = ids(NSUpdatedObjectIDsKey)
        deletedObjectIDs = ids(NSDeletedObjectIDsKey)
    }

    init(objects info: [AnyHashable: Any]) {
        func ids(_ key: String) -> Set<NSManagedObjectID> {
            Set((info[key] as? Set<NSManagedObject> ?? []).map(\.objectID))
        }
        insertedObjectIDs = ids(NSInsertedObjectsKey)
        updatedObjectIDs = ids(NSUpdatedObjectsKey)
        deletedObjectIDs = ids(NSDeletedObjectsKey)
        refreshedObjectIDs = ids(NSRefreshedObjectsKey)
        invalidatesAllObjects = info[NSInvalidatedAllObjectsKey] != nil
    }
}

/// A commit to a store, by any process.
///
/// OpenCoreData only.
public struct RemoteStoreChange: Sendable {
    /// The UUID of the store.
    public let storeUUID: String
    /// The URL of the store.
    public let storeURL: URL?
    /// The place in the history after the newest transaction; nil if the store keeps no history.
    public let historyToken: NSPersistentHistoryToken?
}

extension NSManagedObjectContext {
    /// The saves of the context from now on, as values that any thread may use.
    ///
    /// It is the notification `NSManagedObjectContextDidSaveObjectIDs` as a sequence. The values wait until they are
    /// read. The sequence ends when its task is cancelled. A save without changes gives an empty value.
    ///
    /// OpenCoreData only.
    public final var didSave: AsyncStream<ManagedObjectChanges> {
        NotificationCenter.default.stream(of: .NSManagedObjectContextDidSaveObjectIDs, from: self) {
            ManagedObjectChanges(ids: $0.userInfo ?? [:])
        }
    }

    /// The changes of the context's objects from now on, by ids, as values that any thread may use.
    ///
    /// It is the notification `NSManagedObjectContextObjectsDidChange` as a sequence. The values wait until they are
    /// read. The sequence ends when its task is cancelled.
    ///
    /// OpenCoreData only.
    public final var objectsDidChange: AsyncStream<ManagedObjectChanges> {
        NotificationCenter.default.stream(of: .NSManagedObjectContextObjectsDidChange, from: self) {
            ManagedObjectChanges(objects: $0.userInfo ?? [:])
        }
    }
}

extension NSPersistentStoreCoordinator {
    /// The commits to the coordinator's stores from now on, by any process, as values that any thread may use.
    ///
    /// It is the notification `NSPersistentStoreRemoteChange` as a sequence, and so it has values only for stores that
    /// were added with ``NSPersistentStoreRemoteChangeNotificationPostOptionKey``. The values wait until they are read.
    /// The sequence ends when its task is cancelled.
    ///
    /// OpenCoreData only.
    public final var remoteChanges: AsyncStream<RemoteStoreChange> {
        NotificationCenter.default.stream(of: .NSPersistentStoreRemoteChange, from: self) { notification in
            let info = notification.userInfo ?? [:]
            return RemoteStoreChange(
                storeUUID: info[NSStoreUUIDKey] as? String ?? "", storeURL: info[NSPersistentStoreURLKey] as? URL,
                historyToken: info[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken)
        }
    }
}

extension NotificationCenter {
    /// The notifications of a sender from now on, as values.
    fileprivate func stream<Value: Sendable>(
        of name: Notification.Name, from sender: AnyObject, value: @escaping @Sendable (Notification) -> Value
    ) -> AsyncStream<Value> {
        AsyncStream { continuation in
            let observer = UncheckedSendable(
                addObserver(forName: name, object: sender, queue: nil) { continuation.yield(value($0)) })
            continuation.onTermination = { _ in NotificationCenter.default.removeObserver(observer.value) }
        }
    }
}
