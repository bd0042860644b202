import Foundation

// What delete rules make of the objects that are related to deleted ones. The deny rule is looked at when those are
// saved (`ObjectValidation+DenyRule`).
extension NSManagedObjectContext {
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

    /// Reads by a few requests what the rules of objects look at. From a server it also reads what a save checks in
    /// those that lose them: there each request is a round trip. What cannot be read is left to each object, which
    /// notes the error.
    private func readAhead(for objects: [NSManagedObject]) {
        guard let coordinator = persistentStoreCoordinator, coordinator.readsAhead else { return }
        let isServer = coordinator.isAskedByRoundTrips
        let pending = objects.filter { $0.flags.contains(.deletionPending) }
        for group in Dictionary(grouping: pending, by: { $0.home.layout.index }).values {
            let layout = group[0].home.layout
            let toOnes = layout.slots.compactMap { slot -> NSRelationshipDescription? in
                guard case .toOne(let relationship, _) = slot.role else { return nil }
                return relationship
            }
            if !toOnes.isEmpty { try? loadRows(of: group, evenDeleted: true) }
            for relationship in toOnes {
                guard let inverse = relationship.inverseRelationship else { continue }
                // An owner's list of members needs no row of the owner.
                if relationship.deleteRule == .noActionDeleteRule || inverse.isToMany && !isServer { continue }
                _ = try? prefetchLevel(relationship.name, of: group)
            }
            for toMany in layout.toManys where toMany.relationship.deleteRule != .noActionDeleteRule {
                // Nothing of the members is asked for but who they are.
                if group.count == 1 && toMany.relationship.deleteRule == .denyDeleteRule { continue }
                _ = try? prefetchLevel(toMany.relationship.name, of: group)
            }
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
            for member in object.memberObjects(of: toMany.index) {
                if isDenied { continue }
                if toMany.relationship.deleteRule == .cascadeDeleteRule { delete(member) }
                forget(object, in: member, of: toMany)
            }
        }
    }
}
