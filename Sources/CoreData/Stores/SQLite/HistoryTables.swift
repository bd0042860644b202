import Foundation

/// The tables of persistent history in a store, as Core Data's own stores have them.
///
/// ATRANSACTION has one row per save or batch, ACHANGE one per row that it inserted, updated or deleted,
/// ATRANSACTIONSTRING the names that transactions refer to. Their entity numbers lie above those of any model.
struct HistoryTables: Sendable {
    static let changeEntity: Int64 = 16001
    static let transactionEntity: Int64 = 16002
    static let stringEntity: Int64 = 16003

    /// Whether names stand in a table of their own; in stores of 2017 they stand in the transactions.
    var hasStrings = false
    /// Whether transactions may name a query generation.
    var hasQueryGenerations = false
    /// How many columns for values of deleted rows there are.
    var tombstones = 0

    /// What a store has; nil when it keeps no history.
    static func read(from connection: SQLiteConnection) throws -> HistoryTables? {
        guard try SQLiteStoreMetadata.hasTable("ATRANSACTION", in: connection),
            try SQLiteStoreMetadata.hasTable("ACHANGE", in: connection)
        else { return nil }
        var tables = HistoryTables()
        let transactionColumns = try columns(of: "ATRANSACTION", connection)
        tables.hasQueryGenerations = transactionColumns.contains("ZQUERYGEN")
        tables.hasStrings =
            try transactionColumns.contains("ZAUTHORTS")
            && SQLiteStoreMetadata.hasTable("ATRANSACTIONSTRING", in: connection)
        let changeColumns = try columns(of: "ACHANGE", connection)
        while changeColumns.contains("ZTOMBSTONE\(tables.tombstones)") { tables.tombstones += 1 }
        return tables
    }

    private static func columns(of table: String, _ connection: SQLiteConnection) throws -> Set<String> {
        let statement = try connection.prepare("SELECT name FROM pragma_table_info(?)")
        statement.bind(1, table)
        var names: Set<String> = []
        while try statement.step() { names.insert(statement.string(0)) }
        return names
    }

    /// Makes what is missing for the history of a model; nothing is written when all is there.
    static func prepare(_ connection: SQLiteConnection, for layout: ModelLayout) throws -> HistoryTables {
        let wanted = layout.entities.map { HistoryProperties.preserved(of: $0).count }.max() ?? 0
        if let present = try read(from: connection), present.hasStrings, present.tombstones >= wanted { return present }
        return try connection.transaction {
            var tables = try read(from: connection) ?? HistoryTables()
            try connection.execute(definitions)
            let present = try columns(of: "ATRANSACTION", connection)
            for name in ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"] where !present.contains(name) {
                try connection.execute("ALTER TABLE ATRANSACTION ADD COLUMN \(name) INTEGER")
            }
            for name in ["AUTHOR", "BUNDLEID", "CONTEXTNAME", "PROCESSID"] {
                try connection.execute(
                    "CREATE INDEX IF NOT EXISTS ATRANSACTION_Z\(name)TS_INDEX ON ATRANSACTION (Z\(name)TS)")
            }
            while tables.tombstones < wanted {
                try connection.execute("ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE\(tables.tombstones) BLOB")
                tables.tombstones += 1
            }
            let names = [
                (changeEntity, "CHANGE"), (transactionEntity, "TRANSACTION"), (stringEntity, "TRANSACTIONSTRING"),
            ]
            for (number, name) in names {
                try connection.execute("INSERT OR IGNORE INTO Z_PRIMARYKEY VALUES (\(number), '\(name)', 0, 0)")
            }
            tables.hasStrings = true
            tables.hasQueryGenerations = try columns(of: "ATRANSACTION", connection).contains("ZQUERYGEN")
            return tables
        }
    }

    /// Whether a transaction `t` is proven to be Apple's: 0 or 1 in SQL.
    ///
    /// No version of this library has ever written texts or a query generation into a transaction, and no program of
    /// Apple's uses it. Otherwise their transactions and older ones of ours are alike.
    var isOfApple: String {
        var proofs = [isOf2017]
        if hasQueryGenerations { proofs.append("t.ZQUERYGEN IS NOT NULL") }
        if hasStrings {
            proofs.append(
                "EXISTS (SELECT 1 FROM ATRANSACTIONSTRING WHERE Z_PK = t.ZBUNDLEIDTS AND ZNAME GLOB 'com.apple.*')")
        }
        return "(\(proofs.joined(separator: " OR ")))"
    }

    /// Whether a transaction `t` was written by Apple's framework of 2017, which had its texts there: 0 or 1 in SQL.
    var isOf2017: String { "(t.ZBUNDLEID IS NOT NULL OR t.ZPROCESSID IS NOT NULL)" }

    private static let definitions = """
        CREATE TABLE IF NOT EXISTS ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
        ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB );
        CREATE TABLE IF NOT EXISTS ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
        ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, \
        ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB );
        CREATE TABLE IF NOT EXISTS ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
        ZNAME VARCHAR );
        CREATE INDEX IF NOT EXISTS ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID);
        CREATE INDEX IF NOT EXISTS Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION (ZAUTHOR COLLATE BINARY ASC);
        CREATE INDEX IF NOT EXISTS Z_TRANSACTION_TransactionTimestampIndex \
        ON ATRANSACTION (ZTIMESTAMP COLLATE BINARY ASC);
        CREATE UNIQUE INDEX IF NOT EXISTS Z_TRANSACTIONSTRING_UNIQUE_NAME \
        ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC);
        """
}
