import Foundation

// Two saves, of which one deletes an object and the other relates an object to it, write different rows, because the
// key is in the member's row. The second save gets a conflict over the owner, as if the owner's version had risen.
extension SaveSession {
    /// Finds members of deleted owners that this save has not read. Called before anything is written.
    ///
    /// If the members that are deleted with their owners need not be read, `checkRemainingMembers` finds the members of
    /// owners whose rows the saver has read.
    mutating func checkMembers(
        of deletions: [ChangeSet.Deletion], in changes: ChangeSet, _ order: SaveOrder
    ) throws {
        if deletions.isEmpty { return }
        var owners = owners(among: deletions)
        if checksRemainingMembers(order) { owners.removeAll { $0.row != nil } }
        for (index, group) in groups(owners) {
            if connection.isPipelining {
                try expectNoMembers(of: group.map(\.key), index, KnownRows(changes))
                continue
            }
            let found = try newMembers(of: group, index, in: changes)
            if found.isEmpty { continue }
            for deletion in group {
                guard let members = found[deletion.key.key], let row = try presentRow(deletion.key) else { continue }
                conflicts.append(
                    SaveConflicts.Conflict(
                        key: deletion.key, expected: deletion.row, found: row, newMembers: members))
            }
        }
    }

    /// Whether members of deleted owners are searched when the save's rows are deleted. Then only the members are found
    /// that the save does not delete: mostly none. A server may delete or change members with their owners.
    private func checksRemainingMembers(_ order: SaveOrder) -> Bool {
        guard case .deletionsFirst = order else { return false }
        return !store.capabilities.takesLists
    }

    /// Finds members of deleted owners that this save has not read. Called when all rows are deleted, and before any
    /// other row is written.
    ///
    /// - Parameter place: The place in the list of conflicts before those of the deletions.
    mutating func checkRemainingMembers(of changes: ChangeSet, before place: Int) throws {
        guard checksRemainingMembers(.deletionsFirst) else { return }
        var later: [SaveConflicts.Conflict] = []
        for (index, group) in groups(owners(among: changes.deleted).filter { $0.row != nil }) {
            let found = try newMembers(of: group, index, in: changes)
            if found.isEmpty { continue }
            let lost = Set(conflicts[place...].filter { $0.found == nil }.map(\.key))
            for deletion in group where !lost.contains(deletion.key) {
                guard let members = found[deletion.key.key], let read = deletion.row else { continue }
                // The row was deleted, so it had the version that the saver has read.
                let row = try presentRow(deletion.key) ?? read.copy(version: read.version, layout(of: read))
                later.append(
                    SaveConflicts.Conflict(key: deletion.key, expected: read, found: row, newMembers: members))
            }
        }
        conflicts.insert(contentsOf: later, at: place)
    }

    private func layout(of row: Snapshot) -> EntityLayout { store.layout.entities[row.layoutIndex] }

    /// The deletions of owners whose members hold their keys.
    private func owners(among deletions: [ChangeSet.Deletion]) -> [ChangeSet.Deletion] {
        deletions.filter { store.layout.entities[$0.key.layoutIndex].deletionRules.hasLeftMembers }
    }

    private func groups(_ owners: [ChangeSet.Deletion]) -> [(key: Int, value: [ChangeSet.Deletion])] {
        Dictionary(grouping: owners, by: \.key.layoutIndex).sorted { $0.key < $1.key }
    }

    /// The members of deleted owners of one entity that this save neither deletes nor removes, by the owners' keys.
    private func newMembers(
        of group: [ChangeSet.Deletion], _ index: Int, in changes: ChangeSet
    ) throws -> [Int64: [SaveConflicts.NewMember]] {
        var found: [Int64: [SaveConflicts.NewMember]] = [:]
        var known: KnownRows?
        for toMany in store.layout.entities[index].toManys where toMany.isLeftByOwners {
            guard case .inverseKey(let slot, _) = toMany.kind else { continue }
            try store.members(of: toMany, owners: group.map(\.key), on: connection) { owner, member in
                let rows = known ?? KnownRows(changes)
                known = rows
                if rows.contain(member, leftBy: owner, at: slot) { return }
                found[owner, default: []].append(SaveConflicts.NewMember(toMany: toMany.index, key: member))
            }
        }
        return found
    }

