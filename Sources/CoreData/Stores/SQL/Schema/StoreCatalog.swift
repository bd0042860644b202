import Foundation

/// The catalog of a database: its tables with their columns, indexes and triggers, as far as a migration needs them.
package struct StoreCatalog: Equatable {
    package struct Column: Equatable {
        package var name: String
        /// The declared type, in the dialect's name.
        package var type: String
        /// Its place in the primary key, from 1; 0 if it is not part of the key.
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
        /// Whether the definition has constraints beyond its primary key, so that its columns cannot be dropped one by
        /// one.
        package var hasConstraints: Bool
        /// An estimate of the number of rows: the highest row id.
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
        /// The condition of a partial index in the text of the file.
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
    /// Views. Stores themselves have none.
    package var views: [View] = []
    /// The bookkeeping of CloudKit's mirroring in the store; nil if the store is not mirrored.
    package var mirror: StoreInspection.CloudMirror?

    /// Creates an empty catalog, which an engine fills.
    package init() {}

    /// Whether there is a table or another object with this name, in upper or lower case.
    package func has(_ name: String) -> Bool {
        tables.keys.contains { $0.caseInsensitiveCompare(name) == .orderedSame }
    }
}

extension StoreCatalog {
    /// The catalog of a new file with a schema, with the given numbers of rows in its tables.
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
