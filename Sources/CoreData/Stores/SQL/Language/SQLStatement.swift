// About the room Stores/SQL/Language.
//
// - SQL is a value until a dialect prints it, and no value is ever part of the text. The printer asks the dialect for
//   every word in which databases differ.

/// A statement as a value. A printer makes text of it, in the words of a dialect.
///
/// Values are bound once, parameters for each row that the statement runs over.
package enum SQLStatement: Equatable, Sendable {
    case select(SQLSelect)
    case insert(SQLInsert)
    case update(SQLUpdate)
    case delete(SQLDelete)
    case define(SQLDefinition)
}

/// An INSERT: of values, or of the results of a SELECT.
package struct SQLInsert: Equatable, Sendable {
    /// The handling of a row whose key is there already.
    package enum Conflict: Equatable, Sendable {
        case fails
        case keepsStored
        /// The new row takes the place of the row with the same key, which lies in these columns.
        case replaces(key: [String])
        /// The row that is there, by the key in these columns, is changed.
        case updates(key: [String], [SQLUpdate.Assignment])
    }

    package enum Source: Equatable, Sendable {
        case values([SQLExpression])
        case select(SQLSelect)
    }

    package var table: String
    package var columns: [String]
    package var source: Source
    package var conflict = Conflict.fails

    /// An INSERT that takes the value of each column as a parameter, in their order.
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

/// An UPDATE of the rows that a condition holds for, or that another source leads to.
package struct SQLUpdate: Equatable, Sendable {
    package struct Assignment: Equatable, Sendable {
        package var column: String
        package var value: SQLExpression

        package init(_ column: String, _ value: SQLExpression) {
            self.column = column
            self.value = value
        }
    }

    /// Other rows whose values the assignments and the condition name.
    package struct From: Equatable, Sendable {
        package var source: SQLSource
        package var alias: String
    }

    package var table: String
    /// The name of the changed row in the condition and the assignments, where other rows have columns of that name.
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

/// A DELETE of the rows that a condition holds for.
package struct SQLDelete: Equatable, Sendable {
    package var table: String
    /// The name of the deleted row in the condition, where other rows have columns of that name.
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
    /// A definition in the words of the database.
    case asFound(String)
}

/// A change that a connection makes besides, as long as it lives, when it has changed a row of a table: a trigger that
/// is no part of the database.
package struct SQLTrigger: Equatable, Sendable {
    package enum Event: Equatable, Sendable {
        case insertion
        /// Of one of these columns.
        case update(of: [String])
        case deletion
    }

    package var name: String
    package var table: String
    package var event: Event
    /// They name the row's columns by `afterChange` and `beforeChange`, and have no parameters.
    package var statements: [SQLStatement]
}

extension SQLExpression {
    /// A column of the row that a trigger is about: as it is now, and as it was.
    package static func afterChange(_ column: String) -> SQLExpression { .column(alias: "NEW", name: column) }
    package static func beforeChange(_ column: String) -> SQLExpression { .column(alias: "OLD", name: column) }
}
