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
                let met = errors.count
                object.flags.remove(.deletionPending)
                propagateDeletion(of: object, ahead, hasObjectStores: hasObjectStores)
                if hasObjectStores { deleted.insert(object.objectKey) }
                if errors.count == met { return }
                object.flags.insert(.deletionPending)
                unread.append(object)
            }
        }
        tracked.pendingDeletions = unread
        leaveOneWayOwners(deleted)
        if let first = errors.first { outer?.note(first) }
    }

    /// Members of relationships that were read before the rules are applied.
    private struct MembersAhead {
        private struct Members {
            /// Held, so that no other relationship has its address.
            let state: ToManyState
            let changeCount: Int
            let objects: [NSManagedObject]
        }

        private var known: [ObjectIdentifier: Members] = [:]

        mutating func note(_ objects: [NSManagedObject], of state: ToManyState) {
            known[ObjectIdentifier(state)] = Members(state: state, changeCount: state.changeCount, objects: objects)
        }

        /// The members of a relationship; nil if they were not read, or if they have changed since.
        func members(of toMany: ToManySlot, owner: NSManagedObject) -> [NSManagedObject]? {
            guard !known.isEmpty, let state = owner.existingToManyState(toMany.index),
                let members = known[ObjectIdentifier(state)], members.changeCount == state.changeCount
            else { return nil }
            return members.objects
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
        var members: [Int64: [NSManagedObject]] = [:]
        members.reserveCapacity(owners.count)
        // Members of one owner follow each other, and are added together.
        for run in found.rows.runs(by: { $0.int(found.slot) == $1.int(found.slot) }) {
            members[found.rows[run.lowerBound].int(found.slot), default: []] += objects[run]
        }
        for owner in owners {
            let state = owner.toManyState(toMany.index)
            let objects = members[owner.key] ?? []
            state.load(objects.map(\.objectKey))
            noteDeletedMembers(of: state, owner: owner)
            if state.hasChanges { continue }
            keepForBlock(objects)
            ahead.note(objects, of: state)
        }
        return true
    }

    /// The objects for the rows of members, as faults that have their rows.
    private func objects(forMembers rows: [Snapshot]) -> [NSManagedObject] {
        var objects: [NSManagedObject] = []
        objects.reserveCapacity(rows.count)
        for run in rows.runs(by: { $0.layoutIndex == $1.layoutIndex }) {
            let binding = binding(at: rows[run.lowerBound].layoutIndex)
            let map = identityMap(of: binding.layout.rootIndex)
            let materializer = ObjectMaterializer(binding: binding)
            for row in rows[run] {
                var place = IdentityMap.Place()
                guard let known = map.object(for: row.key, place: &place) else {
                    let new = materializer.materialize(key: row.key, row: row, flags: [.registered, .unfired])
                    map.register(new, at: place)
                    objects.append(new)
                    continue
                }
                if known.heldRow == nil, !known.flags.contains(.deleted),
                    known.binding.layout.subtree.contains(row.layoutIndex)
                {
                    known.row = row
                    known.flags.insert(.unfired)
                }
                objects.append(known)
            }
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
            let members = ahead.members(of: toMany, owner: object) ?? object.memberObjects(of: toMany.index)
            let rule = toMany.relationship.deleteRule
            if rule == .denyDeleteRule { continue }
            for member in members {
                if rule == .cascadeDeleteRule { delete(member) }
                forget(object, in: member, of: toMany)
            }
        }
    }
}
