import Foundation

// Parents and children: a child saves into its parent, and a parent hands permanent keys to its children.
extension NSManagedObjectContext {
    // MARK: Saving into the parent

    /// - Returns: whether the parent has yet to take over the changes.
    final func save(_ work: inout SaveWork, to parent: NSManagedObjectContext) throws -> Bool {
        var isForLater = false
        var leftOut: [ObjectKey] = []
        for attempt in 1... {
            var rows: [RowOfObject] = []
            let sent = UncheckedSendable(try pushedSave(work, &rows))
            try throwReadErrors()
            let saved = UncheckedSendable(work)
            // A save from inside a block of the parent changes the parent at once.
            let isInside = HeldContexts.contains(parent)
            let conflicts = try parent.performAndWait {
                var push = sent.value
                let conflicts = UncheckedSendable(try parent.conflicts(with: &push))
                if conflicts.value.isEmpty {
                    leftOut = push.leftOut
                    isForLater = try parent.throwingReadErrors { parent.takeOver(push, atOnce: isInside) }
                    parent.announceToChildren(saved.value.changes, except: self)
                }
                return conflicts
            }.value
            if conflicts.isEmpty {
                withExtendedLifetime((sent, saved)) {
                    for (object, row) in rows {
                        object._withUnsafeGuaranteedRef { $0.row = row.takeUnretainedValue() }
                    }
                }
                break
            }
            if attempt == Self.maximumOfAttempts { throw unresolved(SaveConflicts(conflicts: conflicts)) }
            try resolve(SaveConflicts(conflicts: conflicts), isCached: true)
            work = presentWork
            try validate(work)
        }
        for objects in [work.inserted, work.updated] {
            for object in objects {
                guard let overlay = object.overlay, !overlay.toManys.isEmpty else { continue }
                overlay.toManys.forEach { $0?.acceptChanges(renaming: [:]) }
            }
        }
        acceptDeletions(of: leftOut.compactMap { registeredObject(for: $0) })
        idState.assignedStores = [:]
        return isForLater
    }

    /// An object and the row that it has after its save. The work holds the object, and the push holds the row.
    private typealias RowOfObject = (object: Unmanaged<NSManagedObject>, row: Unmanaged<Snapshot>)

    private func pushedSave(_ work: SaveWork, _ rows: inout [RowOfObject]) throws -> PushedSave {
        var push = PushedSave()
        push.inserted.reserveCapacity(work.inserted.count)
        push.updated.reserveCapacity(work.updated.count)
        rows.reserveCapacity(work.inserted.count + work.updated.count)
        let policy = settings.mergePolicy
        push.comparesValues = policy.mergeType != .errorMergePolicyType || type(of: policy) != NSMergePolicy.self
        for object in work.inserted {
            try object.encodeBoxedChanges()
            var change = pushedChange(of: object)
            if let assigned = idState.assignedStores[ObjectIdentifier(object)] {
                let more = change.more ?? PushedChange.More()
                more.store = assigned.store
                change.more = more
            }
            rows.append((.passUnretained(object), .passUnretained(change.row)))
            push.needsReading = push.needsReading || change.setsOrder
            push.inserted.append(change)
        }
        for object in work.updated where !object.flags.contains(.inaccessible) {
            try object.encodeBoxedChanges()
            var change = pushedChange(of: object)
            rows.append((.passUnretained(object), .passUnretained(change.row)))
            let layout = object.binding.layout
            if saveState.reinserted.contains(ObjectIdentifier(object)) {
                change.noteReinsertion()
                push.needsReading = true
                push.inserted.append(change)
            } else {
                change.forgetUnchangedValues(layout)
                push.needsReading = push.needsReading || change.needsReading(layout.slots)
                push.updated.append(change)
            }
        }
        push.needsReading = push.needsReading || !work.deleted.isEmpty
        push.deleted = work.deleted.map { ($0.objectKey, $0.flags.contains(.inaccessible) ? nil : $0.row) }
        push.clearedReferences = work.deleted.compactMap(clearedReferences)
        return push
    }

    private func clearedReferences(of object: NSManagedObject) -> PushedSave.ClearedReferences? {
        guard let overlay = object.overlay else { return nil }
        let slots = object.binding.layout.slots
        var left = PushedSave.ClearedReferences(key: object.objectKey, slots: [], toManys: [])
        overlay.mask.forEach { if slots[$0].kind == .reference { left.slots.append($0) } }
        for (index, state) in overlay.toManys.enumerated() {
            guard let state, !state.removed.isEmpty else { continue }
            left.toManys.append(PushedToMany(index: index, added: [], removed: state.removed))
        }
        return left.slots.isEmpty && left.toManys.isEmpty ? nil : left
    }

    private func clearedReferences(_ change: PushedSave.ClearedReferences) {
        let object = object(for: current(change.key))
        _ = object.firedRow()
        if object.flags.contains(.deleted) { return }
        let (links, partners) = (object.ownerLinks(), object.partners)
        for slot in change.slots { object.ensureOverlay().set(.null, at: slot) }
        // A partner that was related to the object here since the child's change must drop it. An owner that is deleted
        // as well may come back without the object, by the child's undo.
        object.updateOwnersAndPartners(after: links, partners)
        apply(change.toManys, to: object)
        object.noteChange()
    }

