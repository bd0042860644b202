import Foundation

extension NSManagedObjectContext {
    // MARK: Unsaved objects

    /// The value of `insertedObjects` unless a subclass overrides it.
    final var _insertedObjects: Set<NSManagedObject> {
        checkConfinement()
        return ObjectSets.made(of: livingInserted)
    }

    /// The value of `updatedObjects` unless a subclass overrides it.
    final var _updatedObjects: Set<NSManagedObject> {
        checkConfinement()
        return ObjectSets.made(of: livingUpdated)
    }

    /// The value of `deletedObjects` unless a subclass overrides it.
    final var _deletedObjects: Set<NSManagedObject> {
        checkConfinement()
        return deletedSet(of: livingDeleted)
    }

    /// The value of `hasChanges` unless a subclass overrides it.
    final var _hasChanges: Bool {
        checkConfinement()
        return tracked.inserted.contains { $0.flags.contains(.inserted) && !$0.flags.contains(.deleted) }
            || tracked.updated.contains { $0.flags.contains(.updated) && !$0.flags.contains(.deleted) }
            || tracked.deleted.contains { $0.flags.contains(.deleted) && !$0.flags.contains(.inserted) }
    }

    final var livingInserted: [NSManagedObject] {
        Self.living(tracked.inserted) { $0.contains(.inserted) && !$0.contains(.deleted) }
    }

    final var livingUpdated: [NSManagedObject] {
        Self.living(tracked.updated) { $0.contains(.updated) && $0.isDisjoint(with: [.inserted, .deleted]) }
    }

    final var livingDeleted: [NSManagedObject] {
        Self.living(tracked.deleted) { $0.contains(.deleted) && !$0.contains(.inserted) }
    }

    /// The objects of a list whose flags match. Mostly all match, and then the result is the list itself, because a
    /// copy would retain each object.
    @inline(__always)
    private static func living(
        _ list: [NSManagedObject], _ isLiving: (NSManagedObject.Flags) -> Bool
    ) -> [NSManagedObject] {
        list.allSatisfy { isLiving($0.flags) } ? list : list.filter { isLiving($0.flags) }
    }

    /// The set of deleted objects. `deletedObjects`, the next notification and the save share the set of all of them.
    private final func deletedSet(of objects: [NSManagedObject]) -> Set<NSManagedObject> {
        ObjectSets.isSame(objects, tracked.deleted)
            ? tracked.deletedSets.set(of: objects) : ObjectSets.made(of: objects)
    }

    /// Records that an object has changed.
    final func noteUpdate(of object: NSManagedObject) {
        checkConfinement("change of an object")
        if !object.flags.contains(.updated) {
            object.flags.insert(.updated)
        }
        if object.flags.isDisjoint(with: [.inserted, .listedUpdated]) {
            object.flags.insert(.listedUpdated)
            tracked.updated.append(object)
        }
        if !object.flags.contains(.pendingEvent) {
            object.flags.insert(.pendingEvent)
            tracked.pending.append(object)
            schedulePendingChanges()
        }
    }

    // MARK: Processing

    /// Does the work of `processPendingChanges()` unless a subclass overrides it.
    final func _processPendingChanges() {
        processPendingChanges(isBeforeSave: false)
    }

    /// Propagates pending deletes: applies the delete rules to the objects that were deleted since the last call, and
    /// posts nothing. Fetches in the middle of a block see the block's changes, and observers never see half of them.
    final func propagatePendingDeletes() {
        applyPendingUpdates()
        if tracked.isProcessing || childSaves.isHandedOff || tracked.pendingDeletions.isEmpty { return }
        guard propagatesDeletesAtEndOfEvent || saveState.isRunning else { return }
        tracked.isProcessing = true
        defer { tracked.isProcessing = false }
        observed { propagateDeletions() }
    }

