import Foundation

// Identity and faults: the object for each row, and the source of its values.
extension NSManagedObjectContext {
    // MARK: Homes

    /// The entity binding that the objects of one entity share in this context.
    @inline(__always)
    final func binding(at layoutIndex: Int) -> EntityBinding {
        if let binding = bindings[layoutIndex] { return binding }
        return makeBinding(at: layoutIndex)
    }

    private func makeBinding(at layoutIndex: Int) -> EntityBinding {
        guard let modelLayout, let model else { fatalError("\(debugName) has no coordinator and no parent") }
        let layout = modelLayout.entities[layoutIndex]
        let binding = EntityBinding(
            context: self, layout: layout, identityMap: identityMap(of: layout.rootIndex),
            modelLayout: modelLayout, model: model)
        binding.observation = settings.observation
        bindings[layoutIndex] = binding
        return binding
    }

    final func identityMap(of rootIndex: Int) -> IdentityMap {
        if let map = identityMaps[rootIndex] { return map }
        let coordinator = persistentStoreCoordinator
        let map = IdentityMap(
            usage: coordinator.flatMap { $0.wantsToKnowUse ? UsageObserver(coordinator: $0) : nil })
        if settings.retainsRegisteredObjects { map.setRetaining(true) }
        identityMaps[rootIndex] = map
        return map
    }

    /// The entity binding for an entity given by its description. Stops the process when the context's model does not
    /// have the entity.
    final func binding(forEntity entity: NSEntityDescription) -> EntityBinding {
        guard let modelLayout else {
            fatalError(
                "+entityForName: nil is not a legal NSPersistentStoreCoordinator for searching for entity name "
                    + "'\(entity.name ?? "")'")
        }
        let entities = modelLayout.entities
        let latest = idState.latestEntityIndex
        if latest < entities.count, entities[latest].entity === entity { return binding(at: latest) }
        guard let layout = modelLayout.layout(of: entity) else {
            fatalError(
                "The entity '\(entity.name ?? "")' is not in the model of \(debugName)")
        }
        idState.latestEntityIndex = layout.index
        return binding(at: layout.index)
    }

    /// The entity binding of objects that belong to no context.
    static func detachedBinding(for entity: NSEntityDescription) -> EntityBinding {
        guard let model = entity.model, let layout = model.layout.layout(of: entity) else {
            fatalError(
                "An NSManagedObject of class 'NSManagedObject' must have a valid NSEntityDescription.")
        }
        return EntityBinding(
            context: nil, layout: layout, identityMap: nil, modelLayout: model.layout, model: model)
    }

    /// The entity whose class this is, in the context's model.
    final func entity(for managedClass: NSManagedObject.Type) -> NSEntityDescription {
        if let known = entitiesByClass[ObjectIdentifier(managedClass)] { return known }
        if let name = EntityOfClass.overridden(by: managedClass)?.name, let layout = modelLayout?.layout(named: name) {
            return layout.entity
        }
        ManagedClassLookup.learnModule(of: managedClass)
        let candidates = modelLayout?.entities.filter {
            ManagedClassLookup.managedClass(of: $0.entity) == managedClass
        }
        guard let candidates, candidates.count == 1 else {
            fatalError(
                """
                An NSManagedObject of class '\(managedClass)' must have a valid NSEntityDescription. \
                (\(candidates?.count ?? 0) entities of the context's model have this class)
                """)
        }
        entitiesByClass[ObjectIdentifier(managedClass)] = candidates[0].entity
        return candidates[0].entity
    }

    // MARK: Objects

    /// The object for a key, as a fault when the context has not registered it yet.
    final func object(for key: ObjectKey) -> NSManagedObject {
        let binding = binding(at: key.layoutIndex)
        if let object = binding.identityMap?.object(for: key.key) { return object }
        if key.isTemporary {
            if let permanent = keyAbove(key) { return object(for: permanent) }
        } else if hasPendingUpdates.load(ordering: .acquiring) {
            applyPendingUpdates(concerning: key)
            if let object = binding.identityMap?.object(for: key.key) { return object }
        }
        return makeObject(binding: binding, key: key.key, row: nil, isUnfired: true)
    }

