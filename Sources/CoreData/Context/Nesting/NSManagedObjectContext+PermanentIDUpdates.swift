import Foundation

// The contexts below get the permanent keys that replace the temporary ones of their objects.
extension NSManagedObjectContext {
    final func adopt(child: NSManagedObjectContext) {
        guardedLock.withLock {
            guarded.children.removeAll { $0.context == nil }
            guarded.children.append(WeakContext(context: child))
        }
    }

    /// A permanent-ID update: the permanent keys that replace temporary ones.
    struct PermanentIDUpdate {
        var keys: PermanentKeys
        /// Temporary keys of objects that another object with equal unique values replaced. `keys` has the keys of the
        /// replacing objects for them.
        var replaced: Set<Int64> = []
        /// The temporary keys by permanent key, made on first use. Objects of different entities may have equal keys.
        private(set) lazy var former: [Int64: [Int64]] = Dictionary(
            grouping: keys.temporaryKeys, by: { [keys] in keys[$0] ?? $0 })

        init(keys: PermanentKeys, replaced: Set<Int64> = []) {
            self.keys = keys
            self.replaced = replaced
        }
    }

    /// Posts a permanent-ID update with the new keys of saved objects to every context below this one. Each context
    /// applies the update when it is next used.
    final func postToChildren(_ permanent: PermanentIDUpdate) {
        undoRecord?.noteRenames(permanent.keys)
        renameFetched(permanent.keys)
        let children = livingChildren
        if children.isEmpty {
            idState.permanentKeys = [:]
            return
        }
        idState.permanentKeys.merge(permanent.keys)
        var held: [NSManagedObjectContext] = []
        for child in children { child.deliver(permanent, holding: &held) }
    }

    /// Appends a permanent-ID update to this context's pending updates, and to those of all contexts below. All of them
    /// get the update before any of them can read it, so that a child finds objects by the permanent keys that a parent
    /// gives it. `held` outlives the locks, because objects that are released under the locks could not take them
    /// again.
    private func deliver(_ permanent: PermanentIDUpdate, holding held: inout [NSManagedObjectContext]) {
        guardedLock.withLock {
            guarded.pendingUpdates.append(permanent)
            hasPendingUpdates.store(true, ordering: .releasing)
            guarded.pendingMerges = guarded.pendingMerges.map { $0.renamed(permanent.keys) }
            for child in guarded.children {
                guard let child = child.context else { continue }
                held.append(child)
                child.deliver(permanent, holding: &held)
            }
        }
    }

    final var livingChildren: [NSManagedObjectContext] {
        guardedLock.withLock {
            guarded.children.removeAll { $0.context == nil }
            return guarded.children.compactMap(\.context)
        }
    }

    /// Applies the pending permanent-ID updates of the parent.
    final func applyPendingUpdates() {
        if !hasPendingUpdates.load(ordering: .acquiring) { return }
        let updates = guardedLock.withLock {
            let updates = guarded.pendingUpdates
            guarded.pendingUpdates = []
            hasPendingUpdates.store(false, ordering: .releasing)
            return updates
        }
        for update in updates { apply(update) }
    }

    /// Applies the pending updates if one of them gives a key to an object that is registered here under its temporary
    /// key.
    final func applyPendingUpdates(concerning key: ObjectKey) {
        if key.isTemporary || !hasPendingUpdates.load(ordering: .acquiring) { return }
        let former = guardedLock.withLock {
            guarded.pendingUpdates.indices.flatMap { guarded.pendingUpdates[$0].former[key.key] ?? [] }
        }
        let isKnown = former.contains {
            registeredObject(for: ObjectKey(layoutIndex: key.layoutIndex, key: $0)) != nil
        }
        if isKnown { applyPendingUpdates() }
    }

    /// The permanent key for a new object in a pending update, which this context has not applied yet. May be called on
    /// any thread.
    final func announcedKey(for key: ObjectKey) -> ObjectKey? {
        guardedLock.withLock {
            if guarded.pendingUpdates.isEmpty { return nil }
            let present = guarded.pendingUpdates.reduce(key) { $0.renamed($1.keys) }
            return present.isTemporary ? nil : present
        }
    }

    /// The permanent key for a temporary one that this context does not have. The notice of the save that made the key
    /// permanent may have come before the object that refers to it.
    final func keyAbove(_ key: ObjectKey) -> ObjectKey? {
        if let permanent = idState.permanentKeys[key.key] {
            return ObjectKey(layoutIndex: key.layoutIndex, key: permanent)
        }
        return rowSource?.permanentKey(for: key)
    }

    private func apply(_ permanent: PermanentIDUpdate) {
        undoRecord?.noteRenames(permanent.keys)
        renameFetched(permanent.keys)
        var renamed: [NSManagedObject] = []
        for case let map? in identityMaps where map.count > 0 {
            let isSearched = permanent.keys.count < map.count
            let known = isSearched ? permanent.keys.temporaryKeys.compactMap(map.object) : map.objects
            for object in known {
                guard object.key < 0, let key = permanent.keys[object.key] else { continue }
                renamed.append(object)
                if permanent.replaced.contains(object.key) {
                    follow(object, to: key, in: map)
                } else {
                    map.rekey(object, to: key)
                }
            }
        }
        replaceTemporaryReferences(permanent.keys, in: renamed)
        if livingChildren.isEmpty {
            idState.permanentKeys = [:]
        } else {
            idState.permanentKeys.merge(permanent.keys)
        }
    }

    /// Rekeys an object that the parent has replaced by another one, so that it stands for the other object's row. If
    /// this context has the other object registered already, the replaced object is removed as deleted.
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
}
