import CoreData
import Testing

// Each line names a symbol with the type it has in Apple's interface: a change of either no longer compiles.

@Suite("Apple's names of stores that programs write")
struct CustomStoreNamesTests {
    @Test("NSAtomicStore has its members")
    func atomicStore() {
        _ = NSAtomicStore.self
        let _: (NSPersistentStoreCoordinator?, String?, URL, [AnyHashable: Any]?) -> NSAtomicStore =
            NSAtomicStore.init(persistentStoreCoordinator:configurationName:at:options:)
        let _: (NSAtomicStore) -> () throws -> Void = NSAtomicStore.load
        let _: (NSAtomicStore) -> () throws -> Void = NSAtomicStore.save
        let _: (NSAtomicStore) -> (NSManagedObject) -> NSAtomicStoreCacheNode = NSAtomicStore.newCacheNode(for:)
        let _: (NSAtomicStore) -> (NSAtomicStoreCacheNode, NSManagedObject) -> Void = NSAtomicStore.updateCacheNode(
            _:from:)
        let _: (NSAtomicStore) -> () -> Set<NSAtomicStoreCacheNode> = NSAtomicStore.cacheNodes
        let _: (NSAtomicStore) -> (Set<NSAtomicStoreCacheNode>) -> Void = NSAtomicStore.addCacheNodes(_:)
        let _: (NSAtomicStore) -> (Set<NSAtomicStoreCacheNode>) -> Void = NSAtomicStore.willRemoveCacheNodes(_:)
        let _: (NSAtomicStore) -> (NSManagedObjectID) -> NSAtomicStoreCacheNode? = NSAtomicStore.cacheNode(for:)
        let _: (NSAtomicStore) -> (NSEntityDescription, Any) -> NSManagedObjectID = NSAtomicStore.objectID(
            for:withReferenceObject:)
        let _: (NSAtomicStore) -> (NSManagedObject) -> Any = NSAtomicStore.newReferenceObject(for:)
        let _: (NSAtomicStore) -> (NSManagedObjectID) -> Any = NSAtomicStore.referenceObject(for:)
    }

    @Test("NSAtomicStoreCacheNode has its members")
    func atomicStoreCacheNode() {
        _ = NSAtomicStoreCacheNode.self
        let _: (NSManagedObjectID) -> NSAtomicStoreCacheNode = NSAtomicStoreCacheNode.init(objectID:)
        let _: KeyPath<NSAtomicStoreCacheNode, NSManagedObjectID> = \.objectID
        let _: ReferenceWritableKeyPath<NSAtomicStoreCacheNode, NSMutableDictionary?> = \.propertyCache
        let _: (NSAtomicStoreCacheNode) -> (String) -> Any? = NSAtomicStoreCacheNode.value(forKey:)
        let _: (NSAtomicStoreCacheNode) -> (Any?, String) -> Void = NSAtomicStoreCacheNode.setValue(_:forKey:)
    }

    @Test("NSIncrementalStore has its members")
    func incrementalStore() {
        _ = NSIncrementalStore.self
        let _: (NSPersistentStoreCoordinator?, String?, URL, [AnyHashable: Any]?) -> NSIncrementalStore =
            NSIncrementalStore.init(persistentStoreCoordinator:configurationName:at:options:)
        let _: (NSIncrementalStore) -> () throws -> Void = NSIncrementalStore.loadMetadata
        let _: (NSIncrementalStore) -> (NSPersistentStoreRequest, NSManagedObjectContext?) throws -> Any =
            NSIncrementalStore.execute(_:with:)
        let _: (NSIncrementalStore) -> (NSManagedObjectID, NSManagedObjectContext) throws -> NSIncrementalStoreNode =
            NSIncrementalStore.newValuesForObject(with:with:)
        let _:
            (NSIncrementalStore) -> (NSRelationshipDescription, NSManagedObjectID, NSManagedObjectContext?) throws ->
                Any = NSIncrementalStore.newValue(forRelationship:forObjectWith:with:)
        let _: (URL) -> Any = NSIncrementalStore.identifierForNewStore(at:)
        let _: (NSIncrementalStore) -> ([NSManagedObject]) throws -> [NSManagedObjectID] = NSIncrementalStore
            .obtainPermanentIDs(for:)
        let _: (NSIncrementalStore) -> ([NSManagedObjectID]) -> Void = NSIncrementalStore
            .managedObjectContextDidRegisterObjects(with:)
        let _: (NSIncrementalStore) -> ([NSManagedObjectID]) -> Void = NSIncrementalStore
            .managedObjectContextDidUnregisterObjects(with:)
        let _: (NSIncrementalStore) -> (NSEntityDescription, Any) -> NSManagedObjectID = NSIncrementalStore
            .newObjectID(for:referenceObject:)
        let _: (NSIncrementalStore) -> (NSManagedObjectID) -> Any = NSIncrementalStore.referenceObject(for:)
    }

    @Test("NSIncrementalStoreNode has its members")
    func incrementalStoreNode() {
        _ = NSIncrementalStoreNode.self
        let _: (NSManagedObjectID, [String: Any], UInt64) -> NSIncrementalStoreNode = NSIncrementalStoreNode.init(
            objectID:withValues:version:)
        let _: (NSIncrementalStoreNode) -> ([String: Any], UInt64) -> Void = NSIncrementalStoreNode.update(
            withValues:version:)
        let _: KeyPath<NSIncrementalStoreNode, NSManagedObjectID> = \.objectID
        let _: KeyPath<NSIncrementalStoreNode, UInt64> = \.version
        let _: (NSIncrementalStoreNode) -> (NSPropertyDescription) -> Any? = NSIncrementalStoreNode.value(for:)
    }

    @Test("NSSaveChangesRequest has its members")
    func saveChangesRequest() {
        _ = NSSaveChangesRequest.self
        let _:
            (Set<NSManagedObject>?, Set<NSManagedObject>?, Set<NSManagedObject>?, Set<NSManagedObject>?) ->
                NSSaveChangesRequest = NSSaveChangesRequest.init(inserted:updated:deleted:locked:)
        let _: KeyPath<NSSaveChangesRequest, Set<NSManagedObject>?> = \.insertedObjects
        let _: KeyPath<NSSaveChangesRequest, Set<NSManagedObject>?> = \.updatedObjects
        let _: KeyPath<NSSaveChangesRequest, Set<NSManagedObject>?> = \.deletedObjects
        let _: KeyPath<NSSaveChangesRequest, Set<NSManagedObject>?> = \.lockedObjects
    }
}
