import Foundation

/// Applies a built-in policy to objects that break a uniqueness constraint: one object for each value stays.
///
/// - A **new** object is replaced by the object whose row has the values, or by the first of several new ones. The
///   object that stays takes over the values that the other one was given (object trump), all of its values
///   (overwrite), or none (store trump, rollback). Among new objects, store trump takes over values for properties that
///   are nil. To-many relationships are united, and references to the deleted object lead to the one that stays.
/// - A **saved** object that was given the values of another saved one keeps them if the object counts more. The other
///   one's to-many relationships move over, and it is deleted. If the store counts more, the change of the constraint's
///   properties is taken back (store trump), or every change (rollback).
struct UniquenessResolution {
    private let conflict: NSConstraintConflict
    private let type: NSMergePolicyType

    init(_ conflict: NSConstraintConflict, _ type: NSMergePolicyType) {
        self.conflict = conflict
        self.type = type
    }

    private var objectWins: Bool {
        type == .mergeByPropertyObjectTrumpMergePolicyType || type == .overwriteMergePolicyType
    }

    func run() {
        let objects = conflict.conflictingObjects.filter { $0.binding.context != nil && !$0.flags.contains(.deleted) }
        if let database = conflict.databaseObject {
            for object in objects where object !== database { resolve(object, against: database) }
            return
        }
        // Saved objects are kept rather than new ones, older rather than younger.
        let ordered =
            objects.filter { !$0.flags.contains(.inserted) } + objects.filter { $0.flags.contains(.inserted) }
        guard let first = ordered.first else { return }
        for object in ordered.dropFirst() { resolve(object, against: first) }
    }

    private func resolve(_ object: NSManagedObject, against rival: NSManagedObject) {
        guard let context = object.binding.context, rival.binding.context === context else { return }
        if object.flags.contains(.inserted) {
            take(over: object, to: rival)
            context.replace(object, by: rival)
            rival.awake(fromSnapshotEvents: .mergePolicy)
        } else if objectWins, !rival.flags.contains(.inserted), conflict.databaseObject === rival {
            moveRelationships(from: rival, to: object, replacingToOne: false)
            context.delete(rival)
        } else if type == .rollbackMergePolicyType {
            if let row = object.row { revertAll(object, row) }
            object.awake(fromSnapshotEvents: .mergePolicy)
        } else {
            revertConstraint(of: object)
            object.awake(fromSnapshotEvents: .mergePolicy)
        }
    }

    /// Copies the values of a new object that the remaining object takes over, and moves all its relationships.
    private func take(over object: NSManagedObject, to winner: NSManagedObject) {
        let slots = object.binding.layout.slots
        for (slot, description) in slots.enumerated() where description.isPersistent && isShared(slot, object, winner) {
            guard case .attribute = description.role else { continue }
            let isSet = object.isSetInMemory(slot)
            let isWanted =
                switch type {
                case .mergeByPropertyObjectTrumpMergePolicyType: isSet
                case .overwriteMergePolicyType: true
                case .mergeByPropertyStoreTrumpMergePolicyType:
                    isSet && conflict.databaseObject == nil && winner.slotValue(at: slot).isNull
                case .rollbackMergePolicyType, .errorMergePolicyType: false
                }
            if !isWanted || object.slotValue(at: slot) == winner.slotValue(at: slot) { continue }
            winner.setSlot(slot, to: object.slotValue(at: slot))
            if description.kind == .transformable {
                winner.overlay?.boxed[slot] = object.overlay?.boxed[slot]
                winner.overlay?.boxedChanges.remove(slot)
            }
        }
        moveRelationships(from: object, to: winner, replacingToOne: objectWins)
    }

