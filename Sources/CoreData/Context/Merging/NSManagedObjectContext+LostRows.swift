import Foundation

extension NSManagedObjectContext {
    /// Removes objects whose rows are gone from the context, without making them changes to save. References of new
    /// objects to them become nil. The next did-change notification names them; after that they belong to no context.
    final func acceptDeletions(of objects: [NSManagedObject]) {
        let going = objects.filter { $0.binding.context === self && $0.flags.isDisjoint(with: [.gone, .mergedAway]) }
        if going.isEmpty { return }
        for object in going { cutReferences(to: object) }
        let keys = Set(going.map(\.objectKey))
        cutOneWayReferences(to: keys)
        forgetMembers(keys)
        let wereDeleted = going.contains { $0.flags.contains(.listedDeleted) }
        for object in going {
            object.flags.subtract([.updated, .inserted, .deletionPending, .pendingDelete, .listedDeleted])
            object.flags.formUnion([.deleted, .mergedAway])
        }
        if wereDeleted { tracked.deleted.removeAll { $0.flags.contains(.mergedAway) } }
        tracked.mergedDeletions += going
        schedulePendingChanges()
    }

    /// Notes the deleted objects in a relationship that was just read. Another context has related an object to them,
    /// and the delete rules did not apply to it.
    final func noteDeletedMembers(of state: ToManyState, owner: NSManagedObject) {
        if tracked.deleted.isEmpty || owner.flags.contains(.deleted) { return }
        for key in state.members {
            guard let member = registeredObject(for: key), member.flags.contains([.deleted, .listedDeleted]) else {
                continue
            }
            member.flags.insert(.relatedSinceDeletion)
        }
    }

    /// Removes objects whose deletion was saved from the relationships that were read after the deletion.
    final func leaveRelationships(ofDeleted objects: [NSManagedObject]) {
        let related = objects.filter { $0.flags.contains(.relatedSinceDeletion) }
        if related.isEmpty { return }
        forgetMembers(Set(related.map(\.objectKey)))
    }

    private func forgetMembers(_ keys: Set<ObjectKey>) {
        for map in identityMaps {
            for object in map?.objects ?? [] { object.overlay?.toManys.forEach { $0?.forget(keys) } }
        }
    }

    /// Unsaved references to an object that is gone become nil.
    private func cutReferences(to object: NSManagedObject) {
        let key = object.objectKey
        for toMany in object.binding.layout.toManys {
            for member in object.existingToManyState(toMany.index)?.added.keys ?? [] {
                registeredObject(for: member)?.leaveOwner(key, of: toMany)
            }
        }
        for (slot, destination) in object.binding.layout.destinations.enumerated() where object.row != nil {
            guard case .toOne(let inverse)? = destination.inverse, case .toOne = object.binding.layout.slots[slot].role,
                let other = object.reference(at: slot).flatMap({ registeredObject(for: $0) }),
                other.overlay?.mask.contains(inverse) == true, other.reference(at: inverse) == key
            else { continue }
            other.writeReference(nil, at: inverse)
        }
    }

    /// Sets unsaved references without an inverse to objects that are gone to nil.
    private func cutOneWayReferences(to gone: Set<ObjectKey>) {
        for object in tracked.inserted + tracked.updated where object.binding.context === self {
            guard let overlay = object.overlay, !overlay.mask.isEmpty else { continue }
            for (slot, destination) in object.binding.layout.destinations.enumerated() where overlay.mask.contains(slot)
            {
                guard destination.inverse == nil, case .toOne = object.binding.layout.slots[slot].role,
                    let key = object.reference(at: slot), gone.contains(key)
                else { continue }
                object.writeReference(nil, at: slot)
            }
        }
    }

    /// Takes a deletion back, because a newer row counts more. References that the deletion emptied are restored,
    /// unless the caller sets them.
    final func undelete(_ object: NSManagedObject, as latest: Snapshot?, withReferences: Bool = true) {
        object.flags.subtract([.deleted, .deletionPending, .pendingDelete, .listedDeleted, .updated])
        tracked.deleted.removeAll { $0 === object }
        noteTemporaries(of: object)
        if let latest {
            object.overlay?.discardChanges()
            object.row = latest
        }
        defer { noteRefresh(of: object) }
        if !withReferences { return }
        let key = object.objectKey
        for other in tracked.updated where other.binding.context === self && other !== object {
            guard let overlay = other.overlay, let row = other.row else { continue }
            for (slot, description) in other.binding.layout.slots.enumerated() {
                guard case .toOne = description.role, overlay.mask.contains(slot), overlay.values[slot].isNull,
                    row.reference(at: slot, other.binding.layout) == key
                else { continue }
                let links = other.ownerLinks()
                other.dropChange(at: slot)
                let companion = other.binding.layout.destinations[slot].companion
                if companion >= 0 { other.dropChange(at: companion) }
                other.follow(links)
            }
        }
    }
}
