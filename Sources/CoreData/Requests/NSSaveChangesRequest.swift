import Foundation

/// The changes of a context on their way to a store: what `NSIncrementalStore.execute(_:with:)` is given when a context
/// saves.
///
/// New objects have their permanent ids already. For the queue of the objects' context only.
open class NSSaveChangesRequest: NSPersistentStoreRequest {
    /// The objects to be inserted.
    open private(set) var insertedObjects: Set<NSManagedObject>?
    /// The objects to be updated.
    open private(set) var updatedObjects: Set<NSManagedObject>?
    /// The objects to be deleted.
    open private(set) var deletedObjects: Set<NSManagedObject>?
    /// The objects that the context wants to be as it read them, although it did not change them.
    open private(set) var lockedObjects: Set<NSManagedObject>?

    /// Makes a request out of sets of objects of one context; nil stands for none.
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

    open override var requestType: NSPersistentStoreRequestType { .saveRequestType }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSSaveChangesRequest(
            inserted: insertedObjects, updated: updatedObjects, deleted: deletedObjects, locked: lockedObjects)
        copy.affectedStores = affectedStores
        return copy
    }
}
