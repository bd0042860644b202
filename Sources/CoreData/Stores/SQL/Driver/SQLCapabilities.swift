/// The abilities of an engine's databases. A store decides by them, and never by the engine's name.
package struct SQLCapabilities: Sendable {
    /// Whether the writer's connection reads, too. Then no thread reads during a transaction of another one, and reads
    /// within a transaction see its own state.
    package var readsWhereItWrites = false
    /// The functions that the database does not compute. Conditions with them are evaluated on the client
    /// (`SQLClientEvaluation`).
    package var missingFunctions: Set<SQLExpression.Function> = []
    /// Whether values have types, and only some pairs of types can be compared. Then all other comparisons, and all
    /// arithmetic, are computed on the client (`SQLTypes`). Otherwise the database computes as predicates do.
    package var isTyped = false
    /// Whether the database has functions (`octets` and similar ones) by which fewer texts have to be read for a
    /// condition on texts.
    package var narrowsTexts = false
    /// The dates that a column can hold, in seconds from 2001.
    package var dates = -Double.infinity...Double.infinity
    /// The orders of texts that the database does not have. The client sorts by them (`SQLClientPostProcessing`).
    package var missingCollations: Set<SQLSelect.Order.Collation> = []
    /// Whether the statements of a save can be sent in a pipeline (`SQLConnection.together`).
    package var sendsTogether = false
    /// Whether a list of keys of any length can be one parameter.
    package var takesLists = false
    /// Whether rows that an index finds are read in the order of the index. They lie all over the table, so it is
    /// faster to sort their keys first.
    package var readsInOrderOfIndex = false
    /// Whether the database numbers the transactions and changes of history, and determines which ones may be read.
    package var numbersHistory = false
    /// Whether a column accepts only values of its own type.
    package var hasTypedColumns = false

    /// The foreign keys that every statement checks. All other foreign keys are checked at the end of the transaction,
    /// or not at all.
    package var referencesCheckedAtOnce: Set<SQLReference> = []

    package var checksReferencesAtOnce: Bool { !referencesCheckedAtOnce.isEmpty }

    package init() {}
}

/// A column that leads to rows of another table, or of its own table.
package struct SQLReference: Hashable, Sendable {
    package var table: String
    package var column: String

    package init(table: String, column: String) {
        self.table = table
        self.column = column
    }
}
