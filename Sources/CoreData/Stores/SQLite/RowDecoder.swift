import CSQLite
import Foundation

/// Turns rows of a SELECT straight into snapshots, for one entity and everything below it.
///
/// The columns are: key, entity, version, then every column that any of the entities stores. Made once per entity.
final class RowDecoder: @unchecked Sendable {  // immutable after init
    private struct Field {
        enum Kind: UInt8 {
            case integer, boolean, double, reference, entityNumber
            case bytes, external, uuid, decimal
        }
        var slot: Int32
        var column: Int32
        var kind: Kind
    }

    /// How the rows of one concrete entity are read.
    private final class Plan {
        let layout: EntityLayout
        let inline: [Field]
        let tails: [Field]
        /// Whether a row of the same version may be taken from the cache. Triggers change derived values without a new
        /// version, so rows with derived attributes are always read.
        let isCacheable: Bool

        init(layout: EntityLayout, inline: [Field], tails: [Field], isCacheable: Bool) {
            self.layout = layout
            self.inline = inline
            self.tails = tails
            self.isCacheable = isCacheable
        }
    }

    let rootIndex: Int
    /// The names of the columns after key, entity and version.
    let columnNames: [String]
    private var plans: [Plan?]
    /// Layout index by number in the store, -1 for none.
    private let layoutOfNumber: [Int]
    private let keyBase: Int64
    private let externalData: ExternalData?
    /// The store's file, for messages.
    private let fileName: String
    private let singleLayout: Int?
    /// The only entity of the table, when it holds rows of one only. Then the number in a row says nothing: migrations of
    /// the time left stale ones, and Apple's framework does not read it either.
    private let soleLayout: Int?

    init(
        layout: EntityLayout, schema: SQLSchema, storeNumber: Int, externalData: ExternalData?, fileName: String?
    ) {
        self.fileName = fileName ?? "the store in memory"
        rootIndex = layout.rootIndex
        keyBase = ObjectKey.key(storeNumber: storeNumber, primaryKey: 0)
        self.externalData = externalData
        let highest = schema.layoutOfNumber.keys.max() ?? 0
        var numbers = Array(repeating: -1, count: highest + 1)
        for (number, index) in schema.layoutOfNumber { numbers[number] = index }
        layoutOfNumber = numbers
        var names: [String] = []
        var places: [String: Int32] = [:]
        let model = layout.model
        plans = Array(repeating: nil, count: model.entities.count)
        for index in layout.subtree where schema.numbers[index] != nil {
            let entity = model.entities[index]
            var inline: [Field] = []
            var tails: [Field] = []
            var isCacheable = true
            for (number, slot) in entity.slots.enumerated() {
                guard let name = schema.columns[index][number] else { continue }
                let place: Int32
                if let known = places[name] {
                    place = known
                } else {
                    place = Int32(names.count + 3)
                    places[name] = place
                    names.append(name)
                }
                let kind: Field.Kind
                switch slot.kind {
                case .integer, .order: kind = .integer
                case .boolean: kind = .boolean
                case .double, .float, .date: kind = .double
                case .reference: kind = .reference
                case .entityNumber: kind = .entityNumber
                case .string, .uri: kind = .bytes
                case .data, .transformable: kind = Self.isExternal(slot) ? .external : .bytes
                case .uuid: kind = .uuid
                case .decimal: kind = .decimal
                }
                let field = Field(slot: Int32(number), column: place, kind: kind)
                if slot.kind.isInline { inline.append(field) } else { tails.append(field) }
                if slot.property?.isReadOnly == true { isCacheable = false }
            }
            plans[index] = Plan(layout: entity, inline: inline, tails: tails, isCacheable: isCacheable)
        }
        columnNames = names
        let stored = layout.subtree.filter { schema.numbers[$0] != nil }
        singleLayout = stored.count == 1 ? stored.first : nil
        soleLayout = schema.soleLayout(ofRoot: layout.rootIndex, in: model)
    }

