import Foundation

/// Binds the slots of a snapshot to the statements that write its row. There is one writer for each concrete entity.
package final class RowWriter {
    package struct Field {
        package enum Kind: UInt8 {
            case integer, double, text, blob, external, decimal, reference, entityNumber
        }
        package var slot: Int
        package var kind: Kind
        package var column: String
    }

    package let layout: EntityLayout
    package let table: String
    package let number: Int64
    package let fields: [Field]
    /// The places in `fields` by slot; -1 for slots without a column.
    private let placeOfSlot: [Int]
    package let externalFields: [Field]

    package init(layout: EntityLayout, schema: SQLSchema, table: String, number: Int) {
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
            case .data, .transformable:
                kind = RowShape.isExternal(slot) && schema.tagsExternalValues ? .external : .blob
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

    package func field(ofSlot slot: Int) -> Field? {
        let place = placeOfSlot[slot]
        return place < 0 ? nil : fields[place]
    }

    // MARK: Statements

    /// An INSERT of whole rows: key, number of the entity, version, then the fields.
    package var insert: SQLStatement {
        let fixed = [SQLSchema.keyColumn, SQLSchema.entityColumn, SQLSchema.versionColumn]
        return .insert(SQLInsert(into: table, fixed + fields.map(\.column)))
    }

    /// An UPDATE of the version and of fields, for the row of a key if it still has the old version.
    package func update(_ fields: [Field]) -> SQLStatement {
        var assignments = [SQLUpdate.Assignment(SQLSchema.versionColumn, .parameter(1))]
        for field in fields { assignments.append(.init(field.column, .parameter(assignments.count + 1))) }
        return .update(SQLUpdate(table, assignments, where: .isUnchanged(key: fields.count + 2)))
    }

    /// An UPDATE of columns of the row of a key, whatever its version. The version is raised.
    package static func update(_ table: String, _ columns: [String]) -> SQLStatement {
        var assignments = [risenVersion]
        for (place, column) in columns.enumerated() { assignments.append(.init(column, .parameter(place + 1))) }
        return .update(
            SQLUpdate(
                table, assignments,
                where: .hasKey(parameter: columns.count + 1)))
    }

    /// An assignment that raises the version of a row by 1.
    package static var risenVersion: SQLUpdate.Assignment {
        .init(
            SQLSchema.versionColumn,
            .binary(.add, .function(.coalesce, [.column(SQLSchema.versionColumn), .number(0)]), .number(1)))
    }

    // MARK: Binding

    /// Binds one slot. Strings and blobs are bound without a copy from the snapshot, which must exist until the
    /// statement has run. `encode` writes large values to files.
    @inline(__always)
    package func bind(
        _ field: Field, of row: Snapshot, to statement: any SQLParameters, at position: Int, numbers: [Int?],
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
            // The value was not validated: a default value, an object whose class overrides validation, or a migration.
            if number.isNaN { throw layout.slots[slot].notANumber(entity: layout.name) }
            if !statement.bind(position, number) { throw refused(slot, of: row, by: statement) }
        case .text:
            if !statement.bindText(position, at: row.bytes(slot)) { throw refused(slot, of: row, by: statement) }
        case .blob:
            if !statement.bindBlob(position, at: row.bytes(slot)) { throw refused(slot, of: row, by: statement) }
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

    /// The error for a value that the database cannot store.
    @inline(never)
    private func refused(_ slot: Int, of row: Snapshot, by statement: any SQLParameters) -> RefusedRow {
        let object = ObjectKey(layoutIndex: layout.index, key: row.key)
        return RefusedRow(
            object: object,
            error: layout.slots[slot].refused(statement.refusal, entity: layout.name, key: object.primaryKey))
    }

    /// The error for a row that the database refuses. It names the property, if that is known, and otherwise the
    /// object.
    package func refused(
        _ failure: any SQLFailure, _ object: ObjectKey, _ row: Snapshot?, on connection: any SQLConnection
    ) -> RefusedRow {
        let told = failure.nsError(doing: .saving)
        var values: [String: SlotValue] = [:]
        if let row {
            for field in fields where field.kind != .external {
                values[field.column] = row.value(field.slot, kind: layout.slots[field.slot].kind)
            }
        }
        guard let refusal = try? connection.refusal(of: failure, in: table, values) else {
            return RefusedRow(object: object, error: told)
        }
        let slots = fields.filter { refusal.columns.contains($0.column) }.map { layout.slots[$0.slot] }
        let reason = NSError.coreData(refusal.code, reason: refusal.reason)
        if let slot = slots.first, slots.count == 1 {
            return RefusedRow(
                object: object,
                error: slot.refused(reason, entity: layout.name, key: object.primaryKey, underlying: told))
        }
        let names = slots.isEmpty ? "" : " (\(slots.map(\.name).joined(separator: ", ")))"
        return RefusedRow(
            object: object,
            error: .coreData(
                refusal.code, reason: "\(layout.name)\(names) of the object p\(object.primaryKey): \(refusal.reason)",
                underlying: told))
    }
}
