import Foundation

// The subscript is in the protocol's extension, so that a class may declare a subscript of its own.
extension ManagedObjectClass where Self: NSManagedObject {
    /// The value of a property by its name, as in ``NSManagedObject/value(forKey:)`` and `setValue(_:forKey:)`.
    ///
    /// OpenCoreData only.
    ///
    /// - Parameter key: The name of a property.
    public subscript(key: String) -> Any? {
        get { value(forKey: key) }
        set { setValue(newValue, forKey: key) }
    }
}

/// Key-value coding: values by name, in the types that Apple's framework gives.
extension NSManagedObject {
    /// Does the work of `dictionaryWithValues(forKeys:)` unless a subclass overrides it.
    final func _dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }, uniquingKeysWith: { first, _ in first })
    }

    /// Does the work of `setValuesForKeys(_:)` unless a subclass overrides it.
    final func _setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues { setValue(value is NSNull ? nil : value, forKey: key) }
    }

    /// The values of keys that are not properties of the entity, such as `objectID` in a predicate; `.none` for any
    /// other key.
    final func ownValue(forKey key: String) -> Any?? {
        switch key {
        case "objectID": objectID
        case "entity": entity
        case "self": self
        case "isInserted", "inserted": NSNumber(value: isInserted)
        case "isUpdated", "updated": NSNumber(value: isUpdated)
        case "isDeleted", "deleted": NSNumber(value: isDeleted)
        case "isFault", "fault": NSNumber(value: isFault)
        case "hasChanges": NSNumber(value: hasChanges)
        case "faultingState": NSNumber(value: faultingState)
        case "hasPersistentChangedValues": NSNumber(value: hasPersistentChangedValues)
        case "managedObjectContext": .some(managedObjectContext)
        default: nil
        }
    }

    /// Does the work of `value(forKeyPath:)` unless a subclass overrides it.
    final func _value(forKeyPath keyPath: String) -> Any? {
        KeyValuePath(keyPath).value(in: self)
    }

    /// Does the work of `setValue(_:forKeyPath:)` unless a subclass overrides it.
    final func _setValue(_ value: Any?, forKeyPath keyPath: String) {
        guard let dot = keyPath.lastIndex(of: ".") else { return setValue(value, forKey: keyPath) }
        if setElement(value, at: keyPath) { return }
        guard let target = self.value(forKeyPath: String(keyPath[..<dot])) else { return }
        guard let object = target as? NSManagedObject else {
            fatalError(
                "The key path '\(keyPath)' of entity '\(binding.layout.name)' does not lead through to-one relationships"
            )
        }
        object.setValue(value, forKey: String(keyPath[keyPath.index(after: dot)...]))
    }

    /// Does the work of `primitiveValue(forKey:)` unless a subclass overrides it.
    final func _primitiveValue(forKey key: String) -> Any? {
        if isRecorder {
            checkConfinement("reading", key)
            return KeyPathRecording.value(of: self, askedFor: key)
        }
        return value(by: access(to: key))
    }

    final func value(by access: PropertyAccess) -> Any? {
        checkConfinement("reading", binding.layout.name(of: access))
        if flags.contains(.tracksReads) { return observedValue(by: access) }
        switch access {
        case .attribute(let slot): return boxedValue(at: slot)
        case .toOne(let slot): return referencedObject(at: slot)
        case .toMany(let index):
            let objects = memberObjects(of: index)
            return binding.layout.toManys[index].isOrdered
                ? NSOrderedSet(array: objects) : NSSet.ofManagedObjects(objects)
        case .fetched(let property): return fetchedResults(of: property)
        case .composite(let composite): return compositeValue(composite)
        }
    }

    /// Does the work of `setPrimitiveValue(_:forKey:)` unless a subclass overrides it.
    final func _setPrimitiveValue(_ value: Any?, forKey key: String) {
        guard let observation = binding.observation else { return setPlainPrimitiveValue(value, forKey: key) }
        observation.primitively { setPlainPrimitiveValue(value, forKey: key) }
    }

    private func setPlainPrimitiveValue(_ value: Any?, forKey key: String) {
        let access = access(to: key)
        guard binding.context?.saveState.isRunning == true, flags.isDisjoint(with: .pendingEvent),
            flags.contains(.updated)
        else {
            return set(value, forKey: key, by: access)
        }
        switch access {
        case .attribute, .composite:
            // The save writes the value in any case. So `willSave()` can set dates by this method without one more
            // notification.
            flags.insert(.pendingEvent)
            set(value, forKey: key, by: access)
            flags.remove(.pendingEvent)
        case .toOne, .toMany, .fetched: set(value, forKey: key, by: access)
        }
    }

    final func set(_ value: Any?, forKey key: String, by access: PropertyAccess) {
        checkConfinement("writing", key)
        switch access {
        case .attribute(let slot): setBoxedValue(value, at: slot)
        case .toOne(let slot):
            let object = value as? NSManagedObject
            guard object != nil || value.isNilWithin || value is NSNull else { rejectRelation(value, key) }
            setReference(object, at: slot)
        case .toMany(let index):
            guard let objects = Self.objects(in: value) else { rejectRelation(value, key) }
            setMembers(objects, of: index)
        case .composite(let composite): setComposite(value, composite)
        case .fetched:
            fatalError("The fetched property '\(key)' of entity '\(binding.layout.name)' cannot be set")
        }
    }

    private func access(to key: String) -> PropertyAccess {
        if let access = binding.layout.access[key] { return access }
        fatalError(
            "the entity \(binding.layout.name) is not key value coding-compliant for the key \"\(key)\".")
    }

    private func rejectRelation(_ value: Any?, _ key: String) -> Never {
        fatalError(
            """
            Unacceptable type of value for relationship: property = "\(key)"; given type = \
            \(value.map { "\(type(of: $0))" } ?? "nil"); entity = \(binding.layout.name).
            """)
    }

    private static func objects(in value: Any?) -> [NSManagedObject]? {
        switch value {
        case nil, is NSNull: []
        case let set as NSOrderedSet: set.array as? [NSManagedObject]
        case let set as NSSet: set.allObjects as? [NSManagedObject]
        case let set as Set<NSManagedObject>: Array(set)
        case let array as [NSManagedObject]: array
        case let array as NSArray: array as? [NSManagedObject]
        case let set as Set<AnyHashable>: set.map(\.base) as? [NSManagedObject]
        default: value.isNilWithin ? [] : nil
        }
    }

    // MARK: Changes

    /// Does the work of `changedValues()` unless a subclass overrides it.
    final func _changedValues() -> [String: Any] {
        checkConfinement()
        var values: [String: Any] = [:]
        for (name, access) in binding.layout.access where isChanged(access) {
            values[name] = _primitiveValue(forKey: name) ?? NSNull()
        }
        return values
    }

    /// Does the work of `committedValues(forKeys:)` unless a subclass overrides it.
    final func _committedValues(forKeys keys: [String]?) -> [String: Any] {
        checkConfinement()
        // Nothing has been saved or fetched yet.
        if flags.contains(.inserted) { return [:] }
        let row = firedRow()
        var values: [String: Any] = [:]
        for name in keys ?? Array(binding.layout.access.keys) {
            switch access(to: name) {
            case .attribute(let slot):
                values[name] = committedValue(at: slot, of: row) ?? NSNull()
            case .toOne(let slot):
                values[name] = committedReference(at: slot).flatMap { binding.context?.object(for: $0) } ?? NSNull()
            case .toMany(let index):
                _ = members(of: index)
                let objects = (toManyState(index).base ?? []).compactMap { binding.context?.object(for: $0) }
                values[name] =
                    binding.layout.toManys[index].isOrdered
                    ? NSOrderedSet(array: objects) : NSSet.ofManagedObjects(objects)
            case .composite(let composite):
                values[name] = compositeValue(composite) { committedValue(at: $0, of: row) } ?? NSNull()
            case .fetched: break
            }
        }
        return values
    }

    final func committedValue(at slot: Int, of row: Snapshot) -> Any? {
        let description = binding.layout.slots[slot]
        if description.kind == .transformable { return Self.object(in: row, at: slot, description) }
        return row.value(slot, kind: description.kind).boxed(as: description.kind)
    }

    private static func object(in row: Snapshot, at slot: Int, _ description: Slot) -> Any? {
        guard case .attribute(let attribute) = description.role else { return nil }
        if row.isNull(slot) { return description.isPersistent ? nil : attribute.defaultValue }
        return TransformableCoding.object(from: row.data(slot), of: attribute)
    }

    private func committedReference(at slot: Int) -> ObjectKey? {
        let row = firedRow()
        guard !row.isNull(slot), case .toOne(_, let companion) = binding.layout.slots[slot].role else { return nil }
        if let companion, !row.isNull(companion) {
            return ObjectKey(layoutIndex: Int(row.int(companion)), key: row.int(slot))
        }
        return binding.layout.slots[slot].destinationIndex.map { ObjectKey(layoutIndex: $0, key: row.int(slot)) }
    }

    private func isChanged(_ access: PropertyAccess) -> Bool {
        switch access {
        case .attribute(let slot), .toOne(let slot): return isSetInMemory(slot)
        case .toMany(let index): return existingToManyState(index)?.hasChanges ?? false
        case .composite(let composite):
            return composite.slots.contains(where: isSetInMemory)
        case .fetched: return false
        }
    }

    /// Does the work of `hasFault(forRelationshipNamed:)` unless a subclass overrides it.
    final func _hasFault(forRelationshipNamed key: String) -> Bool {
        checkConfinement("hasFault(forRelationshipNamed:)", key)
        switch access(to: key) {
        case .toMany(let index):
            if flags.contains(.inserted) { return false }
            return overlay?.toManys.isEmpty == false ? overlay?.toManys[index]?.isFault ?? true : true
        case .toOne(let slot):
            guard !isFaultUnchecked, let reference = reference(at: slot) else { return isFaultUnchecked }
            return binding.context?.registeredObject(for: reference)?.isFaultUnchecked ?? true
        case .attribute, .composite, .fetched: return false
        }
    }

    /// Does the work of `objectIDs(forRelationshipNamed:)` unless a subclass overrides it.
    final func _objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
        checkConfinement("objectIDs(forRelationshipNamed:)", key)
        guard let context = binding.context else { return [] }
        switch access(to: key) {
        case .toMany(let index):
            noteRead(ofToMany: index)
            return members(of: index).map { context.objectID(for: $0) }
        case .toOne(let slot):
            if flags.contains(.tracksReads) { noteRead(at: slot) }
            return reference(at: slot).map { [context.objectID(for: $0)] } ?? []
        case .attribute, .composite, .fetched: return []
        }
    }
}

extension NSManagedObject: KeyValueReadable {
    /// The value of a key in a predicate. Nil for a property that the object's entity lacks and another entity of its
    /// inheritance tree has, as in the table that the two share.
    package final func value(inPredicateForKey key: String) -> Any? {
        let layout = binding.layout
        let isOfRelative =
            layout.access[key] == nil
            && binding.modelLayout.entities.contains { $0.rootIndex == layout.rootIndex && $0.access[key] != nil }
        return isOfRelative ? valueByName(forKey: key) ?? nil : value(forKey: key)
    }
}

extension NSManagedObject: ObjectIdentityComparable, ObjectKeyConvertible {
    package var identityForComparison: AnyObject { objectID }
}

extension NSSet {
    /// A set of managed objects. An initialiser that takes `[Any]` would box and cast each of them.
    static func ofManagedObjects(_ objects: [NSManagedObject]) -> NSSet {
        objects.withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: AnyObject.self) { NSSet(objects: $0.baseAddress, count: $0.count) }
        }
    }
}
