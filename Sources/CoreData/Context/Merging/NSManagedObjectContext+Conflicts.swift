import Foundation

// From what a store refuses to what a merge policy is asked, and back to a change set that goes through.
extension NSManagedObjectContext {
    /// Who decides about the conflicts of this context's saves: an `NSMergePolicy`. The policy of a new context makes every
    /// conflict an error.
    ///
    /// A child's save meets its parent by the child's policy. With the error policy only an object that the parent has
    /// lost is a conflict; values that both changed are the child's, as Apple's contexts have it.
    public final var mergePolicy: Any {
        get {
            checkConfinementOnceUsed()
            return storedMergePolicy
        }
        set {
            checkConfinementOnceUsed()
            guard let policy = newValue as? NSMergePolicy else {
                preconditionFailure(
                    "Unacceptable merge policy: an NSMergePolicy is needed, given type = \(type(of: newValue))")
            }
            storedMergePolicy = policy
        }
    }

    /// Makes the next save look whether the object's row has changed, even if the object itself has not: then it is in
    /// conflict like a changed one.
    public final func detectConflicts(for object: NSManagedObject) {
        checkConfinement()
        guard object.home.context === self, object.key > 0 else { return }
        _ = object.firedRow()
        watchedObjects.append(object)
    }

    /// Objects whose rows the save only has to find unchanged.
    final var watchedForSave: [NSManagedObject] {
        watchedObjects.filter {
            $0.home.context === self && $0.row != nil && $0.flags.isDisjoint(with: [.updated, .deleted, .inaccessible])
        }
    }

    /// The objects of a save whose rows the coordinator's cache has in a newer version, or nothing to say.
    final func conflictsWithCache(
        _ work: SaveWork, _ coordinator: NSPersistentStoreCoordinator
    ) -> [SaveConflicts.Conflict] {
        var conflicts: [SaveConflicts.Conflict] = []
        for object in work.updated + work.deleted + watchedForSave {
            guard let row = object.row, !object.flags.contains(.inaccessible),
                !reinsertedObjects.contains(ObjectIdentifier(object)),
                let cached = coordinator.cachedRow(for: object.objectKey, rootIndex: object.home.layout.rootIndex),
                cached.version > row.version
            else { continue }
            conflicts.append(SaveConflicts.Conflict(key: object.objectKey, expected: row, found: cached))
        }
        return conflicts
    }

    /// Lets the policy resolve what a save met, and puts the newest rows under the objects. Throws what the policy throws.
    final func resolve(_ conflicts: SaveConflicts, isCached: Bool) throws {
        // Rows first: a constraint that is broken because of an old row is not broken any more.
        if !conflicts.conflicts.isEmpty {
            try resolve(
                conflicts.conflicts.compactMap { conflict in
                    registeredObject(for: conflict.key).map {
                        NSMergeConflict($0, found: conflict.found, isCached: isCached)
                    }
                })
        } else {
            try storedMergePolicy.resolve(mergeConflicts: constraintConflicts(conflicts.constraintConflicts))
        }
        processPendingChanges()
    }

    private func resolve(_ conflicts: [NSMergeConflict]) throws {
        try storedMergePolicy.resolve(mergeConflicts: conflicts)
        defer { for conflict in conflicts { uniteMembers(of: conflict.sourceObject) } }
        for conflict in conflicts {
            let object = conflict.sourceObject
            guard object.home.context === self else { continue }
            if let found = conflict.foundRow {
                guard let row = object.row, row !== found, row.version <= found.version else { continue }
                // The policy has left it as it was: it wins.
                if object.flags.contains(.deleted) {
                    object.row = found
                } else {
                    object.rebase(on: found, keeping: .all)
                }
            } else if object.flags.contains(.deleted) {
                object.flags.insert(.inaccessible)
            } else if object.flags.contains(.updated) {
                reinsertedObjects.insert(ObjectIdentifier(object))
            } else {
                acceptDeletions(of: [object])
            }
        }
    }

    /// Broken constraints by what breaks them: all objects with the same values are in one conflict.
    private func constraintConflicts(_ found: [SaveConflicts.ConstraintConflict]) -> [NSConstraintConflict] {
        struct Place: Hashable {
            var constraint: [String]
            var existing: ObjectKey?
        }
        var order: [Place] = []
        var groups: [Place: [SaveConflicts.ConstraintConflict]] = [:]
        for conflict in found {
            let place = Place(constraint: conflict.constraint, existing: conflict.existing)
            if groups[place] == nil { order.append(place) }
            groups[place, default: []].append(conflict)
        }
        return order.map { place in
            let group = groups[place] ?? []
            var objects = group.compactMap { objectBeingSaved(under: $0.key) }
            var database: NSManagedObject?
            var values: [String: Any]?
            if let existing = place.existing {
                if let rival = objectBeingSaved(under: existing), isSaving(place.constraint, of: rival) {
                    objects.insert(rival, at: 0)
                } else if let row = group.first?.existingRow {
                    let object = object(for: existing)
                    if object.row == nil {
                        object.row = row
                    } else if object.row?.version ?? 0 < row.version {
                        object.rebase(on: row, keeping: .all)
                    }
                    database = object
                    values = object.snapshotValues(of: row)
                }
            }
            return NSConstraintConflict(
                constraint: place.constraint, database: database, databaseSnapshot: values, conflicting: objects,
                conflictingSnapshots: objects.map { object in object.row.map { object.snapshotValues(of: $0) } ?? [:] })
        }
    }

    /// The object that the present attempt to save writes under a (permanent) key.
    private func objectBeingSaved(under key: ObjectKey) -> NSManagedObject? {
        if let temporary = temporaryKeys[key] {
            return registeredObject(for: ObjectKey(layoutIndex: key.layoutIndex, key: temporary))
        }
        return registeredObject(for: key)
    }

    /// Whether the object has its value of a constraint from memory, not from its row.
    private func isSaving(_ constraint: [String], of object: NSManagedObject) -> Bool {
        if object.flags.contains(.inserted) { return true }
        guard object.flags.contains(.updated) else { return false }
        let changed = object.persistentChanges()
        return constraint.contains { name in
            switch object.home.layout.access(at: name) {
            case .attribute(let slot)?, .toOne(let slot)?: changed.contains(slot)
            default: false
            }
        }
    }
}
