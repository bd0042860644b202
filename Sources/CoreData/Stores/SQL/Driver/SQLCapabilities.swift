/// What the databases of an engine can do. A store asks for it, and never which engine it is.
package struct SQLCapabilities: Sendable {
    /// Whether reading goes through the connection that writes: then nobody reads during a transaction, and what is
    /// read within one is its own state.
    package var readsWhereItWrites = false
    /// The functions that the database does not compute. The program decides conditions that need them (`SQLJudge`).
    package var missingFunctions: Set<SQLExpression.Function> = []
    /// Whether the statements of a save can be sent together (`SQLConnection.together`).
    package var sendsTogether = false
    /// Whether a list of keys may be one parameter, however long it is.
    package var takesLists = false
    /// Whether the database numbers the transactions and changes of history, and tells which ones may be read.
    package var numbersHistory = false
    /// Whether a column takes values of its own type alone.
    package var hasTypedColumns = false

    package init() {}
}
