import Foundation

// Undo and redo. Every time pending changes are processed, the changes of each object since the last time are
// registered with the undo manager as one action. Undoing restores the objects and processes that change, which
// registers the redo.
extension NSManagedObjectContext {
    /// The value of `undoManager` unless a subclass overrides it.
    final var _undoManager: UndoManager? {
        get {
            checkConfinementOnceUsed()
            return undoRecord?.manager
        }
        set {
            checkConfinementOnceUsed()
            if undoRecord?.manager === newValue { return }
            if isHeldByCaller || queue == nil { processPendingChanges() }
            undoRecord?.manager.removeAllActions(withTarget: self)
            undoRecord = newValue.map { ContextUndo(manager: $0, context: self) }
        }
    }

    /// Does the work of `undo()` unless a subclass overrides it.
    final func _undo() {
        checkConfinement()
        observed {
            processPendingChanges()
            undoRecord?.manager.undo()
        }
    }

    /// Does the work of `redo()` unless a subclass overrides it.
    final func _redo() {
        checkConfinement()
        observed {
            processPendingChanges()
            undoRecord?.manager.redo()
        }
    }

    /// Ends an event: processes pending changes, and closes the group that the event opened.
    final func endEvent() {
        processPendingChanges()
        undoRecord?.manager.endEvent()
    }

    // MARK: Recording

    /// Registers the changes of objects since changes were last processed.
    final func registerUndo(of changed: [NSManagedObject], inserted: [NSManagedObject]) {
        guard let undoRecord else { return }
        let own = changed.filter { $0.binding.context === self && !$0.flags.contains(.mergedAway) }
        let changes = undoRecord.changes(of: own, inserted: inserted)
        if changes.isEmpty { return }
        undoRecord.manager.registerUndo(withTarget: self) { $0.revert(changes) }
    }

    /// Updates the undo record after everything was saved.
    final func undoRecordDidSave() {
        undoRecord?.forgetBaseline()
    }

    /// Drops the record of changes that can be undone.
    final func dropUndoRecord(all: Bool) {
        guard let undoRecord else { return }
        if all { undoRecord.manager.removeAllActions() } else { undoRecord.manager.removeAllActions(withTarget: self) }
        undoRecord.forgetBaseline()
        undoRecord.forgetRenames()
    }

    // MARK: Taking back

    private func revert(_ changes: [ObjectChange]) {
        observed { takeBack(changes) }
    }

    private func takeBack(_ changes: [ObjectChange]) {
        applyPendingUpdates()
        var told: [(object: NSManagedObject, event: NSSnapshotEventType)] = []
        for change in changes where change.before.isAlive && !change.after.isAlive {
            resurrect(change.object, as: change.before, knowing: change.after)
            told.append((change.object, .undoDeletion))
        }
        for change in changes where change.before.isAlive {
            guard isUsable(change.object) else { continue }
            // A change of a deleted object is not recorded, such as the loss of its owner, and must not stay.
            let now = change.after.isAlive ? change.after : ObjectState(of: change.object)
            revertValues(change, slots: change.before.slots(otherThanIn: now, of: change.object))
            if change.after.isAlive { told.append((change.object, .undoUpdate)) }
        }
        for change in changes where change.before.isAlive && !change.after.isAlive && isUsable(change.object) {
            rejoinOwners(change.object)
            // A merge may have taken the object out of its owners, whose own record does not have it then.
            if change.object.flags.contains(.inserted), !change.before.isNew { change.object.rejoinPartners() }
        }
        for change in changes where !change.before.isAlive && change.after.isAlive {
            guard isUsable(change.object) else { continue }
            // The object may have come back with other values than it had at its deletion.
            if !change.before.isNew { revertValues(change, slots: change.changedSlots) }
            withdraw(change.object)
            told.append((change.object, .undoInsertion))
        }
        // Relationships that were set since then, and are not recorded, must not lead to a missing object.
        for (object, event) in told where event == .undoInsertion { cutTies(of: object) }
        for (object, event) in told { object.awake(fromSnapshotEvents: event) }
        processPendingChanges()
        for (object, _) in told { clearIfUnchanged(object) }
        // Objects came back with the values and the flags that they had.
        tracked.unsavedIndex = nil
    }

