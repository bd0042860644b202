import Foundation

// Propagates pending deletes: applies the delete rules to the objects that are related to deleted ones.
// `ObjectValidation+DenyRule` checks the deny rule when the deleted objects are saved.
extension NSManagedObjectContext {
    /// Applies the delete rules until nothing new is deleted.
    final func propagateDeletions() {
        if tracked.pendingDeletions.isEmpty { return }
        var outer = fetchState.readErrors
        fetchState.readErrors = ReadErrors()
        var errorCount: Int { fetchState.readErrors?.count ?? 0 }
        let hasObjectStores = persistentStoreCoordinator?.hasObjectStores == true
        // The keys of the deleted objects, which programs' stores need.
        var deleted: Set<ObjectKey> = []
        // Their relationships cannot be read. The rules stay pending until the relationships can be read, or until a
        // save or a fetch throws the error.
        var unread: [NSManagedObject] = []
        while !tracked.pendingDeletions.isEmpty {
            let batch = tracked.pendingDeletions
            tracked.pendingDeletions = []
            let ahead = readAhead(for: batch)
            batch.eachWithRowAhead { object in
                if !object.flags.contains(.deletionPending) { return }
                let met = errorCount
                object.flags.remove(.deletionPending)
                propagateDeletion(of: object, ahead, hasObjectStores: hasObjectStores)
                if hasObjectStores { deleted.insert(object.objectKey) }
                if errorCount == met { return }
                object.flags.insert(.deletionPending)
                unread.append(object)
            }
        }
        tracked.pendingDeletions = unread
        leaveOneWayOwners(deleted)
        if let first = fetchState.readErrors?.first { outer?.note(first) }
        fetchState.readErrors = outer
    }

    /// Members of a relationship: a part of a list that also has the members of other owners.
    private struct Members {
        let objects: [NSManagedObject]
        let places: Range<Int>
    }

    /// Members of relationships that were read before the rules are applied.
    private struct MembersAhead {
        private struct Known {
            /// Held, so that no other relationship has its address.
            let state: ToManyState
            let changeCount: Int
            let members: Members
        }

        private var known: [ObjectIdentifier: Known] = [:]

        mutating func note(_ members: Members, of state: ToManyState) {
            known[ObjectIdentifier(state)] = Known(state: state, changeCount: state.changeCount, members: members)
        }

        /// The members of a relationship; nil if they were not read, or if they have changed since.
        func members(of toMany: ToManySlot, owner: NSManagedObject) -> Members? {
            guard !known.isEmpty, let state = owner.existingToManyState(toMany.index),
                let known = known[ObjectIdentifier(state)], known.changeCount == state.changeCount
            else { return nil }
            return known.members
        }
    }

    /// Reads the relationships to which the rules apply by a few requests. From a server this method also reads the
    /// rows that a save checks in the related objects, because each request is a round trip there. If reading fails,
    /// each object reads by itself and notes the error.
    private func readAhead(for objects: [NSManagedObject]) -> MembersAhead {
        var ahead = MembersAhead()
        guard let coordinator = persistentStoreCoordinator, coordinator.readsAhead else { return ahead }
        let isServer = coordinator.isAskedByRoundTrips
        for group in Self.byEntity(objects.filter { $0.flags.contains(.deletionPending) }) {
            let rules = group[0].binding.layout.deletionRules
            if !rules.toOnes.isEmpty { try? loadRows(of: group, evenDeleted: true) }
            for rule in rules.toOnes {
                guard let inverse = rule.relationship.inverseRelationship else { continue }
                // An owner's list of members needs no row of the owner.
                if rule.relationship.deleteRule == .noActionDeleteRule || inverse.isToMany && !isServer { continue }
                _ = try? prefetchLevel(rule.relationship.name, of: group)
            }
            for toMany in rules.toManys {
                // Only the identity of the members is needed.
                if group.count == 1 && toMany.relationship.deleteRule == .denyDeleteRule { continue }
                if (try? readMembers(of: toMany, owners: group, into: &ahead)) == true { continue }
                _ = try? prefetchLevel(toMany.relationship.name, of: group)
            }
        }
        return ahead
    }

