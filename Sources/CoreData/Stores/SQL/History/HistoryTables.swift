import Foundation

/// The tables of persistent history in a store, in the layout of Apple's stores.
///
/// ATRANSACTION has one row for each save or batch, ACHANGE one for each row that was inserted, updated or deleted, and
/// ATRANSACTIONSTRING has the names to which transactions refer. Their entity numbers are higher than those of any
/// model.
package struct HistoryTables: Sendable {
    package static let changeEntity: Int64 = 16001
    package static let transactionEntity: Int64 = 16002
    package static let stringEntity: Int64 = 16003

    package static let transactions = "ATRANSACTION"
    package static let changes = "ACHANGE"
    package static let strings = "ATRANSACTIONSTRING"
    /// The columns of changes for the number of the entity, and for the bits of the properties that an update changed.
    package static let entityColumn = "ZENTITY"
    package static let bitsColumn = "ZCOLUMNS"

    /// Selects the number of the newest transaction in the table.
    package static let newestTransaction = SQLSelect(
        [.function(.max, [.column(SQLSchema.keyColumn)])], of: transactions)

    /// The properties of the maker of a transaction, as parts of the names of columns.
    package static let names = ["AUTHOR", "BUNDLEID", "CONTEXTNAME", "PROCESSID"]

    /// Whether names are in a table of their own. In stores of 2017 they are in the transactions.
    package var hasStrings = false
    /// Whether transactions may name a query generation.
    package var hasQueryGenerations = false
    /// The number of columns for values of deleted rows.
    package var tombstones = 0

    /// The column of a transaction with the key of a name, and the column that held the name itself in 2017.
    package static func key(ofName name: String) -> String { "Z\(name)TS" }
    package static func text(ofName name: String) -> String { "Z\(name)" }

    /// The expression for a property of the maker of a transaction `t`.
    package func text(ofName name: String) -> SQLExpression {
        let text = Self.ofTransaction(Self.text(ofName: name))
        guard hasStrings else { return text }
        let string = SQLSelect(
            [.column("ZNAME")], of: Self.strings,
            where: .binary(
                .equal, .column(SQLSchema.keyColumn), Self.ofTransaction(Self.key(ofName: name))))
        return .function(.coalesce, [.scalar(string), text])
    }

    package static func tombstone(_ place: Int) -> String { "ZTOMBSTONE\(place)" }

    /// The tables of a store; nil if it keeps no history.
    package static func read(from connection: some SQLConnection) throws -> HistoryTables? {
        let present = try connection.tableNames()
        guard present.contains(transactions), present.contains(changes) else { return nil }
        var tables = HistoryTables()
        let transactionColumns = try connection.columnNames(of: transactions)
        tables.hasQueryGenerations = transactionColumns.contains("ZQUERYGEN")
        tables.hasStrings = transactionColumns.contains(key(ofName: "AUTHOR")) && present.contains(strings)
        let changeColumns = try Set(connection.columnNames(of: changes))
        while changeColumns.contains(tombstone(tables.tombstones)) { tables.tombstones += 1 }
        return tables
    }

    /// Whether a store has transactions that another program may still read. A store whose history was deleted
    /// completely has the tables, and no transaction.
    package static func hasTransactions(_ connection: some SQLConnection) throws -> Bool {
        guard try read(from: connection) != nil else { return false }
        return try connection.integer(newestTransaction) != nil
    }

    /// Creates the missing tables and columns for the history of a model. Writes nothing if all of them are there.
    package static func prepare(_ connection: some SQLConnection, for layout: ModelLayout) throws -> HistoryTables {
        let wanted = layout.entities.map { HistoryTombstones.slots(of: $0).count }.max() ?? 0
        if let present = try read(from: connection), present.hasStrings, present.tombstones >= wanted {
            // A lost table of the highest keys is an error of opening, and not of the first save.
            _ = try countNumbers(connection)
            return present
        }
        return try connection.transaction {
            for table in definitions(tombstones: wanted) {
                try connection.run(.define(.createTable(table, unlessThere: true)))
            }
            let present = try connection.columnNames(of: transactions)
            for name in names where !present.contains(key(ofName: name)) {
                let column = SQLColumn(name: key(ofName: name), type: .integer)
                try connection.run(.define(.addColumn(column, table: transactions)))
            }
            for index in indexes { try connection.run(.define(.createIndex(index, unlessThere: true))) }
            var tables = try read(from: connection) ?? HistoryTables()
            while tables.tombstones < wanted {
                let column = SQLColumn(name: tombstone(tables.tombstones), type: .blob)
                try connection.run(.define(.addColumn(column, table: changes)))
                tables.tombstones += 1
            }
            return tables
        }
    }

    // MARK: Highest numbers

    private static let entities = [
        (changeEntity, "CHANGE"), (transactionEntity, "TRANSACTION"), (stringEntity, "TRANSACTIONSTRING"),
    ]

    /// Sets the highest key of one of history's entities. A store gets the rows for these keys, as in Apple's files,
    /// with its first transaction.
    static func setHighestKey(_ key: Int64, ofNumber number: Int64, on connection: any SQLConnection) throws {
        if try connection.setHighestKey(key, ofNumber: number) { return }
        try insertNumbers(connection)
        try connection.setHighestKey(key, ofNumber: number)
    }

    /// Inserts the rows for the highest numbers before there is a transaction. Writes nothing if all of them are there.
    package static func prepareNumbers(_ connection: some SQLConnection) throws {
        if try countNumbers(connection) == Int64(entities.count) { return }
        try connection.transaction { try insertNumbers(connection) }
    }

    private static func countNumbers(_ connection: some SQLConnection) throws -> Int64? {
        let number = SQLExpression.column(SQLBookkeeping.Keys.number)
        let count = SQLSelect(
            [.countAll], of: SQLBookkeeping.Keys.table,
            where: .between(number, .value(.int(changeEntity)), .value(.int(stringEntity))))
        return try connection.integer(count)
    }

    /// Inserts the missing rows for the highest numbers. Without them a deletion of history is not recorded.
    ///
    /// - Parameter newest: the number of the newest transaction so far.
    package static func insertNumbers(_ connection: some SQLConnection, newest: Int64 = 0) throws {
        for (number, name) in entities {
            let highest = number == transactionEntity ? newest : 0
            let values: [SQLExpression] = [
                .value(.int(number)), .value(.string(name)), .number(0), .value(.int(highest)),
            ]
            try connection.run(
                .insert(
                    SQLInsert(
                        into: SQLBookkeeping.Keys.table, SQLBookkeeping.Keys.columns, .values(values),
                        conflict: .keepsStored)))
        }
    }

    // MARK: Whose transactions they are

    /// Whether a transaction `t` is proven to be Apple's.
    ///
    /// No version of this library has ever written texts or a query generation into a transaction, and no program of
    /// Apple's uses it. Without such a proof, transactions of Apple's framework cannot be distinguished from those of
    /// older versions of this library.
    package var isOfApple: SQLExpression {
        var proofs = [isOf2017]
        if hasQueryGenerations { proofs.append(.isNotNull(Self.ofTransaction("ZQUERYGEN"))) }
        if hasStrings {
            proofs.append(
                .exists(
                    SQLSelect(
                        [.column(SQLSchema.keyColumn)], of: Self.strings,
                        where: .and([
                            .binary(.equal, .column(SQLSchema.keyColumn), Self.ofTransaction("ZBUNDLEIDTS")),
                            .hasPrefix(.column("ZNAME"), "com.apple."),
                        ]))))
        }
        return .or(proofs)
    }

    /// Whether a transaction `t` was written by Apple's framework of 2017, which stored its texts in the transaction.
    package var isOf2017: SQLExpression {
        .or([.isNotNull(Self.ofTransaction("ZBUNDLEID")), .isNotNull(Self.ofTransaction("ZPROCESSID"))])
    }

    package static func ofTransaction(_ column: String) -> SQLExpression { .column(alias: "t", name: column) }
    package static func ofChange(_ column: String) -> SQLExpression { .column(alias: "c", name: column) }

    // MARK: Definitions

    /// - Parameter tombstones: the number of columns for values of deleted rows.
    private static func definitions(tombstones: Int) -> [SQLTable] {
        func table(_ name: String, _ columns: [(String, SQLColumnType)]) -> SQLTable {
            let fixed = [
                SQLColumn(name: SQLSchema.keyColumn, type: .integer, isPrimaryKey: true),
                SQLColumn(name: SQLSchema.entityColumn, type: .integer),
                SQLColumn(name: SQLSchema.versionColumn, type: .integer),
            ]
            return SQLTable(name: name, columns: fixed + columns.map { SQLColumn(name: $0.0, type: $0.1) })
        }
        // The types are written out, because their inference takes the compiler long.
        let keys: [(String, SQLColumnType)] = names.map { (key(ofName: $0), .integer) }
        let texts: [(String, SQLColumnType)] = names.map { (text(ofName: $0), .varchar) }
        return [
            table(
                changes,
                [
                    ("ZCHANGETYPE", .integer), ("ZENTITY", .integer), ("ZENTITYPK", .integer),
                    ("ZTRANSACTIONID", .integer), ("ZCOLUMNS", .blob),
                ] + (0..<tombstones).map { (tombstone($0), SQLColumnType.blob) }),
            table(transactions, keys + [("ZTIMESTAMP", .float)] + texts + [("ZQUERYGEN", .blob)]),
            table(strings, [("ZNAME", .varchar)]),
        ]
    }

    private static var indexes: [SQLIndex] {
        func column(_ name: String) -> [SQLIndexColumn] { [SQLIndexColumn(name: name, direction: .ascending)] }
        func index(ofKey key: String, in table: String) -> SQLIndex {
            SQLIndex(name: "\(table)_\(key)_INDEX", table: table, columns: [SQLIndexColumn(name: key)])
        }
        return [index(ofKey: "ZTRANSACTIONID", in: changes)]
            + names.map { index(ofKey: key(ofName: $0), in: transactions) } + [
                SQLIndex(
                    name: "Z_TRANSACTION_TransactionAuthorIndex", table: transactions, columns: column("ZAUTHOR")),
                SQLIndex(
                    name: "Z_TRANSACTION_TransactionTimestampIndex", table: transactions, columns: column("ZTIMESTAMP")),
                SQLIndex(
                    name: "Z_TRANSACTIONSTRING_UNIQUE_NAME", table: strings, columns: column("ZNAME"), isUnique: true),
            ]
    }
}
