// Implementation notes: Context/Merging.
//
// - A store reports which rows have a newer version and which constraints broke, and has written nothing. The context
//   turns the report into conflict objects, calls the policy, puts the newest rows under the objects and tries again.
// - Uniqueness has files of its own. `SaveSession+Uniqueness` finds the row, `+UniquenessConflicts` makes the conflict,
//   and `UniquenessResolution` is the work of the built-in policies. Delete rules are `+DeleteRules` and
//   `ObjectValidation+DenyRule`.
// - Programs' stores keep members in the records of their owners. There the members that another context has saved are
//   united with those that were added and removed here (`+RecordMembers`).
// - Merging needs keys and no objects. A did-save notification carries the keys, and each context that merges
//   automatically gets them in the order of the commits.

import Foundation

// Turns a store's refusals into conflicts for a merge policy, and the policy's decisions into a change set.
extension NSManagedObjectContext {
    /// The value of `mergePolicy` unless a subclass overrides it.
    final var _mergePolicy: Any {
        get {
            checkConfinementOnceUsed()
            return settings.mergePolicy
        }
        set {
            checkConfinementOnceUsed()
            guard let policy = newValue as? NSMergePolicy else {
                fatalError(
                    "Unacceptable merge policy: an NSMergePolicy is needed, given type = \(type(of: newValue))")
            }
            settings.mergePolicy = policy
        }
    }

    /// Does the work of `detectConflicts(for:)` unless a subclass overrides it.
    final func _detectConflicts(for object: NSManagedObject) {
        checkConfinement(with: object)
        guard object.binding.context === self, object.key > 0 else { return }
        _ = object.firedRow()
        tracked.watched.append(object)
    }

    /// Objects whose rows the save only has to find unchanged.
    final var watchedForSave: [NSManagedObject] {
        tracked.watched.filter {
            $0.binding.context === self && $0.row != nil
                && $0.flags.isDisjoint(with: [.updated, .deleted, .inaccessible])
        }
    }

    /// The conflicts of a save with newer rows in the coordinator's row cache.
    final func conflictsWithCache(
        _ work: SaveWork, _ coordinator: NSPersistentStoreCoordinator
    ) -> [SaveConflicts.Conflict] {
        var conflicts: [SaveConflicts.Conflict] = []
        // Mostly all objects are of one store.
        var number: Int?
        var store: (any RowStore)?
        for objects in [work.updated, work.deleted, watchedForSave] {
            for object in objects {
                guard let held = object.heldRow, !object.flags.contains(.inaccessible),
                    saveState.reinserted.isEmpty || !saveState.reinserted.contains(ObjectIdentifier(object))
                else { continue }
                let key = object.objectKey
                if number != key.storeNumber {
                    number = key.storeNumber
                    store = coordinator.storeOfCachedRows(numbered: key.storeNumber)
                }
                let root = object.binding.layout.rootIndex
                // Mostly the cache has the object's own row.
                guard let store, !store.isCached(held, for: key.key, rootIndex: root),
                    let cached = store.cachedRow(for: key.key, rootIndex: root), let row = object.row,
                    RowVersion.isOlder(row.version, than: cached.version)
                else { continue }
                conflicts.append(SaveConflicts.Conflict(key: key, expected: row, found: cached))
            }
        }
        return conflicts
    }

    /// Lets the policy resolve the conflicts of a save, and puts the newest rows under the objects. Throws the policy's
    /// error.
    final func resolve(_ conflicts: SaveConflicts, isCached: Bool) throws {
        // Rows first: a constraint that is broken because of an old row is not broken any more.
        if !conflicts.conflicts.isEmpty {
            let objects = conflicts.conflicts.map { object(for: $0.key) }
            try resolve(
                zip(objects, conflicts.conflicts).map { NSMergeConflict($0, found: $1.found, isCached: isCached) },
                wentBack: conflicts.conflicts.map(\.wentBack))
            for (object, conflict) in zip(objects, conflicts.conflicts) where object.flags.contains(.deleted) {
                try leaveNewcomers(conflict, of: object)
            }
        } else {
            let unknown = conflicts.constraintConflicts.filter { !$0.isOfModel }
            if !unknown.isEmpty { throw NSConstraintConflict.error(constraintConflicts(unknown)) }
            try settings.mergePolicy.resolve(mergeConflicts: constraintConflicts(conflicts.constraintConflicts))
        }
        processPendingChanges()
    }

