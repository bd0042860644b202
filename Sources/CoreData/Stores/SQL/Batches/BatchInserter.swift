import Foundation

/// Inserts the rows of a batch, a few hundred at a time.
package struct BatchInserter {
    private let batch: BatchInsertion
    private let transaction: BatchTransaction
    private let store: SQLStore
    private let writer: RowWriter
    private let insertion: any SQLPreparedStatement
    /// The values of slots without a given value.
    private let defaults: [SlotValue]
    /// The number of bytes of each default value behind the slots of a row.
    private let defaultBytes: [Int]

    package init(_ batch: BatchInsertion, _ transaction: BatchTransaction) throws {
        self.batch = batch
        self.transaction = transaction
        store = transaction.store
        let writer = try store.rowWriter(batch.layout.index)
        self.writer = writer
        insertion = try transaction.connection.statement(.insert(layout: batch.layout.index)) { writer.insert }
        let layout = batch.layout
        defaults = try layout.slots.enumerated().map { index, slot in
            if slot.kind == .transformable, case .attribute(let attribute) = slot.role,
                let value = attribute.defaultValue
            {
                return .data(try TransformableCoding.data(from: value, of: attribute))
            }
            return layout.defaultRow.value(index, kind: slot.kind)
        }
        defaultBytes = defaults.map(\.tailBytes)
    }

    package func run() throws {
        var rows: [GivenValues] = []
        var goesOn = true
        while goesOn {
            while rows.count < rowsTogether {
                guard let row = try batch.next() else {
                    goesOn = false
                    break
                }
                rows.append(row)
            }
            if !rows.isEmpty { try insert(rows) }
            rows.removeAll(keepingCapacity: true)
        }
    }

    /// The number of rows that are inserted together. A row that changes the stored row with which it is in conflict
    /// may bring that row into conflict with later rows of the batch, so each row is completed before the next.
    private var rowsTogether: Int {
        batch.collision == .fails || batch.collision == .keepsStored ? SQLStore.batchSize : 1
    }

    private func insert(_ rows: [GivenValues]) throws {
        let keys = try store.reserve(rows.count, root: batch.layout.rootIndex, transaction.connection).joined()
        let snapshots = zip(rows, keys).map { given, key in
            snapshot(given, ObjectKey.key(storeNumber: store.storeNumber, primaryKey: key))
        }
        // For each row, the place of its first new file among all files; empty if rows have no files.
        var files: [Int] = []
        let outcome = try insertion.run(rows.count, isTried: batch.collision != .fails) { place, parameters in
            let row = snapshots[place]
            if !writer.externalFields.isEmpty { files.append(transaction.files.created.count) }
            parameters.bind(1, row.key & ObjectKey.primaryKeyMask)
            parameters.bind(2, writer.number)
            parameters.bind(3, Int64(row.version))
            try bind(writer.fields, of: row, to: parameters, from: 4)
        }
        files.append(transaction.files.created.count)
        var violations = outcome.violations[...]
        var derived: [ObjectKey] = []
        for (place, row) in snapshots.enumerated() {
            var object = ObjectKey(layoutIndex: batch.layout.index, key: row.key)
            if violations.first?.row == place, let failure = violations.popFirst()?.failure {
                if failure.isRefusal {
                    throw writer.refused(failure, object, row, on: transaction.connection)
                }
                // A merge policy applies only to constraints of the model.
                if case .notUnique(let columns) = failure.kind, columns != [SQLSchema.keyColumn],
                    !store.hasConstraint(on: columns, root: batch.layout.rootIndex)
                {
                    throw failure
                }
                // No row names the files that were created for this row.
                if files.count > 1 {
                    transaction.files.orphaned += transaction.files.created[files[place]..<files[place + 1]]
                }
                guard batch.collision != .keepsStored else { continue }
                object = try update(row, rows[place], after: failure)
            } else {
                transaction.rows[object.layoutIndex, default: 0] += 1
                try transaction.history?.record(.insert, object)
            }
            transaction.take(object, wantsKeys: batch.wantsKeys)
            derived.append(object)
        }
        try transaction.derive(derived)
    }

    private func snapshot(_ given: GivenValues, _ key: Int64) -> Snapshot {
        var tailBytes = 0
        for slot in defaults.indices {
            tailBytes += given.mask.contains(slot) ? given.values[slot].tailBytes : defaultBytes[slot]
        }
        var builder = SnapshotBuilder(layout: batch.layout, key: key, version: 1, tailBytes: tailBytes)
        for slot in defaults.indices {
            builder.set(slot, value: given.mask.contains(slot) ? given.values[slot] : defaults[slot])
        }
        return builder.finish()
    }

    private func bind(
        _ fields: [RowWriter.Field], of row: Snapshot, to parameters: any SQLParameters, from first: Int
    ) throws {
        for (place, field) in fields.enumerated() {
            try writer.bind(
                field, of: row, to: parameters, at: first + place, numbers: store.schema.numbers,
                encode: { try transaction.encode($0) })
        }
    }

    /// Writes the values of a row that breaks a uniqueness constraint into the stored row.
    private func update(_ row: Snapshot, _ given: GivenValues, after failure: any SQLFailure) throws -> ObjectKey {
        let session = SaveSession(store: store, connection: transaction.connection)
        let conflict = try session.constraintConflict(failure, row, writer)
        guard let existing = conflict.existing, batch.layout.subtree.contains(existing.layoutIndex) else {
            throw failure
        }
        let isWhole = batch.collision == .replaces
        let fields = writer.fields.filter { field in
            guard case .attribute = batch.layout.slots[field.slot].role else { return false }
            return isWhole || given.mask.contains(field.slot)
        }
        try transaction.noteFiles(of: fields.filter { $0.kind == .external }, writer.table, existing.primaryKey)
        let columns = fields.map(\.column)
        let statement = try transaction.connection.statement(
            .batch(.update(table: writer.table, columns: columns))
        ) { RowWriter.update(writer.table, columns) }
        try statement.run { parameters in
            try bind(fields, of: row, to: parameters, from: 1)
            parameters.bind(fields.count + 1, existing.primaryKey)
        }
        withExtendedLifetime(row) {}
        transaction.changedRoots.insert(batch.layout.rootIndex)
        try transaction.history?.record(.update, existing, slots: fields.map(\.slot))
        return existing
    }
}

extension BatchTransaction {
    /// Encodes a value for a column that allows external storage.
    package func encode(_ bytes: UnsafeRawBufferPointer) throws -> Data {
        if let externalData = store.externalData { return try externalData.encode(bytes, &files) }
        return ExternalData.inline(bytes)
    }

    /// Records the files that a row's columns name now. They are orphans when the row is changed.
    package func noteFiles(of fields: [RowWriter.Field], _ table: String, _ key: Int64) throws {
        if fields.isEmpty { return }
        try SaveSession(store: store, connection: connection).noteFiles(of: fields, table, key, &files)
    }
}
