import Foundation

// Two saves, of which one deletes an object and the other relates an object to it, write different rows, because the
// key is in the member's row. The second save gets a conflict over the owner, as if the owner's version had risen.
extension SaveSession {
    /// Finds members of deleted owners that this save has not read. Called before anything is written.
    package mutating func checkMembers(of deletions: [ChangeSet.Deletion], in changes: ChangeSet) throws {
        if deletions.isEmpty { return }
        // Members that this save itself changes are deleted with the owner, or are written without it.
        let deleted = Set(changes.deleted.map(\.key))
        let updated = Dictionary(
            changes.updated.map { (ObjectKey(layoutIndex: $0.new.layoutIndex, key: $0.new.key), $0.new) },
            uniquingKeysWith: { $1 })
        for (index, group) in Dictionary(grouping: deletions, by: \.key.layoutIndex).sorted(by: { $0.key < $1.key }) {
            let keys = group.map(\.key)
            if connection.isPipelining {
                try expectNoMembers(of: keys, index, deleted, updated)
                continue
            }
            var found: [Int64: [SaveConflicts.NewMember]] = [:]
            for toMany in store.layout.entities[index].toManys where toMany.isLeftByOwners {
                guard case .inverseKey(let slot, _) = toMany.kind else { continue }
                try store.members(of: toMany, owners: keys, on: connection) { owner, member in
                    if Self.isKnown(member, of: owner, at: slot, deleted: deleted, updated: updated) { return }
                    found[owner, default: []].append(SaveConflicts.NewMember(toMany: toMany.index, key: member))
                }
            }
            for deletion in group {
                guard let members = found[deletion.key.key], let row = try presentRow(deletion.key) else { continue }
                conflicts.append(
                    SaveConflicts.Conflict(
                        key: deletion.key, expected: deletion.row, found: row, newMembers: members))
            }
        }
    }

    /// Whether this save removes a member from its owner, or deletes it, too.
    private static func isKnown(
        _ member: ObjectKey, of owner: Int64, at slot: Int, deleted: Set<ObjectKey>, updated: [ObjectKey: Snapshot]
    ) -> Bool {
        if deleted.contains(member) { return true }
        guard let row = updated[member] else { return false }
        return row.isNull(slot) || row.int(slot) != owner
    }

    private func expectNoMembers(
        of owners: [ObjectKey], _ index: Int, _ deleted: Set<ObjectKey>, _ updated: [ObjectKey: Snapshot]
    ) throws {
        for toMany in store.layout.entities[index].toManys where toMany.isLeftByOwners {
            guard case .inverseKey(let slot, _) = toMany.kind else { continue }
            try store.lookAtMembers(of: toMany, owners: owners, on: connection) { owner, member in
                if !Self.isKnown(member, of: owner, at: slot, deleted: deleted, updated: updated) {
                    throw PipelineMismatch()
                }
            }
        }
    }

    /// Finds rows to which this save relates objects, and that another context or process has deleted. Called after all
    /// rows are written. Does nothing if some row could not be written, because that conflict is reported first.
    package mutating func checkTargets(of changes: ChangeSet) throws {
        if !conflicts.isEmpty || !constraintConflicts.isEmpty { return }
        let isPipelining = connection.isPipelining
        var seen = [Set<Int64>](repeating: [], count: store.layout.entities.count)
        func note(_ key: ObjectKey) throws {
            guard key.storeNumber == store.storeNumber, seen[root(key.layoutIndex)].insert(key.key).inserted,
                !isPipelining, try !exists(key)
            else { return }
            conflicts.append(SaveConflicts.Conflict(key: key, expected: nil, found: nil))
        }
        func note(_ slots: [Int], of row: Snapshot) throws {
            for slot in slots {
                let layout = store.layout.entities[row.layoutIndex]
                if let key = row.reference(at: slot, layout) { try note(key) }
            }
        }
        for row in changes.inserted { try note(store.layout.entities[row.layoutIndex].pairedSlots, of: row) }
        for update in changes.updated {
            let slots = store.layout.entities[update.new.layoutIndex].pairedSlots
            try note(slots.filter { update.changed.contains($0) }, of: update.new)
        }
        for join in changes.joins where !join.added.isEmpty {
            for key in join.added + [join.owner] { try note(key) }
        }
        if isPipelining {
            for (root, keys) in seen.enumerated() where !keys.isEmpty { try expect(keys, root: root) }
        }
    }

    private func expect(_ keys: Set<Int64>, root: Int) throws {
        guard let table = store.schema.table(ofRoot: root)?.name else { return }
        try connection.statement(.present(root: root)) {
            .select(SQLSelect([.countAll], of: table, where: .isInParameter(.column(SQLSchema.keyColumn), 1)))
        }.inspect {
            $0.bind(1, list: keys.map { $0 & ObjectKey.primaryKeyMask })
        } _: { found in
            if found.int64(0) != Int64(keys.count) { throw PipelineMismatch() }
        }
    }

    private func exists(_ object: ObjectKey) throws -> Bool {
        let root = root(object.layoutIndex)
        guard let table = store.schema.table(ofRoot: root)?.name else { return true }
        let statement = try connection.statement(.exists(root: root)) {
            .select(
                SQLSelect(
                    [.column(SQLSchema.keyColumn)], of: table,
                    where: .hasKey()))
        }
        return try statement.first({ $0.bind(1, object.primaryKey) }) { _ in true } ?? false
    }
}
