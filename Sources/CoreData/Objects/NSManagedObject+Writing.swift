import Foundation

// Changes an object's values. Typed access, key-value coding and proxies all call these methods.
extension NSManagedObject {
    /// Sets an attribute's slot.
    @inline(__always)
    final func setSlot(_ slot: Int, to value: SlotValue) {
        if flags.contains(.watched) { setWatched(slot, to: value) } else { setPlainSlot(slot, to: value) }
    }

    /// Sets an attribute's slot, and informs no observers of properties.
    @inline(__always)
    final func setPlainSlot(_ slot: Int, to value: SlotValue) {
        _ = firedRow()
        ensureOverlay().set(value, at: slot, newLayout: layoutOfNew)
        noteChange()
    }

    /// The layout of a new object; nil for an object that has a row.
    private final var layoutOfNew: EntityLayout? { row === binding.layout.defaultRow ? binding.layout : nil }

    /// Sets an attribute from a value in the types of key-value coding; stops the process when the type does not fit.
    final func setBoxedValue(_ value: Any?, at slot: Int) {
        let description = binding.layout.slots[slot]
        if description.kind == .transformable {
            if flags.contains(.watched) { setWatchedObject(value, at: slot) } else { setPlainObject(value, at: slot) }
            return
        }
        guard let slotValue = SlotValue(value, as: description.kind) ?? (value.isNilWithin ? .null : nil) else {
            fatalError(
                """
                Unacceptable type of value for attribute: property = "\(description.name)"; desired type = \
                \(description.kind); given type = \(value.map { "\(type(of: $0))" } ?? "nil"); \
                entity = \(binding.layout.name).
                """)
        }
        setSlot(slot, to: slotValue)
    }

    final func setPlainObject(_ value: Any?, at slot: Int) {
        _ = firedRow()
        let overlay = ensureOverlay()
        // Numbers are kept as `NSNumber`, as they come back from the store, so that they can be read as any number
        // type. NSNull is an object that a transformable attribute keeps.
        overlay.boxed[slot] = value.isNilWithin ? nil : value as? NSNumber ?? value
        overlay.boxedChanges.insert(slot)
        overlay.currentRow = nil
        noteChange()
    }

    /// Marks the object as changed and notes it in the context.
    @inline(__always)
    final func noteChange() {
        noteNewValues()
        if flags.contains([.updated, .pendingEvent]) || binding.context == nil { return }
        binding.context?.noteUpdate(of: self)
    }

    // MARK: To-one

    /// Sets a to-one relationship and updates the inverse.
    final func setReference(_ object: NSManagedObject?, at slot: Int) {
        guard let observation = binding.observation else { return setPlainReference(object, at: slot) }
        observation.change(changes(settingReference: object, at: slot)) { setPlainReference(object, at: slot) }
    }

    private func setPlainReference(_ object: NSManagedObject?, at slot: Int) {
        let destination = binding.layout.destinations[slot]
        if let object { checkRelation(to: object, slotName: slot, destination.layoutIndex) }
        let old = reference(at: slot)
        if old == object?.objectKey { return }
        writeReference(object?.objectKey, at: slot)
        guard let inverse = destination.inverse else { return }
        let oldObject = old.flatMap(related)
        switch inverse {
        case .toMany(let index):
            if let oldObject, !oldObject.flags.contains(.inaccessible) {
                oldObject.noteMember(objectKey, joined: false, at: index)
            }
            object?.noteMember(objectKey, joined: true, at: index)
        case .toOne(let inverseSlot):
            if let oldObject, oldObject.reference(at: inverseSlot) == objectKey {
                oldObject.writeReference(nil, at: inverseSlot)
            }
            if let object {
                if let former = object.reference(at: inverseSlot), former != objectKey {
                    object.related(former)?.writeReference(nil, at: slot)
                }
                object.writeReference(objectKey, at: inverseSlot)
            }
        }
    }

    /// Writes a reference and its companion, nothing else.
    final func writeReference(_ target: ObjectKey?, at slot: Int) {
        _ = firedRow()
        let overlay = ensureOverlay()
        overlay.set(target.map { .int($0.key) } ?? .null, at: slot, newLayout: layoutOfNew)
        let companion = binding.layout.destinations[slot].companion
        if companion >= 0 {
            overlay.set(target.map { .int(Int64($0.layoutIndex)) } ?? .null, at: companion)
        }
        noteChange()
    }

