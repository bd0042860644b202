import Foundation

// What becomes of the temporary keys of new objects, here and in the contexts below.
extension NSManagedObjectContext {
    final func adopt(child: NSManagedObjectContext) {
        mailboxLock.withLock {
            childReferences.removeAll { $0.context == nil }
            childReferences.append(WeakContext(context: child))
        }
    }

    /// Keys that temporary ones have become.
    struct PermanentKeys {
        var keys: [Int64: Int64]
        /// Temporary keys of objects that gave way to others with the same unique values: their new keys are the others'.
        var replaced: Set<Int64> = []
        /// The other way round, made when it is asked for. Objects of different entities may have the same key.
        private(set) lazy var former: [Int64: [Int64]] = Dictionary(
            grouping: keys.keys, by: { [keys] in keys[$0] ?? $0 })

        init(keys: [Int64: Int64], replaced: Set<Int64> = []) {
            self.keys = keys
            self.replaced = replaced
        }
    }

    /// Leaves the new keys of saved objects with every context below this one; each takes them in when it is next used.
    final func postToChildren(_ permanent: PermanentKeys) {
        undoRecord?.noteRenames(permanent.keys)
        let children = livingChildren
        if children.isEmpty {
            permanentKeys = [:]
            return
        }
        permanentKeys.merge(permanent.keys) { _, new in new }
        var held: [NSManagedObjectContext] = []
        for child in children { child.deliver(permanent, holding: &held) }
    }

    /// All contexts below have the letter before any of them can read it: what a parent gives to a child under permanent
    /// keys the child finds by them. `held` outlives the locks, which nothing that ends under them could take again.
    private func deliver(_ permanent: PermanentKeys, holding held: inout [NSManagedObjectContext]) {
        mailboxLock.withLock {
            mailbox.append(permanent)
            hasMail.store(true, ordering: .releasing)
            pendingMerges = pendingMerges.map { $0.renamed(permanent.keys) }
            for child in childReferences {
                guard let child = child.context else { continue }
                held.append(child)
                child.deliver(permanent, holding: &held)
            }
        }
    }

    final var livingChildren: [NSManagedObjectContext] {
        mailboxLock.withLock {
            childReferences.removeAll { $0.context == nil }
            return childReferences.compactMap(\.context)
        }
    }

    /// Takes in the permanent keys that the parent left here.
    final func drainMailbox() {
        if !hasMail.load(ordering: .acquiring) { return }
        let letters = mailboxLock.withLock {
            let letters = mailbox
            mailbox = []
            hasMail.store(false, ordering: .releasing)
            return letters
        }
        for letter in letters { takeIn(letter) }
    }

    /// The same when an object that is still known by its temporary key here is the one with a permanent key.
    final func drainMailbox(ifItSpeaksOf key: ObjectKey) {
        if key.isTemporary || !hasMail.load(ordering: .acquiring) { return }
        let former = mailboxLock.withLock { mailbox.indices.flatMap { mailbox[$0].former[key.key] ?? [] } }
        let isKnown = former.contains {
            registeredObject(for: ObjectKey(layoutIndex: key.layoutIndex, key: $0)) != nil
        }
        if isKnown { drainMailbox() }
    }

    /// The permanent key that a parent has left here for a new object, while nobody has taken it in. From any thread.
    final func announcedKey(for key: ObjectKey) -> ObjectKey? {
        mailboxLock.withLock {
            if mailbox.isEmpty { return nil }
            let present = mailbox.reduce(key) { $0.renamed($1.keys) }
            return present.isTemporary ? nil : present
        }
    }

    /// What has become of a temporary key that this context does not know: the save that made it permanent may have been
    /// heard of before what speaks of it.
    final func keyAbove(_ key: ObjectKey) -> ObjectKey? {
        if let permanent = permanentKeys[key.key] { return ObjectKey(layoutIndex: key.layoutIndex, key: permanent) }
        guard let parent = ownParent else { return nil }
        return parent.reading {
            parent.drainMailbox()
            return parent.registeredObject(for: key) == nil ? parent.keyAbove(key) : nil
        }
    }

    private func takeIn(_ permanent: PermanentKeys) {
        undoRecord?.noteRenames(permanent.keys)
        for map in identityMaps {
            guard let map, map.count > 0 else { continue }
            for object in map.objects {
                if object.key < 0, let key = permanent.keys[object.key] {
                    if permanent.replaced.contains(object.key) {
                        follow(object, to: key, in: map)
                    } else {
                        map.rekey(object, to: key)
                    }
                }
                object.replaceTemporaryReferences(permanent.keys)
            }
        }
        if livingChildren.isEmpty {
            permanentKeys = [:]
        } else {
            permanentKeys.merge(permanent.keys) { _, new in new }
        }
    }

