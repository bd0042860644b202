#if PostgreSQL
// Settings of a connection's own session in the server.
extension PostgreSQLConnection {
    /// Removes the time limits of the transaction that is open, both for its statements and for the pauses between
    /// them.
    func liftTimeLimits() throws {
        try execute(Self.liftingTimeLimits)
    }

    static let liftingTimeLimits = [
        "SET LOCAL statement_timeout = 0", "SET LOCAL idle_in_transaction_session_timeout = 0",
    ]

    /// Makes the server end a transaction of ours that is idle for long: the program was stopped or its machine is
    /// gone, and other sessions wait for its locks. Part of the statements that begin such a transaction.
    static let endingWithProgram = "SET LOCAL idle_in_transaction_session_timeout = '5s'"

    /// Makes the server end the session if it is idle for long between transactions: other sessions wait for its
    /// locks.
    func endWithProgram() throws { try execute("SET idle_session_timeout = '10s'") }

    /// Makes statements of the open transaction fail after 200 ms where another session holds a lock.
    func waitBriefly() throws { try execute("SET LOCAL lock_timeout = '200ms'") }

    /// Sends a query without effect, to find out whether the server answers.
    func ping() throws { try execute("SELECT 1") }

    func listen(to channel: String) throws { try execute("LISTEN \(channel)") }
}
#endif
