/// What the databases of an engine can do. A store asks for it, and never which engine it is.
package struct SQLCapabilities: Sendable {
    /// Whether reading goes through the connection that writes: then nobody reads during a transaction, and what is
    /// read within one is its own state.
    package var readsWhereItWrites = false
    /// The functions that the database does not compute. The program decides conditions that need them (`SQLJudge`).
    package var missingFunctions: Set<SQLExpression.Function> = []

    package init(readsWhereItWrites: Bool = false, missingFunctions: Set<SQLExpression.Function> = []) {
        self.readsWhereItWrites = readsWhereItWrites
        self.missingFunctions = missingFunctions
    }
}