    /// Whether a slot's values may lie in files of their own.
    static func isExternal(_ slot: Slot) -> Bool {
        guard case .attribute(let attribute) = slot.role else { return false }
        return attribute.allowsExternalBinaryDataStorage && (slot.kind == .data || slot.kind == .transformable)
    }

    /// The snapshot of the row the statement stands on; nil when its entity is none of the decoder's.
    ///
    /// With `refreshing` the row is always read and takes the place of the cached one; otherwise a cached row of the same
    /// version is handed out again.
    @inline(__always)
    func decode(_ statement: SQLiteStatement, cache: RowCache.Batch, refreshing: Bool) throws -> Snapshot? {
        let handle = statement.handle
        let primaryKey = sqlite3_value_int64(sqlite3_column_value(handle, 0))
        let number = Int(sqlite3_value_int64(sqlite3_column_value(handle, 1)))
        let version = Int32(truncatingIfNeeded: sqlite3_value_int64(sqlite3_column_value(handle, 2)))
        let index =
            soleLayout
            ?? (number > 0 && number < layoutOfNumber.count
                ? layoutOfNumber[number] : (number == 0 ? singleLayout ?? -1 : -1))
        guard index >= 0, let plan = plans[index] else { return nil }
        let key = keyBase | primaryKey
        if !refreshing, plan.isCacheable, let cached = cache.row(for: key, rootIndex: rootIndex),
            cached.version == version, cached.layoutIndex == index
        {
            return cached
        }
        let snapshot = try build(handle, plan, key, version)
        cache.insert(snapshot, rootIndex: rootIndex)
        return snapshot
    }

    /// The same without a cache: inside a transaction that may be rolled back.
    func decodeUncached(_ statement: SQLiteStatement) throws -> Snapshot? {
        let number = Int(statement.int64(1))
        let index =
            soleLayout ?? (number > 0 && number < layoutOfNumber.count ? layoutOfNumber[number] : singleLayout ?? -1)
        guard index >= 0, let plan = plans[index] else { return nil }
        return try build(
            statement.handle, plan, keyBase | statement.int64(0), Int32(truncatingIfNeeded: statement.int64(2)))
    }

    private func build(_ handle: OpaquePointer, _ plan: Plan, _ key: Int64, _ version: Int32) throws -> Snapshot {
        var tail = plan.layout.transientTailBytes
        var loaded: [Int32: Data?] = [:]
        for field in plan.tails {
            let value = sqlite3_column_value(handle, field.column)
            let type = sqlite3_value_type(value)
            if type == SQLITE_NULL { continue }
            switch field.kind {
            case .decimal: tail += SnapshotBuilder.decimalSize
            case .uuid: tail += 16
            case .external:
                let count = Int(sqlite3_value_bytes(value))
                if let externalData, let bytes = sqlite3_value_blob(value),
                    let name = ExternalData.fileName(UnsafeRawBufferPointer(start: bytes, count: count))
                {
                    let data = try externalData.read(name)
                    loaded.updateValue(data, forKey: field.column)
                    tail += data?.count ?? 0
                } else {
                    tail += count
                }
            default: tail += Int(sqlite3_value_bytes(value))
            }
        }
        var builder = SnapshotBuilder(layout: plan.layout, key: key, version: version, tailBytes: tail)
        for field in plan.inline {
            let value = sqlite3_column_value(handle, field.column)
            let type = sqlite3_value_type(value)
            if type == SQLITE_NULL { continue }
            if type != SQLITE_INTEGER, type != SQLITE_FLOAT { try requireNumber(value, field, plan, key) }
            let slot = Int(field.slot)
            switch field.kind {
            case .integer: builder.set(slot, int: sqlite3_value_int64(value))
            case .boolean: builder.set(slot, int: sqlite3_value_int64(value) != 0 ? 1 : 0)
            case .double: builder.set(slot, double: sqlite3_value_double(value))
            case .reference:
                let reference = sqlite3_value_int64(value)
                if reference > 0 { builder.set(slot, int: keyBase | reference) }
            case .entityNumber:
                let number = Int(sqlite3_value_int64(value))
                if number > 0, number < layoutOfNumber.count, layoutOfNumber[number] >= 0 {
                    builder.set(slot, int: Int64(layoutOfNumber[number]))
                }
            case .bytes, .external, .uuid, .decimal: break
            }
        }
        for field in plan.tails {
            let value = sqlite3_column_value(handle, field.column)
            let type = sqlite3_value_type(value)
            if type == SQLITE_NULL { continue }
            if !setTail(&builder, field, value, type, loaded) {
                throw damage(value, "is no \(field.kind == .uuid ? "UUID" : "decimal number")", field, plan, key)
            }
        }
        if plan.layout.hasTransientSlots {
            for (slot, value) in plan.layout.transientDefaults { builder.set(slot, value: value) }
        }
        return builder.finish()
    }

