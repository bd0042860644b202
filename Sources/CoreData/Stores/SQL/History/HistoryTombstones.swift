import Foundation

/// The tombstones of persistent history: the preserved values of deleted rows, which are those of the attributes that
/// are marked `preservesValueInHistoryOnDeletion`.
package struct HistoryTombstones {
    private let store: SQLStore
    /// The number of columns for such values in the table of changes.
    private let places: Int
    /// The columns of the preserved values, by layout index.
    private var columns: [Int: [(slot: Int, column: String)]] = [:]
    /// The values that were read from rows whose deletion is not recorded yet.
    private var values: [ObjectKey: [SlotValue]] = [:]

    package init(store: SQLStore, places: Int) {
        self.store = store
        self.places = places
    }

    /// The slots whose values are preserved when a row is deleted, in the order of their columns: by name. Those of a
    /// composite attribute are preserved with it.
    package static func slots(of layout: EntityLayout) -> [Int] {
        layout.slots.indices.filter { index in
            let slot = layout.slots[index]
            guard case .attribute(let attribute) = slot.role else { return false }
            return slot.isPersistent
                && [attribute, slot.composite ?? attribute].contains(where: \.preservesValueInHistoryOnDeletion)
        }.sorted { layout.slots[$0].name < layout.slots[$1].name }
    }

    // MARK: Writing

    /// Reads the preserved values of rows that are about to be deleted.
    package mutating func read(_ keys: [ObjectKey], on connection: any SQLConnection) throws {
        if places == 0 { return }
        for (index, group) in Dictionary(grouping: keys, by: \.layoutIndex) {
            let columns = columns(of: index)
            guard !columns.isEmpty,
                let table = store.schema.table(ofRoot: store.layout.entities[index].rootIndex)?.name
            else { continue }
            let statement = try connection.statement(.history(.tombstone(layout: index))) {
                let key = SQLExpression.column(SQLSchema.keyColumn)
                let select = SQLSelect(
                    [key] + columns.map { .column($0.column) }, of: table, where: .isInParameter(key, 1))
                return .select(select)
            }
            let slots = store.layout.entities[index].slots
            let byKey = Dictionary(group.map { ($0.primaryKey, $0) }, uniquingKeysWith: { first, _ in first })
            try statement.rows({ $0.bind(1, list: Array(byKey.keys)) }) { row in
                guard let key = byKey[row.int64(0)] else { return }
                values[key] = columns.indices.map { place in
                    let value = plain(row.slotValue(place + 1), slots[columns[place].slot])
                    return store.capabilities.hasTypedColumns ? Self.bytes(of: value) : value
                }
            }
        }
    }

    /// Removes and returns the values that were read from a row, for the record of its deletion.
    package mutating func take(_ key: ObjectKey) -> [SlotValue] { values.removeValue(forKey: key) ?? [] }

    private mutating func columns(of index: Int) -> [(slot: Int, column: String)] {
        if let known = columns[index] { return known }
        let columns = Self.slots(of: store.layout.entities[index]).compactMap { slot in
            store.schema.column(layout: index, slot: slot).map { (slot: slot, column: $0) }
        }
        self.columns[index] = columns
        return columns
    }

    /// A value without the tag of external storage, because its file is removed with the row.
    private func plain(_ value: SlotValue, _ slot: Slot) -> SlotValue {
        guard store.schema.tagsExternalValues, RowShape.isExternal(slot), case .data(let data) = value else {
            return value
        }
        return data.withUnsafeBytes { bytes in
            guard let name = ExternalData.fileName(bytes) else { return .data(Data(ExternalData.inlineBytes(bytes))) }
            return ((try? store.externalData?.read(name)) ?? nil).map { .data($0) } ?? .null
        }
    }

    // MARK: Values as bytes

    // The column of a tombstone is a blob. If the database enforces that, numbers and texts are stored in it as UTF-8
    // texts.

    private static func bytes(of value: SlotValue) -> SlotValue {
        switch value {
        case .null, .data, .uuid: value
        case .int(let number): .data(Data("\(number)".utf8))
        case .double(let number): .data(Data("\(number)".utf8))
        case .decimal(let number): .data(Data("\(number)".utf8))
        case .string(let text): .data(Data(text.utf8))
        }
    }

    /// A value in the form of a column of its own type.
    private static func value(ofBytes stored: SlotValue, _ kind: SlotKind) -> SlotValue {
        guard case .data(let data) = stored else { return stored }
        let text = String(decoding: data, as: UTF8.self)
        return switch kind {
        case .integer, .boolean, .reference, .entityNumber, .order: Int64(text).map { .int($0) } ?? .null
        case .double, .float, .date: Double(text).map { .double($0) } ?? .null
        case .decimal, .string, .uri: .string(text)
        case .data, .transformable, .uuid: stored
        }
    }

    // MARK: Reading

    /// The preserved values of a deleted row by the names of their attributes; nil if there are none.
    ///
    /// - Parameters:
    ///   - first: the place of the first tombstone among the columns of the row.
    ///   - places: the number of columns for tombstones.
    package static func values(of slots: [Slot], in row: any SQLRow, from first: Int, places: Int) -> [String: Any]? {
        var values: [String: Any] = [:]
        for (place, slot) in slots.enumerated() where place < places {
            if let value = value(row.slotValue(first + place), slot) { values[slot.name] = value }
        }
        return values.isEmpty ? nil : values
    }

    private static func value(_ stored: SlotValue, _ slot: Slot) -> Any? {
        let stored = value(ofBytes: stored, slot.kind)
        if slot.kind == .transformable, case .attribute(let attribute) = slot.role {
            guard case .data(let data) = stored else { return nil }
            return TransformableCoding.object(from: data, of: attribute)
        }
        switch (slot.kind, stored) {
        case (.uuid, .data(let data)):
            guard data.count == 16 else { return nil }
            return data.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        case (.date, .int(let seconds)): return Date(timeIntervalSinceReferenceDate: Double(seconds))
        case (.decimal, .int(let number)): return NSDecimalNumber(decimal: Decimal(number))
        case (.decimal, .double(let number)):
            return DecimalStorage.decimal(number).map { NSDecimalNumber(decimal: $0) }
        case (.decimal, .string(let text)):
            return DecimalStorage.decimal(text).map { NSDecimalNumber(decimal: $0) }
        default: return stored.boxed(as: slot.kind)
        }
    }
}
