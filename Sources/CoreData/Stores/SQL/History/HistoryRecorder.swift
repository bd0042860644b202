// Implementation notes: Stores/SQL/History.
//
// - `HistoryRecorder` writes ATRANSACTION and ACHANGE within the transaction that it records, from the same change set.
// - The public classes (`History/`) are made from records that a store returns (`Stores/Protocols/HistoryStore`).
//   Predicates on history are evaluated in memory over views of those records.
// - A request for all of history reads the table of changes from its beginning to its end. A request for a part finds
//   the changes by the index of their transactions.

import Foundation

extension SQLStore {
    /// The recorder of one transaction's history; nil if the store keeps none.
    package func historyRecorder(on connection: any SQLConnection, origin: ChangeOrigin) -> HistoryRecorder? {
        guard tracksHistory, let historyTables else { return nil }
        return HistoryRecorder(store: self, tables: historyTables, connection: connection, origin: origin)
    }
}

/// Writes the history of one transaction of a store within that transaction. Writes nothing if there are no changes.
package final class HistoryRecorder {
    package enum ChangeType: Int64 {
        case insert = 0
        case update = 1
        case delete = 2
    }

    /// One row of ACHANGE.
    private struct Change {
        let number: Int64
        let type: ChangeType
        let entity: Int64
        let key: Int64
        /// For updates, the bits of the changed properties and this library's mark.
        var columns: (bits: Data, mark: Int64)?
        var tombstone: [SlotValue] = []
    }

    package let store: SQLStore
    private let tables: HistoryTables
    private let connection: any SQLConnection
    private let origin: ChangeOrigin
    /// Nil before the first change.
    private var transactionNumber: Int64?
    private var lastChange: Int64 = 0
    private var properties: [Int: HistoryProperties] = [:]
    private var tombstones: HistoryTombstones
    /// Changes that are not written yet, so that one call writes many rows.
    private var pending: [Change] = []
    private static let rowsTogether = 512

    package init(store: SQLStore, tables: HistoryTables, connection: any SQLConnection, origin: ChangeOrigin) {
        self.store = store
        self.tables = tables
        self.connection = connection
        self.origin = origin
        tombstones = HistoryTombstones(store: store, places: tables.tombstones)
    }

    /// Reads the values of rows that are about to be deleted, for their tombstones.
    package func readTombstones(of keys: [ObjectKey]) throws { try tombstones.read(keys, on: connection) }

    // MARK: Changes

    /// Records that a row was inserted, updated (with the slots and to-many relationships) or deleted.
    package func record(
        _ type: ChangeType, _ key: ObjectKey, slots: some Sequence<Int> = EmptyCollection<Int>(),
        toManys: some Sequence<Int> = EmptyCollection<Int>()
    ) throws {
        guard let number = store.schema.numbers[key.layoutIndex] else { return }
        if transactionNumber == nil { try begin() }
        lastChange += 1
        var change = Change(number: lastChange, type: type, entity: Int64(number), key: key.primaryKey)
        if type == .update {
            let properties = properties(of: key.layoutIndex)
            change.columns = (properties.columns(slots: slots, toManys: toManys), properties.mark)
        }
        if type == .delete { change.tombstone = tombstones.take(key) }
        pending.append(change)
        if pending.count == Self.rowsTogether { try writePending() }
    }

    private func writePending() throws {
        guard let transactionNumber, !pending.isEmpty else { return }
        let places = tables.tombstones
        let statement = try connection.statement(.history(.insertChange)) {
            let columns =
                [
                    "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZCOLUMNS", SQLSchema.versionColumn, SQLSchema.entityColumn,
                ] + (0..<places).map(HistoryTables.tombstone)
            let values = columns.indices.map { SQLExpression.parameter($0 + 1) }
            let numbers: [SQLExpression] =
                isNumbered
                ? [.function(.historyTransaction, [])]
                : [.parameter(columns.count + 1), .parameter(columns.count + 2)]
            return .insert(
                SQLInsert(
                    into: HistoryTables.changes,
                    columns + (isNumbered ? ["ZTRANSACTIONID"] : ["ZTRANSACTIONID", SQLSchema.keyColumn]),
                    .values(values + numbers)))
        }
        try statement.run(pending.count) { place, parameters in
            let change = pending[place]
            parameters.bind(1, change.type.rawValue)
            parameters.bind(2, change.entity)
            parameters.bind(3, change.key)
            if let columns = change.columns {
                parameters.bind(4, columns.bits)
                // Apple's framework leaves this column empty and does not read it.
                parameters.bind(5, columns.mark)
            } else {
                parameters.bindNull(4)
                parameters.bindNull(5)
            }
            parameters.bind(6, HistoryTables.changeEntity)
            for place in 0..<places {
                parameters.bind(7 + place, place < change.tombstone.count ? change.tombstone[place] : .null)
            }
            if isNumbered { return }
            parameters.bind(7 + places, transactionNumber)
            parameters.bind(8 + places, change.number)
        }
        pending.removeAll(keepingCapacity: true)
    }

    private func properties(of index: Int) -> HistoryProperties {
        if let known = properties[index] { return known }
        let new = HistoryProperties(store.layout.entities[index], mark: store.schema.historyMarks[index])
        properties[index] = new
        return new
    }

    // MARK: The transaction

    /// Whether the database numbers transactions, changes and names.
    private var isNumbered: Bool { store.capabilities.numbersHistory }

    private func begin() throws {
        let names = [
            origin.author, Bundle.main.bundleIdentifier, origin.contextName, ProcessInfo.processInfo.processName,
        ]
        if isNumbered {
            // The database assigns the number, and the connection reports it when the transaction has ended.
            transactionNumber = 0
            return try insertNumbered(names)
        }
        let number =
            try connection.highestKeyBeforeNew(
                in: HistoryTables.transactions, ofNumber: HistoryTables.transactionEntity) + 1
        lastChange = try connection.highestKeyBeforeNew(in: HistoryTables.changes, ofNumber: HistoryTables.changeEntity)
        let keys = try names.map { name in try name.flatMap { $0.isEmpty ? nil : try key(ofName: $0) } }
        let columns =
            [SQLSchema.keyColumn, SQLSchema.entityColumn, "ZTIMESTAMP"]
            + HistoryTables.names.map(HistoryTables.key)
        try connection.prepare(.insert(SQLInsert(into: HistoryTables.transactions, columns))).run { parameters in
            parameters.bind(1, number)
            parameters.bind(2, HistoryTables.transactionEntity)
            parameters.bind(3, Date().timeIntervalSinceReferenceDate)
            for (place, key) in keys.enumerated() { parameters.bind(4 + place, key.map { .int($0) } ?? .null) }
        }
        transactionNumber = number
    }

    private func insertNumbered(_ names: [String?]) throws {
        let statement = try connection.statement(.history(.insertTransaction)) {
            let columns =
                [SQLSchema.keyColumn, SQLSchema.entityColumn, "ZTIMESTAMP"]
                + HistoryTables.names.map(HistoryTables.key)
            let keys = names.indices.map { SQLExpression.function(.historyName, [.parameter($0 + 3)]) }
            return .insert(
                SQLInsert(
                    into: HistoryTables.transactions, columns,
                    .values([.function(.historyTransaction, []), .parameter(1), .parameter(2)] + keys)))
        }
        try statement.run { parameters in
            parameters.bind(1, HistoryTables.transactionEntity)
            parameters.bind(2, Date().timeIntervalSinceReferenceDate)
            for (place, name) in names.enumerated() {
                parameters.bind(3 + place, name.flatMap { $0.isEmpty ? nil : .string($0) } ?? .null)
            }
        }
    }

    private func key(ofName name: String) throws -> Int64 {
        let known = SQLSelect(
            [.column(SQLSchema.keyColumn)], of: HistoryTables.strings,
            where: .binary(.equal, .column("ZNAME"), .value(.string(name))))
        if let key = try connection.integer(known) { return key }
        let key =
            try connection.highestKeyBeforeNew(in: HistoryTables.strings, ofNumber: HistoryTables.stringEntity) + 1
        let columns = [SQLSchema.keyColumn, SQLSchema.entityColumn, "ZNAME"]
        try connection.prepare(.insert(SQLInsert(into: HistoryTables.strings, columns))).run { parameters in
            parameters.bind(1, key)
            parameters.bind(2, HistoryTables.stringEntity)
            parameters.bind(3, name)
        }
        try HistoryTables.setHighestKey(key, ofNumber: HistoryTables.stringEntity, on: connection)
        return key
    }

    /// Called after all changes are recorded, before the commit. Returns the number of the transaction, or 0 if the
    /// database assigns it; nil if there were no changes.
    @discardableResult
    package func finish() throws -> Int64? {
        guard let number = transactionNumber else { return nil }
        try writePending()
        transactionNumber = nil
        if isNumbered { return number }
        try HistoryTables.setHighestKey(number, ofNumber: HistoryTables.transactionEntity, on: connection)
        try HistoryTables.setHighestKey(lastChange, ofNumber: HistoryTables.changeEntity, on: connection)
        return number
    }
}