    /// Whether an object can be restored. An object that was removed by another process or by a refresh cannot.
    private func isUsable(_ object: NSManagedObject) -> Bool {
        guard object.binding.context === self else { return false }
        if !object.flags.contains(.deleted) { _ = object.firedRow() }
        return !object.flags.contains(.inaccessible)
    }

    private func revertValues(_ change: ObjectChange, slots changed: [Int]) {
        let object = change.object
        let slots = object.binding.layout.slots
        for slot in changed {
            let overlay = object.ensureOverlay()
            switch change.before.value(at: slot, kind: slots[slot].kind) {
            case .slot(let value):
                overlay.boxed[slot] = nil
                overlay.boxedChanges.remove(slot)
                overlay.set(renamed(value, kind: slots[slot].kind), at: slot)
            case .boxed(let value):
                overlay.boxed[slot] = value
                overlay.boxedChanges.insert(slot)
                overlay.currentRow = nil
            }
        }
        let renames = undoRecord?.renames ?? [:]
        for index in change.changedToManys {
            let nothing = ToManyState.Memento(base: nil, added: [], removed: [], order: nil)
            object.toManyState(index).revert(
                from: (change.after.toMany(index) ?? nothing).renamed(renames),
                to: (change.before.toMany(index) ?? nothing).renamed(renames))
            object.overlay?.currentRow = nil
        }
        noteUpdate(of: object)
    }

    private func renamed(_ value: SlotValue, kind: SlotKind) -> SlotValue {
        guard kind == .reference, case .int(let key) = value, key < 0, let permanent = undoRecord?.renames[key] else {
            return value
        }
        return .int(permanent)
    }

    // MARK: Insertions and deletions

    /// Removes a new object, or deletes a saved one, without the delete rules, because their effects are recorded
    /// separately.
    private func withdraw(_ object: NSManagedObject) {
        object.flags.formUnion([.deleted, .pendingDelete])
        if !object.flags.contains(.listedDeleted) {
            object.flags.insert(.listedDeleted)
            tracked.deleted.append(object)
        }
        notePending(object)
    }

    /// Brings back a deleted object, or a new one that was removed.
    private func resurrect(_ object: NSManagedObject, as before: ObjectState, knowing after: ObjectState) {
        undoRecord?.noteAbsence(of: object)
        if object.binding.context === self, !object.flags.contains(.gone) {
            revive(object)
            return
        }
        // The deletion was saved. The object is inserted again under its key, because other contexts may have the
        // object under that key.
        object.move(to: binding(at: object.binding.layout.index))
        let observing = object.flags.intersection([.tracksReads, .watched]).union(object.binding.flagsOfObjects)
        if let key = undoRecord?.renames[object.key] { object.key = key }
        // An object that stood for the missing row since the deletion is dropped, also one that a child inserted and
        // undo removed.
        recentObjects.removeAll()
        let other = registeredObject(for: object.objectKey).flatMap { $0.flags.contains(.deleted) ? $0 : nil }
        let savedRow = other.flatMap { $0.flags.isDisjoint(with: [.inserted, .inaccessible]) ? $0.row : nil }
        if let other { dropVanished(other) }
        let overlay = ObjectOverlay()
        overlay.boxed = before.boxed
        overlay.boxedChanges = before.boxedChanges
        object.overlay = overlay
        if let savedRow {
            // The row exists. Only its deletion, which was not saved, is taken back.
            object.flags = observing.union([.registered, .updated, .listedUpdated, .pendingInsert])
            let old = before.row ?? object.row ?? object.binding.layout.defaultRow
            for (slot, description) in object.binding.layout.slots.enumerated() {
                let value = before.mask.contains(slot) ? before.values[slot] : old?.value(slot, kind: description.kind)
                overlay.set(value ?? .null, at: slot)
            }
            object.row = savedRow
            tracked.updated.append(object)
        } else {
            object.flags = observing.union([.registered, .inserted, .updated, .listedInserted, .pendingInsert])
            object.row = before.row ?? object.row ?? object.binding.layout.defaultRow
            overlay.values = before.values
            // A row that was built before the deletion may have another key.
            overlay.currentRow = nil
            tracked.inserted.append(object)
        }
        object.binding.identityMap?.register(object)
        for toMany in object.binding.layout.toManys {
            let members = (before.toMany(toMany.index)?.members ?? after.toMany(toMany.index)?.members ?? [])
                .map { $0.renamed(undoRecord?.renames ?? [:]) }
            if savedRow != nil { _ = object.members(of: toMany.index) } else if members.isEmpty { continue }
            _ = object.toManyState(toMany.index).replaceMembers(members, isOrdered: toMany.isOrdered)
        }
        object.replaceTemporaryReferences(undoRecord?.renames ?? [:])
        notePending(object)
    }

