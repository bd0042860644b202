import Foundation

// Keeps two sides of a relationship in step when changes of several contexts meet. Between objects of one context
// every write updates both sides; a newer row, or a child's save, updates only its own objects.
extension NSManagedObject {
    /// A one-to-one relationship, whose rows have a key on both sides, and the object it leads to.
    struct Partner {
        let slot: Int
        /// The slot of the inverse, in the partner's layout.
        let inverse: Int
        let key: ObjectKey?
    }

    /// The objects that the one-to-one relationships lead to now; none for a fault.
    final var partners: [Partner] {
        guard let row else { return [] }
        return binding.layout.oneToOnes.map { slot, inverse in
            Partner(slot: slot, inverse: inverse, key: reference(at: slot, in: row))
        }
    }

    /// Whether a one-to-one relationship leads to another object in a newer row than in the object's row.
    final func isGivenPartner(by newest: Snapshot) -> Bool {
        guard let row else { return false }
        return binding.layout.oneToOnes.contains { slot, _ in
            guard let key = newest.reference(at: slot, binding.layout) else { return false }
            return key != row.reference(at: slot, binding.layout)
        }
    }

    /// Updates the partners after a newer row came under the object. A partner that leads to this object is cleared if
    /// the object does not lead back now, by the newer row or by an unsaved change.
    final func updatePartners(after former: [Partner], newest: Snapshot, storeWins: Bool) {
        guard let context = binding.context else { return }
        for partner in former {
            let now = reference(at: partner.slot, in: newest)
            if let lost = partner.key, lost != now, let object = context.registeredObject(for: lost),
                object.overlay?.mask.contains(partner.inverse) == true
            {
                object.leave(objectKey, at: partner.inverse)
            }
            let stored = newest.reference(at: partner.slot, binding.layout)
            if storeWins, let now, now == stored, now != partner.key,
                let object = context.registeredObject(for: now),
                !object.flags.contains(.deleted),
                object.overlay?.mask.contains(partner.inverse) == true,
                object.reference(at: partner.inverse) != objectKey
            {
                // The newer row wins on this side, so it wins on the other side too.
                if let rival = object.reference(at: partner.inverse) {
                    context.registeredObject(for: rival)?.leave(now, at: partner.slot)
                }
                object.writeReference(objectKey, at: partner.inverse)
            }
            if let now, now != stored, !flags.contains(.deleted) { keepPartner(now, partner) }
            if let stored, stored != now {
                let object = context.object(for: stored)
                context.bringUpToDate(object)
                object.leave(objectKey, at: partner.inverse)
            }
        }
    }

    /// Restores the other sides of the object's one-to-one relationships, because its row is gone and the save inserts
    /// it again.
    final func reclaimPartners() {
        for partner in partners {
            if let key = reference(at: partner.slot) { keepPartner(key, partner) }
        }
    }

    /// Restores this object on the other side of a one-to-one relationship that stays on this side. The other side may
    /// have a newer row, too.
    private func keepPartner(_ key: ObjectKey, _ place: Partner) {
        guard let context = binding.context else { return }
        let object = context.object(for: key)
        context.bringUpToDate(object)
        if object.flags.contains(.deleted) { return }
        if object.reference(at: place.inverse) != objectKey {
            if let other = object.reference(at: place.inverse) {
                let rival = context.object(for: other)
                context.bringUpToDate(rival)
                rival.leave(key, at: place.slot)
            }
            object.writeReference(objectKey, at: place.inverse)
        }
        // The calls above may have cleared this side.
        if reference(at: place.slot) != key { writeReference(key, at: place.slot) }
    }

    /// Updates the former owners and partners of both sides after a child's save changed to-one relationships of the
    /// object. These include objects that the child does not have in memory.
    final func updateOwnersAndPartners(after links: [OwnerLink], _ former: [Partner]) {
        guard let context = binding.context else { return }
        for (before, now) in zip(links, ownerLinks()) where before.present != now.present {
            guard let former = before.present,
                let (owner, index) = context.registeredOwner(former, of: self, at: before.slot)
                    ?? context.ownerOfRecord(former, of: self, at: before.slot),
                !owner.flags.contains(.deleted)
            else { continue }
            let state = owner.toManyState(index)
            if state.isFault || state.contains(objectKey) {
                owner.noteMember(objectKey, joined: false, at: index)
            }
        }
        for (before, now) in zip(former, partners) where before.key != now.key {
            if let lost = before.key { context.object(for: lost).leave(objectKey, at: before.inverse) }
            guard let key = now.key, case let partner = context.object(for: key), !partner.flags.contains(.deleted)
            else {
                continue
            }
            if let rival = partner.reference(at: before.inverse), rival != objectKey {
                context.object(for: rival).leave(key, at: before.slot)
            }
            if partner.reference(at: before.inverse) != objectKey {
                partner.writeReference(objectKey, at: before.inverse)
            }
        }
    }

    /// Adds the object to its owners' relationships again, after the object came back.
    final func rejoinOwners() {
        guard let context = binding.context else { return }
        for link in ownerLinks() {
            guard let key = link.present, let (owner, index) = context.registeredOwner(key, of: self, at: link.slot),
                !owner.flags.contains(.deleted), !owner.members(of: index).contains(objectKey)
            else { continue }
            owner.noteMember(objectKey, joined: true, at: index)
        }
    }

    /// Adds the object to the relationships of its owners and members that have lost it while it was gone.
    final func rejoinPartners() {
        rejoinOwners()
        for toMany in binding.layout.toManys {
            guard case .join = toMany.kind, let inverse = toMany.relationship.inverseRelationship else { continue }
            for key in existingToManyState(toMany.index)?.members ?? [] {
                guard let member = binding.context?.registeredObject(for: key), !member.flags.contains(.deleted),
                    let index = member.toManyIndex(of: inverse)
                else { continue }
                let state = member.toManyState(index)
                if !(state.isFault ? state.added.keys : state.members).contains(objectKey) {
                    member.noteMember(objectKey, joined: true, at: index)
                }
            }
        }
    }

    /// Empties a to-one relationship that leads to an object.
    private func leave(_ key: ObjectKey, at slot: Int) {
        guard reference(at: slot) == key, !flags.contains(.deleted) else { return }
        writeReference(nil, at: slot)
    }
}

extension NSManagedObjectContext {
    /// Puts the source's present row under an object; unsaved changes stay on top. If the source cannot be read, the
    /// save for which the row is needed throws the error.
    fileprivate final func bringUpToDate(_ object: NSManagedObject) {
        guard object.key > 0, object.flags.isDisjoint(with: [.inserted, .deleted]) else { return }
        guard let newest = try? rowSource?.newestRow(for: object.objectKey, in: self) else { return }
        if let row = object.row {
            // A parent's unsaved changes leave the version as it is.
            if RowVersion.isOlder(row.version, than: newest.version) || parent != nil {
                object.rebase(on: newest, keeping: .all)
            }
        } else {
            object.row = newest
            object.flags.insert(.unfired)
        }
    }
}