    private func resolve(_ conflicts: [NSMergeConflict], wentBack: [Bool]) throws {
        try settings.mergePolicy.resolve(mergeConflicts: conflicts)
        defer { for conflict in conflicts { uniteMembers(of: conflict.sourceObject) } }
        for (conflict, wentBack) in zip(conflicts, wentBack) {
            let object = conflict.sourceObject
            guard object.binding.context === self else { continue }
            if let found = conflict.foundRow {
                guard let row = object.row, row !== found,
                    wentBack || !RowVersion.isOlder(found.version, than: row.version)
                else { continue }
                // The policy has left the object as it was, so the object wins.
                if object.flags.contains(.deleted) {
                    object.row = found
                } else {
                    object.rebase(on: found, keeping: .all)
                }
            } else if object.flags.contains(.deleted) {
                object.flags.insert(.inaccessible)
            } else if object.flags.contains(.updated), object.row != nil {
                saveState.reinserted.insert(ObjectIdentifier(object))
                if rowSource?.hasUnsavedRows == false { object.reclaimPartners() }
            } else {
                acceptDeletions(of: [object])
            }
        }
    }

    /// A deletion wins over relationships that another context has given the object since it was read. The delete rules
    /// apply to these, too.
    private func leaveNewcomers(_ conflict: SaveConflicts.Conflict, of object: NSManagedObject) throws {
        let layout = object.binding.layout
        func leave(_ relationship: NSRelationshipDescription, _ key: ObjectKey, _ forget: (NSManagedObject) -> Void)
            throws
        {
            let newcomer = self.object(for: key)
            persistentStoreCoordinator?.forgetCachedRow(key, rootIndex: newcomer.binding.layout.rootIndex)
            refresh(newcomer, mergeChanges: true)
            if newcomer.flags.contains(.deleted) { return }
            switch relationship.deleteRule {
            case .noActionDeleteRule: return
            case .denyDeleteRule: throw ObjectValidation.deniedDeletion(of: object, relationship.name)
            case .cascadeDeleteRule: delete(newcomer)
            default: break
            }
            forget(newcomer)
        }
        for newcomer in try newMembers(conflict, layout) {
            let toMany = layout.toManys[newcomer.toMany]
            try leave(toMany.relationship, newcomer.key) { forget(object, in: $0, of: toMany) }
        }
        guard let found = conflict.found else { return }
        for (slot, _) in layout.oneToOnes {
            guard case .toOne(let relationship, _) = layout.slots[slot].role,
                let key = found.reference(at: slot, layout)
            else { continue }
            try leave(relationship, key) { forget(object, in: $0, inverse: relationship.inverseRelationship) }
        }
    }

    /// The members that this context has not read. A program's store does not distinguish them from those that the
    /// object had.
    private func newMembers(
        _ conflict: SaveConflicts.Conflict, _ layout: EntityLayout
    ) throws -> [SaveConflicts.NewMember] {
        guard let coordinator = persistentStoreCoordinator, conflict.found != nil,
            coordinator.objectStoreNumbers.contains(conflict.key.storeNumber)
        else { return conflict.newMembers }
        return try layout.toManys.filter { $0.relationship.deleteRule != .noActionDeleteRule }.flatMap { toMany in
            try coordinator.members(of: toMany, owner: conflict.key, in: self).map {
                SaveConflicts.NewMember(toMany: toMany.index, key: $0)
            }
        }
    }
}
