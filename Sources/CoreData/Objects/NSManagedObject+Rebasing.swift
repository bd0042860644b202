import Foundation

// A newer row under an object that has unsaved changes, and the relationships in memory that follow from it.
extension NSManagedObject {
    /// The unsaved changes that stay when an object gets a newer row.
    enum KeptChanges {
        /// All changes stay. Values that were not changed are those of the newer row.
        case all
        /// Changes of properties that the newer row has unchanged stay.
        case unconflicting
        /// No change stays.
        case none
        /// Every property stays as it is in memory, changed or not.
        case everything
    }

    /// Puts a newer row under the object's unsaved changes. To-many relationships that are in memory follow.
    final func rebase(on latest: Snapshot, keeping kept: KeptChanges) {
        guard row !== latest else { return }
        if overlay == nil, kept != .everything, let row, hasSameReferences(row, latest) {
            // The object has no changes, and no relationship of another object follows from the newer row.
            self.row = latest
            binding.context?.undoRecord?.noteNewRow(of: self)
            return
        }
        let links = ownerLinks()
        let former = partners
        switch kept {
        case .all: dropUnchangedValues()
        case .unconflicting:
            dropUnchangedValues()
            dropConflictingChanges(with: latest)
        case .none: dropAllChanges()
        case .everything: keepEverything(over: latest)
        }
        row = latest
        binding.context?.undoRecord?.noteNewRow(of: self)
        overlay?.currentRow = nil
        dropDecodedValues()
        follow(links)
        updatePartners(
            after: former, newest: latest, storeWins: kept == .none || kept == .unconflicting)
    }

    /// Whether two rows of the object lead to the same objects.
    private func hasSameReferences(_ first: Snapshot, _ second: Snapshot) -> Bool {
        let layout = binding.layout
        if first.layoutIndex != second.layoutIndex { return false }
        for slot in layout.referenceSlots {
            if !Snapshot.isSame(first, second, at: slot, kind: .reference) { return false }
            let companion = layout.destinations[slot].companion
            if companion >= 0, !Snapshot.isSame(first, second, at: companion, kind: .entityNumber) { return false }
        }
        return true
    }

    /// Drops the object's unsaved changes, and their effects on the objects on the other side. Unsaved changes that its
    /// members made to its to-many relationships stay.
    final func dropChanges() {
        let links = ownerLinks()
        let former = partners
        dropAllChanges()
        follow(links)
        if let row { updatePartners(after: former, newest: row, storeWins: true) }
    }

    /// Puts a newer row under an object with an unsaved deletion.
    ///
    /// References that were set back stay, because undo restores the other sides of the relationships, too.
    final func rebaseDeleted(on latest: Snapshot) {
        attributesSetBack.forEach { dropChange(at: $0) }
        row = latest
        dropDecodedValues()
        binding.context?.undoRecord?.noteNewRow(of: self)
    }

    /// Drops the objects of transformable attributes that were decoded from a row.
    private func dropDecodedValues() {
        guard let overlay, !overlay.boxed.isEmpty else { return }
        overlay.boxed = overlay.boxed.filter { slot, _ in
            overlay.boxedChanges.contains(slot) || !binding.layout.slots[slot].isPersistent
        }
    }

    /// Drops values that were set back. Such a value is not a change that wins over a newer row.
    private func dropUnchangedValues() { slotsSetBack.forEach { dropChange(at: $0) } }

    /// The slots that were set, and that have the values of the row again.
    private var slotsSetBack: SlotMask {
        var unchanged = SlotMask()
        guard let overlay, let row else { return unchanged }
        let slots = binding.layout.slots
        overlay.mask.forEach { slot in
            if !overlay.boxedChanges.contains(slot),
                Self.isSame(overlay.values[slot], in: row, at: slot, kind: slots[slot].kind)
            {
                unchanged.insert(slot)
            }
        }
        return unchanged
    }

