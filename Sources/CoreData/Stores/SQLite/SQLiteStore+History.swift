import CSQLite
import Foundation

extension SQLiteStore: HistoryStore {
    func lastTransactionNumber() throws -> Int64 {
        guard historyTables != nil else { return 0 }
        return try reading { reader in
            let entity = HistoryTables.transactionEntity
            return try reader.connection.integer(
                "SELECT MAX(IFNULL((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(entity)), 0), "
                    + "IFNULL((SELECT MAX(Z_PK) FROM ATRANSACTION), 0))") ?? 0
        }
    }

    func isComplete(after number: Int64) throws -> Bool {
        let last = try lastTransactionNumber()
        if number >= last { return number == last }
        let oldest = try reading { try $0.connection.integer("SELECT MIN(Z_PK) FROM ATRANSACTION") }
        return oldest.map { $0 <= number + 1 } ?? false
    }

    func number(ofEntityNamed name: String) -> Int? {
        layout.layout(named: name).flatMap { schema.numbers[$0.index] }
    }

    // MARK: Reading

    func transactions(_ interval: HistoryInterval, _ body: (HistoryTransactionRecord) throws -> Void) throws {
        guard let historyTables else { return }
        let names = ["AUTHOR", "BUNDLEID", "CONTEXTNAME", "PROCESSID"]
        let columns = names.map { name in
            historyTables.hasStrings
                ? "IFNULL((SELECT ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK = t.Z\(name)TS), t.Z\(name))" : "t.Z\(name)"
        }
        let (condition, value) = Self.condition(interval)
        try reading { reader in
            let statement = try reader.connection.prepare(
                "SELECT t.Z_PK, t.ZTIMESTAMP, \(columns.joined(separator: ", ")) FROM ATRANSACTION t "
                    + "WHERE \(condition) ORDER BY t.Z_PK")
            statement.bind(1, value)
            while try statement.step() {
                func text(_ column: Int) -> String? {
                    statement.isNull(column) ? nil : statement.string(column)
                }
                try body(
                    HistoryTransactionRecord(
                        number: statement.int64(0),
                        timestamp: Date(timeIntervalSinceReferenceDate: statement.double(1)), author: text(2),
                        bundleID: text(3), contextName: text(4), processID: text(5)))
            }
        }
    }

    func changes(_ interval: HistoryInterval, _ body: (HistoryChangeRecord) throws -> Void) throws {
        guard let historyTables else { return }
        let columns =
            ["c.Z_PK", "c.ZTRANSACTIONID", "c.ZCHANGETYPE", "c.ZENTITY", "c.ZENTITYPK", "c.ZCOLUMNS", "c.Z_OPT"]
            + [historyTables.isOfApple, historyTables.isOf2017]
            + (0..<historyTables.tombstones).map { "c.ZTOMBSTONE\($0)" }
        let (condition, value) = Self.condition(interval)
        var properties: [Int: HistoryProperties] = [:]
        var preserved: [Int: [Slot]] = [:]
        try reading { reader in
            let statement = try reader.connection.prepare(
                "SELECT \(columns.joined(separator: ", ")) FROM ATRANSACTION t "
                    + "JOIN ACHANGE c ON c.ZTRANSACTIONID = t.Z_PK WHERE \(condition) ORDER BY t.Z_PK, c.Z_PK")
            statement.bind(1, value)
            while try statement.step() {
                let number = Int(statement.int64(3))
                guard let index = schema.layoutOfNumber[number],
                    let type = NSPersistentHistoryChangeType(rawValue: Int(statement.int64(2)))
                else { continue }
                var record = HistoryChangeRecord(
                    changeID: statement.int64(0), transaction: statement.int64(1), type: type,
                    key: ObjectKey(
                        layoutIndex: index,
                        key: ObjectKey.key(storeNumber: storeNumber, primaryKey: statement.int64(4))),
                    entityNumber: number)
                switch type {
                case .insert: break
                case .update:
                    let layout = layout.entities[index]
                    let bits = properties[index] ?? HistoryProperties(layout)
                    properties[index] = bits
                    record.updatedProperties = bits.properties(in: statement.data(5), by: Self.writer(statement))
                case .delete:
                    let entity = layout.entities[index]
                    let slots = preserved[index] ?? HistoryProperties.preserved(of: entity).map { entity.slots[$0] }
                    preserved[index] = slots
                    record.tombstone = Self.tombstone(statement, slots, historyTables.tombstones)
                }
                try body(record)
            }
        }
    }

