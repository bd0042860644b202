import Foundation

/// The rule by which a merge policy resolves conflicts.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmergepolicytype)
public enum NSMergePolicyType: UInt, Sendable {
    /// A conflict is an error; nothing is saved.
    case errorMergePolicyType = 0
    /// Merges property by property. If both sides changed a property, the store's value stays.
    case mergeByPropertyStoreTrumpMergePolicyType = 1
    /// Merges property by property. If both sides changed a property, the object's value is saved.
    case mergeByPropertyObjectTrumpMergePolicyType = 2
    /// The object as it is in memory replaces the row.
    case overwriteMergePolicyType = 3
    /// The object's unsaved changes are dropped.
    case rollbackMergePolicyType = 4
}

/// Resolves the conflicts of a save with rows that another context or process has saved since they were read.
///
/// The framework calls a policy on the queue of the context that is being saved. A subclass overrides one of the
/// `resolve` methods, changes the objects as it likes, and calls super for the other conflicts. An error from one of
/// these methods ends the save, and nothing is written.
///
/// An ``NSMergeConflict`` that remains is resolved in favour of the object as it then is. If a uniqueness constraint is
/// still broken, the policy is called again. The save throws after 1,000 attempts.
///
/// The types treat deleted rows and deleted objects as follows:
///
/// | | the row is gone, the object was changed | the row was changed, the object is deleted |
/// |---|---|---|
/// | store trump, rollback | the object is gone too | the object is not deleted |
/// | object trump, overwrite | the row is inserted again | the row is deleted |
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmergepolicy)
open class NSMergePolicy: NSObject {
    /// The rule that the policy follows, unless a subclass overrides the `resolve` methods.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmergepolicy/mergetype)
    open private(set) var mergeType: NSMergePolicyType

    /// Creates a policy of the given type.
    ///
    /// - Parameter ty: The rule that the policy follows.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmergepolicy/init(merge:))
    public init(merge ty: NSMergePolicyType) {
        mergeType = ty
        super.init()
    }

    // nonisolated(unsafe): five constants, and their one property is a constant too.
    nonisolated(unsafe) private static let policies: [NSMergePolicy] = [
        NSMergePolicy(merge: .errorMergePolicyType),
        NSMergePolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType),
        NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType),
        NSMergePolicy(merge: .overwriteMergePolicyType),
        NSMergePolicy(merge: .rollbackMergePolicyType),
    ]

    private class func policy(_ type: NSMergePolicyType) -> NSMergePolicy { policies[Int(type.rawValue)] }

    /// The policy that makes every conflict an error. Every new context has it.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmergepolicy/error)
    open class var error: NSMergePolicy { policy(.errorMergePolicyType) }
    /// The policy that drops the unsaved changes of objects in conflict.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmergepolicy/rollback)
    open class var rollback: NSMergePolicy { policy(.rollbackMergePolicyType) }
    /// The policy that saves objects in conflict as they are in memory.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmergepolicy/overwrite)
    open class var overwrite: NSMergePolicy { policy(.overwriteMergePolicyType) }
    /// The policy that merges property by property and prefers the object's changes.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmergepolicy/mergebypropertyobjecttrump)
    open class var mergeByPropertyObjectTrump: NSMergePolicy { policy(.mergeByPropertyObjectTrumpMergePolicyType) }
    /// The policy that merges property by property and prefers the store's changes.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmergepolicy/mergebypropertystoretrump)
    open class var mergeByPropertyStoreTrump: NSMergePolicy { policy(.mergeByPropertyStoreTrumpMergePolicyType) }

    /// Resolves all conflicts of one attempt to save.
    ///
    /// A save calls this method first. This implementation passes each kind of conflict to the method for it.
    ///
    /// - Parameter list: Objects of ``NSMergeConflict`` and ``NSConstraintConflict``.
    /// - Throws: The errors of the methods that it calls.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmergepolicy/resolve(mergeconflicts:))
    open func resolve(mergeConflicts list: [Any]) throws {
        let optimistic = list.compactMap { $0 as? NSMergeConflict }
        let constraints = list.compactMap { $0 as? NSConstraintConflict }
        if !optimistic.isEmpty { try resolve(optimisticLockingConflicts: optimistic) }
        if !constraints.isEmpty { try resolve(constraintConflicts: constraints) }
    }

    /// Resolves conflicts with rows that another context or process has changed or deleted.
    ///
    /// - Parameter list: One conflict for each object.
    /// - Throws: `NSManagedObjectMergeError` (133020) if the policy is of the error type. The list is under
    ///   ``NSPersistentStoreSaveConflictsErrorKey``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmergepolicy/resolve(optimisticlockingconflicts:))
    open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        if mergeType == .errorMergePolicyType { throw NSMergeConflict.error(list) }
        for conflict in list { MergePolicyResolution(conflict, mergeType).run() }
    }

    /// Resolves broken uniqueness constraints.
    ///
    /// Every type but the error type leaves one object for each value. Relationships that led to the other objects lead
    /// to that one.
    ///
    /// - Parameter list: One conflict for each broken constraint and value.
    /// - Throws: `NSManagedObjectConstraintMergeError` (133021) if the policy is of the error type. The list is under
    ///   ``NSPersistentStoreSaveConflictsErrorKey``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmergepolicy/resolve(constraintconflicts:))
    open func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        if mergeType == .errorMergePolicyType { throw NSConstraintConflict.error(list) }
        for conflict in list { UniquenessResolution(conflict, mergeType).run() }
    }
}

/// The policy that makes every conflict an error.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nserrormergepolicy)
public var NSErrorMergePolicy: AnyObject { NSMergePolicy.error }
/// The policy that merges property by property and prefers the store's changes.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmergebypropertystoretrumpmergepolicy)
public var NSMergeByPropertyStoreTrumpMergePolicy: AnyObject { NSMergePolicy.mergeByPropertyStoreTrump }
/// The policy that merges property by property and prefers the object's changes.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsmergebypropertyobjecttrumpmergepolicy)
public var NSMergeByPropertyObjectTrumpMergePolicy: AnyObject { NSMergePolicy.mergeByPropertyObjectTrump }
/// The policy that saves objects in conflict as they are in memory.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsoverwritemergepolicy)
public var NSOverwriteMergePolicy: AnyObject { NSMergePolicy.overwrite }
/// The policy that drops the unsaved changes of objects in conflict.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nsrollbackmergepolicy)
public var NSRollbackMergePolicy: AnyObject { NSMergePolicy.rollback }
