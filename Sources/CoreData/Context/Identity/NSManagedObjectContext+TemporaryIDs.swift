import Foundation

// The temporary ids of new objects: how they are made, and how saving and `obtainPermanentIDs(for:)` replace them.

extension NSManagedObjectContext {
    // MARK: Permanent ids on request

    /// Does the work of `obtainPermanentIDs(for:)` unless a subclass overrides it.
    final func _obtainPermanentIDs(for objects: [NSManagedObject]) throws {
        checkConfinement()
        for object in objects where object.binding.context != nil {
            require(
                object.binding.context === self,
                "Cannot obtain permanent ids for objects of another context (\(object.binding.layout.name))")
        }
        applyPendingUpdates()
        try obtainFromParent(objects.filter { $0.key < 0 }.map(\.objectID))
        guard let coordinator = persistentStoreCoordinator else {
            throw NSError.coreData(NSPersistentStoreSaveError, reason: "\(debugName) has no coordinator and no parent")
        }
        try obtainKeysFromObjectStores(objects, coordinator)
        var permanent: PermanentKeys = [:]
        struct StoredEntity: Hashable {
            var layout: Int
            var store: Int
        }
        let groups = try Dictionary(grouping: objects.filter { $0.key < 0 }) {
            StoredEntity(layout: $0.binding.layout.index, store: try storeNumber(forNew: $0, coordinator))
        }
        for (stored, group) in groups {
            let layout = binding(at: stored.layout).layout
            let number = stored.store
            let keys = try coordinator.reserveKeys([layout.rootIndex: group.count], inStoreNumbered: number)
            for (object, key) in zip(group, (keys[layout.rootIndex] ?? []).joined()) { permanent[object.key] = key }
        }
        installPermanentKeys(permanent, of: objects)
    }

    /// Gives new objects their permanent keys, here, in objects that lead to them, and in the contexts below.
    final func installPermanentKeys(_ permanent: PermanentKeys, of objects: [NSManagedObject]) {
        undoRecord?.noteRenames(permanent)
        rekey(objects, permanent)
        replaceTemporaryReferences(permanent, in: objects)
        postToChildren(PermanentIDUpdate(keys: permanent))
    }

    private func rekey(_ objects: [NSManagedObject], _ permanent: PermanentKeys) {
        var maps: [IdentityMap] = []
        objects.eachAhead { object in
            guard let map = object.binding.identityMap, maps.last !== map, !maps.contains(where: { $0 === map }) else {
                return
            }
            maps.append(map)
        }
        for map in maps { map.rekey(objects, to: permanent) }
    }

    // MARK: References to temporary ids

    /// Replaces temporary keys by permanent ones in references: of renamed objects, of unsaved ones, and of noted ones.
    /// No other object can have temporary keys.
    final func replaceTemporaryReferences(_ permanent: PermanentKeys, in renamed: [NSManagedObject]) {
        for objects in [renamed, tracked.inserted, tracked.updated, tracked.deleted] {
            for object in objects where object.binding.context === self { object.replaceTemporaryReferences(permanent) }
        }
        replaceTemporaryReferencesOfHolders(permanent)
    }

    private func replaceTemporaryReferencesOfHolders(_ permanent: PermanentKeys) {
        let holders = Set(idState.temporaryHolders.keys)
        idState.temporaryHolders.removeAll()
        for holder in holders {
            guard let object = registeredObject(for: holder.renamed(permanent)) else { continue }
            object.replaceTemporaryReferences(permanent)
            noteTemporaries(of: object)
        }
    }

    /// Notes an object that leads to temporary keys, unless it is unsaved anyway.
    final func noteTemporaries(of object: NSManagedObject) {
        if object.leadsToTemporaries { idState.temporaryHolders.insert(object.objectKey) }
    }

    /// Notes unsaved objects that are about to be saved. Objects that a coordinator has saved have permanent keys only.
    final func noteTemporaries(of lists: [[NSManagedObject]]) {
        if parent == nil { return }
        for objects in lists {
            for object in objects where object.binding.context === self { noteTemporaries(of: object) }
        }
    }

    /// Notes a row, which an object gets from a parent, if it leads to temporary keys.
    final func noteTemporaries(in row: Snapshot) {
        if row.leadsToTemporaries(binding(at: row.layoutIndex).layout) {
            idState.temporaryHolders.insert(ObjectKey(layoutIndex: row.layoutIndex, key: row.key))
        }
    }

    final func noteTemporaries(in members: [ObjectKey], of owner: ObjectKey) {
        if members.contains(where: \.isTemporary) { idState.temporaryHolders.insert(owner) }
    }

    /// Gives objects that a context above has under the given temporary ids their permanent ones, there and here.
    private func obtainFromParent(_ ids: [NSManagedObjectID]) throws {
        guard let parent, !ids.isEmpty else { return }
        try parent.performAndWait {
            let known = ids.map { ($0, parent.registeredObject(for: $0)) }
            try parent.obtainPermanentIDs(for: known.compactMap(\.1))
            // Objects that the parent has saved into its own parent may no longer be registered in the parent.
            try parent.obtainFromParent(known.filter { $0.1 == nil }.map(\.0))
        }
        applyPendingUpdates()
    }

