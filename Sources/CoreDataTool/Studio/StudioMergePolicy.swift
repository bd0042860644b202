import CoreData
import Foundation

/// A conflict that the page has shown: the object, and the version of its row that it was shown with.
struct ToldConflict: Hashable {
    let name: String
    let version: Int

    init(_ conflict: NSMergeConflict) {
        name = ObjectName.of(conflict.sourceObject.objectID)
        version = conflict.newVersionNumber
    }
}

/// Resolves the conflicts that the user has seen and decided, and no other ones. Conflicts of objects with the same
/// unique value are excluded, because one object would have to be deleted.
final class StudioMergePolicy: NSMergePolicy {
    private let told: Set<ToldConflict>

    init(_ type: NSMergePolicyType, told: Set<ToldConflict>) {
        self.told = told
        super.init(merge: type)
    }

    override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        if list.contains(where: { !told.contains(ToldConflict($0)) }) {
            return try NSMergePolicy.error.resolve(optimisticLockingConflicts: list)
        }
        try super.resolve(optimisticLockingConflicts: list)
    }

    override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        try NSMergePolicy.error.resolve(constraintConflicts: list)
    }
}
