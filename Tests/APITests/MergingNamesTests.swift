import CoreData
import Testing

// Each line names a symbol with the type it has in Apple's interface: a change of either no longer compiles.

@Suite("Apple's names of merging")
struct MergingNamesTests {
    @Test("NSMergePolicy has its members")
    func mergePolicy() {
        let _: (NSMergePolicyType) -> NSMergePolicy = NSMergePolicy.init(merge:)
        let _: KeyPath<NSMergePolicy, NSMergePolicyType> = \.mergeType
        let _: (NSMergePolicy) -> ([Any]) throws -> Void = NSMergePolicy.resolve(mergeConflicts:)
        let _: (NSMergePolicy) -> ([NSMergeConflict]) throws -> Void = NSMergePolicy.resolve(
            optimisticLockingConflicts:)
        let _: (NSMergePolicy) -> ([NSConstraintConflict]) throws -> Void = NSMergePolicy.resolve(constraintConflicts:)
        let policies: [(NSMergePolicy, AnyObject, NSMergePolicyType)] = [
            (.error, NSErrorMergePolicy, .errorMergePolicyType),
            (
                .mergeByPropertyStoreTrump, NSMergeByPropertyStoreTrumpMergePolicy,
                .mergeByPropertyStoreTrumpMergePolicyType
            ),
            (
                .mergeByPropertyObjectTrump, NSMergeByPropertyObjectTrumpMergePolicy,
                .mergeByPropertyObjectTrumpMergePolicyType
            ),
            (.overwrite, NSOverwriteMergePolicy, .overwriteMergePolicyType),
            (.rollback, NSRollbackMergePolicy, .rollbackMergePolicyType),
        ]
        for (member, global, type) in policies {
            #expect(member.mergeType == type)
            #expect((global as? NSMergePolicy)?.mergeType == type)
        }
        #expect(NSMergePolicyType.errorMergePolicyType.rawValue == 0 as UInt)
        #expect(NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType.rawValue == 1)
        #expect(NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType.rawValue == 2)
        #expect(NSMergePolicyType.overwriteMergePolicyType.rawValue == 3)
        #expect(NSMergePolicyType.rollbackMergePolicyType.rawValue == 4)
    }

    @Test("NSMergeConflict has its members")
    func mergeConflict() {
        let _: (NSManagedObject, Int, Int, [String: Any]?, [String: Any]?) -> NSMergeConflict = NSMergeConflict.init(
            source:newVersion:oldVersion:cachedSnapshot:persistedSnapshot:)
        let _: KeyPath<NSMergeConflict, NSManagedObject> = \.sourceObject
        let _: KeyPath<NSMergeConflict, [String: Any]?> = \.objectSnapshot
        let _: KeyPath<NSMergeConflict, [String: Any]?> = \.cachedSnapshot
        let _: KeyPath<NSMergeConflict, [String: Any]?> = \.persistedSnapshot
        let _: KeyPath<NSMergeConflict, Int> = \.newVersionNumber
        let _: KeyPath<NSMergeConflict, Int> = \.oldVersionNumber
        #expect(NSPersistentStoreSaveConflictsErrorKey == "conflictList")
    }

    @Test("NSConstraintConflict has its members")
    func constraintConflict() {
        let _: ([String], NSManagedObject?, [AnyHashable: Any]?, [NSManagedObject], [Any]) -> NSConstraintConflict =
            NSConstraintConflict.init(constraint:database:databaseSnapshot:conflicting:conflictingSnapshots:)
        let _: KeyPath<NSConstraintConflict, [String]> = \.constraint
        let _: KeyPath<NSConstraintConflict, [String: Any]> = \.constraintValues
        let _: KeyPath<NSConstraintConflict, NSManagedObject?> = \.databaseObject
        let _: KeyPath<NSConstraintConflict, [String: Any]?> = \.databaseSnapshot
        let _: KeyPath<NSConstraintConflict, [NSManagedObject]> = \.conflictingObjects
        let _: KeyPath<NSConstraintConflict, [[AnyHashable: Any]]> = \.conflictingSnapshots
    }

    @Test("NSManagedObjectContext has its members that merge")
    func context() {
        let _: ReferenceWritableKeyPath<NSManagedObjectContext, Any> = \.mergePolicy
        let _: ReferenceWritableKeyPath<NSManagedObjectContext, Bool> = \.automaticallyMergesChangesFromParent
        let _: ReferenceWritableKeyPath<NSManagedObjectContext, Bool> = \.propagatesDeletesAtEndOfEvent
        let _: ReferenceWritableKeyPath<NSManagedObjectContext, String?> = \.transactionAuthor
        let _: (NSManagedObjectContext) -> (NSManagedObject) -> Void = NSManagedObjectContext.detectConflicts(for:)
        let _: (NSManagedObjectContext) -> (Notification) -> Void = NSManagedObjectContext.mergeChanges(
            fromContextDidSave:)
        let _: ([AnyHashable: Any], [NSManagedObjectContext]) -> Void = NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave:into:)
        #expect(NSManagedObjectContext.didSaveObjectIDsNotification == .NSManagedObjectContextDidSaveObjectIDs)
        #expect(
            NSManagedObjectContext.didMergeChangesObjectIDsNotification
                == .NSManagedObjectContextDidMergeChangesObjectIDs)
        #expect(NSInvalidatedObjectsKey == "invalidated")
        #expect(NSInsertedObjectIDsKey == "inserted_objectIDs")
        #expect(NSUpdatedObjectIDsKey == "updated_objectIDs")
        #expect(NSDeletedObjectIDsKey == "deleted_objectIDs")
        #expect(NSRefreshedObjectIDsKey == "refreshed_objectIDs")
        #expect(NSInvalidatedObjectIDsKey == "invalidated_objectIDs")
        #expect(NSManagedObjectContext.NotificationKey.invalidatedObjects.rawValue == NSInvalidatedObjectsKey)
        #expect(NSManagedObjectContext.NotificationKey.insertedObjectIDs.rawValue == NSInsertedObjectIDsKey)
        #expect(NSManagedObjectContext.NotificationKey.updatedObjectIDs.rawValue == NSUpdatedObjectIDsKey)
        #expect(NSManagedObjectContext.NotificationKey.deletedObjectIDs.rawValue == NSDeletedObjectIDsKey)
        #expect(NSManagedObjectContext.NotificationKey.refreshedObjectIDs.rawValue == NSRefreshedObjectIDsKey)
        #expect(NSManagedObjectContext.NotificationKey.invalidatedObjectIDs.rawValue == NSInvalidatedObjectIDsKey)
    }
}
