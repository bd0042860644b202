/// In which order a save writes its rows.
enum SaveOrder {
    /// Rows are deleted first, which frees their unique values. Then rows are updated, then inserted.
    case deletionsFirst
    /// The same, for tables whose foreign keys are checked by every statement: a row that led to one that is to be
    /// deleted is updated before, and one that is to lead to a new row is updated at last.
    case referencesKept
    /// Rows are inserted, then updated, then deleted. This helps where a row leads from one that is to be deleted to a
    /// new one.
    case deletionsLast
}

// The order of rows in tables whose foreign keys are checked by every statement.
extension SaveSession {
    /// Writes the rows of a save in an order.
    mutating func write(_ changes: ChangeSet, _ order: SaveOrder, _ files: inout ExternalFileChanges) throws {
        switch order {
        case .deletionsFirst:
            try delete(changes.deleted, &files)
            try update(changes.updated, &files)
            try insert(changes.inserted, &files)
        case .referencesKept:
            let parts = parted(changes)
            let late = Set(parts.late.map(\.old.place))
            unwritten = late.union(parts.others.map(\.old.place)).union(changes.deleted.map(\.key))
            try update(parts.leaving, &files)
            try delete(changes.deleted, &files)
            unwritten = late
            try update(parts.others, &files)
            try insert(changes.inserted, &files)
            unwritten = []
            try update(parts.late, &files)
        case .deletionsLast:
            unwritten = Set(changes.updated.map(\.old.place) + changes.deleted.map(\.key))
            try insert(changes.inserted, &files)
            unwritten = Set(changes.deleted.map(\.key))
            try update(changes.updated, &files)
            unwritten = []
        }
        try join(changes.joins)
        try arrange(changes.arrangements)
        if order == .deletionsLast { try delete(changes.deleted, &files) }
    }

    private struct UpdateParts {
        /// Of rows that led to one that is to be deleted.
        var leaving: [ChangeSet.Update] = []
        var others: [ChangeSet.Update] = []
        /// Of rows that are to lead to a new one.
        var late: [ChangeSet.Update] = []
    }

    /// Updates by what their rows led to and are to lead to.
    private func parted(_ changes: ChangeSet) -> UpdateParts {
        let deleted = Set(changes.deleted.map { place($0.key) })
        let inserted = Set(changes.inserted.map { place($0.place) })
        var parts = UpdateParts()
        for update in changes.updated {
            if targets(of: update.new, in: update.changed).contains(where: inserted.contains) {
                parts.late.append(update)
            } else if targets(of: update.old, in: update.changed).contains(where: deleted.contains) {
                parts.leaving.append(update)
            } else {
                parts.others.append(update)
            }
        }
        return parts
    }

    /// What is thrown where a row clashes with one that the save writes or deletes later.
    static let noOrder = NSError.coreData(
        NSPersistentStoreSaveError,
        reason: "The rows of this save have no order that keeps the tables’ foreign keys and unique values at every "
            + "statement. Save in two steps, or have the foreign keys checked at the end of a transaction "
            + "(DEFERRABLE INITIALLY DEFERRED).")

    // MARK: Rows and their targets

    /// An object as the rows of its table tell it from others.
    struct RowPlace: Hashable {
        let root: Int
        let key: Int64
    }

    private func place(_ key: ObjectKey) -> RowPlace { RowPlace(root: root(key.layoutIndex), key: key.key) }

    /// Where the slots of a row lead, of those whose foreign keys every statement checks.
    private func targets(of row: Snapshot, in slots: SlotMask? = nil) -> [RowPlace] {
        let layout = store.layout.entities[row.layoutIndex]
        guard let table = store.schema.table(ofRoot: layout.rootIndex)?.name else { return [] }
        return layout.referenceSlots.compactMap { slot in
            guard slots?.contains(slot) ?? true, let column = store.schema.columns[row.layoutIndex][slot],
                store.capabilities.referencesCheckedAtOnce.contains(SQLReference(table: table, column: column)),
                let target = row.reference(at: slot, layout)
            else { return nil }
            return place(target)
        }
    }

    /// New rows, each behind those that it leads to. Where rows lead to each other in a circle there is no such order.
    func behindTargets(_ rows: [Snapshot]) -> [Snapshot] {
        let depths = depths(of: rows.map { ($0.place, $0) })
        return rows.indices.sorted {
            (depths[$0], rows[$0].layoutIndex, $0) < (depths[$1], rows[$1].layoutIndex, $1)
        }.map { rows[$0] }
    }

    /// Rows that are to be deleted, in parts: none leads to a row of an earlier part.
    func beforeTargets(_ deletions: [ChangeSet.Deletion]) -> [[ChangeSet.Deletion]] {
        let depths = depths(of: deletions.map { ($0.key, $0.row) })
        var parts: [[ChangeSet.Deletion]] = []
        for (deletion, depth) in zip(deletions, depths) {
            while parts.count <= depth { parts.append([]) }
            parts[depth].append(deletion)
        }
        return parts.reversed()
    }

    /// How long the longest way is that leads from each row through others of them. A circle is cut at one of its rows.
    private func depths(of rows: [(key: ObjectKey, row: Snapshot?)]) -> [Int] {
        var numbers: [RowPlace: Int] = [:]
        for (number, row) in rows.enumerated() { numbers[place(row.key)] = number }
        var followers = Array(repeating: [Int](), count: rows.count)
        var missing = Array(repeating: 0, count: rows.count)
        for (number, row) in rows.enumerated() {
            for target in row.row.map({ targets(of: $0) }) ?? [] {
                guard let other = numbers[target], other != number else { continue }
                followers[other].append(number)
                missing[number] += 1
            }
        }
        var depths = Array(repeating: 0, count: rows.count)
        var ready = rows.indices.filter { missing[$0] == 0 }
        var next = 0
        while true {
            while let number = ready.popLast() {
                for follower in followers[number] where missing[follower] > 0 {
                    depths[follower] = max(depths[follower], depths[number] + 1)
                    missing[follower] -= 1
                    if missing[follower] == 0 { ready.append(follower) }
                }
            }
            while next < rows.count, missing[next] == 0 { next += 1 }
            if next == rows.count { return depths }
            missing[next] = 0
            ready = [next]
        }
    }
}

extension Snapshot {
    /// The object whose row it is.
    fileprivate var place: ObjectKey { ObjectKey(layoutIndex: layoutIndex, key: key) }
}
