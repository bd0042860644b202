import Foundation

extension SQLiteStore {
    /// What writes the history of one transaction; nil where the store keeps none.
    func historyRecorder(on connection: SQLiteConnection, origin: ChangeOrigin) -> HistoryRecorder? {
        guard tracksHistory, let historyTables else { return nil }
        return HistoryRecorder(store: self, tables: historyTables, connection: connection, origin: origin)
    }
}

/// Writes the history of one transaction of a store, within that transaction. Without changes nothing is written.
final class HistoryRecorder {
    enum ChangeType: Int64 {
        case insert = 0
        case update = 1
        case delete = 2
    }

    let store: SQLiteStore
    private let tables: HistoryTables
    private let connection: SQLiteConnection
    private let origin: ChangeOrigin
    /// Made with the first change.
    private var insertion: SQLiteStatement?
    private var transactionNumber: Int64 = 0
    private var lastChange: Int64 = 0
    private var properties: [Int: HistoryProperties] = [:]
    /// By layout index: the columns of the values that stay when a row is deleted.
    private var preserved: [Int: [(slot: Int, column: String)]] = [:]
    private var tombstones: [ObjectKey: [SlotValue]] = [:]

    init(store: SQLiteStore, tables: HistoryTables, connection: SQLiteConnection, origin: ChangeOrigin) {
        self.store = store
        self.tables = tables
        self.connection = connection
        self.origin = origin
    }

    // MARK: One change

    /// Records that a row was inserted, updated (which slots and to-many relationships) or deleted.
    func record(
        _ type: ChangeType, _ key: ObjectKey, slots: some Sequence<Int> = EmptyCollection<Int>(),
        toManys: some Sequence<Int> = EmptyCollection<Int>()
    ) throws {
        guard let number = store.schema.numbers[key.layoutIndex] else { return }
        let statement = try insertion ?? begin()
        lastChange += 1
        statement.bind(1, lastChange)
        statement.bind(2, HistoryTables.changeEntity)
        statement.bind(3, type.rawValue)
        statement.bind(4, Int64(number))
        statement.bind(5, key.primaryKey)
        statement.bind(6, transactionNumber)
        if type == .update {
            let properties = properties(of: key.layoutIndex)
            statement.bind(7, properties.columns(slots: slots, toManys: toManys))
            // Apple's framework leaves the column empty and does not look at it.
            statement.bind(8, properties.mark)
        } else {
            statement.bindNull(7)
            statement.bindNull(8)
        }
        let values = type == .delete ? tombstones.removeValue(forKey: key) ?? [] : []
        for place in 0..<tables.tombstones {
            statement.bind(Int32(9 + place), place < values.count ? values[place] : .null)
        }
        try statement.run()
    }

    private func properties(of index: Int) -> HistoryProperties {
        if let known = properties[index] { return known }
        let new = HistoryProperties(store.layout.entities[index])
        properties[index] = new
        return new
    }

    // MARK: The transaction

    private func begin() throws -> SQLiteStatement {
        transactionNumber = try highestKey("ATRANSACTION", HistoryTables.transactionEntity) + 1
        lastChange = try highestKey("ACHANGE", HistoryTables.changeEntity)
        let statement = try connection.prepare(
            "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP, ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS) "
                + "VALUES (?, ?, ?, ?, ?, ?, ?)")
        statement.bind(1, transactionNumber)
        statement.bind(2, HistoryTables.transactionEntity)
        statement.bind(3, Date().timeIntervalSinceReferenceDate)
        let names = [
            origin.author, Bundle.main.bundleIdentifier, origin.contextName, ProcessInfo.processInfo.processName,
        ]
        for (place, name) in names.enumerated() {
            if let name, !name.isEmpty {
                statement.bind(Int32(4 + place), try key(ofName: name))
            } else {
                statement.bindNull(Int32(4 + place))
            }
        }
        try statement.run()
        let columns =
            ["Z_PK", "Z_ENT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS", "Z_OPT"]
            + (0..<tables.tombstones).map { "ZTOMBSTONE\($0)" }
        let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        let new = try connection.prepare(
            "INSERT INTO ACHANGE (\(columns.joined(separator: ", "))) VALUES (\(marks))")
        insertion = new
        return new
    }

    private func key(ofName name: String) throws -> Int64 {
        let known = try connection.prepare("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?")
        known.bind(1, name)
        if try known.step() { return known.int64(0) }
        known.reset()
        let key = try highestKey("ATRANSACTIONSTRING", HistoryTables.stringEntity) + 1
        let insert = try connection.prepare("INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (?, ?, ?)")
        insert.bind(1, key)
        insert.bind(2, HistoryTables.stringEntity)
        insert.bind(3, name)
        try insert.run()
        try setHighestKey(key, HistoryTables.stringEntity)
        return key
    }

    private func highestKey(_ table: String, _ entity: Int64) throws -> Int64 {
        try connection.integer(
            "SELECT MAX(IFNULL((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(entity)), 0), "
                + "IFNULL((SELECT MAX(Z_PK) FROM \(table)), 0))") ?? 0
    }

    private func setHighestKey(_ key: Int64, _ entity: Int64) throws {
        try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(key) WHERE Z_ENT = \(entity)")
    }

    /// Called when all changes are recorded, before the commit; returns the number of the transaction if there were any.
    @discardableResult
    func finish() throws -> Int64? {
        guard insertion != nil else { return nil }
        try setHighestKey(transactionNumber, HistoryTables.transactionEntity)
        try setHighestKey(lastChange, HistoryTables.changeEntity)
        insertion = nil
        return transactionNumber
    }

    // MARK: Values of deleted rows

    /// Reads what stays of rows that are about to be deleted.
    func readTombstones(of keys: [ObjectKey]) throws {
        if tables.tombstones == 0 { return }
        for (index, group) in Dictionary(grouping: keys, by: \.layoutIndex) {
            let columns = preservedColumns(of: index)
            guard !columns.isEmpty,
                let table = store.schema.table(ofRoot: store.layout.entities[index].rootIndex)?.name
            else { continue }
            let text =
                "SELECT \(columns.map(\.column).joined(separator: ", ")) FROM \(table) WHERE \(SQLSchema.keyColumn) = ?"
            let statement = try connection.statement(.text(text)) { text }
            for key in group {
                statement.bind(1, key.primaryKey)
                if try statement.step() {
                    tombstones[key] = columns.indices.map { place in
                        plain(statement.slotValue(place), store.layout.entities[index].slots[columns[place].slot])
                    }
                }
                statement.reset()
            }
        }
    }

    private func preservedColumns(of index: Int) -> [(slot: Int, column: String)] {
        if let known = preserved[index] { return known }
        let columns = HistoryProperties.preserved(of: store.layout.entities[index]).compactMap { slot in
            store.schema.column(layout: index, slot: slot).map { (slot: slot, column: $0) }
        }
        preserved[index] = columns
        return columns
    }

    /// A value without the tag of external storage: its file goes with the row.
    private func plain(_ value: SlotValue, _ slot: Slot) -> SlotValue {
        guard RowDecoder.isExternal(slot), case .data(let data) = value else { return value }
        return data.withUnsafeBytes { bytes in
            guard let name = ExternalData.fileName(bytes) else { return .data(Data(ExternalData.inlineBytes(bytes))) }
            return ((try? store.externalData?.read(name)) ?? nil).map { .data($0) } ?? .null
        }
    }
}
