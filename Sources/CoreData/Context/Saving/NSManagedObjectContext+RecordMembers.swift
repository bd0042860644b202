import Foundation

// Programs' stores keep the members of to-many relationships in the records of their owners. Stores with tables keep
// them in the members' own rows, and in pairs. So changes by other contexts, and deletions, are found from the owners'
// side.
extension NSManagedObjectContext {
    /// Whether an object's to-many relationships are kept in its own record.
    final func keepsMembersInRecord(_ object: NSManagedObject) -> Bool {
        guard let coordinator = ownCoordinator, coordinator.hasObjectStores, object.key > 0 else {
            return false
        }
        return coordinator.objectStoreNumbers.contains(object.objectKey.storeNumber)
    }

    /// Whether a deleted object's record has members to which the delete rules were not applied. A record that cannot
    /// be read counts as one that has such members.
    final func hasMembersSinceDeletion(_ object: NSManagedObject) -> Bool {
        object.binding.layout.toManys.contains { toMany in
            if case .transient = toMany.kind { return false }
            if toMany.relationship.deleteRule == .noActionDeleteRule { return false }
            guard let members = try? loadMembers(of: toMany, owner: object) else { return true }
            return members.contains { key in
                guard let member = registeredObject(for: key) else { return true }
                if member.flags.contains(.deleted) { return false }
                return toMany.relationship.deleteRule != .nullifyDeleteRule
                    || leads(member, to: object.objectKey, by: toMany.relationship.inverseRelationship)
            }
        }
    }

    private func leads(_ member: NSManagedObject, to key: ObjectKey, by inverse: NSRelationshipDescription?) -> Bool {
        guard let inverse else { return false }
        if let slot = member.slot(of: inverse) { return member.reference(at: slot) == key }
        guard let index = member.toManyIndex(of: inverse) else { return false }
        guard let state = member.existingToManyState(index) else { return true }
        return state.isFault ? !state.removed.contains(key) : state.contains(key)
    }

    /// After a conflict: unites the members that another context has saved in the record with those that were added and
    /// removed here, and marks the object as changed if there is something left to write.
    final func uniteMembers(of object: NSManagedObject) {
        guard object.binding.context === self, object.row != nil,
            object.flags.isDisjoint(with: [.deleted, .inaccessible, .mergedAway]), keepsMembersInRecord(object)
        else { return }
        for toMany in object.binding.layout.toManys {
            guard let state = object.existingToManyState(toMany.index), !state.isFault else { continue }
            if case .transient = toMany.kind { continue }
            do {
                state.rebase(on: try loadMembers(of: toMany, owner: object))
            } catch {
                cannotFulfill(unfulfilled(object.objectKey, error, relationship: toMany.relationship))
            }
        }
        if object.hasToManyChanges { object.noteChange() }
        // The owner in the store, and the owner that the object has.
        for link in object.ownerLinks() where link.stored != link.present {
            correctMembership(of: object, in: link.stored, at: link.slot, isMember: false)
            correctMembership(of: object, in: link.present, at: link.slot, isMember: true)
        }
    }

    private func correctMembership(
        of member: NSManagedObject, in owner: ObjectKey?, at slot: Int, isMember: Bool
    ) {
        guard let owner, case .toMany(let index)? = member.binding.layout.destinations[slot].inverse,
            case let object = object(for: owner), !object.flags.contains(.deleted)
        else { return }
        _ = object.firedRow()
        if object.flags.contains(.inaccessible) { return }
        if object.members(of: index).contains(member.objectKey) != isMember {
            object.noteMember(member.objectKey, joined: isMember, at: index)
        } else if object.hasToManyChanges {
            object.noteChange()
        }
    }

    /// Removes deleted objects from relationships without inverse that are in memory. In stores with tables this is not
    /// necessary, because the members' own rows hold the owner's key and are deleted.
    final func leaveOneWayOwners(_ deleted: Set<ObjectKey>) {
        guard !deleted.isEmpty, persistentStoreCoordinator?.hasObjectStores == true, let modelLayout else { return }
        let entities = Set(deleted.map(\.layoutIndex))
        for entity in modelLayout.entities {
            let oneWay = entity.toManys.filter { toMany in
                guard case .ownerKey = toMany.kind else { return false }
                return !entities.isDisjoint(with: modelLayout.entities[toMany.destinationIndex].subtree)
            }
            guard !oneWay.isEmpty, let map = identityMaps[entity.rootIndex] else { continue }
            for owner in map.objects where owner.binding.layout.index == entity.index {
                if !owner.flags.isDisjoint(with: [.deleted, .inaccessible]) { continue }
                for toMany in oneWay {
                    guard let state = owner.existingToManyState(toMany.index) else { continue }
                    let known = state.isFault ? state.added.keys : state.members
                    for key in known where deleted.contains(key) {
                        owner.noteMember(key, joined: false, at: toMany.index)
                    }
                }
            }
        }
    }
}
