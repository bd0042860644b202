import Foundation

/// The real content of a database: tables with their columns, indexes and triggers, as far as a migration needs to
/// know.
package struct StoreFacts: Equatable {
    package struct Column: Equatable {
        package var name: String
        /// The declared type, as the dialect names it.
        package var type: String
        /// Its place in the primary key, from 1; 0 when it is not part of it.
        package var keyPosition: Int

        package init(name: String, type: String, keyPosition: Int) {
            self.name = name
            self.type = type
            self.keyPosition = keyPosition
        }
    }

    package struct Table: Equatable {
        package var name: String
        package var columns: [Column]
        /// Whether the definition holds constraints beyond its primary key: its columns cannot be dropped one by one.
        package var hasConstraints: Bool
        /// About how many rows there are: the highest row id.
        package var rows: Int

        package init(name: String, columns: [Column], hasConstraints: Bool, rows: Int) {
            self.name = name
            self.columns = columns
            self.hasConstraints = hasConstraints
            self.rows = rows
        }

        package func column(_ name: String) -> Column? {
            columns.first { $0.name.caseInsensitiveCompare(name) == .orderedSame }
        }
    }

    package struct Index: Equatable {
        package var name: String
        package var table: String
        package var columns: [SQLIndexColumn]
        package var isUnique: Bool
        /// The condition of a partial index as the file has it.
        package var condition: String?

        package init(name: String, table: String, columns: [SQLIndexColumn], isUnique: Bool, condition: String?) {
            self.name = name
            self.table = table
            self.columns = columns
            self.isUnique = isUnique
            self.condition = condition
        }
    }

    package struct Trigger: Equatable {
        package var name: String
        package var table: String
        package var sql: String
    }

    package struct View: Equatable {
        package var name: String
        package var sql: String
    }

    package var tables: [String: Table] = [:]
    package var indexes: [Index] = []
    package var triggers: [Trigger] = []
    /// Views; no store has any of its own.
    package var views: [View] = []
    /// The account that CloudKit keeps in the store; nil where nothing mirrors it.
    package var mirror: StoreInspection.CloudMirror?

    /// Nothing yet: an engine fills it.
    package init() {}

    /// Whether something of this name is there, in upper or lower case.
    package func has(_ name: String) -> Bool {
        tables.keys.contains { $0.caseInsensitiveCompare(name) == .orderedSame }
    }
}

extension StoreFacts {
    /// The content of a file made anew for a schema, with so many rows in its tables.
    package init(_ schema: SQLSchema, rows: [String: Int], in dialect: any SQLDialect) {
        for table in schema.allTables {
            let columns = table.columns.map { column in
                let place = table.compositeKey.firstIndex(of: column.name).map { $0 + 1 } ?? 0
                return Column(
                    name: column.name, type: dialect.name(of: column.type), keyPosition: column.isPrimaryKey ? 1 : place
                )
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
