import Foundation

// Reads values: from the overlay if they were changed, otherwise from the row, which an object without a row gets from
// the store.
extension NSManagedObject {
    /// The row of an object that has no changes, is no fault and whose reads nothing follows. The row has all values.
    ///
    /// The object holds the row until it gets another one. So a caller must not call anything that could run code of
    /// the program or of the context before it has read the value.
    @inline(__always)
    final var plainRow: Unmanaged<Snapshot>? {
        overlay == nil && flags.isDisjoint(with: [.unfired, .tracksReads]) ? heldRow : nil
    }

    /// The row, firing the fault when there is none yet.
    @inline(__always)
    final func firedRow() -> Snapshot {
        if let row, !flags.contains(.unfired) { return row }
        return fire()
    }

    /// Fires the fault of an object that has its row.
    @inline(__always)
    final func fireWithRow() {
        flags.remove(.unfired)
        // A new object was not fetched: it is a fault because it was refreshed.
        if !flags.contains(.inserted) { awakeFromFetch() }
    }

    /// Fires a fault: uses the row that the object has, or reads it from the context's source.
    @inline(never)
    final func fire() -> Snapshot {
        if let row {
            fireWithRow()
            return self.row ?? row
        }
        guard let context = binding.context, !flags.contains(.detached) else {
            // A detached object has nothing to read: it has no values, and is no fault.
            flags.remove(.unfired)
            row = binding.layout.defaultRow
            return binding.layout.defaultRow
        }
        let found: Snapshot?
        do {
            found = try context.loadRow(for: self)
        } catch {
            context.cannotFulfill(context.unfulfilled(objectKey, error))
            return binding.layout.defaultRow
        }
        guard let loaded = found else {
            guard context.shouldHandleInaccessibleFault(self, for: objectID, triggeredByProperty: nil) else {
                context.cannotFulfill(
                    NSError.coreData(
                        NSManagedObjectReferentialIntegrityError,
                        reason: "CoreData could not fulfill a fault for '\(objectID)'",
                        userInfo: [NSAffectedObjectsErrorKey: [objectID]]))
                return binding.layout.defaultRow
            }
            flags.formUnion([.inaccessible, .deleted])
            context.fetchState.hasMetInaccessible = true
            row = binding.layout.defaultRow
            return binding.layout.defaultRow
        }
        // The id or the reference by which the object was found names another entity than the row does.
        guard binding.layout.subtree.contains(loaded.layoutIndex) else {
            context.cannotFulfill(context.unfulfilled(objectKey, binding.layout.strangeRow(loaded)))
            return binding.layout.defaultRow
        }
        row = loaded
        flags.remove(.unfired)
        awakeFromFetch()
        return loaded
    }

    /// The value of a slot as it is now.
    @inline(__always)
    final func slotValue(at slot: Int) -> SlotValue {
        let row = firedRow()
        if let overlay, overlay.mask.contains(slot) { return overlay.values[slot] }
        return row.value(slot, kind: binding.layout.slots[slot].kind)
    }

    /// The object a to-one relationship leads to, as a key.
    @inline(__always)
    final func reference(at slot: Int) -> ObjectKey? { reference(at: slot, in: firedRow()) }

    /// The object a to-one relationship leads to in a given row, as a key. A fault is not fired.
    @inline(__always)
    final func reference(at slot: Int, in row: Snapshot) -> ObjectKey? {
        let layout = binding.layout
        let destinations = layout.destinations[slot]
        if let overlay, overlay.mask.contains(slot) {
            guard case .int(let key) = overlay.values[slot] else { return nil }
            if destinations.companion >= 0 {
                // If the entity is that of the row, only the key may have changed.
                let index = overlay.value(at: destinations.companion)
                if case .int(let index) = index ?? row.value(destinations.companion, kind: .entityNumber) {
                    return ObjectKey(layoutIndex: Int(index), key: key)
                }
            }
            return ObjectKey(layoutIndex: destinations.layoutIndex, key: key)
        }
        if row.isNull(slot) { return nil }
        if destinations.companion >= 0, !row.isNull(destinations.companion) {
            return ObjectKey(layoutIndex: Int(row.int(destinations.companion)), key: row.int(slot))
        }
        return ObjectKey(layoutIndex: destinations.layoutIndex, key: row.int(slot))
    }

