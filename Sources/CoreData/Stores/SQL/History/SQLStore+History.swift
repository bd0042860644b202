import Foundation

extension SQLStore: HistoryStore {
    package final var history: (any HistoryStore)? { self }

    package final var lastRecordedTransaction: Int64? { recordedSaves.lastTransaction }

    package final func record(savesIn log: SaveLog) { recordedSaves.add(log) }

    package func lastTransactionNumber() throws -> Int64 {
        guard historyTables != nil else { return 0 }
        if capabilities.numbersHistory { return try lastEndedTransaction() }
        return try reading {
            try $0.highestKey(in: HistoryTables.transactions, ofNumber: HistoryTables.transactionEntity)
        }
    }

    /// The newest transaction before which no other one is still running. A deleted one counts, because its number is
    /// recorded.
    private func lastEndedTransaction() throws -> Int64 {
        try awaitOlderTransactions()
        let key = SQLExpression.column(SQLSchema.keyColumn)
        let ended = SQLSelect(
            [.function(.max, [key])], of: HistoryTables.transactions, where: .binary(.less, key, bound))
        return try reading { try max($0.integer(ended) ?? 0, $0.integer(Self.newestDeleted) ?? 0) }
    }

    /// If a committed transaction waits for an older one that is still running, this waits for up to a second, too,
    /// because most are short. Later readings return what is still missing then.
    private func awaitOlderTransactions() throws {
        guard capabilities.numbersHistory else { return }
        guard let number = try reading({ try $0.integer(HistoryTables.newestTransaction) }) else { return }
        var attempts = Attempts(RetryPolicy(pauses: 0.0005...0.0005, upTo: 0.05, timeout: 1))
        while let found = try readingOnce({ try $0.integer(Self.boundOfHistory) }), reachedBound(found) <= number,
            attempts.goOn()
        {}
    }

    /// The number before which all transactions have ended: the number that the database gives, or an earlier one,
    /// which stays valid. The database may give a lower one for a moment, if a transaction of another database of the
    /// server ends at that moment. A SELECT of its own is computed once for a statement, and not for each row.
    private var bound: SQLExpression {
        .function(.greatest, [.scalar(Self.boundOfHistory), .value(.int(reachedBound(0)))])
    }

    /// The highest bound that the database has given so far, including the present one.
    private func reachedBound(_ told: Int64) -> Int64 {
        highestBound.withLock { highest in
            highest = max(highest, told)
            return highest
        }
    }

    private static let boundOfHistory = SQLSelect(
        results: [.init(expression: .function(.historyBound, []))], from: .nothing)

    private static let newestDeleted = SQLSelect(
        [.column(SQLBookkeeping.Keys.highest)], of: SQLBookkeeping.Keys.table,
        where: .binary(
            .equal, .column(SQLBookkeeping.Keys.number), .value(.int(HistoryTables.transactionEntity))))

    package func isComplete(after number: Int64) throws -> Bool {
        if capabilities.numbersHistory {
            let end = SQLSelect(results: [.init(expression: .function(.historyEnd, []))], from: .nothing)
            return try reading { connection in
                try number >= connection.integer(Self.newestDeleted) ?? 0 && number < connection.integer(end) ?? 0
            }
        }
        let last = try lastTransactionNumber()
        if number >= last { return number == last }
        let oldest = SQLSelect([.function(.min, [.column(SQLSchema.keyColumn)])], of: HistoryTables.transactions)
        return try reading { try $0.integer(oldest) }.map { $0 <= number + 1 } ?? false
    }

    package func number(ofEntityNamed name: String) -> Int? {
        layout.layout(named: name).flatMap { schema.numbers[$0.index] }
    }

    // MARK: Reading

    /// The error for a history that no program can have written.
    private func damagedHistory(_ what: String) -> NSError {
        .coreData(
            CocoaError.Code.fileReadCorruptFile.rawValue,
            reason: "The history of the store “\(url?.lastPathComponent ?? "")” is damaged: \(what).",
            remedy: "Delete the history, and let its readers fetch all objects again.", url: url)
    }

    /// Throws if a store that seems to keep no history has lost a part of it.
    private func requireNoHistory() throws {
        let present = try reading { try $0.tableNames() }
        let tables = [HistoryTables.transactions, HistoryTables.changes]
        let lost = tables.filter { !present.contains($0) }
        if lost.count == 1 { throw damagedHistory("its table \(lost[0]) is missing") }
    }