    func changeCount(_ interval: HistoryInterval) throws -> Int {
        guard historyTables != nil else { return 0 }
        let (condition, value) = Self.condition(interval)
        let entities = schema.layoutOfNumber.keys.map { Int64($0) }.jsonArray
        return try reading { reader in
            let statement = try reader.connection.prepare(
                "SELECT COUNT(*) FROM ATRANSACTION t JOIN ACHANGE c ON c.ZTRANSACTIONID = t.Z_PK WHERE \(condition) "
                    + "AND c.ZCHANGETYPE BETWEEN 0 AND 2 AND c.ZENTITY IN (SELECT value FROM json_each(?2))")
            statement.bind(1, value)
            statement.bind(2, entities)
            return try statement.step() ? Int(statement.int64(0)) : 0
        }
    }

    /// Who wrote the change that the statement stands on.
    private static func writer(_ statement: SQLiteStatement) -> HistoryWriter {
        if !statement.isNull(6) { return .library(mark: statement.int64(6)) }
        return statement.int64(7) != 0 ? .apple(isOf2017: statement.int64(8) != 0) : .unknown
    }

    /// What stays of a deleted row, in the columns behind the fixed ones.
    private static func tombstone(_ statement: SQLiteStatement, _ slots: [Slot], _ columns: Int) -> [String: Any]? {
        var values: [String: Any] = [:]
        for (place, slot) in slots.enumerated() where place < columns {
            let value = value(statement.slotValue(9 + place), slot)
            if let value { values[slot.name] = value }
        }
        return values.isEmpty ? nil : values
    }

    private static func value(_ stored: SlotValue, _ slot: Slot) -> Any? {
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
        case (.decimal, .double(let number)): return NSDecimalNumber(decimal: DecimalStorage.decimal(number))
        case (.decimal, .string(let text)):
            return DecimalStorage.decimal(text).map { NSDecimalNumber(decimal: $0) }
        default: return stored.boxed(as: slot.kind)
        }
    }

    /// The condition on a transaction `t`, with one value to bind.
    private static func condition(_ interval: HistoryInterval) -> (String, SlotValue) {
        switch interval {
        case .all: ("?1 IS NULL", .null)
        case .none: ("?1 IS NOT NULL", .null)
        case .afterNumber(let number): ("t.Z_PK > ?1", .int(number))
        case .beforeNumber(let number): ("t.Z_PK < ?1", .int(number))
        case .afterDate(let date): ("t.ZTIMESTAMP > ?1", .double(date.timeIntervalSinceReferenceDate))
        case .beforeDate(let date): ("t.ZTIMESTAMP < ?1", .double(date.timeIntervalSinceReferenceDate))
        }
    }

    // MARK: Deleting

    func deleteHistory(_ interval: HistoryInterval) throws -> Int {
        guard let historyTables else { return 0 }
        let (condition, value) = Self.condition(interval)
        return try writing { connection in
            try connection.transaction {
                let changes = try connection.prepare(
                    "DELETE FROM ACHANGE WHERE ZTRANSACTIONID IN (SELECT t.Z_PK FROM ATRANSACTION t WHERE \(condition))"
                )
                changes.bind(1, value)
                try changes.run()
                let count = connection.changes
                let transactions = try connection.prepare("DELETE FROM ATRANSACTION AS t WHERE \(condition)")
                transactions.bind(1, value)
                try transactions.run()
                if connection.changes > 0, historyTables.hasStrings {
                    let used = ["AUTHOR", "BUNDLEID", "CONTEXTNAME", "PROCESSID"].map {
                        "SELECT Z\($0)TS FROM ATRANSACTION WHERE Z\($0)TS IS NOT NULL"
                    }
                    try connection.execute(
                        "DELETE FROM ATRANSACTIONSTRING WHERE Z_PK NOT IN (\(used.joined(separator: " UNION ")))")
                }
                return count
            }
        }
    }
}
