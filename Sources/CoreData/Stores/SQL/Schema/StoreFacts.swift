import Foundation

/// What a database really holds: tables with their columns, indexes and triggers, as far as a migration needs to know.
struct StoreFacts: Equatable {
    struct Column: Equatable {
        var name: String
        /// The declared type in capitals.
        var type: String
        /// Its place in the primary key, from 1; 0 when it is not part of it.
        var keyPosition: Int
    }

    struct Table: Equatable {
        var name: String
        var columns: [Column]
        /// Whether the definition holds constraints beyond its primary key: its columns cannot be dropped one by one.
        var hasConstraints: Bool
        /// About how many rows there are: the highest row id.
        var rows: Int

        func column(_ name: String) -> Column? {
            columns.first { $0.name.caseInsensitiveCompare(name) == .orderedSame }
        }
    }

    struct Index: Equatable {
        var name: String
        var table: String
        var columns: [SQLIndexColumn]
        var isUnique: Bool
        /// The condition of a partial index as the file has it.
        var condition: String?
    }

    struct Trigger: Equatable {
        var name: String
        var table: String
        var sql: String
    }

    struct View: Equatable {
        var name: String
        var sql: String
    }

    var tables: [String: Table] = [:]
    var indexes: [Index] = []
    var triggers: [Trigger] = []
    /// Views; no store has any of its own.
    var views: [View] = []

    /// Whether something of this name is there, whatever its case.
    func has(_ name: String) -> Bool {
        tables.keys.contains { $0.caseInsensitiveCompare(name) == .orderedSame }
    }
}

extension StoreFacts {
    /// What a file made anew for a schema would hold, with so many rows in its tables.
    init(_ schema: SQLSchema, rows: [String: Int], in dialect: any SQLDialect) {
        for table in schema.allTables {
            let columns = table.columns.map { column in
                let place = table.compositeKey.firstIndex(of: column.name).map { $0 + 1 } ?? 0
                return Column(
                    name: column.name, type: column.type.rawValue, keyPosition: column.isPrimaryKey ? 1 : place)
            }
            tables[table.name] = Table(
                name: table.name, columns: columns, hasConstraints: false, rows: rows[table.name] ?? 0)
        }
        indexes = schema.indexes.map { index in
            Index(
                name: index.name, table: index.table, columns: index.columns, isUnique: index.isUnique,
                condition: index.condition.map { SQLPrinter.text($0, in: dialect) })
        }
    }
}
