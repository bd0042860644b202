/// When a save deletes rows.
enum SaveOrder {
    /// At first: what goes frees its unique values.
    case deletionsFirst
    /// At last, when nothing leads to it any more: for tables that look at every statement where rows lead.
    case deletionsLast
}

// The order of rows in tables that look at once where a row leads.
extension SaveSession {
    /// New rows, each behind those that it leads to. Where rows lead to each other in a circle there is no such order.
    func behindTargets(_ rows: [Snapshot]) -> [Snapshot] {
        let depths = depths(
            of: rows.map { (ObjectKey(layoutIndex: $0.layoutIndex, key: $0.key), $0) })
        return rows.indices.sorted {
            (depths[$0], rows[$0].layoutIndex, $0) < (depths[$1], rows[$1].layoutIndex, $1)
        }.map { rows[$0] }
    }

    /// Rows that are to go, in parts: none leads to a row of an earlier part.
    func beforeTargets(_ deletions: [ChangeSet.Deletion]) -> [[ChangeSet.Deletion]] {
        let depths = depths(of: deletions.map { ($0.key, $0.row) })
        var parts: [[ChangeSet.Deletion]] = []
        for (deletion, depth) in zip(deletions, depths) {
            while parts.count <= depth { parts.append([]) }
            parts[depth].append(deletion)
        }
        return parts.reversed()
    }

    /// How long the longest way is that leads from each row through others of them.
    private func depths(of rows: [(key: ObjectKey, row: Snapshot?)]) -> [Int] {
        struct Place: Hashable {
            let root: Int
            let key: Int64
        }
        var numbers: [Place: Int] = [:]
        for (number, row) in rows.enumerated() {
            numbers[Place(root: root(row.key.layoutIndex), key: row.key.key)] = number
        }
        var followers = Array(repeating: [Int](), count: rows.count)
        var missing = Array(repeating: 0, count: rows.count)
        for (number, row) in rows.enumerated() {
            guard let row = row.row else { continue }
            let layout = store.layout.entities[row.layoutIndex]
            for slot in layout.referenceSlots where layout.slots[slot].isPersistent {
                guard let target = row.reference(at: slot, layout),
                    let other = numbers[Place(root: root(target.layoutIndex), key: target.key)], other != number
                else { continue }
                followers[other].append(number)
                missing[number] += 1
            }
        }
        var depths = Array(repeating: 0, count: rows.count)
        var ready = rows.indices.filter { missing[$0] == 0 }
        while let number = ready.popLast() {
            for follower in followers[number] {
                depths[follower] = max(depths[follower], depths[number] + 1)
                missing[follower] -= 1
                if missing[follower] == 0 { ready.append(follower) }
            }
        }
        return depths
    }
}
