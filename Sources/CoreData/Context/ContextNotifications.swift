import Foundation

extension Notification.Name {
    /// A context is about to save; posted on its queue. The object is the context.
    public static let NSManagedObjectContextWillSave = Notification.Name(
        "NSManagingContextWillSaveChangesNotification")
    /// A context saved; the user info holds the sets of inserted, updated and deleted objects.
    public static let NSManagedObjectContextDidSave = Notification.Name("NSManagingContextDidSaveChangesNotification")
    /// Objects of a context changed; the user info holds sets of inserted, updated, deleted and refreshed objects.
    public static let NSManagedObjectContextObjectsDidChange = Notification.Name(
        "NSObjectsChangedInManagingContextNotification")
    /// A context took over what others saved; the user info holds sets of ids. Posted on the context's queue.
    public static let NSManagedObjectContextDidMergeChangesObjectIDs = Notification.Name(
        "NSManagingContextDidMergeChangesObjectIDsNotification")
}

extension NSManagedObjectContext {
    /// A context is about to save; posted on its queue.
    public static let willSaveObjectsNotification = Notification.Name.NSManagedObjectContextWillSave
    /// A context saved; the user info holds the sets of inserted, updated and deleted objects.
    public static let didSaveObjectsNotification = Notification.Name.NSManagedObjectContextDidSave
    /// Objects of a context changed.
    public static let didChangeObjectsNotification = Notification.Name.NSManagedObjectContextObjectsDidChange

    /// A context saved; the user info holds sets of ids.
    public static let didSaveObjectIDsNotification = Notification.Name.NSManagedObjectContextDidSaveObjectIDs
    /// A context took over what others saved; the user info holds sets of ids.
    public static let didMergeChangesObjectIDsNotification =
        Notification.Name.NSManagedObjectContextDidMergeChangesObjectIDs

    /// The keys of the user info of a context's notifications that this framework fills.
    public enum NotificationKey: String, Sendable {
        case insertedObjects = "inserted"
        case updatedObjects = "updated"
        case deletedObjects = "deleted"
        case refreshedObjects = "refreshed"
        case invalidatedObjects = "invalidated"
        case invalidatedAllObjects = "invalidatedAll"
        case insertedObjectIDs = "inserted_objectIDs"
        case updatedObjectIDs = "updated_objectIDs"
        case deletedObjectIDs = "deleted_objectIDs"
        case refreshedObjectIDs = "refreshed_objectIDs"
        case invalidatedObjectIDs = "invalidated_objectIDs"
        case queryGeneration = "newQueryGeneration"
    }
}

/// User-info key of a context's notifications: the set of inserted objects.
public let NSInsertedObjectsKey = "inserted"
/// User-info key of a context's notifications: the set of updated objects.
public let NSUpdatedObjectsKey = "updated"
/// User-info key of a context's notifications: the set of deleted objects.
public let NSDeletedObjectsKey = "deleted"
/// User-info key of a context's notifications: the set of refreshed objects.
public let NSRefreshedObjectsKey = "refreshed"
/// User-info key of a context's notifications: the set of objects whose values are to be read anew.
public let NSInvalidatedObjectsKey = "invalidated"
/// User-info key of a context's notifications: every object of the context was invalidated. After a reset the value is
/// an array of their ids, after a merge it only says so.
public let NSInvalidatedAllObjectsKey = "invalidatedAll"
/// User-info key of the did-save notification of a context that is pinned: the token of the state that it reads from
/// then on, in which everything is that it saved.
public let NSManagedObjectContextQueryGenerationKey = "newQueryGeneration"
