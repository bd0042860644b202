import Foundation

// Objects of a save that break a uniqueness constraint.
extension NSManagedObjectContext {
    /// Groups broken constraints: all objects with the same values are in one conflict.
    final func constraintConflicts(_ found: [SaveConflicts.ConstraintConflict]) -> [NSConstraintConflict] {
        struct BrokenConstraint: Hashable {
            var constraint: [String]
            var existing: ObjectKey?
        }
        var order: [BrokenConstraint] = []
        var groups: [BrokenConstraint: [SaveConflicts.ConstraintConflict]] = [:]
        for conflict in found {
            let broken = BrokenConstraint(constraint: conflict.constraint, existing: conflict.existing)
            if groups[broken] == nil { order.append(broken) }
            groups[broken, default: []].append(conflict)
        }
        return order.map { broken in
            let group = groups[broken] ?? []
            var objects = group.compactMap { objectBeingSaved(under: $0.key) }
            var database: NSManagedObject?
            var values: [String: Any]?
            if let existing = broken.existing {
                if let rival = objectBeingSaved(under: existing), isSaving(broken.constraint, of: rival) {
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
                constraint: broken.constraint, database: database, databaseSnapshot: values, conflicting: objects,
                conflictingSnapshots: objects.map { object in object.row.map { object.snapshotValues(of: $0) } ?? [:] })
        }
    }

    /// The object that the present attempt to save writes under a (permanent) key.
    private func objectBeingSaved(under key: ObjectKey) -> NSManagedObject? {
        if let temporary = saveState.temporaryKeys[key] {
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
            switch object.binding.layout.access(at: name) {
            case .attribute(let slot)?, .toOne(let slot)?: changed.contains(slot)
            default: false
            }
        }
    }
}
