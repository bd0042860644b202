import Foundation

extension Notification.Name {
    /// Posted before a context saves. The notification's object is the context.
    ///
    /// It is posted on the context's queue, after pending changes were processed and before
    /// ``NSManagedObject/willSave()``. A save without changes posts it too.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsnotification/name-swift.struct/nsmanagedobjectcontextwillsave)
    public static let NSManagedObjectContextWillSave = Notification.Name(
        "NSManagingContextWillSaveChangesNotification")
    /// Posted after a context has saved. The notification's object is the context.
    ///
    /// The user info has the sets of objects under ``NSInsertedObjectsKey``, ``NSUpdatedObjectsKey`` and
    /// ``NSDeletedObjectsKey``; an empty set is left out. It is posted on the context's queue, also by a save without
    /// changes. Another context merges it with ``NSManagedObjectContext/mergeChanges(fromContextDidSave:)``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsnotification/name-swift.struct/nsmanagedobjectcontextdidsave)
    public static let NSManagedObjectContextDidSave = Notification.Name("NSManagingContextDidSaveChangesNotification")
    /// Posted when objects of a context have changed. The notification's object is the context.
    ///
    /// The user info has the sets of objects under ``NSInsertedObjectsKey``, ``NSUpdatedObjectsKey``,
    /// ``NSDeletedObjectsKey`` and ``NSRefreshedObjectsKey``; an empty set is left out. After a reset it has
    /// ``NSInvalidatedAllObjectsKey`` only.
    ///
    /// It is posted on the context's queue when pending changes are processed: at the end of a `perform` block, by a
    /// save, and by ``NSManagedObjectContext/processPendingChanges()``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsnotification/name-swift.struct/nsmanagedobjectcontextobjectsdidchange)
    public static let NSManagedObjectContextObjectsDidChange = Notification.Name(
        "NSObjectsChangedInManagingContextNotification")
    /// Posted after a context has merged the changes of another one. The notification's object is the context.
    ///
    /// The user info has sets of ids under ``NSInsertedObjectIDsKey``, ``NSUpdatedObjectIDsKey``,
    /// ``NSDeletedObjectIDsKey`` and ``NSRefreshedObjectIDsKey``. It is posted on the context's queue, after the
    /// did-change notification of the merge.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/foundation/nsnotification/name-swift.struct/nsmanagedobjectcontextdidmergechangesobjectids)
    public static let NSManagedObjectContextDidMergeChangesObjectIDs = Notification.Name(
        "NSManagingContextDidMergeChangesObjectIDsNotification")
}

extension NSManagedObjectContext {
    /// Posted before a context saves.
    ///
    /// Another name of `Notification.Name.NSManagedObjectContextWillSave`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/willsaveobjectsnotification)
    public static let willSaveObjectsNotification = Notification.Name.NSManagedObjectContextWillSave
    /// Posted after a context has saved, with sets of objects.
    ///
    /// Another name of `Notification.Name.NSManagedObjectContextDidSave`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/didsaveobjectsnotification)
    public static let didSaveObjectsNotification = Notification.Name.NSManagedObjectContextDidSave
    /// Posted when objects of a context have changed.
    ///
    /// Another name of `Notification.Name.NSManagedObjectContextObjectsDidChange`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/didchangeobjectsnotification)
    public static let didChangeObjectsNotification = Notification.Name.NSManagedObjectContextObjectsDidChange

    /// Posted after a context has saved, with sets of ids.
    ///
    /// Another name of `Notification.Name.NSManagedObjectContextDidSaveObjectIDs`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/didsaveobjectidsnotification)
    public static let didSaveObjectIDsNotification = Notification.Name.NSManagedObjectContextDidSaveObjectIDs
    /// Posted after a context has merged the changes of another one, with sets of ids.
    ///
    /// Another name of `Notification.Name.NSManagedObjectContextDidMergeChangesObjectIDs`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/didmergechangesobjectidsnotification)
    public static let didMergeChangesObjectIDsNotification =
        Notification.Name.NSManagedObjectContextDidMergeChangesObjectIDs

