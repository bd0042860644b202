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
}

extension NSManagedObjectContext {
    /// A context is about to save; posted on its queue.
    public static let willSaveObjectsNotification = Notification.Name.NSManagedObjectContextWillSave
    /// A context saved; the user info holds the sets of inserted, updated and deleted objects.
    public static let didSaveObjectsNotification = Notification.Name.NSManagedObjectContextDidSave
    /// Objects of a context changed.
    public static let didChangeObjectsNotification = Notification.Name.NSManagedObjectContextObjectsDidChange

    /// The keys of the user info of a context's notifications that this framework fills.
    public enum NotificationKey: String, Sendable {
        case insertedObjects = "inserted"
        case updatedObjects = "updated"
        case deletedObjects = "deleted"
        case refreshedObjects = "refreshed"
        case invalidatedAllObjects = "invalidatedAll"
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
/// User-info key of a context's notifications: present when every object of the context was invalidated.
public let NSInvalidatedAllObjectsKey = "invalidatedAll"