    /// Adds the object to the to-many relationships without inverse that had it as a member. Such a relationship does
    /// not record its member's deletion. So no recorded change restores the member if the deletion was saved and the
    /// relationship was read since then.
    private func rejoinOwners(_ object: NSManagedObject) {
        for (slot, description) in object.binding.layout.slots.enumerated() {
            guard case .owner(let relationship) = description.role, case .int(let key) = object.slotValue(at: slot),
                let toMany = modelLayout?.layout(of: relationship.entity)?.toManys
                    .first(where: { $0.relationship === relationship }),
                let owner = registeredObject(forOwnerKey: key, of: relationship)
            else { continue }
            let state = owner.toManyState(toMany.index)
            let isIn = (state.isFault ? state.added.keys : state.members).contains(object.objectKey)
            // An owner whose member is new counts as changed, so that the save replaces the member's temporary key in
            // it.
            if isIn, object.key > 0 { continue }
            if !isIn { state.noteAddition(of: object.objectKey) }
            noteUpdate(of: owner)
        }
    }

    /// Takes back an object's unsaved deletion.
    final func revive(_ object: NSManagedObject) {
        // The next notification has the object as inserted, unless no notification has had it as deleted yet.
        let wasTold = !object.flags.contains(.pendingDelete)
        object.flags.subtract([.deleted, .deletionPending, .pendingDelete])
        if wasTold { object.flags.insert(.pendingInsert) }
        if object.flags.contains(.inserted), !object.flags.contains(.listedInserted) {
            object.flags.insert(.listedInserted)
            tracked.inserted.append(object)
        }
        notePending(object)
    }

    private func notePending(_ object: NSManagedObject) {
        if object.flags.contains(.pendingEvent) { return }
        object.flags.insert(.pendingEvent)
        tracked.pending.append(object)
        schedulePendingChanges()
    }

    /// Clears the changes of an object whose values are again those of its row.
    private func clearIfUnchanged(_ object: NSManagedObject) {
        guard object.binding.context === self, object.flags.contains(.updated),
            object.flags.isDisjoint(with: [.inserted, .deleted, .pendingEvent]), object.row != nil,
            !object.hasToManyChanges,
            object.persistentChanges().isEmpty
        else { return }
        guard let overlay = object.overlay else { return object.flags.subtract([.updated]) }
        var isTransient = !overlay.boxedChanges.isEmpty
        overlay.mask.forEach { slot in
            if !object.binding.layout.slots[slot].isPersistent { isTransient = true }
        }
        if isTransient { return }
        overlay.values = ChangedValues()
        object.flags.remove(.updated)
        undoRecord?.forgetBaseline(of: object)
    }
}
