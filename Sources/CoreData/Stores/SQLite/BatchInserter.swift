import CSQLite
import Foundation

/// Inserts the rows of a batch, a few hundred at a time.
struct BatchInserter {
    private let batch: BatchInsertion
    private let transaction: BatchTransaction
    private let store: SQLiteStore
    private let writer: RowWriter
    private let insertion: SQLiteStatement
    /// What slots hold that are not given.
    private let defaults: [SlotValue]

    init(_ batch: BatchInsertion, _ transaction: BatchTransaction) throws {
        self.batch = batch
        self.transaction = transaction
        store = transaction.store
        let writer = try store.rowWriter(batch.layout.index)
        self.writer = writer
        insertion = try transaction.connection.statement(.insert(layout: batch.layout.index)) { writer.insertText }
        let layout = batch.layout
        defaults = try layout.slots.enumerated().map { index, slot in
            if slot.kind == .transformable, case .attribute(let attribute) = slot.role,
                let value = attribute.defaultValue
            {
                return .data(try TransformableCoding.data(from: value, of: attribute))
            }
            return layout.defaultRow.value(index, kind: slot.kind)
        }
    }

    func run() throws {
        // The pointers of the last row are not to be kept.
        defer { insertion.clear() }
        var rows: [GivenValues] = []
        var goesOn = true
        while goesOn {
            while rows.count < SQLiteStore.batchSize {
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

    private func insert(_ rows: [GivenValues]) throws {
        let first = try store.reserve(rows.count, root: batch.layout.rootIndex, transaction.connection)
        var derived: [ObjectKey] = []
        for (offset, given) in rows.enumerated() {
            let key = ObjectKey.key(storeNumber: store.storeNumber, primaryKey: first + Int64(offset))
            let row = snapshot(given, key)
            var object = ObjectKey(layoutIndex: batch.layout.index, key: key)
            let files = transaction.files.created.count
            do {
                try write(row)
                transaction.rows[object.layoutIndex, default: 0] += 1
                try transaction.history?.record(.insert, object)
            } catch let error as SQLiteError where error.isUniqueness && batch.collision != .fails {
                // Nobody names the files that were made for the row.
                transaction.files.orphaned += transaction.files.created[files...]
                guard batch.collision != .keepsStored else { continue }
                object = try update(row, given, after: error)
            }
            transaction.take(object, wantsKeys: batch.wantsKeys)
            derived.append(object)
        }
        try transaction.derive(derived)
    }

    private func snapshot(_ given: GivenValues, _ key: Int64) -> Snapshot {
        func value(_ slot: Int) -> SlotValue { given.mask.contains(slot) ? given.values[slot] : defaults[slot] }
        var tailBytes = 0
        for slot in defaults.indices { tailBytes += value(slot).tailBytes }
        var builder = SnapshotBuilder(layout: batch.layout, key: key, version: 1, tailBytes: tailBytes)
        for slot in defaults.indices { builder.set(slot, value: value(slot)) }
        return builder.finish()
    }

    private func write(_ row: Snapshot) throws {
        insertion.bind(1, row.key & ObjectKey.primaryKeyMask)
        insertion.bind(2, writer.number)
        insertion.bind(3, Int64(row.version))
        try bind(writer.fields, of: row, to: insertion, from: 4)
        try withExtendedLifetime(row) { try insertion.run() }
    }

    private func bind(
        _ fields: [RowWriter.Field], of row: Snapshot, to statement: SQLiteStatement, from first: Int32
    ) throws {
        for (place, field) in fields.enumerated() {
            try writer.bind(
                field, of: row, to: statement, at: first + Int32(place), numbers: store.schema.numbers,
                encode: { try transaction.encode($0) })
        }
    }

    /// Gives the values of a row that breaks a uniqueness constraint to the row that is there.
    private func update(_ row: Snapshot, _ given: GivenValues, after error: SQLiteError) throws -> ObjectKey {
        let session = SaveSession(store: store, connection: transaction.connection)
        let conflict = try session.constraintConflict(error, row, writer)
        guard let existing = conflict.existing, batch.layout.subtree.contains(existing.layoutIndex) else {
            throw error
        }
        let isWhole = batch.collision == .replaces
        let fields = writer.fields.filter { field in
            guard case .attribute = batch.layout.slots[field.slot].role else { return false }
            return isWhole || given.mask.contains(field.slot)
        }
        try transaction.noteFiles(of: fields.filter { $0.kind == .external }, writer.table, existing.primaryKey)
        let text = RowWriter.batchUpdateText(writer.table, fields.map(\.column))
        let statement = try transaction.connection.statement(.text(text)) { text }
        try bind(fields, of: row, to: statement, from: 1)
        statement.bind(Int32(fields.count + 1), existing.primaryKey)
        try withExtendedLifetime(row) { try statement.run() }
        statement.clear()
        transaction.changedRoots.insert(batch.layout.rootIndex)
        try transaction.history?.record(.update, existing, slots: fields.map(\.slot))
        return existing
    }
}

extension RowWriter {
    /// `UPDATE` of columns of the row of a key, whatever its version is; the version rises.
    static func batchUpdateText(_ table: String, _ columns: [String]) -> String {
        let version = SQLSchema.versionColumn
        let parts = ["\(version) = IFNULL(\(version), 0) + 1"] + columns.map { "\($0) = ?" }
        return "UPDATE \(table) SET \(parts.joined(separator: ", ")) WHERE \(SQLSchema.keyColumn) = ?"
    }
}

extension BatchTransaction {
    /// What a column that allows external storage shall hold for a value.
    func encode(_ bytes: UnsafeRawBufferPointer) throws -> Data {
        if let externalData = store.externalData { return try externalData.encode(bytes, &files) }
        return ExternalData.inline(bytes)
    }

    /// Notes the files that a row's columns name now: they are orphans once the row is changed.
    func noteFiles(of fields: [RowWriter.Field], _ table: String, _ key: Int64) throws {
        if fields.isEmpty { return }
        try SaveSession(store: store, connection: connection).noteFiles(of: fields, table, key, &files)
    }
}