    final func slot(of relationship: NSRelationshipDescription) -> Int? {
        guard case .toOne(let slot)? = binding.layout.access[relationship.name] else { return nil }
        return slot
    }

    final func toManyIndex(of relationship: NSRelationshipDescription) -> Int? {
        guard case .toMany(let index)? = binding.layout.access[relationship.name] else { return nil }
        return index
    }

    /// Notes that an object was added or removed on the other side of a relationship.
    final func noteMember(_ member: ObjectKey, joined: Bool, of relationship: NSRelationshipDescription) {
        guard let index = toManyIndex(of: relationship) else { return }
        noteMember(member, joined: joined, at: index)
    }

    /// Notes that an object was added or removed on the other side of the relationship with the given index.
    final func noteMember(_ member: ObjectKey, joined: Bool, at index: Int) {
        let state = toManyState(index)
        if joined { state.noteAddition(of: member) } else { state.noteRemoval(of: member) }
        overlay?.currentRow = nil
        noteChange()
    }

    // MARK: To-many

    /// Adds one member and updates the inverse. Does nothing if the object is a member already.
    final func addMember(_ object: NSManagedObject, to index: Int) {
        guard let observation = binding.observation else { return addPlainMember(object, to: index) }
        observation.change(changes(ofMember: object, joins: true, at: index)) { addPlainMember(object, to: index) }
    }

    private func addPlainMember(_ object: NSManagedObject, to index: Int) {
        let toMany = binding.layout.toManys[index]
        checkRelation(to: object, { toMany.relationship.name }, toMany.destinationIndex)
        let key = object.objectKey
        if members(of: index).contains(key) { return }
        toManyState(index).noteAddition(of: key)
        link(object, in: toMany)
        noteChange()
    }

    /// Removes one member and updates the inverse. Does nothing if the object is not a member.
    final func removeMember(_ object: NSManagedObject, from index: Int) {
        guard let observation = binding.observation else { return removePlainMember(object, from: index) }
        observation.change(changes(ofMember: object, joins: false, at: index)) {
            removePlainMember(object, from: index)
        }
    }

    private func removePlainMember(_ object: NSManagedObject, from index: Int) {
        let key = object.objectKey
        guard members(of: index).contains(key) else { return }
        toManyState(index).noteRemoval(of: key)
        unlink(object, in: binding.layout.toManys[index])
        noteChange()
    }

    /// Replaces the members, in the given order if the relationship is ordered, and updates the inverses.
    final func setMembers(_ objects: [NSManagedObject], of index: Int) {
        guard let observation = binding.observation else { return setPlainMembers(objects, of: index) }
        observation.change(changes(settingMembers: objects, of: index)) { setPlainMembers(objects, of: index) }
    }

    private func setPlainMembers(_ objects: [NSManagedObject], of index: Int) {
        let toMany = binding.layout.toManys[index]
        for object in objects { checkRelation(to: object, { toMany.relationship.name }, toMany.destinationIndex) }
        _ = members(of: index)
        let byKey = Dictionary(objects.map { ($0.objectKey, $0) }, uniquingKeysWith: { first, _ in first })
        var seen: Set<ObjectKey> = []
        let keys = objects.map(\.objectKey).filter { seen.insert($0).inserted }
        let (came, went) = toManyState(index).replaceMembers(keys, isOrdered: toMany.isOrdered)
        for key in went {
            if let object = related(key) { unlink(object, in: toMany) }
        }
        for key in came {
            if let object = byKey[key] { link(object, in: toMany) }
        }
        noteChange()
    }

    /// Sets the inverse of a new member to its owner.
    private func link(_ member: NSManagedObject, in toMany: ToManySlot) {
        switch toMany.kind {
        case .inverseKey(let slot, _):
            if let former = member.reference(at: slot), former != objectKey {
                member.related(former)?.noteMember(member.objectKey, joined: false, of: toMany.relationship)
            }
            member.writeReference(objectKey, at: slot)
        case .ownerKey(let slot, _):
            if case .int(let former) = member.slotValue(at: slot), former != key {
                binding.context?.registeredObject(forOwnerKey: former, of: toMany.relationship)?
                    .noteMember(member.objectKey, joined: false, of: toMany.relationship)
            }
            member.setSlot(slot, to: .int(key))
        case .join(let inverse, _):
            // A relationship that is its own inverse mirrors into the same list of the other object.
            if member === self, inverse == toMany.index { return }
            member.noteJoin(with: objectKey, joined: true, at: inverse)
        case .transient:
            break
        }
    }