    /// Objects in groups of one entity.
    private static func byEntity(_ objects: [NSManagedObject]) -> [[NSManagedObject]] {
        guard let first = objects.first else { return [] }
        let layout = first.binding.layout
        // Mostly all are of one entity.
        if objects.allSatisfy({ $0.binding.layout === layout }) { return [objects] }
        return Array(Dictionary(grouping: objects, by: { $0.binding.layout.index }).values)
    }

    /// Reads the members of a relationship of many objects with their rows, by one statement for both.
    ///
    /// - Returns: False, and nothing is read, if the store does not give both together.
    private func readMembers(
        of toMany: ToManySlot, owners: [NSManagedObject], into ahead: inout MembersAhead
    ) throws -> Bool {
        guard parent == nil, let coordinator = ownCoordinator, settings.stalenessInterval < 0, owners.count > 1,
            owners.allSatisfy({ $0.key > 0 && $0.toManyState(toMany.index).isFault }),
            let found = try coordinator.memberRows(of: toMany, owners: owners.map(\.objectKey), at: try generation())
        else { return false }
        let objects = objects(forMembers: found.rows)
        recentObjects.prefetched += objects
        for owner in owners {
            let state = owner.toManyState(toMany.index)
            let places = found.places[owner.key] ?? 0..<0
            state.load(objects[places].map(\.objectKey))
            noteDeletedMembers(of: state, owner: owner)
            if state.hasChanges { continue }
            ahead.note(Members(objects: objects, places: places), of: state)
        }
        keepForBlock(objects)
        return true
    }

    /// The objects for the rows of members, as faults that have their rows.
    private func objects(forMembers rows: [Snapshot]) -> [NSManagedObject] {
        var objects: [NSManagedObject] = []
        objects.reserveCapacity(rows.count)
        guard let first = rows.first else { return [] }
        var binding = binding(at: first.layoutIndex)
        let map = identityMap(of: binding.layout.rootIndex)
        var materializer = ObjectMaterializer(binding: binding)
        rows.eachAhead { row in
            if row.layoutIndex != binding.layout.index {
                binding = self.binding(at: row.layoutIndex)
                materializer = ObjectMaterializer(binding: binding)
            }
            var place = IdentityMap.Place()
            guard let known = map.object(for: row.key, place: &place) else {
                let new = materializer.materialize(key: row.key, row: row, flags: [.registered, .unfired])
                map.register(new, at: place)
                objects.append(new)
                return
            }
            if known.heldRow == nil, !known.flags.contains(.deleted),
                known.binding.layout.subtree.contains(row.layoutIndex)
            {
                known.row = row
                known.flags.insert(.unfired)
            }
            objects.append(known)
        }
        return objects
    }

    private func propagateDeletion(of object: NSManagedObject, _ ahead: MembersAhead, hasObjectStores: Bool) {
        let layout = object.binding.layout
        // A program's store detects only by the version that another context has related an object to this one since.
        if hasObjectStores, object.row == nil, object.key > 0, layout.toManys.contains(where: \.isLeftByOwners) {
            _ = object.firedRow()
        }
        for rule in layout.deletionRules.toOnes {
            guard let target = object.referencedObject(at: rule.slot) else { continue }
            if rule.cascades { delete(target) }
            if rule.leavesInverse { forget(object, in: target, inverse: rule.relationship.inverseRelationship) }
        }
        for toMany in layout.deletionRules.toManys {
            let members =
                ahead.members(of: toMany, owner: object)
                ?? {
                    let members = object.memberObjects(of: toMany.index)
                    return Members(objects: members, places: members.indices)
                }()
            let rule = toMany.relationship.deleteRule
            if rule == .denyDeleteRule { continue }
            members.objects.eachWithRowAhead(in: members.places) { member in
                if rule == .cascadeDeleteRule { delete(member) }
                forget(object, in: member, of: toMany)
            }
        }
    }
}