    /// The slots of attributes that were set, and that have the values of the row again.
    final var attributesSetBack: SlotMask {
        var attributes = SlotMask()
        slotsSetBack.forEach { slot in
            if case .attribute = binding.layout.slots[slot].role { attributes.insert(slot) }
        }
        return attributes
    }

    private func dropConflictingChanges(with latest: Snapshot) {
        guard let overlay, let row else { return }
        let slots = binding.layout.slots
        var dropped = SlotMask()
        func differs(_ slot: Int) -> Bool { !Snapshot.isSame(row, latest, at: slot, kind: slots[slot].kind) }
        overlay.mask.forEach { slot in
            let isConflicting =
                switch slots[slot].role {
                // A reference, the entity of its destination, and its position there change together.
                case .companion(let reference): differs(reference)
                case .order(let reference): differs(reference) || differs(slot)
                case .toOne(_, let companion?): differs(slot) || differs(companion)
                case .attribute, .toOne, .owner: differs(slot)
                }
            if isConflicting { dropped.insert(slot) }
        }
        dropped.forEach { dropChange(at: $0) }
    }

    /// Drops the unsaved change of one slot, and notifies neither the context nor related objects.
    final func dropChange(at slot: Int) {
        guard let overlay else { return }
        noteNewValues()
        overlay.values.remove(slot)
        overlay.boxedChanges.remove(slot)
        overlay.boxed[slot] = nil
        overlay.currentRow = nil
    }

    private func dropAllChanges() {
        guard let overlay else { return }
        noteNewValues()
        overlay.values = ChangedValues()
        overlay.boxed = [:]
        overlay.boxedChanges = SlotMask()
        // Pairs of many-to-many relationships are changes of this object; members of one-to-many relationships are
        // changes of the members.
        for toMany in binding.layout.toManys {
            guard case .join(let inverse, _) = toMany.kind, !overlay.toManys.isEmpty,
                let state = overlay.toManys[toMany.index], state.hasChanges
            else { continue }
            let key = objectKey
            for member in state.added.keys {
                binding.context?.registeredObject(for: member)?.existingToManyState(inverse)?
                    .setMembership(of: key, inStore: false, inMemory: false, isOrdered: false)
            }
            for member in state.removed {
                guard let object = binding.context?.registeredObject(for: member) else { continue }
                object.existingToManyState(inverse)?
                    .setMembership(of: key, inStore: true, inMemory: true, isOrdered: false)
                if key.isTemporary { binding.context?.noteTemporaries(of: object) }
            }
            overlay.toManys[toMany.index] = nil
        }
    }

    private func keepEverything(over latest: Snapshot) {
        guard let row else { return }
        let slots = binding.layout.slots
        for (slot, description) in slots.enumerated()
        where description.isPersistent && !Snapshot.isSame(row, latest, at: slot, kind: description.kind) {
            let overlay = ensureOverlay()
            if overlay.mask.contains(slot) || overlay.boxedChanges.contains(slot) { continue }
            overlay.set(row.value(slot, kind: description.kind), at: slot)
        }
    }

    /// Whether a slot's value was set since the last save. Values that a child set in a new object are in its row
    /// already.
    final func isSetInMemory(_ slot: Int) -> Bool {
        if let overlay, overlay.mask.contains(slot) || overlay.boxedChanges.contains(slot) { return true }
        guard flags.contains(.inserted), let row, row !== binding.layout.defaultRow else { return false }
        return !Snapshot.isSame(row, binding.layout.defaultRow, at: slot, kind: binding.layout.slots[slot].kind)
    }

    // MARK: To-many relationships of owners

    /// The owner whose to-many relationship an object belongs to by a to-one slot: as the row has it, and as it is now.
    struct OwnerLink {
        var slot: Int
        var stored: ObjectKey?
        var present: ObjectKey?
    }

