import Foundation

// The name and the keys of notifications with sets of ids. A context posts them after a save, transactions of history
// give them, and contexts merge them.

extension Notification.Name {
    /// Posted after a context has saved, with sets of ids. The notification's object is the context.
    ///
    /// The user info has the sets under ``NSInsertedObjectIDsKey``, ``NSUpdatedObjectIDsKey`` and
    /// ``NSDeletedObjectIDsKey``; an empty set is left out. It is posted on the context's queue, after
    /// `NSManagedObjectContextDidSave`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/didsaveobjectidsnotification)
    public static let NSManagedObjectContextDidSaveObjectIDs = Notification.Name(
        "NSManagingContextDidSaveObjectIDsNotification")
}

/// The set of ids of inserted objects, in the user info of notifications and in the dictionary of a merge.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsinsertedobjectidskey)
public let NSInsertedObjectIDsKey = "inserted_objectIDs"
/// The set of ids of updated objects, in the user info of notifications and in the dictionary of a merge.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsupdatedobjectidskey)
public let NSUpdatedObjectIDsKey = "updated_objectIDs"
/// The set of ids of deleted objects, in the user info of notifications and in the dictionary of a merge.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsdeletedobjectidskey)
public let NSDeletedObjectIDsKey = "deleted_objectIDs"
/// The set of ids of refreshed objects, in the user info of notifications and in the dictionary of a merge.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsrefreshedobjectidskey)
public let NSRefreshedObjectIDsKey = "refreshed_objectIDs"
/// A set of ids of objects whose values are to be read again, in the dictionary of a merge.
///
/// The framework's own notifications do not have it.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsinvalidatedobjectidskey)
public let NSInvalidatedObjectIDsKey = "invalidated_objectIDs"
