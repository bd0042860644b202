import CoreData
import Testing

// Each line names a symbol with the type it has in Apple's interface: a change of either no longer compiles.

@Suite("Apple's names of objects and contexts")
struct ObjectNamesTests {
    @Test("NSManagedObject has its members")
    func managedObject() {
        _ = NSManagedObject.self
        let _: (NSEntityDescription, NSManagedObjectContext?) -> NSManagedObject = NSManagedObject.init(
            entity:insertInto:)
        let _: (NSManagedObjectContext) -> NSManagedObject = NSManagedObject.init(context:)
        let _: () -> NSEntityDescription = NSManagedObject.entity
        let _: () -> NSFetchRequest<NSFetchRequestResult> = NSManagedObject.fetchRequest
        let _: Bool = NSManagedObject.contextShouldIgnoreUnmodeledPropertyChanges
        let _: KeyPath<NSManagedObject, NSManagedObjectContext?> = \.managedObjectContext
        let _: KeyPath<NSManagedObject, NSEntityDescription> = \.entity
        let _: KeyPath<NSManagedObject, NSManagedObjectID> = \.objectID
        let _: KeyPath<NSManagedObject, Bool> = \.isInserted
        let _: KeyPath<NSManagedObject, Bool> = \.isUpdated
        let _: KeyPath<NSManagedObject, Bool> = \.isDeleted
        let _: KeyPath<NSManagedObject, Bool> = \.isFault
        let _: KeyPath<NSManagedObject, Bool> = \.hasChanges
        let _: KeyPath<NSManagedObject, Bool> = \.hasPersistentChangedValues
        let _: KeyPath<NSManagedObject, Int> = \.faultingState
        let _: (NSManagedObject) -> (String) -> Bool = NSManagedObject.hasFault(forRelationshipNamed:)
        let _: (NSManagedObject) -> (String) -> [NSManagedObjectID] = NSManagedObject.objectIDs(forRelationshipNamed:)
        let _: (NSManagedObject) -> (String?) -> Void = NSManagedObject.willAccessValue(forKey:)
        let _: (NSManagedObject) -> (String?) -> Void = NSManagedObject.didAccessValue(forKey:)
        let _: (NSManagedObject) -> (String) -> Void = NSManagedObject.willChangeValue(forKey:)
        let _: (NSManagedObject) -> (String) -> Void = NSManagedObject.didChangeValue(forKey:)
        let _: (NSManagedObject) -> () -> Void = NSManagedObject.awakeFromFetch
        let _: (NSManagedObject) -> () -> Void = NSManagedObject.awakeFromInsert
        let _: (NSManagedObject) -> (NSSnapshotEventType) -> Void = NSManagedObject.awake(fromSnapshotEvents:)
        let _: (NSManagedObject) -> () -> Void = NSManagedObject.prepareForDeletion
        let _: (NSManagedObject) -> () -> Void = NSManagedObject.willSave
        let _: (NSManagedObject) -> () -> Void = NSManagedObject.didSave
        let _: (NSManagedObject) -> () -> Void = NSManagedObject.willTurnIntoFault
        let _: (NSManagedObject) -> () -> Void = NSManagedObject.didTurnIntoFault
        let _: (NSManagedObject) -> (String) -> Any? = NSManagedObject.value(forKey:)
        let _: (NSManagedObject) -> (Any?, String) -> Void = NSManagedObject.setValue(_:forKey:)
        let _: (NSManagedObject) -> (String) -> Any? = NSManagedObject.primitiveValue(forKey:)
        let _: (NSManagedObject) -> (Any?, String) -> Void = NSManagedObject.setPrimitiveValue(_:forKey:)
        let _: (NSManagedObject) -> ([String]?) -> [String: Any] = NSManagedObject.committedValues(forKeys:)
        let _: (NSManagedObject) -> () -> [String: Any] = NSManagedObject.changedValues
        let _: (NSManagedObject) -> () -> [String: Any] = NSManagedObject.changedValuesForCurrentEvent
        let _: (NSManagedObject) -> () throws -> Void = NSManagedObject.validateForDelete
        let _: (NSManagedObject) -> () throws -> Void = NSManagedObject.validateForInsert
        let _: (NSManagedObject) -> () throws -> Void = NSManagedObject.validateForUpdate
        let _: (NSManagedObject) -> (AutoreleasingUnsafeMutablePointer<AnyObject?>, String) throws -> Void =
            NSManagedObject.validateValue(_:forKey:)
        let _: (NSManagedObject) -> (String) -> Any? = NSManagedObject.value(forKeyPath:)
        let _: KeyPath<AnyKeyPath, String?> = \AnyKeyPath.managedKeyPath
        let _: (NSManagedObject) -> (Any?, String) -> Void = NSManagedObject.setValue(_:forKeyPath:)
        let _: (NSManagedObject) -> (String) -> NSMutableSet = NSManagedObject.mutableSetValue(forKey:)
        let _: (NSManagedObject) -> (String) -> NSMutableSet = NSManagedObject.mutableSetValue(forKeyPath:)
        let _: (NSManagedObject) -> (String) -> NSMutableOrderedSet = NSManagedObject.mutableOrderedSetValue(forKey:)
        let _: (NSManagedObject) -> (String) -> NSMutableOrderedSet = NSManagedObject.mutableOrderedSetValue(
            forKeyPath:)
        let _: (NSManagedObject) -> ([String: Any]) -> Void = NSManagedObject.setValuesForKeys(_:)
        let _: (NSManagedObject) -> ([String]) -> [String: Any] = NSManagedObject.dictionaryWithValues(forKeys:)
        _ = NSSnapshotEventType.self
        let _: ReferenceWritableKeyPath<NSManagedObject, Any?> = \.["key"]
        let _: (NSManagedObject) -> (String) -> Any? = NSManagedObject.value(forUndefinedKey:)
        #expect(NSSnapshotEventType.undoInsertion.rawValue == 2)
        #expect(NSSnapshotEventType.undoDeletion.rawValue == 4)
        #expect(NSSnapshotEventType.undoUpdate.rawValue == 8)
        #expect(NSSnapshotEventType.rollback.rawValue == 16)
        #expect(NSSnapshotEventType.refresh.rawValue == 32)
        #expect(NSSnapshotEventType.mergePolicy.rawValue == 64)
    }