    /// Moves the relationships of a replaced object to the one that remains.
    private func moveRelationships(from loser: NSManagedObject, to winner: NSManagedObject, replacingToOne: Bool) {
        let layout = loser.binding.layout
        for (slot, description) in layout.slots.enumerated() {
            guard case .toOne = description.role, isShared(slot, loser, winner) else { continue }
            let target = loser.referencedObject(at: slot)
            let isSet = loser.isSetInMemory(slot)
            if replacingToOne, isSet, target !== loser, target != nil || type == .overwriteMergePolicyType {
                winner.setReference(target, at: slot)
            }
            if loser.reference(at: slot) != nil { loser.setReference(nil, at: slot) }
        }
        for toMany in layout.toManys
        where winner.binding.layout.toManys.indices.contains(toMany.index)
            && winner.binding.layout.toManys[toMany.index].relationship === toMany.relationship
        {
            for member in loser.memberObjects(of: toMany.index) where member !== loser {
                winner.addMember(member, to: toMany.index)
            }
            loser.setMembers([], of: toMany.index)
        }
        loser.binding.context?.redirectReferences(from: loser, to: winner)
    }

    private func isShared(_ slot: Int, _ one: NSManagedObject, _ other: NSManagedObject) -> Bool {
        let (mine, theirs) = (one.binding.layout.slots, other.binding.layout.slots)
        return slot < theirs.count && mine[slot].declaringIndex == theirs[slot].declaringIndex
    }

    private func revertConstraint(of object: NSManagedObject) {
        let links = object.ownerLinks()
        for name in conflict.constraint {
            switch object.binding.layout.access(at: name) {
            case .attribute(let slot)?: object.dropChange(at: slot)
            case .toOne(let slot)?:
                object.dropChange(at: slot)
                let companion = object.binding.layout.destinations[slot].companion
                if companion >= 0 { object.dropChange(at: companion) }
            case .toMany?, .fetched?, .composite?, nil: continue
            }
        }
        object.follow(links)
        object.binding.context?.noteRefresh(of: object)
    }

    private func revertAll(_ object: NSManagedObject, _ row: Snapshot) {
        let links = object.ownerLinks()
        object.noteNewValues()
        object.overlay?.discardChanges()
        object.flags.remove(.updated)
        object.follow(links)
        object.binding.context?.noteRefresh(of: object)
    }
}

extension NSManagedObjectContext {
    /// Replaces a new object by another one. The new object is deleted, and contexts below this one replace it when
    /// this context has saved.
    fileprivate final func replace(_ object: NSManagedObject, by winner: NSManagedObject) {
        saveState.replacedKeys[object.key] = winner.objectKey
        delete(object)
    }

    /// Makes relationships without an inverse that lead to one object lead to another one.
    fileprivate final func redirectReferences(from loser: NSManagedObject, to winner: NSManagedObject) {
        // In most models each relationship has an inverse. Then no object is searched: a save may replace thousands.
        let slots = modelLayout?.entities.map(\.oneWaySlots) ?? []
        if slots.contains(where: { !$0.isEmpty }) {
            for object in tracked.inserted + tracked.updated
            where object.binding.context === self && object !== loser && object.row != nil {
                for slot in slots[object.binding.layout.index] where object.reference(at: slot) == loser.objectKey {
                    object.writeReference(winner.objectKey, at: slot)
                }
            }
        }
        for (slot, description) in loser.binding.layout.slots.enumerated() {
            guard case .owner(let relationship) = description.role, case .int(let key) = loser.slotValue(at: slot),
                let index = modelLayout?.layout(of: relationship.entity)?.index,
                let owner = registeredObject(for: ObjectKey(layoutIndex: index, key: key)),
                let place = owner.toManyIndex(of: relationship)
            else { continue }
            owner.addMember(winner, to: place)
            owner.removeMember(loser, from: place)
        }
    }
}

extension EntityLayout {
    /// The slots of to-one relationships without an inverse.
    fileprivate var oneWaySlots: [Int] {
        slots.indices.filter { slot in
            guard case .toOne = slots[slot].role else { return false }
            return destinations[slot].inverse == nil
        }
    }
}