    package func transactions(_ interval: HistoryInterval, _ body: (HistoryTransactionRecord) throws -> Void) throws {
        guard let historyTables else { return try requireNoHistory() }
        try awaitOlderTransactions()
        let key = HistoryTables.ofTransaction(SQLSchema.keyColumn)
        let names = HistoryTables.names.map { historyTables.text(ofName: $0) }
        var select = SQLSelect(
            [key, HistoryTables.ofTransaction("ZTIMESTAMP")] + names, of: HistoryTables.transactions, as: "t",
            where: condition(interval))
        select.order = SQLSelect.Order.keys([key])
        var numbers: [Int64] = []
        defer { if !numbers.isEmpty { database.didRead(transactions: numbers) } }
        try reading { connection in
            try connection.prepare(.select(select)).stream({ _ in }) { row in
                if capabilities.numbersHistory { numbers.append(row.int64(0)) }
                func text(_ place: Int) -> String? { row.isNull(place) ? nil : row.string(place) }
                try body(
                    HistoryTransactionRecord(
                        number: row.int64(0), timestamp: Date(timeIntervalSinceReferenceDate: row.double(1)),
                        author: text(2), bundleID: text(3), contextName: text(4), processID: text(5)))
            }
        }
    }

    /// The caller requests the changes of transactions that it has already read. So this does not exclude transactions
    /// with an older one that is still running, because these may be other transactions by now.
    package func changes(_ interval: HistoryInterval, _ body: (HistoryChangeRecord) throws -> Void) throws {
        guard let historyTables else { return }
        let isWhole = try isWholeHistory(interval)
        let columns =
            [
                SQLSchema.keyColumn, "ZTRANSACTIONID", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZCOLUMNS",
                SQLSchema.versionColumn,
            ].map(HistoryTables.ofChange)
            + [historyTables.isOfApple, historyTables.isOf2017].map { question in
                let ofItsTransaction = SQLExpression.scalar(
                    SQLSelect([question], of: HistoryTables.transactions, as: "t", where: Self.isOfChange))
                // The condition is not evaluated for a change that has this library's mark.
                return .choice(
                    .isNull(HistoryTables.ofChange(SQLSchema.versionColumn)), isWhole ? ofItsTransaction : question,
                    .alwaysFalse)
            }
            + (0..<historyTables.tombstones).map { HistoryTables.ofChange(HistoryTables.tombstone($0)) }
        let key = HistoryTables.ofChange(SQLSchema.keyColumn)
        var select: SQLSelect
        if isWhole {
            // Reads the table from its beginning to its end, without a search of the transaction for each row.
            select = SQLSelect(columns, of: HistoryTables.changes, as: "c")
            select.order = SQLSelect.Order.keys([key])
        } else {
            select = SQLSelect(
                columns, of: HistoryTables.transactions, as: "t", joins: [Self.changesOfTransaction],
                where: Self.condition(interval))
            select.order = SQLSelect.Order.keys([HistoryTables.ofTransaction(SQLSchema.keyColumn), key])
        }
        var masks = HistoryMasks(layout, marks: schema.historyMarks, others: try propertiesOfOtherVersions())
        var preserved: [Int: [Slot]] = [:]
        var latest: (number: Int, index: Int?)?
        try reading { connection in
            try connection.prepare(.select(select)).stream({ _ in }) { row in
                let number = Int(row.int64(3))
                if latest?.number != number { latest = (number, schema.layoutOfNumber[number]) }
                guard let type = NSPersistentHistoryChangeType(rawValue: Int(row.int64(2))) else {
                    throw damagedHistory(
                        "the row \(row.int64(0)) of \(HistoryTables.changes) has the unknown type \(row.int64(2))")
                }
                guard let index = latest?.index else {
                    // The model had an entity with this number in an older version, if the number is possible at all.
                    guard (1...Int(Int32.max)).contains(number) else {
                        throw damagedHistory(
                            "the row \(row.int64(0)) of \(HistoryTables.changes) has the entity number \(number)")
                    }
                    return
                }
                var record = HistoryChangeRecord(
                    changeID: row.int64(0), transaction: row.int64(1), type: type,
                    key: ObjectKey(
                        layoutIndex: index,
                        key: try self.key(row.int64(4), in: HistoryTables.changes)),
                    entityNumber: number)
                switch type {
                case .insert: break
                case .update:
                    record.updatedProperties = masks.properties(in: row.data(5), ofEntity: index, by: Self.writer(row))
                case .delete:
                    let entity = layout.entities[index]
                    let slots = preserved[index] ?? HistoryTombstones.slots(of: entity).map { entity.slots[$0] }
                    preserved[index] = slots
                    record.tombstone = HistoryTombstones.values(
                        of: slots, in: row, from: 9, places: historyTables.tombstones)
                }
                try body(record)
            }
        }
    }

    private func propertiesOfOtherVersions() throws -> [Int: [Int64: [String?]]] {
        var byIndex: [Int: [Int64: [String?]]] = [:]
        for (number, names) in try database.propertiesOfOtherVersions() {
            if let index = schema.layoutOfNumber[number] { byIndex[index] = names }
        }
        return byIndex
    }

    package func changeCount(_ interval: HistoryInterval) throws -> Int {
        guard historyTables != nil else { return 0 }
        try awaitOlderTransactions()
        let entities = schema.layoutOfNumber.keys.sorted().map { SlotValue.int(Int64($0)) }
        let select = SQLSelect(
            [.countAll], of: HistoryTables.transactions, as: "t", joins: [Self.changesOfTransaction],
            where: .and([
                condition(interval),
                .between(HistoryTables.ofChange("ZCHANGETYPE"), .number(0), .number(2)),
                .isInArray(HistoryTables.ofChange("ZENTITY"), entities),
            ]))
        return Int(try reading { try $0.integer(select) } ?? 0)
    }

