import Foundation

// Deletes objects, and removes them from relationships that lead to them.
extension NSManagedObjectContext {
    /// Does the work of `delete(_:)` unless a subclass overrides it.
    final func _delete(_ object: NSManagedObject) {
        checkConfinement(with: object)
        require(
            object.binding.context === self,
            """
            An NSManagedObjectContext cannot delete objects in other contexts. (\(object.binding.layout.name) of \
            \(object.binding.context?.debugName ?? "no context"), deleted in \(debugName))
            """)
        if object.flags.contains(.deleted) { return }
        object.prepareForDeletion()
        guard let observation = settings.observation else { return markDeleted(object) }
        let place = object.binding.layout.observedPlaceOfDeletion
        observation.change([ObservedObjects.Change(object: object, place: place)]) { markDeleted(object) }
    }

    private func markDeleted(_ object: NSManagedObject) {
        // An observer may have deleted the object, or reset the context.
        if object.flags.contains(.deleted) || object.binding.context !== self { return }
        object.flags.formUnion([.deleted, .deletionPending, .pendingDelete])
        if !object.flags.contains(.listedDeleted) {
            object.flags.insert(.listedDeleted)
            tracked.deleted.append(object)
        }
        tracked.pendingDeletions.append(object)
        if !object.flags.contains(.pendingEvent) {
            object.flags.insert(.pendingEvent)
            tracked.pending.append(object)
            schedulePendingChanges()
        }
    }

    /// Removes an object that is deleted without its delete rules from the relationships that still lead to it.
    final func cutTies(of object: NSManagedObject) {
        let layout = object.binding.layout
        for slot in layout.slots.indices {
            guard case .toOne = layout.slots[slot].role, let inverse = layout.destinations[slot].inverse,
                let target = object.referencedObject(at: slot), leads(target, by: inverse, to: object)
            else { continue }
            object.setReference(nil, at: slot)
        }
        for toMany in layout.toManys {
            for member in object.memberObjects(of: toMany.index) {
                let isTied =
                    switch toMany.kind {
                    case .inverseKey(let slot, _): leads(member, by: .toOne(slot: slot), to: object)
                    case .join(let inverse, _): leads(member, by: .toMany(index: inverse), to: object)
                    case .ownerKey(let slot, _): member.slotValue(at: slot) == .int(object.key)
                    case .transient: false
                    }
                if isTied, !member.flags.contains(.deleted) { object.removeMember(member, from: toMany.index) }
            }
        }
    }

    private func leads(_ other: NSManagedObject, by side: InverseSide, to object: NSManagedObject) -> Bool {
        if other.flags.contains(.deleted) || other.flags.contains(.inaccessible) { return false }
        return switch side {
        case .toOne(let slot): other.reference(at: slot) == object.objectKey
        case .toMany(let index): other.members(of: index).contains(object.objectKey)
        }
    }

    /// Takes a deleted object out of a member of its relationship.
    final func forget(_ object: NSManagedObject, in member: NSManagedObject, of toMany: ToManySlot) {
        member.leaveOwner(object.objectKey, of: toMany)
        if case .join = toMany.kind { forget(object, in: member, inverse: toMany.relationship.inverseRelationship) }
    }

    /// Takes a deleted object out of the other side of a relationship.
    final func forget(_ object: NSManagedObject, in other: NSManagedObject, inverse: NSRelationshipDescription?) {
        guard let inverse, !other.flags.contains(.inaccessible) else { return }
        if let slot = other.slot(of: inverse) {
            if other.reference(at: slot) == object.objectKey { other.writeReference(nil, at: slot) }
        } else if let index = other.toManyIndex(of: inverse) {
            let state = other.toManyState(index)
            if !state.isFault, !state.contains(object.objectKey) { return }
            state.noteRemoval(of: object.objectKey)
            other.noteChange()
        }
    }
}
