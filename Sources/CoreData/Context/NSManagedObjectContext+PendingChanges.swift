import Foundation

extension NSManagedObjectContext {
    // MARK: What is unsaved

    /// What `insertedObjects` is unless a subclass overrides it.
    final var plainInsertedObjects: Set<NSManagedObject> {
        checkConfinement()
        return Set(livingInserted)
    }

    /// What `updatedObjects` is unless a subclass overrides it.
    final var plainUpdatedObjects: Set<NSManagedObject> {
        checkConfinement()
        return Set(livingUpdated)
    }

    /// What `deletedObjects` is unless a subclass overrides it.
    final var plainDeletedObjects: Set<NSManagedObject> {
        checkConfinement()
        return Set(livingDeleted)
    }

    /// What `hasChanges` is unless a subclass overrides it.
    final var plainHasChanges: Bool {
        checkConfinement()
        return insertedList.contains { $0.flags.contains(.inserted) && !$0.flags.contains(.deleted) }
            || updatedList.contains { $0.flags.contains(.updated) && !$0.flags.contains(.deleted) }
            || deletedList.contains { $0.flags.contains(.deleted) && !$0.flags.contains(.inserted) }
    }

    final var livingInserted: [NSManagedObject] {
        insertedList.filter { $0.flags.contains(.inserted) && !$0.flags.contains(.deleted) }
    }

    final var livingUpdated: [NSManagedObject] {
        updatedList.filter { $0.flags.contains(.updated) && $0.flags.isDisjoint(with: [.inserted, .deleted]) }
    }

    final var livingDeleted: [NSManagedObject] {
        deletedList.filter { $0.flags.contains(.deleted) && !$0.flags.contains(.inserted) }
    }

    /// An object says that it changed.
    final func noteUpdate(of object: NSManagedObject) {
        checkConfinement()
        if !object.flags.contains(.updated) {
            object.flags.insert(.updated)
        }
        if object.flags.isDisjoint(with: [.inserted, .listedUpdated]) {
            object.flags.insert(.listedUpdated)
            updatedList.append(object)
        }
        if !object.flags.contains(.pendingEvent) {
            object.flags.insert(.pendingEvent)
            pendingList.append(object)
            schedulePendingChanges()
        }
    }

    // MARK: Processing

    /// What `processPendingChanges()` does unless a subclass overrides it.
    final func plainProcessPendingChanges() {
        processPendingChanges(isBeforeSave: false)
    }

    /// Applies the delete rules to what was deleted since last time, and tells nobody: what reads in the middle of a block
    /// sees the block's changes, and its observers see no object that is half made.
    final func settlePendingChanges() {
        drainMailbox()
        if isProcessingPendingChanges || isLending || pendingDeletions.isEmpty { return }
        guard propagatesDeletesAtEndOfEvent || isSaving else { return }
        isProcessingPendingChanges = true
        defer { isProcessingPendingChanges = false }
        propagateDeletions()
    }

    /// Before a save nothing is kept for the next event: what is unsaved will be saved.
    final func processPendingChanges(isBeforeSave: Bool) {
        checkConfinement()
        drainMailbox()
        // While the context is being written, its children read; what is pending is the save's.
        if isProcessingPendingChanges || isLending { return }
        if pendingList.isEmpty, pendingDeletions.isEmpty, pendingRefreshes.isEmpty, pendingVanished.isEmpty,
            mergedDeletions.isEmpty, mergedInsertions.isEmpty
        {
            return
        }
        isProcessingPendingChanges = true
        defer { isProcessingPendingChanges = false }
        if propagatesDeletesAtEndOfEvent || isSaving { propagateDeletions() }
        let changed = pendingList
        pendingList = []
        let refreshed = pendingRefreshes.filter { !$0.flags.contains(.mergedAway) }
        pendingRefreshes = []
        let vanished = mergedDeletions
        mergedDeletions = []
        defer {
            for object in vanished where object.home.context === self {
                object.flags.insert(.gone)
                object.detach(unregister: true)
            }
        }
        var inserted = mergedInsertions.filter { !$0.flags.contains(.mergedAway) }
        mergedInsertions = []
        var updated: [NSManagedObject] = []
        var deleted = vanished + pendingVanished
        pendingVanished = []
        for object in changed {
            let flags = object.flags
            if flags.contains(.mergedAway) { continue }
            object.flags.subtract([.pendingEvent, .pendingInsert, .pendingDelete])
            if flags.contains(.deleted) {
                if flags.contains(.pendingDelete), !flags.contains(.pendingInsert) { deleted.append(object) }
            } else if flags.contains(.pendingInsert) {
                inserted.append(object)
            } else {
                updated.append(object)
            }
        }
        if undoRecord != nil, !toleratingReadErrors({ registerUndo(of: changed, inserted: inserted) }) {
            // What cannot be read now cannot be brought back later.
            dropUndoRecord(all: false)
        }
        if isQuiet { return }
        var info: [AnyHashable: Any] = [:]
        if !inserted.isEmpty { info[NSInsertedObjectsKey] = Set(inserted) }
        if !updated.isEmpty { info[NSUpdatedObjectsKey] = Set(updated) }
        if !deleted.isEmpty { info[NSDeletedObjectsKey] = Set(deleted) }
        if !refreshed.isEmpty { info[NSRefreshedObjectsKey] = Set(refreshed) }
        if info.isEmpty { return }
        // Taken before observers change anything.
        let bases = isBeforeSave ? [] : changed.map { EventBase(of: $0) }
        for object in changed { object.flags.insert(.toldEvent) }
        NotificationCenter.default.post(
            name: .NSManagedObjectContextObjectsDidChange, object: self, userInfo: info)
        for (number, object) in changed.enumerated() {
            object.flags.remove(.toldEvent)
            object.overlay?.eventBase = isBeforeSave ? nil : bases[number]
        }
    }

    /// On the main queue nobody ends a block for us: process after the current event.
    final func schedulePendingChanges() {
        guard concurrencyType == .mainQueueConcurrencyType, !isPendingProcessingScheduled else { return }
        isPendingProcessingScheduled = true
        DispatchQueue.main.async { [weak self] in
            guard let self else { return }
            isPendingProcessingScheduled = false
            HeldContexts.run(holding: self, holdsMain: true) { self.endEvent() }
        }
    }

    // MARK: Deleting

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
    private func propagateDeletions() {
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
