import CSQLite
import Foundation

/// Binds the slots of a snapshot to the statements that write it; one per concrete entity.
final class RowWriter {
    struct Field {
        enum Kind: UInt8 {
            case integer, double, text, blob, external, decimal, reference, entityNumber
        }
        var slot: Int
        var kind: Kind
        var column: String
    }

    let layout: EntityLayout
    let table: String
    let number: Int64
    let fields: [Field]
    /// Places in `fields` by slot, -1 for slots without a column.
    private let placeOfSlot: [Int]
    let externalFields: [Field]

    init(layout: EntityLayout, schema: SQLSchema, table: String, number: Int) {
        self.layout = layout
        self.table = table
        self.number = Int64(number)
        var fields: [Field] = []
        var places = Array(repeating: -1, count: layout.slots.count)
        for (index, slot) in layout.slots.enumerated() {
            guard let column = schema.columns[layout.index][index] else { continue }
            let kind: Field.Kind
            switch slot.kind {
            case .integer, .boolean, .order: kind = .integer
            case .double, .float, .date: kind = .double
            case .string, .uri: kind = .text
            case .data, .transformable: kind = RowDecoder.isExternal(slot) ? .external : .blob
            case .uuid: kind = .blob
            case .decimal: kind = .decimal
            case .reference: kind = .reference
            case .entityNumber: kind = .entityNumber
            }
            places[index] = fields.count
            fields.append(Field(slot: index, kind: kind, column: column))
        }
        self.fields = fields
        placeOfSlot = places
        externalFields = fields.filter { $0.kind == .external }
    }

    func field(ofSlot slot: Int) -> Field? {
        let place = placeOfSlot[slot]
        return place < 0 ? nil : fields[place]
    }

    // MARK: Statements

    var insertText: String {
        let names = [SQLSchema.keyColumn, SQLSchema.entityColumn, SQLSchema.versionColumn] + fields.map(\.column)
        let marks = Array(repeating: "?", count: names.count).joined(separator: ", ")
        return "INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES (\(marks))"
    }

    /// `UPDATE` of the version and the changed columns, for the row of a key if it still has the old version.
    func updateText(_ changed: SlotMask) -> String {
        var parts = ["\(SQLSchema.versionColumn) = ?"]
        changed.forEach { slot in
            if let field = field(ofSlot: slot) { parts.append("\(field.column) = ?") }
        }
        return "UPDATE \(table) SET \(parts.joined(separator: ", ")) "
            + "WHERE \(SQLSchema.keyColumn) = ? AND \(SQLSchema.versionColumn) = ?"
    }

    // MARK: Binding

    /// Binds one slot. Strings and blobs are bound where they lie in the snapshot, which must live until the statement has
    /// run. `store` turns large values into files.
    @inline(__always)
    func bind(
        _ field: Field, of row: Snapshot, to statement: SQLiteStatement, at position: Int32, numbers: [Int?],
        encode: (UnsafeRawBufferPointer) throws -> Data
    ) throws {
        let slot = field.slot
        if row.isNull(slot) {
            statement.bindNull(position)
            return
        }
        switch field.kind {
        case .integer: statement.bind(position, row.int(slot))
        case .double:
            let number = row.double(slot)
            // No validation has seen it: a default value, an object whose class does not ask, a migration.
            if number.isNaN { throw ObjectValidation.notANumber(layout.slots[slot], entity: layout.name) }
            statement.bind(position, number)
        case .text: statement.bindStaticText(position, row.bytes(slot))
        case .blob: statement.bindStaticBlob(position, row.bytes(slot))
        case .reference: statement.bind(position, row.int(slot) & ObjectKey.primaryKeyMask)
        case .entityNumber:
            let index = Int(row.int(slot))
            if index < numbers.count, let number = numbers[index] {
                statement.bind(position, Int64(number))
            } else {
                statement.bindNull(position)
            }
        case .decimal: statement.bind(position, decimal: row.decimal(slot))
        case .external: statement.bind(position, try encode(row.bytes(slot)))
        }
    }
}
