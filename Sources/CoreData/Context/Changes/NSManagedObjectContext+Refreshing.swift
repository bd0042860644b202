import Foundation

extension NSManagedObjectContext {
    /// Does the work of `refresh(_:mergeChanges:)` unless a subclass overrides it.
    final func _refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
        checkConfinement(with: object)
        guard object.binding.context === self else { return }
        if object.flags.contains(.inserted) {
            if !flag { observed { turnNewIntoFault(object) } }
            return
        }
        // An object on the other side of its relationships that cannot be read stays a fault.
        observed { _ = toleratingReadErrors { renew(object, mergeChanges: flag) } }
    }

    private func renew(_ object: NSManagedObject, mergeChanges flag: Bool) {
        forgetCachedRow(of: object)
        if flag {
            if isRelatedSinceDeletion(object) { return }
            if object.flags.contains(.deleted), object.row != nil, keepsMembersInRecord(object) {
                // Without a row the save would not detect later changes of the record by another context.
                if let newest = try? readRow(for: object.objectKey) { object.rebaseDeleted(on: newest) }
                return
            }
            guard let overlay = object.overlay, overlay.hasChangedValues || object.hasToManyChanges else {
                turnIntoFault(object)
                noteRefresh(of: object)
                return
            }
            guard let row = try? readRow(for: object.objectKey) else { return }
            overlay.forgetBases()
            object.rebase(on: row, keeping: .all)
            overlay.fetched = [:]
            object.awake(fromSnapshotEvents: .refresh)
        } else {
            let cut = slotsCutByDeletions(of: object)
            if object.flags.contains(.updated) { object.dropChanges() }
            let members = object.overlay?.toManys.contains { $0?.hasChanges == true } == true ? object.overlay : nil
            undoRecord?.forgetBaseline(of: object)
            turnIntoFault(object)
            if let members {
                members.forgetBases()
                let overlay = ObjectOverlay()
                overlay.toManys = ContiguousArray(members.toManys.map { $0?.hasChanges == true ? $0 : nil })
                object.overlay = overlay
            } else {
                object.flags.remove(.updated)
            }
            if object.flags.isDisjoint(with: [.deleted, .inaccessible]) {
                for slot in cut { object.writeReference(nil, at: slot) }
            }
        }
        noteRefresh(of: object)
    }

    /// Drops the values that a new object was given. It has no row to read, so the default values remain.
    private func turnNewIntoFault(_ object: NSManagedObject) {
        object.willTurnIntoFault()
        object.dropChanges()
        undoRecord?.noteNewRow(of: object)
        object.flags.insert(.unfired)
        object.didTurnIntoFault()
        if !object.flags.contains(.pendingInsert) { noteRefresh(of: object) }
    }

    /// The to-one relationships that an unsaved deletion has emptied. They are changes of the deletion, not of the
    /// object.
    private func slotsCutByDeletions(of object: NSManagedObject) -> [Int] {
        guard let overlay = object.overlay, let row = object.row else { return [] }
        return object.binding.layout.slots.indices.filter { slot in
            guard case .toOne = object.binding.layout.slots[slot].role, overlay.mask.contains(slot),
                overlay.values[slot].isNull,
                let key = row.reference(at: slot, object.binding.layout)
            else { return false }
            return registeredObject(for: key).map { $0.flags.contains(.deleted) && !$0.flags.contains(.mergedAway) }
                ?? false
        }
    }

    /// Does the work of `refreshAllObjects()` unless a subclass overrides it.
    final func _refreshAllObjects() {
        checkConfinement()
        let objects = identityMaps.map { $0?.objects ?? [] }
        recentObjects.removeAll()
        observed { for object in objects.joined() { refresh(object, mergeChanges: true) } }
    }

    /// Does the work of `rollback()` unless a subclass overrides it.
    final func _rollback() {
        checkConfinement()
        observed { rollBack() }
    }

    private func rollBack() {
        processPendingChanges()
        let inserted = tracked.inserted.filter { $0.flags.contains(.inserted) }
        let others = tracked.updated + tracked.deleted.filter { !$0.flags.contains(.inserted) }
        tracked.unsavedIndex = nil
        tracked.inserted = []
        tracked.updated = []
        tracked.deleted = []
        tracked.pending = []
        tracked.pendingDeletions = []
        idState.assignedStores = [:]
        dropUndoRecord(all: true)
        for object in others {
            object.flags.subtract([
                .updated, .deleted, .deletionPending, .listedUpdated, .listedDeleted, .pendingEvent, .pendingDelete,
            ])
            object.overlay?.discardChanges()
            object.awake(fromSnapshotEvents: .rollback)
            noteRefresh(of: object)
        }
        for object in inserted {
            object.detach(unregister: true)
            tracked.pendingVanished.append(object)
        }
        processPendingChanges()
    }

    /// Does the work of `reset()` unless a subclass overrides it.
    final func _reset() {
        checkConfinement()
        guard let observation = settings.observation else { return resetAll() }
        observation.beforeReset(of: self) { resetAll() }
    }

    private func resetAll() {
        // This comes before any object is released, because the notification names all of them.
        let objects = identityMaps.map { $0?.objects ?? [] }
        tracked.unsavedIndex = nil
        tracked.inserted = []
        tracked.updated = []
        tracked.deleted = []
        tracked.pending = []
        tracked.pendingDeletions = []
        tracked.pendingRefreshes = []
        fetchState.batches = []
        advanceGeneration()
        tracked.mergedDeletions = []
        tracked.mergedInsertions = []
        tracked.watched = []
        saveState.replacedKeys = [:]
        tracked.pendingVanished = []
        idState.permanentKeys = [:]
        idState.temporaryHolders.removeAll()
        idState.assignedStores = [:]
        fetchState.hasMetInaccessible = false
        dropUndoRecord(all: false)
        recentObjects.removeAll()
        let ids = settings.isQuiet ? [] : objects.joined().map(\.objectID)
        for object in objects.joined() {
            object.detach(unregister: false)
            object.row = nil
            object.overlay = nil
        }
        for map in identityMaps { map?.removeAll() }
        persistentStoreCoordinator?.sweepRowCaches()
        if settings.isQuiet { return }
        NotificationCenter.default.post(
            name: .NSManagedObjectContextObjectsDidChange, object: self,
            userInfo: [NSInvalidatedAllObjectsKey: ids])
    }

    private func turnIntoFault(_ object: NSManagedObject) {
        object.willTurnIntoFault()
        object.overlay = nil
        object.row = nil
        undoRecord?.noteNewRow(of: object)
        object.flags.insert(.unfired)
        if object.flags.contains(.inaccessible) { object.flags.subtract([.inaccessible, .deleted]) }
        object.didTurnIntoFault()
    }

    final func noteRefresh(of object: NSManagedObject) {
        tracked.pendingRefreshes.append(object)
        schedulePendingChanges()
    }

    /// Whether a deleted object may have been given a partner since. The save then has to find the row with which it
    /// was deleted, to detect that.
    private func isRelatedSinceDeletion(_ object: NSManagedObject) -> Bool {
        guard object.flags.contains(.deleted), object.flags.isDisjoint(with: [.inaccessible, .gone]), object.row != nil
        else { return false }
        if keepsMembersInRecord(object), hasMembersSinceDeletion(object) { return true }
        return (try? readRow(for: object.objectKey)).map { object.isGivenPartner(by: $0) } ?? false
    }

    /// A refreshed object reads the store, not the row cache.
    private func forgetCachedRow(of object: NSManagedObject) {
        guard let coordinator = ownCoordinator, object.key > 0 else { return }
        coordinator.forgetCachedRow(object.objectKey, rootIndex: object.binding.layout.rootIndex)
    }
}
