import Foundation

/// An object's unsaved changes at the beginning of an event. An event lasts from one did-change notification to the
/// next.
///
/// Most objects need no event base: a value that did not change in an earlier event began as the row's value. Once the
/// object has another row, the changes are saved or dropped, and the object has no event base any more.
///
/// A class, because each changed object has one after an event, and hands it on.
final class EventBase {
    let values: ChangedValues
    let boxed: [Int: Any]
    let boxedChanges: SlotMask
    /// The members by relationship. Relationships without changes are left out.
    let members: [Int: [ObjectKey]]

    var mask: SlotMask { values.mask }

    init?(of object: NSManagedObject) {
        guard let overlay = object.overlay else { return nil }
        values = overlay.values
        boxed = overlay.boxed
        boxedChanges = overlay.boxedChanges
        var members: [Int: [ObjectKey]] = [:]
        for (index, state) in overlay.toManys.enumerated() {
            if let state, state.hasChanges, !state.isFault { members[index] = state.members }
        }
        self.members = members
    }
}

extension NSManagedObject {
    /// Does the work of `changedValuesForCurrentEvent()` unless a subclass overrides it.
    final func _changedValuesForCurrentEvent() -> [String: Any] {
        checkConfinement()
        guard !flags.isDisjoint(with: [.pendingEvent, .toldEvent]), !flags.contains(.gone) else { return [:] }
        let base = overlay?.eventBase
        var changes: [String: Any] = [:]
        for (name, access) in binding.layout.access {
            switch access {
            case .attribute(let slot):
                guard binding.layout.slots[slot].isPersistent, isSetInMemory(slot) || base?.holds(slot) == true
                else { continue }
                let (old, new) = (value(at: slot, in: base), boxedValue(at: slot))
                if Self.isSame(old, new) { continue }
                changes[name] = old ?? NSNull()
            case .toOne(let slot):
                let old = reference(at: slot, in: base)
                if old != reference(at: slot) {
                    changes[name] = old.flatMap { binding.context?.object(for: $0) } ?? NSNull()
                }
            case .toMany(let index):
                guard let state = existingToManyState(index), state.hasChanges || base?.members[index] != nil
                else { continue }
                let new = members(of: index)
                let old = base?.members[index] ?? state.base ?? []
                let isOrdered = binding.layout.toManys[index].isOrdered
                if isOrdered ? old == new : Set(old) == Set(new) { continue }
                let objects = old.compactMap { binding.context?.object(for: $0) }
                changes[name] = isOrdered ? NSOrderedSet(array: objects) : NSSet.ofManagedObjects(objects)
            case .composite(let composite):
                guard composite.slots.contains(where: { isSetInMemory($0) || base?.holds($0) == true })
                else { continue }
                let (old, new) = (
                    compositeValue(composite) { value(at: $0, in: base) }, compositeValue(composite)
                )
                if Self.isSame(old.map { $0 as NSDictionary }, new.map { $0 as NSDictionary }) { continue }
                changes[name] = old ?? NSNull()
            case .fetched: continue
            }
        }
        return changes
    }

    private static func isSame(_ old: Any?, _ new: Any?) -> Bool {
        guard let old, let new else { return old == nil && new == nil }
        return (old as AnyObject as? NSObject)?.isEqual(new as AnyObject) ?? false
    }

    private func value(at slot: Int, in base: EventBase?) -> Any? {
        let description = binding.layout.slots[slot]
        guard let base, base.holds(slot) else {
            return committedValue(at: slot, of: firedRow())
        }
        if description.kind == .transformable { return base.boxed[slot] }
        return base.values[slot].boxed(as: description.kind)
    }

    private func reference(at slot: Int, in base: EventBase?) -> ObjectKey? {
        let destination = binding.layout.destinations[slot]
        guard let base, base.mask.contains(slot) else {
            return row?.reference(at: slot, binding.layout)
        }
        guard case .int(let key) = base.values[slot] else { return nil }
        if destination.companion >= 0 {
            let index =
                base.mask.contains(destination.companion)
                ? base.values[destination.companion] : row?.value(destination.companion, kind: .entityNumber)
            if case .int(let index) = index { return ObjectKey(layoutIndex: Int(index), key: key) }
        }
        return ObjectKey(layoutIndex: destination.layoutIndex, key: key)
    }
}

extension EventBase {
    fileprivate func holds(_ slot: Int) -> Bool { mask.contains(slot) || boxedChanges.contains(slot) }
}