    @Test("NSManagedObjectID has its members")
    func managedObjectID() {
        _ = NSManagedObjectID.self
        let _: KeyPath<NSManagedObjectID, NSEntityDescription> = \.entity
        let _: KeyPath<NSManagedObjectID, NSPersistentStore?> = \.persistentStore
        let _: KeyPath<NSManagedObjectID, Bool> = \.isTemporaryID
        let _: (NSManagedObjectID) -> () -> URL = NSManagedObjectID.uriRepresentation
    }

    @Test("NSManagedObjectContext has its members")
    func managedObjectContext() {
        _ = NSManagedObjectContext.self
        let _: () -> NSManagedObjectContext = NSManagedObjectContext.init
        let _: (NSManagedObjectContextConcurrencyType) -> NSManagedObjectContext = NSManagedObjectContext.init(
            concurrencyType:)
        let _: (NSManagedObjectContext.ConcurrencyType) -> NSManagedObjectContext = NSManagedObjectContext.init(_:)
        let _: ReferenceWritableKeyPath<NSManagedObjectContext, NSPersistentStoreCoordinator?> =
            \.persistentStoreCoordinator
        let _: ReferenceWritableKeyPath<NSManagedObjectContext, NSManagedObjectContext?> = \.parent
        let _: ReferenceWritableKeyPath<NSManagedObjectContext, String?> = \.name
        let _: KeyPath<NSManagedObjectContext, Bool> = \.hasChanges
        let _: KeyPath<NSManagedObjectContext, NSMutableDictionary> = \.userInfo
        let _: KeyPath<NSManagedObjectContext, NSManagedObjectContextConcurrencyType> = \.concurrencyType
        let _: (NSManagedObjectContext) -> (NSManagedObjectID) -> NSManagedObject? = NSManagedObjectContext
            .registeredObject(for:)
        let _: (NSManagedObjectContext) -> (NSManagedObjectID) -> NSManagedObject = NSManagedObjectContext.object(with:)
        let _: (NSManagedObjectContext) -> (NSManagedObjectID) throws -> NSManagedObject = NSManagedObjectContext
            .existingObject(with:)
        let _: (NSManagedObjectContext) -> (NSManagedObject) -> Void = NSManagedObjectContext.insert(_:)
        let _: (NSManagedObjectContext) -> (NSManagedObject) -> Void = NSManagedObjectContext.delete(_:)
        let _: (NSManagedObjectContext) -> (NSManagedObject, Bool) -> Void = NSManagedObjectContext.refresh(
            _:mergeChanges:)
        let _: (NSManagedObjectContext) -> () -> Void = NSManagedObjectContext.refreshAllObjects
        let _: ReferenceWritableKeyPath<NSManagedObjectContext, Bool> = \.retainsRegisteredObjects
        let _: ReferenceWritableKeyPath<NSManagedObjectContext, Bool> = \.shouldDeleteInaccessibleFaults
        let _: ReferenceWritableKeyPath<NSManagedObjectContext, TimeInterval> = \.stalenessInterval
        let _: (NSManagedObjectContext) -> (NSManagedObject, NSManagedObjectID, NSPropertyDescription?) -> Bool =
            NSManagedObjectContext.shouldHandleInaccessibleFault(_:for:triggeredByProperty:)
        let _: (NSManagedObjectContext) -> () -> Void = NSManagedObjectContext.processPendingChanges
        let _: (NSManagedObjectContext) -> (Any, NSPersistentStore) -> Void = NSManagedObjectContext.assign(_:to:)
        let _: KeyPath<NSManagedObjectContext, Set<NSManagedObject>> = \.insertedObjects
        let _: KeyPath<NSManagedObjectContext, Set<NSManagedObject>> = \.updatedObjects
        let _: KeyPath<NSManagedObjectContext, Set<NSManagedObject>> = \.deletedObjects
        let _: KeyPath<NSManagedObjectContext, Set<NSManagedObject>> = \.registeredObjects
        let _: (NSManagedObjectContext) -> () -> Void = NSManagedObjectContext.reset
        let _: (NSManagedObjectContext) -> () -> Void = NSManagedObjectContext.rollback
        let _: (NSManagedObjectContext) -> () throws -> Void = NSManagedObjectContext.save
        let _: (NSManagedObjectContext) -> ([NSManagedObject]) throws -> Void = NSManagedObjectContext
            .obtainPermanentIDs(for:)
        _ = NSManagedObjectContextConcurrencyType.self
        #expect(NSInsertedObjectsKey == "inserted")
        #expect(NSUpdatedObjectsKey == "updated")
        #expect(NSDeletedObjectsKey == "deleted")
        #expect(NSRefreshedObjectsKey == "refreshed")
        #expect(NSInvalidatedAllObjectsKey == "invalidatedAll")
        #expect(NSManagedObjectContextConcurrencyType.confinementConcurrencyType.rawValue == 0)
        #expect(NSManagedObjectContextConcurrencyType.privateQueueConcurrencyType.rawValue == 1)
        #expect(NSManagedObjectContextConcurrencyType.mainQueueConcurrencyType.rawValue == 2)
        let _: (NSManagedObjectContext) -> (NSFetchRequest<NSManagedObject>) throws -> [NSManagedObject] =
            NSManagedObjectContext.fetch
        let _: (NSManagedObjectContext) -> (NSFetchRequest<NSManagedObject>) throws -> Int = NSManagedObjectContext
            .count(for:)
        let _: Notification.Name = NSManagedObjectContext.willSaveObjectsNotification
        let _: Notification.Name = NSManagedObjectContext.didSaveObjectsNotification
        let _: Notification.Name = NSManagedObjectContext.didChangeObjectsNotification
        let _: NSManagedObjectContext.ConcurrencyType = .privateQueue
        let _: NSManagedObjectContext.ConcurrencyType = .mainQueue
        let _: NSManagedObjectContext.ScheduledTaskType = .immediate
        let _: NSManagedObjectContext.ScheduledTaskType = .enqueued
        #expect(NSManagedObjectContext.NotificationKey.insertedObjects.rawValue == "inserted")
        #expect(NSManagedObjectContext.NotificationKey.updatedObjects.rawValue == "updated")
        #expect(NSManagedObjectContext.NotificationKey.deletedObjects.rawValue == "deleted")
        #expect(NSManagedObjectContext.NotificationKey.refreshedObjects.rawValue == "refreshed")
        #expect(NSManagedObjectContext.NotificationKey.invalidatedAllObjects.rawValue == "invalidatedAll")
        #expect(
            Notification.Name.NSManagedObjectContextWillSave.rawValue == "NSManagingContextWillSaveChangesNotification")
        #expect(
            Notification.Name.NSManagedObjectContextDidSave.rawValue == "NSManagingContextDidSaveChangesNotification")
        #expect(
            Notification.Name.NSManagedObjectContextObjectsDidChange.rawValue
                == "NSObjectsChangedInManagingContextNotification")
        let _: () -> NSManagedObjectContext = NSManagedObjectContext.init
        _ = { (context: NSManagedObjectContext) in context.perform {} }
        _ = { (context: NSManagedObjectContext) in context.performAndWait {} }
        _ = { (context: NSManagedObjectContext) throws -> Int in
            try context.performAndWait { try context.count(for: NSFetchRequest<NSManagedObject>()) }
        }
        _ = { (context: NSManagedObjectContext) async throws -> Int in
            try await context.perform { try context.count(for: NSFetchRequest<NSManagedObject>()) }
        }
        _ = { (context: NSManagedObjectContext) async -> Bool in
            await context.perform(schedule: .enqueued) { context.hasChanges }
        }
    }

    @Test("ManagedSlot has its members")
    func managedSlot() {
        let _: (ManagedSlot) -> (NSManagedObject, NSManagedObject) -> Void = ManagedSlot.add(_:to:)
        let _: (ManagedSlot) -> (NSManagedObject, NSManagedObject) -> Void = ManagedSlot.remove(_:from:)
        let _: (ManagedSlot) -> (NSManagedObject, Int, NSManagedObject) -> Void = ManagedSlot.insert(_:at:into:)
        let _: (ManagedSlot) -> (Int, NSManagedObject) -> Void = ManagedSlot.remove(at:from:)
        let _: (ManagedSlot) -> (Int, NSManagedObject, NSManagedObject) -> Void = ManagedSlot.replace(at:with:in:)
        let _: (ManagedSlot) -> (NSManagedObject) -> String = { slot in { slot.value(of: $0) } }
        let _: (ManagedSlot) -> (String, NSManagedObject) -> Void = { slot in { slot.set($0, of: $1) } }
    }
}