    /// The objects for keys, as faults when the context has not registered them yet.
    final func objects(for keys: [ObjectKey]) -> [NSManagedObject] {
        var objects: [NSManagedObject] = []
        objects.reserveCapacity(keys.count)
        var next = 0
        while next < keys.count {
            // The objects that are registered are found under one lock.
            if let map = binding(at: keys[next].layoutIndex).identityMap {
                next = map.append(objectsFor: keys, from: next, to: &objects)
            }
            if next < keys.count {
                objects.append(object(for: keys[next]))
                next += 1
            }
        }
        return objects
    }

    /// The object for a key if it is alive in this context.
    final func registeredObject(for key: ObjectKey) -> NSManagedObject? {
        binding(at: key.layoutIndex).identityMap?.object(for: key.key)
    }

    /// The live owner of a to-many relationship without inverse; its concrete entity is not in the member's row.
    final func registeredObject(forOwnerKey key: Int64, of relationship: NSRelationshipDescription) -> NSManagedObject?
    {
        guard let root = modelLayout?.layout(of: relationship.entity)?.rootIndex else { return nil }
        return identityMaps[root]?.object(for: key)
    }

    final func makeObject(binding: EntityBinding, key: Int64, row: Snapshot?, isUnfired: Bool) -> NSManagedObject {
        let materializer = ObjectMaterializer(binding: binding)
        let object = materializer.materialize(
            key: key, row: row, flags: isUnfired ? [.registered, .unfired] : [.registered])
        binding.identityMap?.register(object)
        return object
    }

    /// The object for a row that was just read; an object that has its row already keeps it.
    @inline(__always)
    final func object(for row: Snapshot, materializer: ObjectMaterializer, map: IdentityMap, isRefreshing: Bool)
        -> NSManagedObject
    {
        var place = IdentityMap.Place()
        if let object = map.object(for: row.key, place: &place) {
            if object.flags.contains([.inserted, .deleted]) {
                return replaceVanished(object, by: row, with: materializer, in: map)
            }
            if object.row == nil {
                object.row = row
                object.flags.insert(.unfired)
            } else if isRefreshing, object.overlay?.hasChangedValues != true, object.row !== row {
                object.row = row
            }
            return object
        }
        if hasPendingUpdates.load(ordering: .acquiring) { return object(underwayFor: row, materializer, map) }
        let object = materializer.materialize(key: row.key, row: row, flags: [.registered, .unfired])
        map.register(object, at: place)
        return object
    }

    /// The object for a row if permanent-ID updates have arrived since the row was requested. The object may be
    /// registered under the temporary key that an update replaces.
    private func object(underwayFor row: Snapshot, _ materializer: ObjectMaterializer, _ map: IdentityMap)
        -> NSManagedObject
    {
        applyPendingUpdates(concerning: ObjectKey(layoutIndex: row.layoutIndex, key: row.key))
        if let object = map.object(for: row.key) { return object }
        let object = materializer.materialize(key: row.key, row: row, flags: [.registered, .unfired])
        map.register(object)
        return object
    }

    /// The object for a key that was just found in the store or the parent.
    final func object(found key: ObjectKey) -> NSManagedObject {
        let object = object(for: key)
        guard object.flags.contains([.inserted, .deleted]) else { return object }
        dropVanished(object)
        return self.object(for: key)
    }

    private func replaceVanished(
        _ object: NSManagedObject, by row: Snapshot, with materializer: ObjectMaterializer, in map: IdentityMap
    ) -> NSManagedObject {
        dropVanished(object)
        let new = materializer.materialize(key: row.key, row: row, flags: [.registered, .unfired])
        map.register(new)
        return new
    }

