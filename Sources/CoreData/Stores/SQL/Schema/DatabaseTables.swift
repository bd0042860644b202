/// The tables of a database that another program has made, as far as a model can be made of them.
package struct DatabaseTables: Sendable {
    package struct Column: Sendable {
        package let name: String
        /// The declared type in the database's words, with its length.
        package let type: String
        package let isMandatory: Bool
        /// The default value in the database's text.
        package let defaultText: String?
        /// Whether the database computes the values.
        package let isGenerated: Bool

        package init(name: String, type: String, isMandatory: Bool, defaultText: String?, isGenerated: Bool) {
            (self.name, self.type, self.isMandatory) = (name, type, isMandatory)
            (self.defaultText, self.isGenerated) = (defaultText, isGenerated)
        }
    }

    package struct ForeignKey: Sendable {
        /// What happens to the row when the row it leads to is deleted.
        package enum Action: String, Sendable {
            case cascade, setNull, setDefault, restrict, noAction
        }

        package let columns: [String]
        package let table: String
        /// The columns that the key leads to; empty for the primary key.
        package let targets: [String]
        package let action: Action

        package init(columns: [String], table: String, targets: [String], action: Action) {
            (self.columns, self.table, self.targets, self.action) = (columns, table, targets, action)
        }
    }

    package struct Index: Sendable {
        package let name: String
        /// The columns in their order, with the direction.
        package let columns: [(name: String, isDescending: Bool)]
        package let isUnique: Bool
        /// Whether it covers some rows only, or has expressions.
        package let isPartial: Bool

        package init(name: String, columns: [(name: String, isDescending: Bool)], isUnique: Bool, isPartial: Bool) {
            (self.name, self.columns, self.isUnique, self.isPartial) = (name, columns, isUnique, isPartial)
        }
    }

    package struct Table: Sendable {
        package let name: String
        package let isView: Bool
        /// Whether a module of SQLite keeps the rows in a form of its own. Nothing else is read of such a table.
        package var isVirtual = false
        package var columns: [Column] = []
        /// The columns of the primary key in its order.
        package var primaryKey: [String] = []
        package var foreignKeys: [ForeignKey] = []
        /// All indexes but that of the primary key.
        package var indexes: [Index] = []

        package init(name: String, isView: Bool) { (self.name, self.isView) = (name, isView) }
    }

    /// The schema of the tables; nil for the first one of the search path, and in files.
    package let schema: String?
    /// The tables and views, by name.
    package var tables: [Table] = []

    package init(schema: String? = nil) { self.schema = schema }
}
