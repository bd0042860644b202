import Foundation

/// What a merge policy does about conflicts.
public enum NSMergePolicyType: UInt, Sendable {
    /// A conflict is an error; nothing is saved.
    case errorMergePolicyType = 0
    /// Property by property; where both sides changed one, the store's value stays.
    case mergeByPropertyStoreTrumpMergePolicyType = 1
    /// Property by property; where both sides changed one, the object's value is saved.
    case mergeByPropertyObjectTrumpMergePolicyType = 2
    /// The object as it is in memory replaces the row.
    case overwriteMergePolicyType = 3
    /// The object's unsaved changes are dropped.
    case rollbackMergePolicyType = 4
}

/// Resolves the conflicts of a save, between a context's objects and what others have saved meanwhile.
///
/// Called on the queue of the context that is being saved. A subclass overrides one of the `resolve` methods, changes
/// the objects as it likes, and calls super for the rest: what is still in conflict after that counts as resolved in
/// favour of the object as it then is. An error thrown by any of them ends the save, and nothing is written.
///
/// What the types do where a row is gone, or an object is deleted:
///
/// | | the row is gone, the object was changed | the row was changed, the object is deleted |
/// |---|---|---|
/// | store trump, rollback | the object is gone too | the object is not deleted |
/// | object trump, overwrite | the row is inserted again | the row is deleted |
open class NSMergePolicy: NSObject {
    /// What the policy does, unless a subclass overrides it.
    open private(set) var mergeType: NSMergePolicyType

    /// Makes a policy of a type.
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

    /// A conflict is an error. The policy of every new context.
    open class var error: NSMergePolicy { policy(.errorMergePolicyType) }
    /// Drops the unsaved changes of objects in conflict.
    open class var rollback: NSMergePolicy { policy(.rollbackMergePolicyType) }
    /// Saves objects in conflict as they are in memory.
    open class var overwrite: NSMergePolicy { policy(.overwriteMergePolicyType) }
    /// Merges property by property; the object's changes win.
    open class var mergeByPropertyObjectTrump: NSMergePolicy { policy(.mergeByPropertyObjectTrumpMergePolicyType) }
    /// Merges property by property; the store's changes win.
    open class var mergeByPropertyStoreTrump: NSMergePolicy { policy(.mergeByPropertyStoreTrumpMergePolicyType) }

    /// Resolves all conflicts of one attempt to save: `NSMergeConflict`s and `NSConstraintConflict`s. The first door
    /// that a save knocks at; this implementation hands each kind to the method for it.
    open func resolve(mergeConflicts list: [Any]) throws {
        let optimistic = list.compactMap { $0 as? NSMergeConflict }
        let constraints = list.compactMap { $0 as? NSConstraintConflict }
        if !optimistic.isEmpty { try resolve(optimisticLockingConflicts: optimistic) }
        if !constraints.isEmpty { try resolve(constraintConflicts: constraints) }
    }

    /// Resolves conflicts with rows that somebody else has changed or deleted. The error policy throws 133020 with the
    /// list under `NSPersistentStoreSaveConflictsErrorKey`.
    open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        if mergeType == .errorMergePolicyType { throw NSMergeConflict.error(list) }
        for conflict in list { MergePolicyResolution(conflict, mergeType).run() }
    }

    /// Resolves broken uniqueness constraints. The error policy throws 133021 with the list under
    /// `NSPersistentStoreSaveConflictsErrorKey`; the others leave one object for each value, and what led to another
    /// one leads to it (`UniquenessResolution`).
    open func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        if mergeType == .errorMergePolicyType { throw NSConstraintConflict.error(list) }
        for conflict in list { UniquenessResolution(conflict, mergeType).run() }
    }
}

/// The policy that makes every conflict an error.
public var NSErrorMergePolicy: AnyObject { NSMergePolicy.error }
/// The policy that merges property by property and prefers the store's changes.
public var NSMergeByPropertyStoreTrumpMergePolicy: AnyObject { NSMergePolicy.mergeByPropertyStoreTrump }
/// The policy that merges property by property and prefers the object's changes.
public var NSMergeByPropertyObjectTrumpMergePolicy: AnyObject { NSMergePolicy.mergeByPropertyObjectTrump }
/// The policy that saves objects in conflict as they are in memory.
public var NSOverwriteMergePolicy: AnyObject { NSMergePolicy.overwrite }
/// The policy that drops the unsaved changes of objects in conflict.
public var NSRollbackMergePolicy: AnyObject { NSMergePolicy.rollback }
