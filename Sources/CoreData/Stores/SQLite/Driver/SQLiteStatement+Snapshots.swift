import CSQLite
import Foundation

// Makes snapshots of rows directly. Values are read from SQLite's memory, without a call of this framework for each
// value.
extension SQLiteStatement {
    func snapshots(
        of shape: RowShape, into cache: RowCache, refreshing: Bool, bind: (any SQLParameters) throws -> Void,
        body: ([Snapshot]) throws -> Void
    ) throws {
        let moment = connection.readSince ?? cache.moment
        try reading(bind) {
            var rows = RowIntake(shape, cache, since: moment, refreshing: refreshing)
            let sole = shape.solePlan
            var goesOn = true
            while goesOn {
                while !rows.isFull {
                    guard try step() else {
                        goesOn = false
                        break
                    }
                    // The branch avoids a copy of the plan for each row.
                    if let sole {
                        try take(shape, sole, &rows)
                    } else if let plan = planOfRow(shape) {
                        try take(shape, plan, &rows)
                    }
                }
                try rows.handOn(body)
            }
        }
    }

    func snapshot(_ shape: RowShape, _ cache: RowCache?, refreshing: Bool, key: Int64) throws -> Snapshot? {
        let moment = connection.readSince ?? cache?.moment
        bind(1, key)
        defer { reset() }
        guard try step(), let row = try snapshot(shape) else { return nil }
        guard let cache else { return row }
        return cache.batch(readSince: moment, rootIndex: shape.rootIndex) {
            shape.put(row, into: $0, refreshing: refreshing) ?? row
        }
    }

    /// The plan for the statement's current row; nil if the shape has no such entity.
    private func planOfRow(_ shape: RowShape) -> RowShape.Plan? {
        shape.plan(ofNumber: Int(sqlite3_value_int64(sqlite3_column_value(handle, 1))))?.plan
    }

    /// Takes the statement's current row into the row cache.
    @inline(__always)
    private func take(_ shape: RowShape, _ plan: RowShape.Plan, _ rows: inout RowIntake) throws {
        let primaryKey = sqlite3_value_int64(sqlite3_column_value(handle, 0))
        let version = Int32(truncatingIfNeeded: sqlite3_value_int64(sqlite3_column_value(handle, 2)))
        let key = try shape.key(primaryKey)
        try rows.take(key, version: version, plan) { try build(shape, plan: plan, key: key, version: version) }
    }

    /// The snapshot of the statement's current row; nil if the shape has no such entity.
    private func snapshot(_ shape: RowShape) throws -> Snapshot? {
        guard let (_, plan) = shape.plan(ofNumber: Int(int64(1))) else { return nil }
        return try build(shape, plan: plan, key: shape.key(int64(0)), version: Int32(truncatingIfNeeded: int64(2)))
    }

    private func build(
        _ shape: RowShape, plan: RowShape.Plan, key: Int64, version: Int32
    ) throws -> Snapshot {
        let layout = plan.layout
        var tail = layout.transientTailBytes
        let values = tailValues
        var loaded: [Int32: Data?]?
        for place in 0..<plan.tails.count {
            let field = plan.tails[place]
            let value = sqlite3_column_value(handle, field.column)
            let type = sqlite3_value_type(value)
            values[place] = TailValue(value: value, type: type, count: 0)
            if type == SQLITE_NULL { continue }
            switch field.kind {
            case .decimal: tail += SnapshotBuilder.decimalSize
            case .uuid: tail += 16
            case .external:
                let count = Int(sqlite3_value_bytes(value))
                if let externalData = shape.externalData, let bytes = sqlite3_value_blob(value),
                    let name = ExternalData.fileName(UnsafeRawBufferPointer(start: bytes, count: count))
                {
                    let data = try externalData.read(name)
                    loaded = loaded ?? [:]
                    loaded?.updateValue(data, forKey: field.column)
                    tail += data?.count ?? 0
                } else {
                    tail += count
                }
            default:
                let count = sqlite3_value_bytes(value)
                values[place].count = count
                tail += Int(count)
            }
        }
        var builder = SnapshotBuilder(layout: layout, key: key, version: version, tailBytes: tail)
        for place in 0..<plan.inline.count {
            let field = plan.inline[place]
            let value = sqlite3_column_value(handle, field.column)
            let type = sqlite3_value_type(value)
            if type == SQLITE_NULL { continue }
            if type != SQLITE_INTEGER, type != SQLITE_FLOAT {
                try requireNumber(value, field: field, shape: shape, plan: plan, key: key)
            }
            let slot = Int(field.slot)
            switch field.kind {
            case .integer: builder.set(slot, int: sqlite3_value_int64(value))
            case .boolean: builder.set(slot, int: sqlite3_value_int64(value) != 0 ? 1 : 0)
            case .double: builder.set(slot, double: sqlite3_value_double(value))
            case .reference:
                let reference = sqlite3_value_int64(value)
                if ObjectKey.isPrimaryKey(reference) {
                    builder.set(slot, int: shape.keyBase | reference)
                } else if reference > 0 {
                    throw shape.damage(
                        "The file “\(shape.fileName)” holds \(reference), which is beyond all keys,", field: field,
                        plan: plan, key: key)
                }
            case .entityNumber:
                if let index = shape.layoutIndex(ofNumber: Int(sqlite3_value_int64(value))) {
                    guard field.entities.contains(Int32(truncatingIfNeeded: index)) else {
                        throw shape.strangeEntity(index, field: field, plan: plan, key: key)
                    }
                    builder.set(slot, int: Int64(index))
                }
            case .bytes, .external, .uuid, .decimal: break
            }
        }
        for place in 0..<plan.tails.count {
            let found = values[place]
            if found.type == SQLITE_NULL { continue }
            let field = plan.tails[place]
            if field.kind == .bytes {
                // A text is read as a blob, so that SQLite does not copy it to add a zero byte.
                let isText = found.type == SQLITE_TEXT || found.type == SQLITE_BLOB
                let base =
                    isText ? sqlite3_value_blob(found.value) : UnsafeRawPointer(sqlite3_value_text(found.value))
                builder.set(Int(field.slot), bytes: UnsafeRawBufferPointer(start: base, count: Int(found.count)))
            } else if !setTail(&builder, field: field, value: found.value, type: found.type, loaded: loaded) {
                throw misfit(found, field: field, shape: shape, plan: plan, key: key)
            }
        }
        return builder.finish(withTransientsOf: layout)
    }