    /// A number that is not kept as one must at least be the text of one: SQLite would make 0 of anything else.
    @inline(never)
    private func requireNumber(_ value: OpaquePointer?, _ field: Field, _ plan: Plan, _ key: Int64) throws {
        if sqlite3_value_type(value) == SQLITE_TEXT {
            let type = sqlite3_value_numeric_type(value)
            if type == SQLITE_INTEGER || type == SQLITE_FLOAT { return }
        }
        throw damage(value, "is no number", field, plan, key)
    }

    /// The error of a value that its column cannot hold.
    private func damage(
        _ value: OpaquePointer?, _ what: String, _ field: Field, _ plan: Plan, _ key: Int64
    ) -> NSError {
        let name = plan.layout.slots[Int(field.slot)].name
        let form = sqlite3_value_type(value) == SQLITE_BLOB ? "a blob" : "a text"
        return NSError.coreData(
            CocoaError.Code.fileReadCorruptFile.rawValue,
            reason: "The file “\(fileName)” holds \(form) that \(what) in the column "
                + "\(columnNames[Int(field.column) - 3]) (\(plan.layout.name).\(name), row "
                + "\(key & ObjectKey.primaryKeyMask)).",
            userInfo: [NSValidationKeyErrorKey: name])
    }

    /// False when the bytes are no value of the slot's kind.
    @inline(__always)
    private func setTail(
        _ builder: inout SnapshotBuilder, _ field: Field, _ value: OpaquePointer?, _ type: Int32,
        _ loaded: [Int32: Data?]
    ) -> Bool {
        let slot = Int(field.slot)
        switch field.kind {
        case .bytes:
            // A text is read as a blob: that spares SQLite the copy with a zero byte behind it.
            let isText = type == SQLITE_TEXT || type == SQLITE_BLOB
            let base = isText ? sqlite3_value_blob(value) : UnsafeRawPointer(sqlite3_value_text(value))
            builder.set(slot, bytes: UnsafeRawBufferPointer(start: base, count: Int(sqlite3_value_bytes(value))))
        case .external:
            if let file = loaded[field.column] {
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
            case SQLITE_FLOAT: builder.set(slot, decimal: DecimalStorage.decimal(sqlite3_value_double(value)))
            default:
                if let text = sqlite3_value_text(value), let decimal = DecimalStorage.decimal(String(cString: text)) {
                    builder.set(slot, decimal: decimal)
                } else {
                    return sqlite3_value_bytes(value) == 0
                }
            }
        case .integer, .boolean, .double, .reference, .entityNumber: break
        }
        return true
    }

    /// The text of the SELECT's result list, every column behind an alias.
    func resultList(alias: String) -> String {
        ([SQLSchema.keyColumn, SQLSchema.entityColumn, SQLSchema.versionColumn] + columnNames)
            .map { "\(alias).\($0)" }.joined(separator: ", ")
    }

    /// The result list as values, for a `SQLSelect`.
    func results(alias: String) -> [SQLSelect.Result] {
        ([SQLSchema.keyColumn, SQLSchema.entityColumn, SQLSchema.versionColumn] + columnNames)
            .map { SQLSelect.Result(expression: .column(alias: alias, name: $0)) }
    }
}