    /// Removes an object that came back by undo, or by a child's undo, and was deleted again, all unsaved, while its
    /// row has come back by another save. From now on another object stands for the row.
    final func dropVanished(_ object: NSManagedObject) {
        tracked.unsavedIndex = nil
        tracked.inserted.removeAll { $0 === object }
        tracked.deleted.removeAll { $0 === object }
        tracked.pending.removeAll { $0 === object }
        object.flags.insert(.gone)
        object.detach(unregister: true)
    }

    /// With more unsaved new objects than this, memory counts more than time.
    private static let manyNewObjects = 100_000

    /// Registers a new object that the caller just made.
    final func insertNew(_ object: NSManagedObject) {
        checkConfinement("insert(_:)")
        object.flags.formUnion([.registered, .inserted, .updated, .listedInserted, .pendingInsert])
        object.flags.formUnion(object.binding.flagsOfObjects)
        object.binding.identityMap?.register(object)
        tracked.inserted.append(object)
        // A program that makes so many objects has set the values of each before it makes the next thousand.
        if tracked.inserted.count > Self.manyNewObjects {
            tracked.inserted[tracked.inserted.count - 1_000].packValues()
        }
        object.flags.insert(.pendingEvent)
        tracked.pending.append(object)
        schedulePendingChanges()
        object.awakeFromInsert()
    }

    /// Does the work of `insert(_:)` unless a subclass overrides it.
    final func _insert(_ object: NSManagedObject) {
        checkConfinement()
        if object.binding.context === self {
            guard object.flags.contains(.deleted) else { return }
            object.flags.subtract([.deleted, .deletionPending, .pendingDelete])
            if object.key < 0, !object.flags.contains(.inserted) { object.flags.insert(.inserted) }
            object.noteChange()
            return
        }
        require(
            object.binding.context == nil,
            "Cannot insert an object that belongs to another context (\(object.binding.layout.name))")
        var pending = [object]
        while let next = pending.popLast() {
            if next.binding.context != nil || next !== object && next.flags.contains(.gone) { continue }
            pending += next.relatedNewObjects
            takeIn(next)
        }
    }

    private func takeIn(_ object: NSManagedObject) {
        let holdsOtherClasses = object.binding.holdsOtherClasses
        object.move(to: binding(forEntity: object.entity))
        if holdsOtherClasses { object.binding.holdsOtherClasses = true }
        object.flags.remove(.detached)
        insertNew(object)
    }

    /// The value of `registeredObjects` unless a subclass overrides it.
    final var _registeredObjects: Set<NSManagedObject> {
        checkConfinement()
        var all: Set<NSManagedObject> = []
        for map in identityMaps { all.formUnion(map?.objects ?? []) }
        return all
    }

    // MARK: Values

    /// The row behind an object, from the parent context or the store; nil when it does not exist.
    final func loadRow(for object: NSManagedObject) throws -> Snapshot? {
        applyPendingUpdates()
        if object.flags.contains(.batched), let row = try loadBatch(of: object) { return row }
        return try readRow(for: object.objectKey)
    }

    final func readRow(for key: ObjectKey) throws -> Snapshot? {
        try rowSource?.row(for: key, in: self)
    }

    /// A parent's row without the transient values that its object has, because a transient value belongs to the
    /// context that has set it.
    final func stored(_ row: Snapshot) -> Snapshot {
        noteTemporaries(in: row)
        let layout = binding(at: row.layoutIndex).layout
        if row.hasTransientDefaults(layout) { return row }
        let defaults = ObjectOverlay()
        for slot in layout.slots.indices where !layout.slots[slot].isPersistent {
            let kind = layout.slots[slot].kind
            defaults.set(layout.defaultRow.value(slot, kind: kind), at: slot)
        }
        return NSManagedObject.row(
            from: row, changes: defaults, layout, key: row.key, version: row.version, renaming: [:])
    }

    final func loadMembers(of toMany: ToManySlot, owner: NSManagedObject) throws -> [ObjectKey] {
        applyPendingUpdates()
        return try rowSource?.members(of: toMany, owner: owner.objectKey, in: self) ?? []
    }
}