    private func pushedChange(of object: NSManagedObject) -> PushedChange {
        var toManys: [PushedToMany] = []
        if let overlay = object.overlay, !overlay.toManys.isEmpty {
            for (index, state) in overlay.toManys.enumerated() {
                guard let state, state.hasChanges else { continue }
                toManys.append(
                    PushedToMany(index: index, added: state.added.keys, removed: state.removed, order: state.order))
            }
        }
        let base = object.firedRow()
        var change = PushedChange(
            key: object.objectKey,
            row: object.builtRow(key: object.key, version: base.version, renaming: idState.permanentKeys), base: base,
            unheldBase: .passUnretained(base), changed: object.overlay?.mask ?? SlotMask())
        if let overlay = object.overlay, !overlay.boxedChanges.isEmpty || !toManys.isEmpty {
            let more = PushedChange.More()
            (more.boxed, more.boxedChanges, more.toManys) = (overlay.boxed, overlay.boxedChanges, toManys)
            change.more = more
        }
        return change
    }

    /// The conflicts of a child's save with this context. Changes of objects that are deleted here or gone from the
    /// store are conflicts. If values are compared, objects that are no longer as the child read them are conflicts,
    /// too. Objects that are gone here and were set back in the child are left out of the push. Called on this
    /// context's queue.
    private func conflicts(with push: inout PushedSave) throws -> [SaveConflicts.Conflict] {
        applyPendingUpdates()
        var conflicts: [SaveConflicts.Conflict] = []
        let (others, missing) = try rowsForChild(push.updated)
        push.found = others
        for index in missing where !push.updated[index].isEmpty {
            let change = push.updated[index]
            conflicts.append(SaveConflicts.Conflict(key: change.key, expected: change.base, found: nil))
        }
        if conflicts.isEmpty, !missing.isEmpty { push.leaveOut(Set(missing)) }
        if !push.comparesValues { return conflicts }
        for (index, found) in push.found.sorted(by: { $0.key < $1.key }) {
            let change = push.updated[index]
            if !isConflict(change, found) { continue }
            conflicts.append(SaveConflicts.Conflict(key: change.key, expected: change.base, found: found))
        }
        for (key, base) in push.deleted {
            guard let base, let found = try rowForChild(key), found !== base else { continue }
            let slots = binding(at: found.layoutIndex).layout.slots
            // Children do not get transient values.
            let stored = slots.indices.filter { slots[$0].isPersistent }
            if stored.allSatisfy({ Snapshot.isSame(base, found, at: $0, kind: slots[$0].kind) }) { continue }
            conflicts.append(SaveConflicts.Conflict(key: key, expected: base, found: found))
        }
        return conflicts
    }

    /// Whether this context's value of a slot that the child changed differs from the value that the child read, and
    /// from the value that the child saves. With `countingEqual` the second comparison is left out.
    private func isConflict(_ change: PushedChange, _ found: Snapshot, countingEqual: Bool = false) -> Bool {
        let slots = binding(at: found.layoutIndex).layout.slots
        var isConflict = false
        change.changed.forEach { slot in
            let kind = slots[slot].kind
            if slots[slot].isPersistent, !Snapshot.isSame(change.base, found, at: slot, kind: kind),
                countingEqual || !Snapshot.isSame(change.row, found, at: slot, kind: kind)
            {
                isConflict = true
            }
        }
        return isConflict
    }

    /// Takes a child's saved changes over as unsaved changes of this context. Called on this context's queue.
    final func accept(_ push: PushedSave) {
        applyPendingUpdates()
        for change in push.inserted {
            let object: NSManagedObject
            if let known = registeredObject(for: change.key) {
                guard isGoneAbove(known) else {
                    bringUpToDate(known, with: change)
                    continue
                }
                object = known
                object.overlay?.discardChanges()
                object.row = change.row
                object.flags.subtract([.unfired, .inaccessible])
                // Undoing the change removes the object.
                undoRecord?.forgetBaseline(of: object)
            } else {
                object = makeObject(
                    binding: binding(at: change.key.layoutIndex), key: change.key.key, row: change.row, isUnfired: false
                )
            }
            object.flags.formUnion([.inserted, .updated, .listedInserted, .pendingInsert, .pendingEvent])
            tracked.inserted.append(object)
            tracked.pending.append(object)
            if let store = change.more?.store { assign(object, to: store) }
            // The child has encoded its default values, so a slot without a value was set to nil there.
            for slot in object.binding.layout.transformableDefaults where change.row.isNull(slot) {
                object.ensureOverlay().set(.null, at: slot)
            }
        }
        for change in push.inserted {
            guard let object = registeredObject(for: change.key) else { continue }
            apply(change.toManys, to: object)
            adoptBoxed(change, object)
        }
        for (index, change) in push.updated.enumerated() {
            update(change, found: push.found[index] ?? change.base)
        }
        for change in push.clearedReferences { clearedReferences(change) }
        for (key, _) in push.deleted {
            let object = object(for: current(key))
            if !object.flags.contains(.deleted) { delete(object) }
        }
        schedulePendingChanges()
        processPendingChanges()
    }

