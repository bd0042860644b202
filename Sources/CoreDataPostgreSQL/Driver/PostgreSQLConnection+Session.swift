#if PostgreSQL
    // What a connection asks of its own session at the server.
    extension PostgreSQLConnection {
        /// Lets the transaction that is open take as long as it takes, and wait for the program meanwhile.
        func liftTimeLimits() throws {
            try execute("SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0")
        }

        /// Has the server end a transaction of ours in which a program does nothing for long: it was stopped, or its
        /// machine is gone, and others wait for what it has locked. Part of what begins such a transaction.
        static let endingWithProgram = "SET LOCAL idle_in_transaction_session_timeout = '5s'"

        /// The same for a session between its transactions: others wait for its locks.
        func endWithProgram() throws { try execute("SET idle_session_timeout = '10s'") }

        /// Has the transaction that is open give up where somebody else holds a lock.
        func waitBriefly() throws { try execute("SET LOCAL lock_timeout = '200ms'") }

        /// Has the server answer anything at all.
        func ping() throws { try execute("SELECT 1") }

        func listen(to channel: String) throws { try execute("LISTEN \(channel)") }
    }
#endif
