import Foundation

/// The new store into which the rows of a damaged one are written.
///
/// Its indexes are created last, so that rows with values that are not unique are salvaged, too.
final class SalvageTarget {
    typealias Finding = StoreSalvageReport.Finding

    let connection: SQLiteConnection
    let layout: ModelLayout
    let schema: SQLSchema
    private(set) var report = StoreSalvageReport()
    private let url: URL
    private let transaction: FillingTransaction
    private let externalData: ExternalData
    private let lostData: ExternalData
    private var counts: [StoreSalvageReport.Entity]
    private var writers: [Int: Writer] = [:]
    /// The row versions that can occur.
    private static let versions = Int64(1)...Int64(Int32.max / 2)

    /// The writer of the rows of an entity.
    private struct Writer {
        struct Field {
            let slot: Slot
            let column: String
            /// The place of the value in the source rows; nil if they do not have it.
            let source: Int?
            let isExternal: Bool
            let isMandatory: Bool
        }

        let number: Int64
        let fields: [Field]
        let version: Int?
        let statement: any SQLPreparedStatement
    }

    /// Creates the store.
    ///
    /// - Parameters:
    ///   - files: a free address.
    ///   - metadata: those of the damaged store, as far as they are known.
    ///   - folder: the folder of the damaged store's external values.
    init(
        _ files: SQLiteStoreFiles, _ layout: ModelLayout, metadata: [String: Any], options: [AnyHashable: Any]?,
        externalFrom folder: URL
    ) throws {
        self.layout = layout
        url = files.main
        schema = SQLSchemaBuilder.schema(of: layout)
        var bare = schema
        bare.indexes = []
        var given = SQLStoreMetadata.ownKeys(of: metadata)
        for key in [NSStoreUUIDKey, NSStoreModelVersionIdentifiersKey] { given[key] = metadata[key] }
        given[SQLStoreMetadata.unfinishedKey] = "salvage"
        let settings = try SQLiteStoreOptions(options, url: url)
        connection = try SQLiteConnection(path: url.path, access: .create, busyTimeout: settings.timeout)
        SQLiteFunctions.register(on: connection)
        try settings.configure(connection, isWriter: true)
        _ = try SQLiteStoreCreation(layout: layout, schema: bare, entities: nil)
            .create(on: connection, settings: settings, url: url, with: given)
        externalData = ExternalData(folder: files.externalDataFolder, storeName: url.lastPathComponent)
        lostData = ExternalData(folder: folder)
        counts = layout.entities.map { StoreSalvageReport.Entity($0.name) }
        transaction = try FillingTransaction(connection, url)
    }

    func note(_ finding: Finding) { report.note(finding) }

    func noteLostRow(of layoutIndex: Int, _ key: Int64?, _ text: String) {
        counts[layoutIndex].lostRowCount += 1
        note(Finding(.row, of: layout.entities[layoutIndex].name, row: key, text))
    }

    func noteLostValue(_ kind: Finding.Kind, of layoutIndex: Int, key: Int64, property: String, text: String) {
        counts[layoutIndex].lostValueCount += 1
        note(Finding(kind, of: layout.entities[layoutIndex].name, row: key, property: property, text))
    }

    func notePages(_ count: Int, unread: [Int], found: Int) {
        (report.pageCount, report.unreadPages, report.foundPageCount) = (count, unread, found)
    }

    func notePairs(lost count: Int) {
        report.pairCount -= count
        report.lostPairCount += count
    }

    /// Commits from time to time.
    func keep() throws { try transaction.keep() }

    // MARK: Rows

    /// Writes a row of an entity. If there is already a row with this key, that row stays.
    func write(_ row: SalvagedRow, of layoutIndex: Int, from source: SalvageSchema, _ columns: [String]) throws {
        let writer = try writer(of: layoutIndex, source, columns)
        var notes: [(Finding.Kind, String, String)] = []
        let outcome = try writer.statement.run { parameters in
            parameters.bind(1, row.key)
            parameters.bind(2, writer.number)
            let version = writer.version.flatMap { row[$0].integer } ?? 1
            parameters.bind(3, Self.versions.contains(version) ? version : 1)
            for (place, field) in writer.fields.enumerated() {
                let (value, note) = try value(of: field, row)
                parameters.bind(place + 4, value)
                if let note { notes.append((.value, field.slot.name, note)) }
                if field.isMandatory, value.isNull, note == nil {
                    notes.append((.missingValue, field.slot.name, "has no value, and needs one"))
                }
            }
        }
        if outcome.changed == 0 {
            noteLostRow(
                of: layoutIndex, row.key, "page \(row.page) has another row of this number; the first one stays")
            return
        }
        counts[layoutIndex].rowCount += 1
        for (kind, property, text) in notes {
            noteLostValue(kind, of: layoutIndex, key: row.key, property: property, text: text)
        }
    }

