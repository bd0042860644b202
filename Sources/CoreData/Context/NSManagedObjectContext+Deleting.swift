import Foundation

// Deleting objects, and what delete rules make of those that are related to them.
extension NSManagedObjectContext {
    /// What `delete(_:)` does unless a subclass overrides it.
    final func plainDelete(_ object: NSManagedObject) {
        checkConfinement(with: object)
        require(
            object.home.context === self,
            """
            An NSManagedObjectContext cannot delete objects in other contexts. (\(object.home.layout.name) of \
            \(object.home.context?.debugName ?? "no context"), deleted in \(debugName))
            """)
        if object.flags.contains(.deleted) { return }
        object.prepareForDeletion()
        object.flags.formUnion([.deleted, .deletionPending, .pendingDelete])
        if !object.flags.contains(.listedDeleted) {
            object.flags.insert(.listedDeleted)
            deletedList.append(object)
        }
        pendingDeletions.append(object)
        if !object.flags.contains(.pendingEvent) {
            object.flags.insert(.pendingEvent)
            pendingList.append(object)
            schedulePendingChanges()
        }
    }

    /// Applies the delete rules until nothing new is deleted.
    final func propagateDeletions() {
        if pendingDeletions.isEmpty { return }
        let outer = readErrors
        let errors = ReadErrors()
        readErrors = errors
        defer { readErrors = outer }
        var deleted: Set<ObjectKey> = []
        // What they lead to cannot be read: their rules are due until it can, or a save or a fetch says so.
        var unread: [NSManagedObject] = []
        while !pendingDeletions.isEmpty {
            let batch = pendingDeletions
            pendingDeletions = []
            readAhead(for: batch)
            for object in batch where object.flags.contains(.deletionPending) {
                let met = errors.count
                object.flags.remove(.deletionPending)
                propagateDeletion(of: object)
                deleted.insert(object.objectKey)
                if errors.count == met { continue }
                object.flags.insert(.deletionPending)
                unread.append(object)
            }
        }
        pendingDeletions = unread
        leaveOneWayOwners(deleted)
        if let first = errors.first { outer?.note(first) }
    }

    /// Reads by a few requests what the rules of objects look at. Where each request is a round trip, it reads what a save
    /// checks in those that lose them, too. What cannot be read is left to each object, which notes the error.
    private func readAhead(for objects: [NSManagedObject]) {
        let isAskedByRoundTrips = persistentStoreCoordinator?.isAskedByRoundTrips == true
        if objects.count == 1, !isAskedByRoundTrips { return }
        let pending = objects.filter { $0.flags.contains(.deletionPending) }
        for group in Dictionary(grouping: pending, by: { $0.home.layout.index }).values {
            let layout = group[0].home.layout
            // One object reads what it needs by itself.
            if group.count == 1, !isAskedByRoundTrips { continue }
            let toOnes = layout.slots.compactMap { slot -> NSRelationshipDescription? in
                guard case .toOne(let relationship, _) = slot.role else { return nil }
                return relationship
            }
            if !toOnes.isEmpty { try? loadRows(of: group, evenDeleted: true) }
            for relationship in toOnes where isAskedByRoundTrips && relationship.inverseRelationship != nil {
                if relationship.deleteRule == .noActionDeleteRule { continue }
                _ = try? prefetchLevel(relationship.name, of: group)
            }
            if group.count == 1 { continue }
            for toMany in layout.toManys where isAskedByRoundTrips || needsRows(ofMembers: toMany) {
                if toMany.relationship.deleteRule == .noActionDeleteRule { continue }
                _ = try? prefetchLevel(toMany.relationship.name, of: group)
            }
        }
    }

    /// Whether a delete rule looks into the rows of what a relationship leads to.
    private func needsRows(ofMembers toMany: ToManySlot) -> Bool {
        switch toMany.kind {
        case .inverseKey, .ownerKey:
            toMany.relationship.deleteRule == .cascadeDeleteRule
                || toMany.relationship.deleteRule == .nullifyDeleteRule
        case .join, .transient: false
        }
    }

    private func propagateDeletion(of object: NSManagedObject) {
        let layout = object.home.layout
        // A program's store finds by the version alone that somebody has related something to the object since.
        if object.row == nil, object.key > 0, persistentStoreCoordinator?.hasObjectStores == true,
            layout.toManys.contains(where: \.isLeftByOwners)
        {
            _ = object.firedRow()
        }
        for (slot, description) in layout.slots.enumerated() {
            guard case .toOne(let relationship, _) = description.role,
                let target = object.referencedObject(at: slot)
            else { continue }
            if relationship.deleteRule == .cascadeDeleteRule { delete(target) }
            if relationship.deleteRule == .nullifyDeleteRule || relationship.deleteRule == .cascadeDeleteRule {
                forget(object, in: target, inverse: relationship.inverseRelationship)
            }
        }
        for toMany in layout.toManys where toMany.relationship.deleteRule != .noActionDeleteRule {
            let isDenied = toMany.relationship.deleteRule == .denyDeleteRule
            let members = object.memberObjects(of: toMany.index)
            // Those that cannot be read are told of one by one.
            if members.count > 1, needsRows(ofMembers: toMany) { try? loadRows(of: members) }
            for member in members {
                if isDenied { continue }
                if toMany.relationship.deleteRule == .cascadeDeleteRule { delete(member) }
                forget(object, in: member, of: toMany)
            }
        }
    }

    /// Takes an object that goes without its delete rules out of what still leads to it.
    final func cutTies(of object: NSManagedObject) {
        let layout = object.home.layout
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
        switch toMany.kind {
        case .inverseKey(let slot, _):
            if member.reference(at: slot) == object.objectKey { member.writeReference(nil, at: slot) }
        case .ownerKey(let slot, _):
            if member.slotValue(at: slot) == .int(object.key) { member.setSlot(slot, to: .null) }
        case .join:
            forget(object, in: member, inverse: toMany.relationship.inverseRelationship)
        case .transient:
            break
        }
    }

    /// Takes a deleted object out of the other side of a relationship.
    final func forget(_ object: NSManagedObject, in other: NSManagedObject, inverse: NSRelationshipDescription?) {
        guard let inverse, !other.flags.contains(.inaccessible) else { return }
        if let slot = other.slot(of: inverse) {
            if other.reference(at: slot) == object.objectKey { other.writeReference(nil, at: slot) }
        } else if let index = other.toManyIndex(of: inverse) {
            let state = other.toManyState(index)
            if !state.isFault, !state.members.contains(object.objectKey) { return }
            state.noteRemoval(of: object.objectKey)
            other.noteChange()
        }
    }
}