    /// Whether the parent, or the store, no longer has an object that this context has registered and not changed. A
    /// child that took its deletion back inserts such an object again.
    private func isGoneAbove(_ object: NSManagedObject) -> Bool {
        guard object.flags.isDisjoint(with: [.deleted, .inserted, .updated]) else { return false }
        do {
            return try readRow(for: object.objectKey) == nil
        } catch {
            // An object that cannot be read is not taken for gone.
            return false
        }
    }

    /// Updates an object that the child inserted and that this context has already. An object that is deleted here
    /// comes back with the child's values, by the child's policy or its undo.
    private func bringUpToDate(_ object: NSManagedObject, with change: PushedChange) {
        let isBack = object.flags.contains(.deleted)
        if isBack { undelete(object, as: nil, withReferences: change.isReinserted) }
        update(isBack ? completed(change, beside: object) : change)
        if isBack { object.rejoinOwners() }
        if isBack, !change.isReinserted { leaveMembers(of: object, but: change.toManys) }
    }

    /// A change that sets every value that differs in the child. Where the child's policy brings the object back, the
    /// change sets only the references that the object's deletion has emptied.
    private func completed(_ change: PushedChange, beside object: NSManagedObject) -> PushedChange {
        var complete = change
        _ = object.firedRow()
        for (slot, description) in object.binding.layout.slots.enumerated() where description.isPersistent {
            let value = change.row.value(slot, kind: description.kind)
            let present = object.slotValue(at: slot)
            if change.isReinserted, description.kind != .reference || present != .null { continue }
            if present != value { complete.changed.insert(slot) }
        }
        return complete
    }

    /// Removes members that belonged to an object that comes back, and that do not belong to it in the child.
    private func leaveMembers(of object: NSManagedObject, but changes: [PushedToMany]) {
        for toMany in object.binding.layout.toManys {
            let staying = Set(changes.first { $0.index == toMany.index }?.added.map(current) ?? [])
            for member in object.memberObjects(of: toMany.index) where !staying.contains(member.objectKey) {
                object.removeMember(member, from: toMany.index)
            }
        }
    }

    private func update(_ change: PushedChange, found: Snapshot? = nil) {
        let object = object(for: current(change.key))
        let wasKnown = object.row != nil
        if !wasKnown, let found, found.key == object.key {
            // The rows that the child's save has checked; the store may have newer ones now.
            object.row = found
            object.flags.insert(.unfired)
        }
        let newest = object.firedRow()
        if object.flags.contains(.deleted) { return }
        // This context kept none of the rows that the child has read through it. They count as this context's reads, so
        // that the save detects a later write by another context, even of an equal value. Otherwise two contexts that
        // each add one to a number could add one in all.
        if !wasKnown, change.base.key == object.key,
            isConflict(change, newest, countingEqual: true)
        {
            object.row = change.base
        }
        let slots = object.binding.layout.slots
        let changesReferences = change.changesReferences(slots)
        let (links, partners) = changesReferences ? (object.ownerLinks(), object.partners) : ([], [])
        change.changed.forEach { slot in
            var value = change.row.value(slot, kind: slots[slot].kind)
            if slots[slot].kind == .reference, case .int(let target) = value, target < 0 {
                value = .int(idState.permanentKeys[target] ?? target)
            }
            object.ensureOverlay().set(value, at: slot)
        }
        if changesReferences { object.updateOwnersAndPartners(after: links, partners) }
        adoptBoxed(change, object)
        apply(change.toManys, to: object)
        object.noteChange()
    }

    private func adoptBoxed(_ change: PushedChange, _ object: NSManagedObject) {
        guard let more = change.more else { return }
        let slots = object.binding.layout.slots
        more.boxedChanges.forEach { slot in
            // Transient values have no bytes; they are passed as they are.
            object.ensureOverlay().boxed[slot] = slots[slot].isPersistent ? nil : more.boxed[slot]
            if !slots[slot].isPersistent { object.ensureOverlay().boxedChanges.insert(slot) }
        }
    }

    private func apply(_ changes: [PushedToMany], to object: NSManagedObject) {
        for change in changes {
            let state = object.toManyState(change.index)
            if let order = change.order {
                state.merge(
                    order: order.map(current), present: object.members(of: change.index),
                    added: Set(change.added.map(current)), removed: Set(change.removed.map(current)))
            } else {
                state.merge(added: change.added.map(current), removed: Set(change.removed.map(current)))
            }
            // If the child had the member registered without its owner, the child has changed only the owner's side.
            let toMany = object.binding.layout.toManys[change.index]
            for key in change.removed.map(current) {
                guard let member = registeredObject(for: key), !member.flags.contains(.deleted) else { continue }
                if case .inverseKey = toMany.kind { forget(object, in: member, of: toMany) }
            }
            object.overlay?.currentRow = nil
            object.noteChange()
        }
    }

    /// The key in this context of a row for which a child may still use a temporary key.
    private func current(_ key: ObjectKey) -> ObjectKey { key.renamed(idState.permanentKeys) }
}