    /// Clears the inverse of a former member.
    private func unlink(_ member: NSManagedObject, in toMany: ToManySlot) {
        member.leaveOwner(objectKey, of: toMany)
        guard case .join(let inverse, _) = toMany.kind, member !== self || inverse != toMany.index else { return }
        member.noteJoin(with: objectKey, joined: false, at: inverse)
    }

    /// Clears the key of an owner in the member, if the member's row has such a key.
    final func leaveOwner(_ owner: ObjectKey, of toMany: ToManySlot) {
        switch toMany.kind {
        case .inverseKey(let slot, _):
            if reference(at: slot) == owner { writeReference(nil, at: slot) }
        case .ownerKey(let slot, _):
            if slotValue(at: slot) == .int(owner.key) { setSlot(slot, to: .null) }
        case .join, .transient: break
        }
    }

    private func noteJoin(with other: ObjectKey, joined: Bool, at index: Int) {
        let state = toManyState(index)
        if joined { state.noteAddition(of: other) } else { state.noteRemoval(of: other) }
        noteChange()
    }

    @inline(__always)
    private func checkRelation(to object: NSManagedObject, slotName slot: Int, _ destinationIndex: Int) {
        checkRelation(to: object, { binding.layout.slots[slot].name }, destinationIndex)
    }

    @inline(__always)
    private func checkRelation(to object: NSManagedObject, _ name: () -> String, _ destinationIndex: Int) {
        // An object without a context is in another context, too.
        if object.binding.context !== binding.context {
            fatalError(
                """
                Illegal attempt to establish a relationship '\(name())' between objects in different contexts \
                (source = \(objectID.uriRepresentation()) , destination = \(object.objectID.uriRepresentation()))
                """)
        }
        if binding.context == nil, object !== self {
            unshareBinding()
            object.unshareBinding()
            binding.relatedObjects[object.objectKey] = object
            object.binding.relatedObjects[objectKey] = self
        }
        let destination = binding.layout.model.entities[destinationIndex]
        require(
            destination.subtree.contains(object.binding.layout.index),
            """
            Unacceptable type of value for to-one relationship: property = "\(name())"; desired type = \
            \(destination.name); given type = \(object.binding.layout.name); entity = \(binding.layout.name).
            """)
    }

    // MARK: The changes that a save writes

    /// The slots whose value differs from the row's, for persistent properties only.
    final func persistentChanges() -> SlotMask {
        var changed = SlotMask()
        guard let overlay, let row else { return changed }
        let slots = binding.layout.slots
        let values = overlay.values
        values.mask.forEach { slot in
            if slots[slot].isPersistent, !Self.isSame(values[slot], in: row, at: slot, kind: slots[slot].kind) {
                changed.insert(slot)
            }
        }
        if overlay.hasBoxedChanges {
            overlay.boxedChanges.forEach { slot in
                if slots[slot].isPersistent { changed.insert(slot) }
            }
        }
        return changed
    }

    @inline(__always)
    static func isSame(_ value: SlotValue, in row: Snapshot, at slot: Int, kind: SlotKind) -> Bool {
        if row.isNull(slot) { return value.isNull }
        switch value {
        case .null: return false
        case .int(let number): return row.int(slot) == number
        case .double(let number): return row.double(slot) == number
        case .string(var string):
            let bytes = row.bytes(slot)
            return string.withUTF8 { UnsafeRawBufferPointer($0).elementsEqual(bytes) }
        default: return row.value(slot, kind: kind) == value
        }
    }

    /// Turns changed transformable values into bytes.
    final func encodeBoxedChanges() throws {
        if flags.contains(.inserted), !binding.layout.transformableDefaults.isEmpty { try encodeBoxedDefaults() }
        guard let overlay, overlay.hasBoxedChanges else { return }
        let slots = binding.layout.slots
        let pending = overlay.boxedChanges
        try pending.forEach { slot in
            guard case .attribute(let attribute) = slots[slot].role, slots[slot].isPersistent else { return }
            let value: SlotValue =
                if let object = overlay.boxed[slot] {
                    .data(try TransformableCoding.data(from: object, of: attribute))
                } else {
                    .null
                }
            overlay.set(value, at: slot)
        }
    }

