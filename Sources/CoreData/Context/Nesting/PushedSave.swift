import Foundation

/// One object of a child's save in a form that refers to no object of the child.
struct PushedChange {
    /// Values that few objects have.
    final class More {
        var boxed: [Int: Any] = [:]
        var boxedChanges = SlotMask()
        var toManys: [PushedToMany] = []
        /// The store that was chosen for a new object.
        var store: NSPersistentStore?
        /// Whether the child's policy inserts objects again that the parent has deleted. Only the changes count then.
        var isReinserted = false
    }

    var key: ObjectKey
    /// The row as the child has it now.
    var row: Snapshot
    /// The row as the child read it.
    var base: Snapshot
    /// An unretained reference to `base`, for comparisons with other rows. Taking `base` out of a list would retain it,
    /// and so touch the row.
    var unheldBase: Unmanaged<Snapshot>
    var changed: SlotMask
    var more: More?

    var toManys: [PushedToMany] { more?.toManys ?? [] }
    var isReinserted: Bool { more?.isReinserted ?? false }

    mutating func noteReinsertion() {
        let more = more ?? More()
        more.isReinserted = true
        self.more = more
    }

    /// Forgets values that were set back. Such a value is not a change, and the parent may have another value by now.
    mutating func forgetUnchangedValues(_ layout: EntityLayout) {
        var different = SlotMask()
        changed.forEach { slot in
            if !Snapshot.isSame(base, row, at: slot, kind: layout.slots[slot].kind) { different.insert(slot) }
        }
        changed = different
    }

    /// Whether a parent that takes the change over may have to read something. The references of a new object do not
    /// count.
    func needsReading(_ slots: [Slot]) -> Bool { setsOrder || changesReferences(slots) }

    /// Whether every value was set back.
    var isEmpty: Bool {
        changed.isEmpty && (more.map { $0.boxed.isEmpty && $0.boxedChanges.isEmpty && $0.toManys.isEmpty } ?? true)
    }

    /// Whether the order of a relationship was set.
    var setsOrder: Bool { more?.toManys.contains { $0.order != nil } ?? false }

    /// Whether a reference to another object was changed.
    func changesReferences(_ slots: [Slot]) -> Bool {
        var isChanged = false
        changed.forEach { slot in
            switch slots[slot].kind {
            case .reference, .entityNumber: isChanged = true
            default: break
            }
        }
        return isChanged
    }
}

struct PushedToMany {
    var index: Int
    var added: [ObjectKey]
    var removed: Set<ObjectKey>
    /// The whole list where its order was set.
    var order: [ObjectKey]?
}

/// Everything a child's save hands to its parent.
struct PushedSave {
    var inserted: [PushedChange] = []
    var updated: [PushedChange] = []
    /// The rows of updated objects, by their places, where the parent's row differed from the child's when the parent
    /// checked for conflicts, or would have differed.
    var found: [Int: Snapshot] = [:]
    /// Objects without a change that the parent has lost.
    private(set) var leftOut: [ObjectKey] = []
    var deleted: [(key: ObjectKey, base: Snapshot?)] = []
    var clearedReferences: [ClearedReferences] = []
    /// Whether values that both sides changed are conflicts. Otherwise the child's values win.
    var comparesValues = false
    /// Whether taking the save over may make the parent read something.
    var needsReading = false

    /// Removes updates, by their places. They have no changes.
    mutating func leaveOut(_ places: Set<Int>) {
        leftOut = places.map { updated[$0].key }
        let kept = updated.indices.filter { !places.contains($0) }
        updated = kept.map { updated[$0] }
        found = Dictionary(
            uniqueKeysWithValues: kept.enumerated().compactMap { new, old in found[old].map { (new, $0) } })
    }

    /// The relationships that a deleted object left before its deletion: the parent's delete rules must not follow
    /// them.
    struct ClearedReferences {
        var key: ObjectKey
        var slots: [Int]
        var toManys: [PushedToMany]
    }
}

// A child's changes are in its parent when the save returns: every later block of the parent's queue sees them. A
// large save is checked against the parent then, but taken over on the parent's queue. So the child, which is usually
// on the main queue, need not wait until the parent has made as many objects.
extension NSManagedObjectContext {
    /// Takes over a child's save that has no conflict with this context: at once, or before the next block on this
    /// context's queue.
    ///
    /// - Returns: whether the save waits to be taken over.
    final func takeOver(_ push: PushedSave, atOnce: Bool) -> Bool {
        let canWait =
            fifoLock != nil && push.inserted.count + push.updated.count >= thresholds.childSaveSizeToWait
            && !push.needsReading
        if atOnce || !canWait {
            observed { accept(push) }
            return false
        }
        childSaves.incoming.append(push)
        return true
    }

    /// Makes sure that a waiting save is taken over even if this context is not used. May be called on any thread.
    final func takeOverSoon() { enqueue { _ in } }

    /// The rows of the context for the objects that a child has changed. By their places: the rows that differ from the
    /// child's, and the places of objects that are deleted here or gone.
    final func rowsForChild(_ changes: [PushedChange]) throws -> (others: [Int: Snapshot], missing: [Int]) {
        var others: [Int: Snapshot] = [:]
        var missing: [Int] = []
        var cache = presentRows
        for index in changes.indices {
            let key = changes[index].key.renamed(idState.permanentKeys)
            // Most rows have not changed since the child read them.
            if registeredObject(for: key) == nil, cache?.has(changes[index].unheldBase, for: key) == true { continue }
            guard let row = try rowForChild(key) else {
                missing.append(index)
                continue
            }
            if row !== changes[index].base { others[index] = row }
        }
        return (others, missing)
    }

    /// The row caches of the stores, if this context reads the stores' rows.
    private var presentRows: PresentRows? {
        guard let coordinator = ownCoordinator, case .present = readingState, settings.stalenessInterval < 0,
            let modelLayout
        else { return nil }
        return PresentRows(coordinator: coordinator, modelLayout: modelLayout)
    }

    /// Finds many rows in the row caches; looks up each store once.
    private struct PresentRows {
        let coordinator: NSPersistentStoreCoordinator
        let modelLayout: ModelLayout
        private var number = -1
        private var store: (any RowStore)?

        init(coordinator: NSPersistentStoreCoordinator, modelLayout: ModelLayout) {
            self.coordinator = coordinator
            self.modelLayout = modelLayout
        }

        /// Whether a row is the one that its key has now.
        mutating func has(_ row: Unmanaged<Snapshot>, for key: ObjectKey) -> Bool {
            if key.isTemporary { return false }
            if key.storeNumber != number {
                number = key.storeNumber
                let attached = try? coordinator.attachedStore(numbered: number)
                store = attached?.objects == nil ? attached?.rows : nil
            }
            let rootIndex = modelLayout.entities[key.layoutIndex].rootIndex
            return store?.isCached(row, for: key.key, rootIndex: rootIndex) ?? false
        }
    }

    /// Takes over saves of children, before anything else on this context's queue.
    @inline(__always)
    final func takeOverIncoming() {
        if !childSaves.incoming.isEmpty { acceptIncoming() }
    }

    @inline(never)
    private func acceptIncoming() {
        let waiting = childSaves.incoming
        childSaves.incoming = []
        for push in waiting {
            accept(push)
            // Each save is an event of its own.
            if undoRecord != nil { endEvent() }
        }
    }
}
