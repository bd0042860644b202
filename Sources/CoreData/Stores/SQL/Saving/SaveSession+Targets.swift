// The references of rows, and the order of writing that they require, in tables whose foreign keys every statement
// checks.
extension SaveSession {
    /// The identity of an object's row within its table.
    struct RowPlace: Hashable {
        let root: Int
        let key: Int64
    }

    func place(_ key: ObjectKey) -> RowPlace { RowPlace(root: root(key.layoutIndex), key: key.key) }

    /// The rows to which the slots of a row lead, for slots whose foreign keys every statement checks.
    func targets(of row: Snapshot, in slots: SlotMask? = nil) -> [RowPlace] {
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

    /// New rows, each after the rows to which it leads. There is no such order if rows lead to each other in a cycle.
    func behindTargets(_ rows: [Snapshot]) -> [Snapshot] {
        let depths = depths(of: rows.map { ($0.object, $0) })
        return rows.indices.sorted {
            (depths[$0], rows[$0].layoutIndex, $0) < (depths[$1], rows[$1].layoutIndex, $1)
        }.map { rows[$0] }
    }

    /// Rows to delete, in parts: no row leads to a row of an earlier part.
    func beforeTargets(_ deletions: [ChangeSet.Deletion]) -> [[ChangeSet.Deletion]] {
        let depths = depths(of: deletions.map { ($0.key, $0.row) })
        var parts: [[ChangeSet.Deletion]] = []
        for (deletion, depth) in zip(deletions, depths) {
            while parts.count <= depth { parts.append([]) }
            parts[depth].append(deletion)
        }
        return parts.reversed()
    }

    /// The length of the longest path that leads from each row through other rows of the list. A cycle is cut at one of
    /// its rows.
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
    /// The object of the row.
    var object: ObjectKey { ObjectKey(layoutIndex: layoutIndex, key: key) }
}
