import Foundation

// The properties on both sides of a relationship that a change by the program will give other values.
extension NSManagedObject {
    private typealias Change = ObservedObjects.Change

    /// Sets an attribute of an object with observers.
    @inline(never)
    final func setWatched(_ slot: Int, to value: SlotValue) {
        guard let observation = binding.observation else { return setPlainSlot(slot, to: value) }
        let differs = slotValue(at: slot) != value
        observation.change([Change(object: self, place: slot, differs: differs)]) { setPlainSlot(slot, to: value) }
    }

    /// Sets a transformable attribute of an object with observers.
    final func setWatchedObject(_ value: Any?, at slot: Int) {
        guard let observation = binding.observation else { return setPlainObject(value, at: slot) }
        let new = value.isNilWithin ? nil : value
        let differs = !ObservedValues.isSame(boxedValue(at: slot), new)
        observation.change([Change(object: self, place: slot, differs: differs)]) { setPlainObject(value, at: slot) }
    }

    /// Sets the elements of a composite attribute of an object with observers, as one change.
    final func setWatchedComposite(_ composite: CompositeAccess, _ value: Any?, _ body: () -> Void) {
        guard let observation = binding.observation else { return body() }
        let new = value as? [String: Any] ?? [:]
        let changes = composite.slotsAndPaths.map { slot, path in
            let holder = path.dropLast().reduce(new as [String: Any]?) { $0?[$1] as? [String: Any] }
            let value = holder?[path[path.count - 1]]
            let differs = !ObservedValues.isSame(boxedValue(at: slot), value is NSNull ? nil : value)
            return Change(object: self, place: slot, differs: differs)
        }
        observation.change(changes, apply: body)
    }

    /// The changes that `setReference(_:at:)` will make.
    final func changes(settingReference object: NSManagedObject?, at slot: Int) -> [ObservedObjects.Change] {
        let old = reference(at: slot)
        if old == object?.objectKey { return [Change(object: self, place: slot, differs: false)] }
        var changes = [Change(object: self, place: slot)]
        let oldObject = old.flatMap(related)
        switch binding.layout.destinations[slot].inverse {
        case .toMany(let index):
            if let oldObject { changes.append(oldObject.change(ofMember: self, joins: false, at: index)) }
            if let object { changes.append(object.change(ofMember: self, joins: true, at: index)) }
        case .toOne(let inverse):
            if let oldObject, oldObject.reference(at: inverse) == objectKey {
                changes.append(Change(object: oldObject, place: inverse))
            }
            guard let object, object.reference(at: inverse) != objectKey else { break }
            if let former = object.reference(at: inverse).flatMap(object.related), former !== self {
                changes.append(Change(object: former, place: slot))
            }
            changes.append(Change(object: object, place: inverse))
        case nil: break
        }
        return changes
    }

    /// The change of a to-many relationship that one member joins or leaves. An ordered relationship is read, because
    /// the report has the member's position.
    private func change(ofMember member: NSManagedObject, joins: Bool, at index: Int) -> ObservedObjects.Change {
        let place = binding.layout.observedPlace(ofToMany: index)
        guard flags.contains(.watched) else { return Change(object: self, place: place) }
        var indexes: IndexSet?
        if binding.layout.toManys[index].isOrdered {
            let members = members(of: index)
            indexes = (joins ? members.count : members.firstIndex(of: member.objectKey)).map { IndexSet(integer: $0) }
        }
        return Change(
            object: self, place: place,
            members: ObservedObjects.MemberChange(objects: [member], joins: joins, indexes: indexes))
    }

    /// The changes that `addMember(_:to:)` or `removeMember(_:from:)` will make.
    final func changes(ofMember member: NSManagedObject, joins: Bool, at index: Int) -> [ObservedObjects.Change] {
        let place = binding.layout.observedPlace(ofToMany: index)
        if members(of: index).contains(member.objectKey) == joins {
            return [Change(object: self, place: place, differs: false)]
        }
        return [change(ofMember: member, joins: joins, at: index)]
            + inverseChanges(ofMember: member, joins: joins, binding.layout.toManys[index])
    }

    /// The changes that `setMembers(_:of:)` will make.
    final func changes(settingMembers objects: [NSManagedObject], of index: Int) -> [ObservedObjects.Change] {
        let toMany = binding.layout.toManys[index]
        let old = members(of: index)
        var seen: Set<ObjectKey> = []
        let new = objects.map(\.objectKey).filter { seen.insert($0).inserted }
        let before = Set(old)
        let differs = toMany.isOrdered ? old != new : before != seen
        var changes = [
            Change(object: self, place: binding.layout.observedPlace(ofToMany: index), differs: differs)
        ]
        for key in old where !seen.contains(key) {
            if let member = related(key) { changes += inverseChanges(ofMember: member, joins: false, toMany) }
        }
        for object in objects where !before.contains(object.objectKey) {
            changes += inverseChanges(ofMember: object, joins: true, toMany)
        }
        return changes
    }

    private func inverseChanges(
        ofMember member: NSManagedObject, joins: Bool, _ toMany: ToManySlot
    ) -> [ObservedObjects.Change] {
        switch toMany.kind {
        case .inverseKey(let slot, _):
            let former = member.reference(at: slot)
            if !joins { return former == objectKey ? [Change(object: member, place: slot)] : [] }
            var changes = [Change(object: member, place: slot)]
            if let former, former != objectKey, let owner = member.related(former),
                let index = owner.toManyIndex(of: toMany.relationship)
            {
                changes.append(owner.change(ofMember: member, joins: false, at: index))
            }
            return changes
        case .join(let inverse, _):
            if member === self, inverse == toMany.index { return [] }
            return [member.change(ofMember: self, joins: joins, at: inverse)]
        case .ownerKey(let slot, _):
            guard joins, case .int(let former) = member.slotValue(at: slot), former != key,
                let owner = binding.context?.registeredObject(forOwnerKey: former, of: toMany.relationship),
                let index = owner.toManyIndex(of: toMany.relationship)
            else { return [] }
            return [owner.change(ofMember: member, joins: false, at: index)]
        case .transient: return []
        }
    }
}

extension CompositeAccess {
    /// The slots of all elements, with the names that lead to them.
    fileprivate var slotsAndPaths: [(slot: Int, path: [String])] {
        elements.flatMap { name, access -> [(slot: Int, path: [String])] in
            switch access {
            case .attribute(let slot): [(slot, [name])]
            case .composite(let inner): inner.slotsAndPaths.map { ($0.slot, [name] + $0.path) }
            case .toOne, .toMany, .fetched: []
            }
        }
    }
}