    /// The object a to-one relationship leads to.
    final func referencedObject(at slot: Int) -> NSManagedObject? {
        if let row = plainRow {
            // Nothing in this closure releases the entity binding, the row or the context.
            let found = Unmanaged.passUnretained(binding)._withUnsafeGuaranteedRef { binding in
                row._withUnsafeGuaranteedRef { binding.recentObject(for: slot, in: $0) }
            }
            if let found { return found }
        }
        guard let key = reference(at: slot) else {
            return isRecorder ? KeyPathRecording.destination(of: self) : nil
        }
        guard let context = binding.context else { return related(key) }
        if let recent = context.recentObjects.object(for: key) { return recent }
        let object = context.object(for: key)
        context.recentObjects.insert(object, for: key)
        return object
    }

    /// The value of an attribute as key-value coding hands it out.
    final func boxedValue(at slot: Int) -> Any? {
        let row = firedRow()
        let description = binding.layout.slots[slot]
        if description.kind == .transformable { return boxedObject(at: slot, row: row, description: description) }
        if let overlay, overlay.mask.contains(slot) { return overlay.values[slot].boxed(as: description.kind) }
        return row.value(slot, kind: description.kind).boxed(as: description.kind)
    }

    private func boxedObject(at slot: Int, row: Snapshot, description: Slot) -> Any? {
        if let overlay {
            if let object = overlay.boxed[slot] { return object }
            if overlay.boxedChanges.contains(slot) { return nil }
            if overlay.mask.contains(slot) { return decodedObject(overlay.values[slot], at: slot, description) }
        }
        if row.isNull(slot) {
            // A row from a store has no value in the slot of a transient attribute.
            guard flags.contains(.inserted) || !description.isPersistent,
                case .attribute(let attribute) = description.role
            else { return nil }
            return attribute.defaultValue
        }
        return decodedObject(.data(row.data(slot)), at: slot, description)
    }

    private func decodedObject(_ value: SlotValue, at slot: Int, _ description: Slot) -> Any? {
        guard case .data(let data) = value, case .attribute(let attribute) = description.role else { return nil }
        let object = TransformableCoding.object(from: data, of: attribute)
        if let object { ensureOverlay().boxed[slot] = object }
        return object
    }

    /// The overlay, made on first need.
    @inline(__always)
    final func ensureOverlay() -> ObjectOverlay {
        if let overlay { return overlay }
        let new = ObjectOverlay()
        overlay = new
        return new
    }

    // MARK: To-many relationships

    /// The state of a to-many relationship, as a fault if neither members nor changes are in memory.
    @inline(__always)
    final func toManyState(_ index: Int) -> ToManyState {
        let overlay = ensureOverlay()
        if overlay.toManys.isEmpty {
            overlay.toManys = ContiguousArray(repeating: nil, count: binding.layout.toManys.count)
        }
        if let state = overlay.toManys[index] { return state }
        let isKnownEmpty = flags.contains(.inserted) || binding.context == nil || flags.contains(.inaccessible)
        let toMany = binding.layout.toManys[index]
        var isTransient = false
        if case .transient = toMany.kind { isTransient = true }
        let state = ToManyState(base: isKnownEmpty || isTransient ? [] : nil, isOrdered: toMany.isOrdered)
        overlay.toManys[index] = state
        return state
    }

    /// The members of a to-many relationship, loading them when they are a fault.
    final func members(of index: Int) -> [ObjectKey] {
        let state = toManyState(index)
        if state.isFault, let context = binding.context {
            let toMany = binding.layout.toManys[index]
            do {
                state.load(try context.loadMembers(of: toMany, owner: self))
                context.noteDeletedMembers(of: state, owner: self)
            } catch {
                context.cannotFulfill(context.unfulfilled(objectKey, error, relationship: toMany.relationship))
                return []
            }
        }
        return state.members
    }

    final func memberObjects(of index: Int) -> [NSManagedObject] {
        guard let context = binding.context else { return isRecorder ? [] : members(of: index).compactMap(related) }
        let objects = context.objects(for: members(of: index))
        context.keepForBlock(objects)
        return objects
    }

    /// The object for a key that this object leads to: from its context or, without a context, from the objects to
    /// which it was related.
    final func related(_ key: ObjectKey) -> NSManagedObject? {
        if let context = binding.context { return context.object(for: key) }
        return key == objectKey ? self : binding.relatedObjects[key]
    }

    final var hasToManyChanges: Bool {
        overlay?.toManys.contains { $0?.hasChanges == true } ?? false
    }

    /// Whether one of some to-many relationships has changes, by their places.
    final func hasChanges(inToManys places: Set<Int>) -> Bool {
        guard let overlay, !overlay.toManys.isEmpty else { return false }
        return places.contains { overlay.toManys[$0]?.hasChanges == true }
    }
}
