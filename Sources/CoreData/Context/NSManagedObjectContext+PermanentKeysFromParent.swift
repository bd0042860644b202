import Foundation

// The contexts below get the permanent keys that replace the temporary ones of their objects.
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
        /// Temporary keys of objects that gave way to others with the same unique values: their new keys are the
        /// others'.
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
        renameFetched(permanent.keys)
        let children = livingChildren
        if children.isEmpty {
            permanentKeys = [:]
            return
        }
        permanentKeys.merge(permanent.keys) { _, new in new }
        var held: [NSManagedObjectContext] = []
        for child in children { child.deliver(permanent, holding: &held) }
    }

    /// All contexts below get the letter before any of them can read it, so that a child finds objects by the permanent
    /// keys that a parent gives it. `held` outlives the locks, because objects that are released under the locks could
    /// not take them again.
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

    /// The permanent key that a parent has left here for a new object and that was not taken in yet. May be called on
    /// any thread.
    final func announcedKey(for key: ObjectKey) -> ObjectKey? {
        mailboxLock.withLock {
            if mailbox.isEmpty { return nil }
            let present = mailbox.reduce(key) { $0.renamed($1.keys) }
            return present.isTemporary ? nil : present
        }
    }

    /// The permanent key for a temporary one that this context does not know. The notice of the save that made it
    /// permanent may have come before the object that mentions it.
    final func keyAbove(_ key: ObjectKey) -> ObjectKey? {
        if let permanent = permanentKeys[key.key] { return ObjectKey(layoutIndex: key.layoutIndex, key: permanent) }
        return rowSource?.permanentKey(for: key)
    }

    private func takeIn(_ permanent: PermanentKeys) {
        undoRecord?.noteRenames(permanent.keys)
        renameFetched(permanent.keys)
        var renamed: [NSManagedObject] = []
        for case let map? in identityMaps where map.count > 0 {
            let isSearched = permanent.keys.count < map.count
            let known = isSearched ? permanent.keys.keys.compactMap(map.object) : map.objects
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
            permanentKeys = [:]
        } else {
            permanentKeys.merge(permanent.keys) { _, new in new }
        }
    }

    /// An object that gave way to another one above: it stands for that one's row from now on; if the context knows
    /// that one already, it goes.
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
