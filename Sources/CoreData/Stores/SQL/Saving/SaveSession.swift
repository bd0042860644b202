// Implementation notes: Stores/SQL/Saving.
//
// - A store reports the rows that have changed and the constraints that were broken, and has written nothing then. The
//   context makes conflicts of them, asks the policy, and tries again (`Context/Merging`).
// - `SaveSession+Uniqueness` finds the row that holds a unique value.
// - Pairs of many-to-many relationships are given once, from the side that names the table, and each list's order by
//   its owner. New pairs are at the end of both lists, and places only have to rise (`SaveSession+ManyToManyOrder`).
// - If every statement checks foreign keys (tables of other programs), a save writes its rows in another order
//   (`SaveOrder`).
// - If the engine sends a save as one pipeline, rows are expected to be written. If one was not (`PipelineMismatch`),
//   the transaction runs again step by step, which finds the conflicts.

import Foundation

/// The statements of one save, run inside its transaction.
package struct SaveSession {
    package let store: SQLStore
    package let connection: any SQLConnection
    package var conflicts: [SaveConflicts.Conflict] = []
    package var constraintConflicts: [SaveConflicts.ConstraintConflict] = []
    /// The rows that are written or deleted later. A conflict with one of them may be resolved in the end.
    var unwritten: Set<ObjectKey> = []
    /// The number of deleted rows, by the numbers of their entities' layouts.
    package private(set) var deletedRows: [Int: Int] = [:]

    package init(store: SQLStore, connection: any SQLConnection) {
        self.store = store
        self.connection = connection
    }

    package func root(_ index: Int) -> Int { store.layout.entities[index].rootIndex }

    // MARK: Insertions

    package mutating func insert(_ rows: [Snapshot], _ files: inout ExternalFileChanges) throws {
        let rows =
            store.capabilities.checksReferencesAtOnce
            ? behindTargets(rows) : connection.isPipelining ? rows.sorted { $0.layoutIndex < $1.layoutIndex } : rows
        for range in rows.runs(by: { $0.layoutIndex == $1.layoutIndex }) {
            let writer = try store.rowWriter(rows[range.lowerBound].layoutIndex)
            let statement = try connection.statement(.insert(layout: writer.layout.index)) { writer.insert }
            let numbers = store.schema.numbers
            let outcome = try statement.run(range.count, isTried: true) { place, parameters in
                let ahead = range.lowerBound + place + MemoryHint.distance
                if ahead < range.upperBound { MemoryHint.load(wholeRow: Unmanaged.passUnretained(rows[ahead])) }
                let row = rows[range.lowerBound + place]
                parameters.bind(1, row.key & ObjectKey.primaryKeyMask)
                parameters.bind(2, writer.number)
                parameters.bind(3, Int64(row.version))
                var number = 4
                for field in writer.fields {
                    try writer.bind(field, of: row, to: parameters, at: number, numbers: numbers) {
                        try encode($0, &files)
                    }
                    number += 1
                }
            }
            // A broken uniqueness constraint is recorded, and the save continues in order to find all of them.
            for (place, failure) in outcome.violations {
                constraintConflicts.append(
                    try constraintConflict(failure, rows[range.lowerBound + place], writer))
            }
        }
    }

    private func encode(_ bytes: UnsafeRawBufferPointer, _ files: inout ExternalFileChanges) throws -> Data {
        guard let externalData = store.externalData else { return ExternalData.inline(bytes) }
        return try externalData.encode(bytes, &files)
    }

    // MARK: Updates

    package mutating func update(_ updates: [ChangeSet.Update], _ files: inout ExternalFileChanges) throws {
        let blocked = try attempt(updates, &files)
        if !blocked.isEmpty { try updateBlocked(blocked, &files) }
    }

    /// Writes rows, and returns those that a uniqueness constraint has refused.
    mutating func attempt(
        _ updates: [ChangeSet.Update], _ files: inout ExternalFileChanges
    ) throws -> [ChangeSet.Update] {
        var blocked: [ChangeSet.Update] = []
        let updates = connection.isPipelining ? Self.grouped(updates) : updates
        let runs = Self.runs(of: updates)
        for range in runs {
            let run = updates[range]
            let outcome = try writeRun(run, &files)
            for (place, failure) in outcome.violations {
                let update = run[run.startIndex + place]
                constraintConflicts.append(
                    try constraintConflict(failure, update.new, try store.rowWriter(update.new.layoutIndex)))
                blocked.append(update)
            }
            for place in outcome.withoutEffect {
                let update = run[run.startIndex + place]
                let object = ObjectKey(layoutIndex: update.new.layoutIndex, key: update.new.key)
                conflicts.append(
                    SaveConflicts.Conflict(key: object, expected: update.old, found: try presentRow(object)))
            }
        }
        return blocked
    }

    /// The ranges of updates of one entity in which the same slots change.
    private static func runs(of updates: [ChangeSet.Update]) -> [Range<Int>] {
        updates.withUnsafeBufferPointer { updates in
            var runs: [Range<Int>] = []
            var start = 0
            for place in updates.indices {
                let next = place + 1
                if next < updates.count, updates[place].changed == updates[next].changed,
                    updates[place].new.layoutIndex == updates[next].new.layoutIndex
                {
                    continue
                }
                runs.append(start..<next)
                start = next
            }
            return runs
        }
    }

    /// Rows that one statement writes come together, and those of a table come in the order of their keys. Savers that
    /// lock rows in one order do not deadlock.
    private static func grouped(_ updates: [ChangeSet.Update]) -> [ChangeSet.Update] {
        struct Shape: Hashable {
            let layout: Int
            let changed: SlotMask
        }
        let groups = Dictionary(grouping: updates) { Shape(layout: $0.new.layoutIndex, changed: $0.changed) }
        return groups.values.map { $0.sorted { $0.new.key < $1.new.key } }.sorted { a, b in
            (a[0].new.layoutIndex, a[0].new.key) < (b[0].new.layoutIndex, b[0].new.key)
        }.flatMap { $0 }
    }

    /// Writes rows of one entity in which the same slots change.
    private mutating func writeRun(
        _ run: ArraySlice<ChangeSet.Update>, _ files: inout ExternalFileChanges
    ) throws -> SQLOutcome {
        guard let first = run.first else { return SQLOutcome() }
        let writer = try store.rowWriter(first.new.layoutIndex)
        var fields: [RowWriter.Field] = []
        first.changed.forEach { slot in
            if let field = writer.field(ofSlot: slot) { fields.append(field) }
        }
        let statement = try connection.statement(
            .update(layout: writer.layout.index, mask: first.changed)
        ) { writer.update(fields) }
        let external = fields.filter { $0.kind == .external }
        let numbers = store.schema.numbers
        return try run.withUnsafeBufferPointer { run in
            // Read at its place: a copy of an update would retain all of its parts.
            try statement.run(run.count, isTried: true) { place, parameters in
                let ahead = place + MemoryHint.distance
                if ahead < run.count {
                    MemoryHint.load(wholeRow: Unmanaged.passUnretained(run[ahead].new))
                    MemoryHint.load(row: Unmanaged.passUnretained(run[ahead].old))
                }
                let row = run[place].new
                let key = row.key & ObjectKey.primaryKeyMask
                if !external.isEmpty { try noteFiles(of: external, writer.table, key, &files) }
                parameters.bind(1, Int64(row.version))
                var number = 2
                for field in fields {
                    try writer.bind(field, of: row, to: parameters, at: number, numbers: numbers) {
                        try encode($0, &files)
                    }
                    number += 1
                }
                parameters.bind(number, key)
                parameters.bind(number + 1, Int64(run[place].old.version))
            }
        }
    }

    /// Checks that rows have not changed since they were read.
    package mutating func check(_ rows: [Snapshot]) throws {
        if connection.isPipelining { return try expect(rows) }
        for row in rows {
            let object = ObjectKey(layoutIndex: row.layoutIndex, key: row.key)
            let found = try presentRow(object)
            if found?.version != row.version {
                conflicts.append(SaveConflicts.Conflict(key: object, expected: row, found: found))
            }
        }
    }

    private func expect(_ rows: [Snapshot]) throws {
        for row in rows {
            let root = root(row.layoutIndex)
            guard let table = store.schema.table(ofRoot: root)?.name else { continue }
            try connection.statement(.isUnchanged(root: root)) {
                .select(SQLSelect([.countAll], of: table, where: .isUnchanged(key: 1)))
            }.inspect {
                $0.bind(1, row.key & ObjectKey.primaryKeyMask)
                $0.bind(2, Int64(row.version))
            } _: { found in
                if found.int64(0) != 1 { throw PipelineMismatch() }
            }
        }
    }

    // MARK: Deletions

    package mutating func delete(_ deletions: [ChangeSet.Deletion], _ files: inout ExternalFileChanges) throws {
        let parts = store.capabilities.checksReferencesAtOnce ? beforeTargets(deletions) : [deletions]
        for part in parts { try deletePart(part, &files) }
    }

    /// A deletion in the order of deleting. It has what the statement needs, because a row that is read in another
    /// order than it was made is in no cache of the processor.
    private struct Place {
        let order: Int
        let key: Int64
        /// The place in the list of deletions.
        let number: Int32
        let layoutIndex: Int32
        let version: Int32
        /// Whether the saver has read the row.
        let isVersioned: Bool

        var primaryKey: Int64 { key & ObjectKey.primaryKeyMask }

        @inline(__always)
        func isBefore(_ other: Place) -> Bool { order != other.order ? order < other.order : key < other.key }
    }

    private mutating func deletePart(
        _ deletions: [ChangeSet.Deletion], _ files: inout ExternalFileChanges
    ) throws {
        // The order is by table and key, because neighbouring rows are on the same pages. Rows that one statement
        // deletes come together if statements can take many rows.
        let isPipelining = connection.isPipelining
        var places: [Place] = []
        places.reserveCapacity(deletions.count)
        var isSorted = true
        // Read at its place: a copy of a deletion would retain its row.
        deletions.withUnsafeBufferPointer { deletions in
            for number in deletions.indices {
                let key = deletions[number].key
                let isVersioned = deletions[number].row != nil
                let shape = isPipelining ? key.layoutIndex << 1 | (isVersioned ? 1 : 0) : 0
                let place = Place(
                    order: root(key.layoutIndex) << 32 | shape, key: key.key, number: Int32(number),
                    layoutIndex: Int32(key.layoutIndex), version: deletions[number].version,
                    isVersioned: isVersioned)
                if let last = places.last, place.isBefore(last) { isSorted = false }
                places.append(place)
            }
        }
        if !isSorted { places.sort { $0.isBefore($1) } }
        let runs = places.runs { $0.layoutIndex == $1.layoutIndex && $0.isVersioned == $1.isVersioned }
        for range in runs { try delete(places[range], of: deletions, &files) }
    }

    /// Deletes rows of one entity. The saver has read either all of them or none.
    private mutating func delete(
        _ run: ArraySlice<Place>, of deletions: [ChangeSet.Deletion], _ files: inout ExternalFileChanges
    ) throws {
        guard let first = run.first else { return }
        let index = Int(first.layoutIndex)
        let writer = try store.rowWriter(index)
        if !writer.externalFields.isEmpty {
            for place in run { try noteFiles(of: writer.externalFields, writer.table, place.primaryKey, &files) }
        }
        if store.schema.joinEnds[index].contains(where: { $0 != nil }) {
            try deletePairs(of: run.map(\.primaryKey), index)
        }
        let isVersioned = first.isVersioned
        let statement = try connection.statement(.delete(root: root(index), versioned: isVersioned)) {
            return .delete(
                SQLDelete(from: writer.table, where: isVersioned ? .isUnchanged(key: 1) : .hasKey()))
        }
        // Outside of a pipeline the deletion of a row that was never read may be refused, too.
        let isTried = isVersioned || !connection.isPipelining
        let start = run.startIndex
        let outcome = try statement.run(run.count, isTried: isTried) { place, parameters in
            let deletion = run[start + place]
            parameters.bind(1, deletion.primaryKey)
            if isVersioned { parameters.bind(2, Int64(deletion.version)) }
        }
        if let (place, failure) = outcome.violations.first {
            throw writer.refused(failure, deletions[Int(run[start + place].number)].key, nil, on: connection)
        }
        deletedRows[index, default: 0] += outcome.changed
        if !isVersioned { return }
        for place in outcome.withoutEffect {
            let deletion = deletions[Int(run[start + place].number)]
            conflicts.append(
                SaveConflicts.Conflict(
                    key: deletion.key, expected: deletion.row, found: try presentRow(deletion.key)))
        }
    }

    // MARK: The rows that are stored now

    package func presentRow(_ object: ObjectKey) throws -> Snapshot? {
        let rootIndex = root(object.layoutIndex)
        guard let shape = store.rootShapes[rootIndex] else { return nil }
        let statement = try connection.statement(.rows(root: rootIndex, count: 1)) {
            store.rowSelect(rootIndex, where: { .binary(.equal, $0, .parameter(1)) })
        }
        return try statement.snapshot(shape, nil, refreshing: false, key: object.primaryKey)
    }

    /// Records the files that a row's columns name now. They are orphans when the row is changed or deleted.
    package func noteFiles(
        of fields: [RowWriter.Field], _ table: String, _ key: Int64, _ files: inout ExternalFileChanges
    ) throws {
        let statement = try connection.statement(
            .columns(table: table, names: fields.map(\.column))
        ) {
            .select(
                SQLSelect(
                    fields.map { .column($0.column) }, of: table,
                    where: .hasKey()))
        }
        try statement.rows({ $0.bind(1, key) }) { row in
            for place in fields.indices {
                guard case .data(let data) = row.slotValue(place) else { continue }
                let name = data.withUnsafeBytes { ExternalData.fileName($0) }
                if let name { files.orphaned.append(name) }
            }
        }
    }
}