    /// Members that a save itself changes: they are deleted with the owner, or are written without it.
    private final class KnownRows {
        private let deleted: Set<ObjectKey>
        private let updated: [ObjectKey: Snapshot]

        init(_ changes: ChangeSet) {
            deleted = Set(changes.deleted.map(\.key))
            updated = Dictionary(changes.updated.map { ($0.new.object, $0.new) }, uniquingKeysWith: { $1 })
        }

        /// Whether the save removes a member from its owner, or deletes it, too.
        func contain(_ member: ObjectKey, leftBy owner: Int64, at slot: Int) -> Bool {
            if deleted.contains(member) { return true }
            guard let row = updated[member] else { return false }
            return row.isNull(slot) || row.int(slot) != owner
        }
    }

    private func expectNoMembers(of owners: [ObjectKey], _ index: Int, _ known: KnownRows) throws {
        for toMany in store.layout.entities[index].toManys where toMany.isLeftByOwners {
            guard case .inverseKey(let slot, _) = toMany.kind else { continue }
            try store.lookAtMembers(of: toMany, owners: owners, on: connection) { owner, member in
                if !known.contain(member, leftBy: owner, at: slot) { throw PipelineMismatch() }
            }
        }
    }

    /// Finds rows to which this save relates objects, and that another context or process has deleted. Called after all
    /// rows are written. Does nothing if some row could not be written, because that conflict is reported first.
    package mutating func checkTargets(of changes: ChangeSet) throws {
        if !conflicts.isEmpty || !constraintConflicts.isEmpty { return }
        let changesTargets = changesTargets(changes.updated)
        if changes.inserted.isEmpty, changes.joins.isEmpty, !changesTargets { return }
        let isPipelining = connection.isPipelining
        var seen = [KeySet](repeating: KeySet(), count: store.layout.entities.count)
        // Mostly rows of one entity follow each other.
        var latest: EntityLayout?
        func entity(of row: Snapshot) -> EntityLayout {
            if let latest, latest.index == row.layoutIndex { return latest }
            let new = layout(of: row)
            latest = new
            return new
        }
        for row in changes.inserted {
            let layout = entity(of: row)
            for slot in layout.pairedSlots {
                if let key = row.reference(at: slot, layout) { try checkTarget(key, &seen, isPipelining) }
            }
        }
        if changesTargets {
            for update in changes.updated {
                let layout = entity(of: update.new)
                for slot in layout.pairedSlots where update.changed.contains(slot) {
                    if let key = update.new.reference(at: slot, layout) { try checkTarget(key, &seen, isPipelining) }
                }
            }
        }
        for join in changes.joins where !join.added.isEmpty {
            for key in join.added + [join.owner] { try checkTarget(key, &seen, isPipelining) }
        }
        if isPipelining {
            for (root, keys) in seen.enumerated() where keys.count > 0 { try expect(keys.keys, root: root) }
        }
    }

    /// Checks that the target of a reference exists, unless it has been seen. While statements are pipelined, all
    /// targets are counted together in the end.
    private mutating func checkTarget(_ key: ObjectKey, _ seen: inout [KeySet], _ isPipelining: Bool) throws {
        guard key.storeNumber == store.storeNumber, seen[root(key.layoutIndex)].insert(key.key), !isPipelining,
            try !exists(key)
        else { return }
        conflicts.append(SaveConflicts.Conflict(key: key, expected: nil, found: nil))
    }

    /// Whether some update may relate its row to another one. Reads no row.
    private func changesTargets(_ updates: [ChangeSet.Update]) -> Bool {
        var changed = SlotMask()
        updates.withUnsafeBufferPointer { updates in
            for place in updates.indices { changed.formUnion(updates[place].changed) }
        }
        return store.layout.entities.contains { $0.pairedSlots.contains { changed.contains($0) } }
    }

    private func expect(_ keys: [Int64], root: Int) throws {
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