    // MARK: Permanent ids by saving

    /// Reserves the permanent keys under which new objects are written to their stores.
    final func reserveKeys(
        _ inserted: [NSManagedObject], _ stores: [Int: Int], _ coordinator: NSPersistentStoreCoordinator,
        into permanent: inout PermanentKeys
    ) throws {
        struct StoreTable: Hashable {
            var store: Int
            var root: Int
        }
        /// The temporary keys of new objects of one table.
        struct NewKeys {
            let table: StoreTable
            var keys: [Int64] = []
        }
        var groups: [NewKeys] = []
        var lowest = Int64.max
        var highest = Int64.min
        var count = 0
        let hasAssigned = !idState.assignedStores.isEmpty
        inserted.eachAhead { object in
            let temporary = object.key
            if temporary >= 0 || permanent[temporary] != nil { return }
            let layout = object.binding.layout
            let assigned =
                hasAssigned
                ? idState.assignedStores[ObjectIdentifier(object)].flatMap { coordinator.number(of: $0.store) } : nil
            let table = StoreTable(store: assigned ?? stores[layout.index] ?? 0, root: layout.rootIndex)
            let place = groups.firstIndex { $0.table == table } ?? groups.endIndex
            if place == groups.endIndex { groups.append(NewKeys(table: table)) }
            groups[place].keys.append(temporary)
            lowest = min(lowest, temporary)
            highest = max(highest, temporary)
            count += 1
        }
        if count == 0 { return }
        permanent.makeRoom(for: lowest...highest, count: count)
        var counts: [Int: [Int: Int]] = [:]
        for group in groups { counts[group.table.store, default: [:]][group.table.root] = group.keys.count }
        for (number, roots) in counts {
            let reserved = try handingOff { _ in try coordinator.reserveKeys(roots, inStoreNumbered: number) }
            for group in groups where group.table.store == number {
                guard let keys = reserved[group.table.root] else { continue }
                for (temporary, key) in zip(group.keys, keys.joined()) { permanent[temporary] = key }
            }
        }
    }

    /// Gives saved objects their permanent keys and posts the keys to the children.
    final func adoptPermanentKeys(
        _ permanent: PermanentKeys, of objects: [NSManagedObject], replaced: Set<Int64>
    ) {
        if permanent.isEmpty { return }
        rekey(objects, permanent)
        replaceTemporaryReferencesOfHolders(permanent)
        idState.assignedStores = idState.assignedStores.filter {
            $1.object.key < 0 && $1.object.flags.contains(.inserted)
        }
        postToChildren(PermanentIDUpdate(keys: permanent, replaced: replaced))
    }
}

extension Snapshot {
    /// The temporary keys to which to-one relationships lead.
    fileprivate func temporaries(_ layout: EntityLayout) -> [Int64] {
        layout.referenceSlots.compactMap { !isNull($0) && int($0) < 0 ? int($0) : nil }
    }

    /// Whether any reference leads to a temporary key. Checked for each row that a parent returns.
    fileprivate func leadsToTemporaries(_ layout: EntityLayout) -> Bool {
        for slot in layout.referenceSlots where !isNull(slot) && int(slot) < 0 { return true }
        return false
    }
}

extension NSManagedObject {
    /// Whether there are `temporaries`. Checked for each object that is saved into a parent.
    fileprivate final var leadsToTemporaries: Bool {
        if let row, row.leadsToTemporaries(binding.layout) { return true }
        guard let overlay else { return false }
        for state in overlay.toManys where state?.hasTemporaries == true { return true }
        if overlay.mask.isEmpty { return false }
        for slot in binding.layout.referenceSlots where overlay.mask.contains(slot) {
            if case .int(let key) = overlay.values[slot], key < 0 { return true }
        }
        return false
    }

    /// The temporary keys in the object's row, in its changed references and in its to-many relationships.
    final var temporaries: [Int64] {
        var keys = overlay?.toManys.flatMap { $0?.temporaries ?? [] } ?? []
        overlay?.mask.forEach { slot in
            guard binding.layout.slots[slot].kind == .reference, case .int(let key)? = overlay?.values[slot], key < 0
            else { return }
            keys.append(key)
        }
        return row.map { keys + $0.temporaries(binding.layout) } ?? keys
    }

    /// References to objects that were new until now lead to their permanent keys from here on.
    final func replaceTemporaryReferences(_ permanent: PermanentKeys) {
        if let overlay {
            overlay.toManys.forEach { $0?.rename(permanent) }
            let changed = overlay.mask
            changed.forEach { slot in
                if binding.layout.slots[slot].kind == .reference, case .int(let target) = overlay.values[slot],
                    target < 0,
                    let key = permanent[target]
                {
                    overlay.set(.int(key), at: slot)
                }
            }
        }
        guard let row else { return }
        let leadsToTemporary = binding.layout.slots.indices.contains { slot in
            binding.layout.slots[slot].kind == .reference && !row.isNull(slot) && row.int(slot) < 0
                && permanent[row.int(slot)] != nil
        }
        guard leadsToTemporary || row.key != key else { return }
        self.row = Self.row(
            from: row, changes: nil, binding.layout, key: key, version: row.version, renaming: permanent)
        overlay?.currentRow = nil
    }
}
