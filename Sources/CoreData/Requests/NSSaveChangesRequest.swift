import Foundation

/// The changes that a context sends to a store.
///
/// ``NSIncrementalStore/execute(_:with:)`` gets one when a context saves. New objects have their permanent ids already.
/// Use the request and its objects on the queue of their context only.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nssavechangesrequest)
open class NSSaveChangesRequest: NSPersistentStoreRequest {
    /// The objects to insert.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nssavechangesrequest/insertedobjects)
    open private(set) var insertedObjects: Set<NSManagedObject>?
    /// The objects to update.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nssavechangesrequest/updatedobjects)
    open private(set) var updatedObjects: Set<NSManagedObject>?
    /// The objects to delete.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nssavechangesrequest/deletedobjects)
    open private(set) var deletedObjects: Set<NSManagedObject>?
    /// Unchanged objects whose records must be as the context read them; otherwise the save has a conflict.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nssavechangesrequest/lockedobjects)
    open private(set) var lockedObjects: Set<NSManagedObject>?

    /// Creates a request from objects of one context.
    ///
    /// - Parameters:
    ///   - insertedObjects: The objects to insert; nil stands for none.
    ///   - updatedObjects: The objects to update; nil stands for none.
    ///   - deletedObjects: The objects to delete; nil stands for none.
    ///   - lockedObjects: The objects to compare with their records; nil stands for none.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nssavechangesrequest/init(inserted:updated:deleted:locked:))
    public init(
        inserted insertedObjects: Set<NSManagedObject>?, updated updatedObjects: Set<NSManagedObject>?,
        deleted deletedObjects: Set<NSManagedObject>?, locked lockedObjects: Set<NSManagedObject>?
    ) {
        self.insertedObjects = insertedObjects
        self.updatedObjects = updatedObjects
        self.deletedObjects = deletedObjects
        self.lockedObjects = lockedObjects
        super.init()
    }

    /// ``NSPersistentStoreRequestType/saveRequestType``.
    open override var requestType: NSPersistentStoreRequestType { .saveRequestType }

    /// A request with the same objects.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSSaveChangesRequest(
            inserted: insertedObjects, updated: updatedObjects, deleted: deletedObjects, locked: lockedObjects)
        copy.affectedStores = affectedStores
        return copy
    }
}
