import Foundation

extension HistoryRecorder {
    /// The changes of a save to a row that it updates, or whose to-many relationships it changes.
    private struct Touched {
        var slots = SlotMask()
        var toManys: Set<Int> = []
    }

    /// Records a save: inserted rows, updated rows and those whose to-many relationships changed, deleted rows.
    package func record(_ changes: ChangeSet) throws {
        let model = store.layout
        var touched: [ObjectKey: Touched] = [:]
        var order: [ObjectKey] = []
        func touch(_ key: ObjectKey, _ change: (inout Touched) -> Void) {
            if touched[key] == nil { order.append(key) }
            change(&touched[key, default: Touched()])
        }
        /// Records for the owner to which a reference of a row leads that its set of members has changed.
        func touchOwner(_ row: Snapshot, _ slot: Int) {
            guard !row.isNull(slot), let (owner, index) = owner(row, slot) else { return }
            touch(owner) { $0.toManys.insert(index) }
        }
        for update in changes.updated {
            let key = ObjectKey(layoutIndex: update.new.layoutIndex, key: update.new.key)
            touch(key) { $0.slots.formUnion(update.changed) }
            let slots = model.entities[key.layoutIndex].slots
            update.changed.forEach { changed in
                // A new place among the members changes the owner's list, as a new owner does.
                let slot = if case .order(let reference) = slots[changed].role { reference } else { changed }
                guard Self.leadsToOwner(slots[slot]) else { return }
                touchOwner(update.old, slot)
                touchOwner(update.new, slot)
            }
        }
        for row in changes.inserted + changes.deleted.compactMap(\.row) {
            for (slot, description) in model.entities[row.layoutIndex].slots.enumerated()
            where Self.leadsToOwner(description) {
                touchOwner(row, slot)
            }
        }
        for join in changes.joins {
            if !join.isEmpty { touch(join.owner) { $0.toManys.insert(join.toMany.index) } }
            guard case .join(let inverse, _) = join.toMany.kind else { continue }
            for member in join.added + join.removed { touch(member) { $0.toManys.insert(inverse) } }
        }
        for arrangement in changes.arrangements {
            touch(arrangement.owner) { $0.toManys.insert(arrangement.toMany.index) }
        }
        let inserted = changes.inserted.map { ObjectKey(layoutIndex: $0.layoutIndex, key: $0.key) }
        for key in inserted { try record(.insert, key) }
        let others = Set(inserted.map(\.key) + changes.deleted.map(\.key.key))
        let roots = Dictionary(grouping: inserted + changes.deleted.map(\.key), by: \.key)
        func isOther(_ key: ObjectKey) -> Bool {
            guard others.contains(key.key) else { return false }
            let root = model.entities[key.layoutIndex].rootIndex
            return roots[key.key]?.contains { model.entities[$0.layoutIndex].rootIndex == root } ?? false
        }
        for key in order where !isOther(key) {
            guard let change = touched[key] else { continue }
            var slots: [Int] = []
            change.slots.forEach { slots.append($0) }
            try record(.update, key, slots: slots, toManys: change.toManys)
        }
        for deletion in changes.deleted { try record(.delete, deletion.key) }
    }

    /// Whether a slot holds the key of a row that has this row among the members of a to-many relationship.
    private static func leadsToOwner(_ slot: Slot) -> Bool {
        guard slot.isPersistent, case .toOne = slot.role, case .toMany? = slot.inverse else { return false }
        return true
    }

    private func owner(_ row: Snapshot, _ slot: Int) -> (ObjectKey, Int)? {
        let layout = store.layout.entities[row.layoutIndex]
        guard case .toMany(let index)? = layout.slots[slot].inverse else { return nil }
        let destination = layout.destinations[slot]
        var entity = destination.layoutIndex
        if destination.companion >= 0, !row.isNull(destination.companion) {
            entity = Int(row.int(destination.companion))
        }
        return (ObjectKey(layoutIndex: entity, key: row.int(slot)), index)
    }
}