    /// The owners that the object belongs to now.
    final func ownerLinks() -> [OwnerLink] {
        guard let row else { return [] }
        var links: [OwnerLink] = []
        for (slot, destination) in binding.layout.destinations.enumerated() {
            switch binding.layout.slots[slot].role {
            case .toOne:
                guard case .toMany? = destination.inverse else { continue }
                links.append(
                    OwnerLink(
                        slot: slot, stored: row.reference(at: slot, binding.layout),
                        present: reference(at: slot, in: row)))
            case .owner(let relationship):
                guard let index = binding.modelLayout.layout(of: relationship.entity)?.index else { continue }
                var present = row.isNull(slot) ? nil : row.int(slot)
                let stored = present.map { ObjectKey(layoutIndex: index, key: $0) }
                if let changed = overlay?.value(at: slot) {
                    if case .int(let key) = changed { present = key } else { present = nil }
                }
                links.append(
                    OwnerLink(
                        slot: slot, stored: stored, present: present.map { ObjectKey(layoutIndex: index, key: $0) }))
            case .attribute, .companion, .order: continue
            }
        }
        return links
    }

    /// Updates the owners' relationships that are in memory, after the object's row or changes have changed since the
    /// links were taken.
    final func follow(_ former: [OwnerLink]) {
        guard let context = binding.context, !former.isEmpty else { return }
        for (link, now) in zip(former, ownerLinks()) {
            if now.stored == link.stored, now.present == link.present { continue }
            if let former = now.stored, former != now.present,
                let (owner, index) = context.ownerOfRecord(former, of: self, at: link.slot),
                !owner.flags.contains(.deleted)
            {
                owner.noteMember(objectKey, joined: false, at: index)
            }
            for owner in Set([link.stored, link.present, now.stored, now.present].compactMap { $0 }) {
                guard let (object, index) = context.registeredOwner(owner, of: self, at: link.slot),
                    let state = object.existingToManyState(index)
                else { continue }
                state.setMembership(
                    of: objectKey, inStore: now.stored == owner, inMemory: now.present == owner,
                    isOrdered: object.binding.layout.toManys[index].isOrdered)
                if objectKey.isTemporary { context.noteTemporaries(of: object) }
            }
        }
    }

    /// The state of a to-many relationship if its members or changes are in memory.
    final func existingToManyState(_ index: Int) -> ToManyState? {
        guard let overlay, !overlay.toManys.isEmpty else { return nil }
        return overlay.toManys[index]
    }
}

extension NSManagedObjectContext {
    /// The owner that a member's slot leads to if a program's store keeps the owner, whether it is registered here or
    /// not. The owner's record has the member, too, and has to be written without it.
    final func ownerOfRecord(
        _ owner: ObjectKey, of member: NSManagedObject, at slot: Int
    ) -> (NSManagedObject, Int)? {
        guard !owner.isTemporary, case .toOne = member.binding.layout.slots[slot].role,
            case .toMany(let index)? = member.binding.layout.destinations[slot].inverse,
            persistentStoreCoordinator?.objectStoreNumbers.contains(owner.storeNumber) == true
        else { return nil }
        return (object(for: owner), index)
    }

    /// The live owner that a member's slot leads to, with the index of the to-many relationship there.
    final func registeredOwner(
        _ owner: ObjectKey, of member: NSManagedObject, at slot: Int
    ) -> (NSManagedObject, Int)? {
        let layout = member.binding.layout
        switch layout.slots[slot].role {
        case .toOne:
            guard case .toMany(let index)? = layout.destinations[slot].inverse else { return nil }
            return registeredObject(for: owner).map { ($0, index) }
        case .owner(let relationship):
            // The concrete entity of an owner without inverse is not in the member's row; the map is that of the root.
            guard
                let index = modelLayout?.layout(of: relationship.entity)?.toManys
                    .first(where: { $0.relationship === relationship })?.index
            else { return nil }
            return registeredObject(for: owner).map { ($0, index) }
        case .attribute, .companion, .order: return nil
        }
    }
}