    private func writer(of layoutIndex: Int, _ source: SalvageSchema, _ columns: [String]) throws -> Writer {
        if let known = writers[layoutIndex] { return known }
        let entity = layout.entities[layoutIndex]
        let table = schema.table(ofRoot: entity.rootIndex)?.name ?? ""
        let fields = entity.slots.enumerated().compactMap { number, slot -> Writer.Field? in
            guard let column = schema.columns[layoutIndex][number] else { return nil }
            // The number of a link's destination entity is set later, by the row at the destination.
            var place: Int?
            if slot.kind != .entityNumber {
                place = source.schema.columns[layoutIndex][number].flatMap(columns.firstIndex)
            }
            return Writer.Field(
                slot: slot, column: column, source: place, isExternal: RowShape.isExternal(slot),
                isMandatory: slot.property?.isOptional == false)
        }
        let fixed = [SQLSchema.keyColumn, SQLSchema.entityColumn, SQLSchema.versionColumn]
        let insertion = SQLInsert(into: table, fixed + fields.map(\.column), conflict: .keepsStored)
        let writer = Writer(
            number: Int64(schema.numbers[layoutIndex] ?? 0), fields: fields,
            version: columns.firstIndex(of: SQLSchema.versionColumn),
            statement: try connection.prepare(.insert(insertion)))
        writers[layoutIndex] = writer
        return writer
    }

    /// The value for a column, and a remark about it.
    private func value(of field: Writer.Field, _ row: SalvagedRow) throws -> (SlotValue, String?) {
        guard let place = field.source else { return (.null, nil) }
        switch row[place] {
        case .lost: return (.null, "cannot be read; it is nil now")
        case .repaired(let text):
            guard [.string, .uri].contains(field.slot.kind) else { return (.null, Self.unfit(.string(text))) }
            return (.string(text), "is damaged; the readable part is kept, with U+FFFD for the rest")
        case .whole(.null): return (.null, nil)
        case .whole(let value):
            guard field.slot.holds(value) else { return (.null, Self.unfit(value)) }
            if field.isExternal, case .data(let bytes) = value { return try external(bytes) }
            return (value, nil)
        }
    }

    private static func unfit(_ value: SlotValue) -> String {
        let shown =
            switch value {
            case .int(let number): "\(number)"
            case .double(let number): "\(number)"
            case .string(let text): "'\(text.prefix(40))'"
            case .data(let bytes): "\(bytes.count) bytes"
            case .null, .uuid, .decimal: "this"
            }
        return "\(shown) is no value of its type; it is nil now"
    }

    /// The value for bytes that may name an external file, which is copied.
    private func external(_ bytes: Data) throws -> (SlotValue, String?) {
        guard let name = bytes.withUnsafeBytes({ ExternalData.fileName($0) }) else { return (.data(bytes), nil) }
        let from = lostData.folder.appendingPathComponent(name)
        let to = externalData.folder.appendingPathComponent(name)
        do { try lostData.requireOwnFolders(.fileReadUnknown) } catch {
            return (.null, "its file \(name) is not read: \(error.localizedDescription) It is nil now")
        }
        guard FileKind(at: from) == .file else { return (.null, "its file \(name) is missing; it is nil now") }
        let size = FileKind.size(at: from)
        if size > ExternalData.largestValue {
            return (.null, "its file \(name) is not read: \(ExternalData.excess(size)); it is nil now")
        }
        if FileKind(at: to) == nil {
            try FilePermissions.makeFolder(externalData.folder)
            try FileManager.default.copyItem(at: from, to: to)
            FilePermissions.limit(to)
        }
        return (.data(bytes), nil)
    }

    // MARK: Pairs

    /// Writes the pairs of a join table. `columns` are the columns of the rows.
    func write(_ rows: [SalvagedRow], ofJoin index: Int, from source: SalvageSchema, _ columns: [String]) throws {
        let (old, new) = (source.schema.joins[index], schema.joins[index])
        let places =
            [
                (new.ownerColumn, old.ownerColumn), (new.memberColumn, old.memberColumn),
            ].map { ($0, columns.firstIndex(of: $1)) }
            + [
                (new.memberOrderColumn, old.memberOrderColumn), (new.ownerOrderColumn, old.ownerOrderColumn),
            ].compactMap { new, old in new.map { ($0, old.flatMap(columns.firstIndex)) } }
        let statement = try connection.prepare(
            .insert(SQLInsert(into: new.table, places.map(\.0), conflict: .keepsStored)))
        let outcome = try statement.run(rows.count) { number, parameters in
            for (place, column) in places.map(\.1).enumerated() {
                let key = column.flatMap { rows[number][$0].integer }
                key.map { parameters.bind(place + 1, $0) } ?? parameters.bindNull(place + 1)
            }
        }
        // A pair that is there twice counts as one link.
        report.pairCount += outcome.changed
    }

    // MARK: The end

    /// Completes the store, so that it can be opened.
    func finish() throws {
        report.entities = counts.filter { !$0.isEmpty }.sorted { $0.name < $1.name }
        try transaction.finish([:])
        connection.finalizeStatements()
    }

    /// Drops the prepared statements, so that the tables can be altered.
    func endRows() { writers = [:] }
}

extension StoreSalvageReport.Entity {
    /// Whether no row of the entity was found, read or unread.
    fileprivate var isEmpty: Bool { rowCount == 0 && lostRowCount == 0 && lostValueCount == 0 }
}
