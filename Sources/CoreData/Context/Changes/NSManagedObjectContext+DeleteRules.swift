import Foundation

// Propagates pending deletes: applies the delete rules to the objects that are related to deleted ones.
// `ObjectValidation+DenyRule` checks the deny rule when the deleted objects are saved.
extension NSManagedObjectContext {
    /// Applies the delete rules until nothing new is deleted.
    final func propagateDeletions() {
        if tracked.pendingDeletions.isEmpty { return }
        let outer = fetchState.readErrors
        let errors = ReadErrors()
        fetchState.readErrors = errors
        defer { fetchState.readErrors = outer }
        var deleted: Set<ObjectKey> = []
        // Their relationships cannot be read. The rules stay pending until the relationships can be read, or until a
        // save or a fetch throws the error.
        var unread: [NSManagedObject] = []
        while !tracked.pendingDeletions.isEmpty {
            let batch = tracked.pendingDeletions
            tracked.pendingDeletions = []
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
        tracked.pendingDeletions = unread
        leaveOneWayOwners(deleted)
        if let first = errors.first { outer?.note(first) }
    }

    /// Reads the relationships to which the rules apply by a few requests. From a server this method also reads the
    /// rows that a save checks in the related objects, because each request is a round trip there. If reading fails,
    /// each object reads by itself and notes the error.
    private func readAhead(for objects: [NSManagedObject]) {
        guard let coordinator = persistentStoreCoordinator, coordinator.readsAhead else { return }
        let isServer = coordinator.isAskedByRoundTrips
        let pending = objects.filter { $0.flags.contains(.deletionPending) }
        for group in Dictionary(grouping: pending, by: { $0.binding.layout.index }).values {
            let layout = group[0].binding.layout
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
                // Only the identity of the members is needed.
                if group.count == 1 && toMany.relationship.deleteRule == .denyDeleteRule { continue }
                _ = try? prefetchLevel(toMany.relationship.name, of: group)
            }
        }
    }

    private func propagateDeletion(of object: NSManagedObject) {
        let layout = object.binding.layout
        // A program's store detects only by the version that another context has related an object to this one since.
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