    /// An object that gave way to another one above: it stands for that one's row from now on; if the context knows that one
    /// already, it goes.
    private func follow(_ object: NSManagedObject, to key: Int64, in map: IdentityMap) {
        if map.object(for: key) != nil {
            acceptDeletions(of: [object])
        } else {
            map.rekey(object, to: key)
            object.row = nil
            object.overlay?.forgetBases()
            noteRefresh(of: object)
        }
    }

    // MARK: Permanent ids

    /// What `obtainPermanentIDs(for:)` does unless a subclass overrides it.
    final func plainObtainPermanentIDs(for objects: [NSManagedObject]) throws {
        checkConfinement()
        for object in objects where object.home.context != nil {
            require(
                object.home.context === self,
                "Cannot obtain permanent ids for objects of another context (\(object.home.layout.name))")
        }
        drainMailbox()
        try obtainFromParent(objects.filter { $0.key < 0 }.map(\.objectID))
        guard let coordinator = persistentStoreCoordinator else {
            throw NSError.coreData(NSPersistentStoreSaveError, reason: "\(debugName) has no coordinator and no parent")
        }
        try obtainKeysFromObjectStores(objects, coordinator)
        var permanent: [Int64: Int64] = [:]
        struct Place: Hashable {
            var layout: Int
            var store: Int
        }
        let places = try Dictionary(grouping: objects.filter { $0.key < 0 }) {
            Place(layout: $0.home.layout.index, store: try storeNumber(forNew: $0, coordinator))
        }
        for (place, group) in places {
            let layout = home(at: place.layout).layout
            let number = place.store
            let keys = try coordinator.reserveKeys([layout.rootIndex: group.count], inStoreNumbered: number)
            for (object, key) in zip(group, (keys[layout.rootIndex] ?? []).joined()) { permanent[object.key] = key }
        }
        installPermanentKeys(permanent, of: objects)
    }

    /// Gives new objects their permanent keys, here, in what leads to them, and in the contexts below.
    final func installPermanentKeys(_ permanent: [Int64: Int64], of objects: [NSManagedObject]) {
        undoRecord?.noteRenames(permanent)
        for object in objects {
            guard let key = permanent[object.key] else { continue }
            object.home.identityMap?.rekey(object, to: key)
        }
        for map in identityMaps {
            for object in map?.objects ?? [] { object.replaceTemporaryReferences(permanent) }
        }
        postToChildren(PermanentKeys(keys: permanent))
    }

    /// Gives objects that a context above knows by the same temporary ids their permanent ones, there and here.
    private func obtainFromParent(_ ids: [NSManagedObjectID]) throws {
        guard let parent, !ids.isEmpty else { return }
        try parent.performAndWait {
            let known = ids.map { ($0, parent.registeredObject(for: $0)) }
            try parent.obtainPermanentIDs(for: known.compactMap(\.1))
            // What a context has saved into its own parent it may know no longer.
            try parent.obtainFromParent(known.filter { $0.1 == nil }.map(\.0))
        }
        drainMailbox()
    }

    /// What `assign(_:to:)` does unless a subclass overrides it.
    final func plainAssign(_ object: Any, to store: NSPersistentStore) {
        checkConfinement()
        guard let object = object as? NSManagedObject else { return }
        require(object.key < 0, "Can't reassign an object to a different store once it has been saved.")
        require(object.home.context === self, "Cannot assign an object of another context (\(object.home.layout.name))")
        assignedStores[ObjectIdentifier(object)] = AssignedStore(object: object, store: store)
    }
}

extension NSManagedObject {
    /// References to objects that were new until now lead to their permanent keys from here on.
    final func replaceTemporaryReferences(_ permanent: [Int64: Int64]) {
        if let overlay {
            overlay.toManys.forEach { $0?.rename(permanent) }
            overlay.mask.forEach { slot in
                if home.layout.slots[slot].kind == .reference, case .int(let target) = overlay.values[slot], target < 0,
                    let key = permanent[target]
                {
                    overlay.values[slot] = .int(key)
                    overlay.currentRow = nil
                }
            }
        }
        guard let row else { return }
        let leadsToTemporary = home.layout.slots.indices.contains { slot in
            home.layout.slots[slot].kind == .reference && !row.isNull(slot) && row.int(slot) < 0
                && permanent[row.int(slot)] != nil
        }
        guard leadsToTemporary || row.key != key else { return }
        self.row = Self.row(
            from: row, changes: nil, home.layout, key: key, version: row.version, renaming: permanent)
        overlay?.currentRow = nil
    }
}