    /// Encodes the default values of a new object's transformable attributes as bytes, except of those that were set.
    private func encodeBoxedDefaults() throws {
        let layout = binding.layout
        for slot in layout.transformableDefaults where firedRow().isNull(slot) {
            if let overlay, overlay.mask.contains(slot) || overlay.boxedChanges.contains(slot) { continue }
            guard case .attribute(let attribute) = layout.slots[slot].role, let value = attribute.defaultValue else {
                continue
            }
            ensureOverlay().set(.data(try TransformableCoding.data(from: value, of: attribute)), at: slot)
        }
    }

    /// The row as it is with all changes, under the given key and version; temporary references replaced.
    final func builtRow(key: Int64, version: Int32, renaming permanent: PermanentKeys) -> Snapshot {
        let row = firedRow()
        if let overlay, overlay.values.arePacked, let packed = overlay.values.row {
            return Self.row(from: packed, changes: nil, binding.layout, key: key, version: version, renaming: permanent)
        }
        return Self.row(from: row, changes: overlay, binding.layout, key: key, version: version, renaming: permanent)
    }

    /// Moves the values of a new object into a row, until another value is set.
    final func packValues() {
        guard flags.contains(.inserted), let overlay, overlay.canBePacked, let row, row === binding.layout.defaultRow
        else { return }
        overlay.values.pack(in: builtRow(key: key, version: row.version, renaming: [:]))
    }

    /// A row of another key and version, with an overlay's changes in it and temporary references replaced.
    static func row(
        from row: Snapshot, changes: ObjectOverlay?, _ layout: EntityLayout, key: Int64, version: Int32,
        renaming permanent: PermanentKeys
    ) -> Snapshot {
        // The values are read once, because each access through the overlay would retain all parts of the values.
        let values = changes?.values ?? ChangedValues()
        if layout.slots.count <= 64, values.mask.low & ~layout.shortSlots == 0, row.layoutIndex == layout.index {
            let builder = SnapshotBuilder(copying: row, layout: layout, key: key, version: version)
            values.mask.forEach { slot in
                switch values[slot] {
                case .int(let number): builder.set(slot, int: number)
                case .double(let number): builder.set(slot, double: number)
                default: builder.setNull(slot)
                }
            }
            if !permanent.isEmpty {
                for slot in layout.referenceSlots {
                    let isChanged = values.mask.contains(slot)
                    guard isChanged ? !values.isNull(slot) : !row.isNull(slot) else { continue }
                    var target = isChanged ? 0 : row.int(slot)
                    if isChanged, case .int(let changed) = values[slot] { target = changed }
                    if target < 0, let key = permanent[target] { builder.set(slot, int: key) }
                }
            }
            return builder.finish()
        }
        var tailBytes = 0
        for slot in layout.slots.indices where !layout.slots[slot].kind.isInline {
            if values.mask.contains(slot) {
                tailBytes += values[slot].tailBytes
            } else if !row.isNull(slot) {
                tailBytes += row.bytes(slot).count
            }
        }
        var builder = SnapshotBuilder(layout: layout, key: key, version: version, tailBytes: tailBytes)
        for slot in layout.slots.indices {
            let kind = layout.slots[slot].kind
            guard values.mask.contains(slot) else {
                if kind == .reference, !row.isNull(slot), row.int(slot) < 0 {
                    builder.set(slot, int: permanent[row.int(slot)] ?? row.int(slot))
                } else {
                    builder.copy(slot, kind: kind, from: row)
                }
                continue
            }
            if kind == .reference, case .int(let target) = values[slot], target < 0 {
                builder.set(slot, int: permanent[target] ?? target)
            } else {
                builder.set(slot, value: values[slot])
            }
        }
        return builder.finish()
    }

    /// The row as it is with all changes, for a child context; shared while nothing changes.
    final func currentRow() -> Snapshot {
        let row = firedRow()
        guard let overlay, !overlay.mask.isEmpty else { return row }
        if let current = overlay.currentRow { return current }
        let current = builtRow(key: key, version: row.version, renaming: [:])
        overlay.currentRow = current
        return current
    }
}