    /// Before a save no change is kept for the next event, because the save writes all of them.
    final func processPendingChanges(isBeforeSave: Bool) {
        checkConfinement("processPendingChanges()")
        applyPendingUpdates()
        // While a save of the context writes, its children read. The pending changes belong to that save.
        if tracked.isProcessing || childSaves.isHandedOff { return }
        if tracked.pending.isEmpty, tracked.pendingDeletions.isEmpty, tracked.pendingRefreshes.isEmpty,
            tracked.pendingVanished.isEmpty,
            tracked.mergedDeletions.isEmpty, tracked.mergedInsertions.isEmpty
        {
            return
        }
        tracked.isProcessing = true
        defer { tracked.isProcessing = false }
        if propagatesDeletesAtEndOfEvent || saveState.isRunning { observed { propagateDeletions() } }
        let changed = tracked.pending
        tracked.pending = []
        let refreshed = tracked.pendingRefreshes.filter { !$0.flags.contains(.mergedAway) }
        tracked.pendingRefreshes = []
        let vanished = tracked.mergedDeletions
        tracked.mergedDeletions = []
        defer {
            for object in vanished where object.binding.context === self {
                object.flags.insert(.gone)
                object.detach(unregister: true)
            }
        }
        let merged = tracked.mergedInsertions.filter { !$0.flags.contains(.mergedAway) }
        tracked.mergedInsertions = []
        let gone = vanished + tracked.pendingVanished
        tracked.pendingVanished = []
        var kinds: [NSManagedObject.EventKind] = []
        kinds.reserveCapacity(changed.count)
        changed.eachAhead { kinds.append($0.endEvent()) }
        func objects(_ kind: NSManagedObject.EventKind, after first: [NSManagedObject]) -> [NSManagedObject] {
            let count = kinds.count { $0 == kind }
            if count == 0 { return first }
            // Mostly all objects have changed in one way. A copy of the list would retain each of them.
            if count == changed.count, first.isEmpty { return changed }
            var objects = first
            objects.reserveCapacity(first.count + count)
            for (object, one) in zip(changed, kinds) where one == kind { objects.append(object) }
            return objects
        }
        let inserted = objects(.inserted, after: merged)
        let updated = objects(.updated, after: [])
        let deleted = objects(.deleted, after: gone)
        if undoRecord != nil, !toleratingReadErrors({ registerUndo(of: changed, inserted: inserted) }) {
            // A value that cannot be read now cannot be restored later.
            dropUndoRecord(all: false)
        }
        if settings.isQuiet { return }
        var info: [AnyHashable: Any] = [:]
        func set(of objects: [NSManagedObject]) -> Set<NSManagedObject> {
            isBeforeSave ? saveState.objectSets.set(of: objects) : ObjectSets.made(of: objects)
        }
        if !inserted.isEmpty { info[UserInfoKeys.all.insertedObjects] = set(of: inserted) }
        if !updated.isEmpty { info[UserInfoKeys.all.updatedObjects] = set(of: updated) }
        if !deleted.isEmpty {
            info[UserInfoKeys.all.deletedObjects] = isBeforeSave ? set(of: deleted) : deletedSet(of: deleted)
        }
        if !refreshed.isEmpty { info[UserInfoKeys.all.refreshedObjects] = ObjectSets.made(of: refreshed) }
        if info.isEmpty { return }
        // Taken before observers change anything.
        var bases: [EventBase?] = []
        if !isBeforeSave { bases.reserveCapacity(changed.count) }
        changed.eachAhead { object in
            if !isBeforeSave {
                bases.append(EventBase(of: object))
                object.flags.insert(.awaitsEventBase)
            }
            object.flags.insert(.toldEvent)
        }
        NotificationCenter.default.post(
            name: .NSManagedObjectContextObjectsDidChange, object: self, userInfo: info)
        var number = 0
        changed.eachAhead { object in
            object.overlay?.eventBase = object.flags.contains(.awaitsEventBase) ? bases[number] : nil
            object.flags.subtract([.toldEvent, .awaitsEventBase])
            number += 1
        }
    }

    /// On the main queue no block ends the event, so this processes changes after the current one.
    final func schedulePendingChanges() {
        settings.observation?.noteHasChanges()
        guard concurrencyType == .mainQueueConcurrencyType, !tracked.isProcessingScheduled else { return }
        tracked.isProcessingScheduled = true
        DispatchQueue.main.async { [weak self] in
            guard let self else { return }
            tracked.isProcessingScheduled = false
            HeldContexts.run(holding: self, holdsMain: true) {
                self.endEvent()
                self.forgetWhatBlockLeft()
            }
        }
    }

    /// Releases the objects that were held for the block that ends.
    final func forgetWhatBlockLeft() {
        recentObjects.removeAll()
        forgetFinishedFetches()
    }

    /// Holds objects until the running block ends, on the main queue until its turn does.
    final func keepForBlock(_ objects: [NSManagedObject]) {
        // Contexts without a queue have no blocks, hence no end.
        if objects.isEmpty || queue == nil || settings.isQuiet { return }
        recentObjects.keep(objects)
        if isMain { schedulePendingChanges() }
    }
}

extension NSManagedObject {
    /// The way in which an object has changed in an event.
    fileprivate enum EventKind: UInt8 {
        case inserted
        case updated
        case deleted
        /// A new object that was deleted again, or an object that another context has deleted.
        case none
    }

    /// Notes that the event has ended, and returns how the object has changed in it.
    fileprivate final func endEvent() -> EventKind {
        let flags = flags
        if flags.contains(.mergedAway) { return .none }
        self.flags.subtract([.pendingEvent, .pendingInsert, .pendingDelete])
        if flags.contains(.deleted) {
            return flags.contains(.pendingDelete) && !flags.contains(.pendingInsert) ? .deleted : .none
        }
        return flags.contains(.pendingInsert) ? .inserted : .updated
    }
}