    /// The keys of the user info of a context's notifications.
    ///
    /// The raw values are the strings of the global constants, such as ``NSInsertedObjectsKey``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontext/notificationkey)
    public enum NotificationKey: String, Sendable {
        /// The set of inserted objects.
        case insertedObjects = "inserted"
        /// The set of updated objects.
        case updatedObjects = "updated"
        /// The set of deleted objects.
        case deletedObjects = "deleted"
        /// The set of refreshed objects.
        case refreshedObjects = "refreshed"
        /// A set of objects that a merge reads again. The framework's own notifications do not have it.
        case invalidatedObjects = "invalidated"
        /// Every object of the context was invalidated.
        case invalidatedAllObjects = "invalidatedAll"
        /// The set of the ids of inserted objects.
        case insertedObjectIDs = "inserted_objectIDs"
        /// The set of the ids of updated objects.
        case updatedObjectIDs = "updated_objectIDs"
        /// The set of the ids of deleted objects.
        case deletedObjectIDs = "deleted_objectIDs"
        /// The set of the ids of refreshed objects.
        case refreshedObjectIDs = "refreshed_objectIDs"
        /// A set of ids of objects that a merge reads again. The framework's own notifications do not have it.
        case invalidatedObjectIDs = "invalidated_objectIDs"
        /// The token of the state that a pinned context reads after a save.
        case queryGeneration = "newQueryGeneration"
    }
}

/// The set of inserted objects, in the user info of a context's notifications.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsinsertedobjectskey)
public let NSInsertedObjectsKey = "inserted"
/// The set of updated objects, in the user info of a context's notifications.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsupdatedobjectskey)
public let NSUpdatedObjectsKey = "updated"
/// The set of deleted objects, in the user info of a context's notifications.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsdeletedobjectskey)
public let NSDeletedObjectsKey = "deleted"
/// The set of refreshed objects, in the user info of a context's notifications.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsrefreshedobjectskey)
public let NSRefreshedObjectsKey = "refreshed"
/// A set of objects whose values are to be read again, in the dictionary of a merge.
///
/// The framework's own notifications do not have it.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsinvalidatedobjectskey)
public let NSInvalidatedObjectsKey = "invalidated"
/// Says, in the user info of a context's notifications, that every object of the context was invalidated.
///
/// After a reset the value is an array of the objects' ids, after a merge it is the number true.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsinvalidatedallobjectskey)
public let NSInvalidatedAllObjectsKey = "invalidatedAll"
/// The query generation that a pinned context reads after a save, in the user info of its did-save notification.
///
/// That state includes the save. The notifications of other contexts do not have it.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmanagedobjectcontextquerygenerationkey)
public let NSManagedObjectContextQueryGenerationKey = "newQueryGeneration"

/// The keys of the user infos of each save, in the form that dictionaries hold. To convert a string to this form takes
/// as long as to enter a value.
struct UserInfoKeys: @unchecked Sendable {  // constants that hold strings; AnyHashable itself is not Sendable
    static let all = UserInfoKeys()

    let insertedObjects: AnyHashable = NSInsertedObjectsKey
    let updatedObjects: AnyHashable = NSUpdatedObjectsKey
    let deletedObjects: AnyHashable = NSDeletedObjectsKey
    let refreshedObjects: AnyHashable = NSRefreshedObjectsKey
    let insertedObjectIDs: AnyHashable = NSInsertedObjectIDsKey
    let updatedObjectIDs: AnyHashable = NSUpdatedObjectIDsKey
    let deletedObjectIDs: AnyHashable = NSDeletedObjectIDsKey
    let queryGeneration: AnyHashable = NSManagedObjectContextQueryGenerationKey
    let savedKeys: AnyHashable = SavedKeys.userInfoKey
    /// The undocumented key of Apple's notifications, which history's readers use.
    let historyToken: AnyHashable = "newChangeToken"
}
