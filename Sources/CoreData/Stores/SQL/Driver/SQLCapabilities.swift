/// The abilities of an engine's databases. A store looks at them, and never at the engine's name.
package struct SQLCapabilities: Sendable {
    /// Whether reading goes through the connection that writes. Then nobody reads during a transaction, and reads
    /// within one see its own state.
    package var readsWhereItWrites = false
    /// The functions that the database does not compute. The program decides conditions that need them (`SQLJudge`).
    package var missingFunctions: Set<SQLExpression.Function> = []
    /// Whether values have types, and only some types go together: then comparisons that are not among them, and all
    /// arithmetic, are the program's (`SQLTypes`). Otherwise the database computes as predicates do.
    package var isTyped = false
    /// Whether it has functions (`octets` and those beside it) by which fewer texts have to be read for a condition on
    /// them.
    package var narrowsTexts = false
    /// The dates that a column can hold, in seconds from 2001.
    package var dates = -Double.infinity...Double.infinity
    /// The orders of texts that the database does not have. The program sorts by them (`SQLFinish`).
    package var missingCollations: Set<SQLSelect.Order.Collation> = []
    /// Whether the statements of a save can be sent together (`SQLConnection.together`).
    package var sendsTogether = false
    /// Whether a list of keys may be one parameter, however long it is.
    package var takesLists = false
    /// Whether the database numbers the transactions and changes of history, and tells which ones may be read.
    package var numbersHistory = false
    /// Whether a column takes values of its own type alone.
    package var hasTypedColumns = false

    /// The foreign keys that every statement checks. The others are checked when the transaction ends, or not at all.
    package var referencesCheckedAtOnce: Set<SQLReference> = []

    package var checksReferencesAtOnce: Bool { !referencesCheckedAtOnce.isEmpty }

    package init() {}
}

/// A column that leads to rows of another table, or of its own.
package struct SQLReference: Hashable, Sendable {
    package var table: String
    package var column: String

    package init(table: String, column: String) {
        self.table = table
        self.column = column
    }
}