    private static let isOfChange = SQLExpression.binary(
        .equal, HistoryTables.ofChange("ZTRANSACTIONID"), HistoryTables.ofTransaction(SQLSchema.keyColumn))

    private static let changesOfTransaction = SQLSelect.Join(
        table: HistoryTables.changes, alias: "c", on: isOfChange, isLeft: false)

    /// Whether all transactions are in an interval.
    private func isWholeHistory(_ interval: HistoryInterval) throws -> Bool {
        if case .all = interval { return true }
        var others = SQLSelect(
            [HistoryTables.ofTransaction(SQLSchema.keyColumn)], of: HistoryTables.transactions, as: "t",
            where: .not(Self.condition(interval)))
        others.limit = 1
        return try reading { try $0.integer(others) } == nil
    }

    /// The writer of a change.
    private static func writer(_ row: any SQLRow) -> HistoryWriter {
        if !row.isNull(6) { return .library(mark: row.int64(6)) }
        return row.int64(7) != 0 ? .apple(isOf2017: row.int64(8) != 0) : .unknown
    }

    /// The condition on a transaction `t`. If transactions are numbered when they begin, one with a lower number than a
    /// token's may still be running. Transactions that are not older than all running ones are left for a later
    /// reading.
    private func condition(_ interval: HistoryInterval) -> SQLExpression {
        guard capabilities.numbersHistory else { return Self.condition(interval) }
        return .and([
            Self.condition(interval),
            .binary(.less, HistoryTables.ofTransaction(SQLSchema.keyColumn), bound),
        ])
    }

    private static func condition(_ interval: HistoryInterval) -> SQLExpression {
        let number = HistoryTables.ofTransaction(SQLSchema.keyColumn)
        let time = HistoryTables.ofTransaction("ZTIMESTAMP")
        return switch interval {
        case .all: .alwaysTrue
        case .none: .alwaysFalse
        case .afterNumber(let given): .binary(.greater, number, .value(.int(given)))
        case .beforeNumber(let given): .binary(.less, number, .value(.int(given)))
        case .afterDate(let date): .binary(.greater, time, .value(.double(date.timeIntervalSinceReferenceDate)))
        case .beforeDate(let date): .binary(.less, time, .value(.double(date.timeIntervalSinceReferenceDate)))
        }
    }

    // MARK: Deleting

    package func deleteHistory(_ interval: HistoryInterval) throws -> Int {
        try deleteHistory(interval, withNames: true)
    }

    /// Deletes transactions, and the names of authors and contexts that no other transaction has. Code that deletes in
    /// slices searches for those names once.
    package func deleteHistory(_ interval: HistoryInterval, withNames: Bool) throws -> Int {
        guard let historyTables else { return 0 }
        try awaitOlderTransactions()
        let key = SQLExpression.column(SQLSchema.keyColumn)
        let number = HistoryTables.ofTransaction(SQLSchema.keyColumn)
        return try writing { connection in
            try connection.transaction {
                try requireSameModel(connection)
                var conditions = [Self.condition(interval)]
                if capabilities.numbersHistory {
                    // The bound is read once, because other transactions commit between the statements and the bound
                    // moves.
                    let bound = reachedBound(try connection.integer(Self.boundOfHistory) ?? 0)
                    conditions.append(.binary(.less, number, .value(.int(bound))))
                }
                let doomed = SQLSelect(
                    [number], of: HistoryTables.transactions, as: "t", where: .and(conditions))
                if capabilities.numbersHistory {
                    var newest = doomed
                    newest.results = [.init(expression: .function(.max, doomed.results.map(\.expression)))]
                    if let number = try connection.integer(newest),
                        try number > connection.integer(Self.newestDeleted) ?? 0
                    {
                        try connection.setHighestKey(number, ofNumber: HistoryTables.transactionEntity)
                    }
                }
                let changes = try connection.run(
                    .delete(
                        SQLDelete(
                            from: HistoryTables.changes, where: .isInSelect(.column("ZTRANSACTIONID"), doomed))))
                let transactions = try connection.run(
                    .delete(SQLDelete(from: HistoryTables.transactions, where: .isInSelect(key, doomed))))
                if withNames, transactions.changed > 0, historyTables.hasStrings {
                    let used = HistoryTables.names.map { name in
                        let column = SQLExpression.column(HistoryTables.key(ofName: name))
                        return SQLSelect([column], of: HistoryTables.transactions, where: .isNotNull(column))
                    }
                    try connection.run(
                        .delete(
                            SQLDelete(
                                from: HistoryTables.strings, where: .and(used.map { .not(.isInSelect(key, $0)) }))))
                }
                return changes.changed
            }
        }
    }
}
