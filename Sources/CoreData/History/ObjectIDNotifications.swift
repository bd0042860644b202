import Foundation

// What notifications of sets of ids are called, and their sets: those of a context that saved, those that transactions
// of history are turned into, and those that a context merges.

extension Notification.Name {
    /// A context saved; the user info holds the sets of ids of inserted, updated and deleted objects. Posted after
    /// `NSManagedObjectContextDidSave`.
    public static let NSManagedObjectContextDidSaveObjectIDs = Notification.Name(
        "NSManagingContextDidSaveObjectIDsNotification")
}

/// User-info key of notifications and of remote changes: the ids of inserted objects.
public let NSInsertedObjectIDsKey = "inserted_objectIDs"
/// User-info key of notifications and of remote changes: the ids of updated objects.
public let NSUpdatedObjectIDsKey = "updated_objectIDs"
/// User-info key of notifications and of remote changes: the ids of deleted objects.
public let NSDeletedObjectIDsKey = "deleted_objectIDs"
/// User-info key of notifications and of remote changes: the ids of refreshed objects.
public let NSRefreshedObjectIDsKey = "refreshed_objectIDs"
/// User-info key of notifications and of remote changes: the ids of objects whose values are to be read anew.
public let NSInvalidatedObjectIDsKey = "invalidated_objectIDs"
