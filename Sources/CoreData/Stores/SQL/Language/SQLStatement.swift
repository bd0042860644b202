// Implementation notes: Stores/SQL/Language.
//
// - SQL is a value until a dialect prints it, and no value is ever part of the text. The printer gets every word in
//   which databases differ from the dialect.

/// A statement as a value. A printer makes text of it, in a dialect.
///
/// Values are bound once. Parameters are bound for each row for which the statement runs.
package enum SQLStatement: Equatable, Sendable {
    case select(SQLSelect)
    case insert(SQLInsert)
    case update(SQLUpdate)
    case delete(SQLDelete)
    case define(SQLDefinition)
}

/// An INSERT: of values, or of the results of a SELECT.
package struct SQLInsert: Equatable, Sendable {
    /// The handling of a row whose key already exists.
    package enum Conflict: Equatable, Sendable {
        case fails
        case keepsStored
        /// The new row replaces the row with the same key, which is in these columns.
        case replaces(key: [String])
        /// The stored row with the same key, which is in these columns, is changed.
        case updates(key: [String], [SQLUpdate.Assignment])
    }

    package enum Source: Equatable, Sendable {
        case values([SQLExpression])
        /// Several rows of values.
        case rows([[SQLExpression]])
        case select(SQLSelect)
    }

    package var table: String
    package var columns: [String]
    package var source: Source
    package var conflict = Conflict.fails

    /// An INSERT that has a parameter for the value of each column, in their order.
    package init(into table: String, _ columns: [String], conflict: Conflict = .fails) {
        self.init(into: table, columns, .values(columns.indices.map { .parameter($0 + 1) }), conflict: conflict)
    }

    package init(into table: String, _ columns: [String], _ source: Source, conflict: Conflict = .fails) {
        self.table = table
        self.columns = columns
        self.source = source
        self.conflict = conflict
    }
}

/// An UPDATE of the rows for which a condition is true, or to which another source leads.
package struct SQLUpdate: Equatable, Sendable {
    package struct Assignment: Equatable, Sendable {
        package var column: String
        package var value: SQLExpression

        package init(_ column: String, _ value: SQLExpression) {
            self.column = column
            self.value = value
        }
    }

    /// Other rows whose values the assignments and the condition use.
    package struct From: Equatable, Sendable {
        package var source: SQLSource
        package var alias: String
    }

    package var table: String
    /// The alias of the changed row in the condition and the assignments, if other rows have columns of the same name.
    package var alias: String?
    package var assignments: [Assignment]
    package var from: From?
    package var condition: SQLExpression?

    package init(
        _ table: String, as alias: String? = nil, _ assignments: [Assignment], from: From? = nil,
        where condition: SQLExpression? = nil
    ) {
        self.table = table
        self.alias = alias
        self.assignments = assignments
        self.from = from
        self.condition = condition
    }
}

/// A DELETE of the rows for which a condition is true.
package struct SQLDelete: Equatable, Sendable {
    package var table: String
    /// The alias of the deleted row in the condition, if other rows have columns of the same name.
    package var alias: String?
    package var condition: SQLExpression?

    package init(from table: String, as alias: String? = nil, where condition: SQLExpression? = nil) {
        self.table = table
        self.alias = alias
        self.condition = condition
    }
}

/// A change of tables and indexes.
package enum SQLDefinition: Equatable, Sendable {
    case createTable(SQLTable, unlessThere: Bool = false)
    case createIndex(SQLIndex, unlessThere: Bool = false)
    case dropTable(String)
    case dropIndex(String)
    case renameTable(String, to: String)
    case addColumn(SQLColumn, table: String)
    case renameColumn(String, to: String, table: String)
    case dropColumn(String, table: String)
    case changeType(SQLColumn, table: String, from: String)
    case createTrigger(SQLTrigger)
    case dropTrigger(String)
    case dropView(String)
    /// A definition in the SQL of the database.
    case asFound(String)
}

/// Statements that a connection runs after it has changed a row of a table, as long as the connection is open: a
/// temporary trigger, which is not part of the database.
package struct SQLTrigger: Equatable, Sendable {
    package enum Event: Equatable, Sendable {
        case insertion
        /// An update of one of these columns.
        case update(of: [String])
        case deletion
    }

    package var name: String
    package var table: String
    package var event: Event
    /// The statements. They name the row's columns by `afterChange` and `beforeChange`, and have no parameters.
    package var statements: [SQLStatement]
}

extension SQLExpression {
    /// A column of the row that a trigger handles: its new value, and its old value.
    package static func afterChange(_ column: String) -> SQLExpression { .column(alias: "NEW", name: column) }
    package static func beforeChange(_ column: String) -> SQLExpression { .column(alias: "OLD", name: column) }
}
