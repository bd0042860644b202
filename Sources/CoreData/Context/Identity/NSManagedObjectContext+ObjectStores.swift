import Foundation

// Additional work of a context for the stores that programs write.
extension NSManagedObjectContext {
    // MARK: Fetching

    /// Whether the fetch gives objects whose values are read one by one later.
    final func isAnsweredWithKeys(_ plan: FetchPlan) -> Bool {
        persistentStoreCoordinator?.answersWithKeys(plan.store.layout, in: plan.affectedStores) ?? false
    }

    /// The objects of a fetch that is answered with keys, as faults.
    final func faults(_ plan: FetchPlan) throws -> [NSManagedObject] {
        let objects = faults(for: try rowSource?.keys(plan, in: self) ?? FetchedKeys(), plan)
        if plan.parameters.shouldRefreshRefetchedObjects {
            for object in objects where object.row != nil && !object.hasChanges { refresh(object, mergeChanges: true) }
        }
        return objects
    }

    /// The objects of keys that a fetch has just found.
    final func faults(for keys: FetchedKeys, _ plan: FetchPlan) -> [NSManagedObject] {
        let map = identityMap(of: plan.store.layout.rootIndex)
        // If no object was registered before, no key needs a search. A program's store may answer with a key twice.
        guard map.count == 0, let first = keys.first, !keys.hasTemporary, !isAnsweredWithKeys(plan) else {
            return keys.map { object(found: $0) }
        }
        var materializer = ObjectMaterializer(binding: binding(at: first.layoutIndex))
        var made: [NSManagedObject] = []
        made.reserveCapacity(keys.count)
        for key in keys {
            if key.layoutIndex != materializer.layoutIndex {
                materializer = ObjectMaterializer(binding: binding(at: key.layoutIndex))
            }
            made.append(materializer.materialize(key: key.key, row: nil, flags: [.registered, .unfired]))
        }
        map.register(contentsOf: made[...])
        return made
    }

    // MARK: Saving

    /// Gives new objects of programs' stores their permanent ids. Those stores make the ids of the objects, before the
    /// save.
    final func obtainKeysFromObjectStores(
        _ objects: [NSManagedObject], _ coordinator: NSPersistentStoreCoordinator
    ) throws {
        let numbers = coordinator.objectStoreNumbers
        if numbers.isEmpty { return }
        var groups: [Int: [NSManagedObject]] = [:]
        for object in objects where object.key < 0 {
            let number = try storeNumber(forNew: object, coordinator)
            if numbers.contains(number) { groups[number, default: []].append(object) }
        }
        var permanent: PermanentKeys = [:]
        for (number, group) in groups.sorted(by: { $0.key < $1.key }) {
            guard let keys = try coordinator.permanentKeys(for: group, inStoreNumbered: number) else { continue }
            for (object, key) in zip(group, keys) { permanent[object.key] = key }
        }
        if !permanent.isEmpty { installPermanentKeys(permanent, of: objects) }
    }

    /// Computes the derived attributes of the objects that are saved to programs' stores, which no SQL computes: of new
    /// and changed objects, and of objects that derive values from these through a relationship.
    final func deriveAttributes(_ work: SaveWork, for numbers: Set<Int>) throws {
        var concerned: [NSManagedObject] = []
        for object in work.inserted + work.updated + work.deleted
        where numbers.contains(object.objectKey.storeNumber) && !object.flags.contains(.inaccessible) {
            if !object.flags.contains(.deleted) { concerned.append(object) }
            concerned += observers(of: object)
        }
        var seen: Set<ObjectIdentifier> = []
        for object in concerned
        where !object.flags.contains(.deleted) && seen.insert(ObjectIdentifier(object)).inserted {
            for (slot, expression, _) in object.binding.layout.derivations {
                let value = try UndecidedPredicate.throwing { expression.expressionValue(with: object, context: nil) }
                let kind = object.binding.layout.slots[slot].kind
                guard let derived = SlotValue(value, as: kind), derived != object.slotValue(at: slot) else { continue }
                if case .double(let number) = derived, number.isNaN {
                    throw object.binding.layout.slots[slot].notANumber(
                        entity: object.binding.layout.name, of: object,
                        expression: expression)
                }
                object.setSlot(slot, to: derived)
            }
        }
    }

    /// Objects whose derived attributes use an object's values through the inverse of one of its to-one relationships.
    private func observers(of object: NSManagedObject) -> [NSManagedObject] {
        object.binding.layout.slots.enumerated().compactMap { number, slot in
            guard case .toOne(let relationship, _) = slot.role, let inverse = relationship.inverseRelationship,
                let owner = object.referencedObject(at: number),
                owner.binding.layout.derivations.contains(where: { $0.relationships.contains(inverse.name) })
            else { return nil }
            return owner
        }
    }

    /// The objects of a save by store, for the stores that take objects.
    final func collectObjects(
        _ work: SaveWork, updated: [NSManagedObject], for numbers: Set<Int>, into changes: inout [Int: ChangeSet]
    ) {
        func note(_ objects: [NSManagedObject], _ place: WritableKeyPath<SavedObjects, Set<NSManagedObject>>) {
            for object in objects where numbers.contains(object.objectKey.storeNumber) {
                let number = object.objectKey.storeNumber
                if changes[number, default: ChangeSet()].objects == nil {
                    changes[number]?.objects = SavedObjects(context: self)
                }
                changes[number]?.objects?[keyPath: place].insert(object)
            }
        }
        // Objects that another context has deleted and that are to stay are new to the store.
        func isBack(_ object: NSManagedObject) -> Bool { saveState.reinserted.contains(ObjectIdentifier(object)) }
        note(work.inserted + updated.filter(isBack), \.inserted)
        note(
            updated.filter {
                !isBack($0) && !$0.flags.contains(.inaccessible)
                    && (!$0.persistentChanges().isEmpty || $0.hasToManyChanges)
            }, \.updated)
        note(watchedForSave, \.locked)
        note(work.deleted.filter { !$0.flags.contains(.inaccessible) }, \.deleted)
    }
}