    /// Throws if a value that is not stored as a number is not even the text of one: SQLite would convert it to 0.
    @inline(never)
    private func requireNumber(
        _ value: OpaquePointer?, field: RowShape.Field, shape: RowShape, plan: RowShape.Plan, key: Int64
    ) throws {
        if sqlite3_value_type(value) == SQLITE_TEXT {
            let type = sqlite3_value_numeric_type(value)
            if type == SQLITE_INTEGER || type == SQLITE_FLOAT { return }
        }
        throw shape.damage(
            isBlob: sqlite3_value_type(value) == SQLITE_BLOB, "is no number", field: field, plan: plan, key: key)
    }

    /// The error for a value whose type does not fit its column.
    @inline(never)
    private func misfit(
        _ found: TailValue, field: RowShape.Field, shape: RowShape, plan: RowShape.Plan, key: Int64
    ) -> NSError {
        if found.type == SQLITE_FLOAT, field.kind == .decimal {
            let number = sqlite3_value_double(found.value)
            return shape.damage(
                "The file “\(shape.fileName)” holds \(number), which is larger than any decimal number,", field: field,
                plan: plan, key: key)
        }
        return shape.damage(
            isBlob: found.type == SQLITE_BLOB, "is no \(field.kind == .uuid ? "UUID" : "decimal number")", field: field,
            plan: plan, key: key)
    }

    /// Sets a value that is no text. Returns false if the bytes are no value of the slot's kind.
    private func setTail(
        _ builder: inout SnapshotBuilder, field: RowShape.Field, value: OpaquePointer?, type: Int32,
        loaded: [Int32: Data?]?
    ) -> Bool {
        let slot = Int(field.slot)
        switch field.kind {
        case .external:
            if let file = loaded?[field.column] {
                file?.withUnsafeBytes { builder.set(slot, bytes: $0) }
                return true
            }
            guard let base = sqlite3_value_blob(value) else { return true }
            let bytes = UnsafeRawBufferPointer(start: base, count: Int(sqlite3_value_bytes(value)))
            builder.set(slot, bytes: ExternalData.inlineBytes(bytes))
        case .uuid:
            if type == SQLITE_BLOB, sqlite3_value_bytes(value) == 16 {
                builder.set(slot, bytes: UnsafeRawBufferPointer(start: sqlite3_value_blob(value), count: 16))
            } else if let text = sqlite3_value_text(value), let uuid = UUID(uuidString: String(cString: text)) {
                builder.set(slot, uuid: uuid)
            } else {
                return sqlite3_value_bytes(value) == 0
            }
        case .decimal:
            switch type {
            case SQLITE_INTEGER: builder.set(slot, decimal: Decimal(sqlite3_value_int64(value)))
            case SQLITE_FLOAT:
                guard let decimal = DecimalStorage.decimal(sqlite3_value_double(value)) else { return false }
                builder.set(slot, decimal: decimal)
            default:
                if let text = sqlite3_value_text(value), let decimal = DecimalStorage.decimal(String(cString: text)) {
                    builder.set(slot, decimal: decimal)
                } else {
                    return sqlite3_value_bytes(value) == 0
                }
            }
        case .bytes, .integer, .boolean, .double, .reference, .entityNumber: break
        }
        return true
    }
}
