#if PostgreSQL
import CPostgreSQL
import CoreData
import Foundation

// Statements that are sent without waiting for their results: libpq's pipeline.
extension PostgreSQLConnection {
    /// The purpose of a result that has not arrived yet.
    enum Pending {
        /// The caller waits for the result.
        case wanted
        case ignored
        /// So many rows have to be changed; nil where any number will do.
        case rows(expected: Int?, givesPlaces: Bool)
        case inspect((any SQLRow) throws -> Void)
        /// The number of the transaction is its last column.
        case begun
        /// The version of the tables is its first column.
        case ended(version: Int64?)
        /// The version of the metadata is its last column.
        case settings(version: Int64)
        /// The first column is the number of tables that have changed since a query generation's state.
        case pastTables
    }

    /// The metadata of the store are not those that were expected.
    struct OtherMetadata: Error {}

    /// Tables were rewritten or replaced after the state of a query generation: their rows of that time are gone.
    struct OtherTables: Error {}

    func together<Result>(_ body: () throws -> Result) throws -> Result {
        if pipeline.isOn { return try body() }
        try enterPipeline()
        pipeline.isOn = true
        do {
            let result = try body()
            if openSave.isOpen { try queueEnd() }
            _ = try flush()
            leavePipeline()
            return result
        } catch {
            leavePipeline()
            throw error
        }
    }

    func enterPipeline() throws {
        drainUnreadResult()
        guard PQenterPipelineMode(handle) == 1 else { throw error(nil) }
    }

    /// Takes the remaining results, and leaves the pipeline mode.
    private func leavePipeline() {
        pipeline.isOn = false
        if !pipeline.results.isEmpty { PQclear(try? flush()) }
        PQexitPipelineMode(handle)
    }

    /// Sends a prepared statement; its result is read with that of the next statement whose caller waits.
    func queue(_ name: String, _ values: PostgreSQLValues, _ purpose: Pending) throws {
        let isSent = values.passed { count, pointers, lengths, formats in
            if let unnamed = prepared.unnamed[name] {
                return PQsendQueryParams(
                    handle, unnamed.text, count, unnamed.types, pointers, lengths, formats, 1)
            }
            return PQsendQueryPrepared(handle, name, count, pointers, lengths, formats, 1)
        }
        guard isSent == 1 else { throw error(nil) }
        pipeline.results.append(purpose)
    }

    /// Sends a statement without parameters; its result is read with that of the next statement whose caller waits.
    func queue(_ text: String, _ purpose: Pending = .ignored) throws {
        guard PQsendQueryParams(handle, text, 0, nil, nil, nil, nil, 1) == 1 else { throw error(nil) }
        pipeline.results.append(purpose)
    }

    /// Waits for all results. The caller owns the one that is wanted.
    func flush() throws -> OpaquePointer? {
        roundTrips += 1
        let purposes = pipeline.results
        pipeline.results.removeAll(keepingCapacity: true)
        guard PQpipelineSync(handle) == 1 else { throw error(nil) }
        var failure: (any Error)?
        var wanted: OpaquePointer?
        for purpose in purposes {
            while let result = nextResult() {
                do {
                    if case .wanted = purpose, Self.isGood(result) {
                        wanted = result
                    } else {
                        try take(result, for: purpose)
                    }
                } catch {
                    if failure == nil { failure = error }
                }
            }
            if !isAlive { break }
        }
        if isAlive {
            PQclear(nextResult())
        } else if failure == nil {
            failure = error(nil)
        }
        if let failure {
            PQclear(wanted)
            if (failure as? PostgreSQLError)?.state == PostgreSQLError.cachedPlan { forgetStatements() }
            throw failure
        }
        answers += 1
        return wanted
    }

    /// Waits for the next result; nil after the last one of a statement.
    func nextResult() -> OpaquePointer? {
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        while isAwaitingResult() {
            // Decrypted bytes may lie in a buffer already, so the wait for the socket has a limit.
            poll(&descriptor, 1, 1_000)
            guard PQconsumeInput(handle) == 1 else { break }
        }
        return PQgetResult(handle)
    }

    /// Reads the input that has arrived, and returns whether the next result is still to come.
    ///
    /// Where libpq has no memory for a result, it drops the result, and would later wait for one more than the
    /// server sends. So the connection is ended then.
    func isAwaitingResult() -> Bool {
        let isBusy = PQisBusy(handle) == 1
        guard let message = PQerrorMessage(handle), message.pointee != 0, Self.tellsLackOfMemory(message) else {
            return isBusy
        }
        shutdown(socket, Int32(SHUT_RDWR))
        return false
    }

    /// Whether a message is libpq's own for lack of memory. Its own text is a whole line, at times without a line
    /// break. The text of a server, and values in it, come after other words.
    private static func tellsLackOfMemory(_ message: UnsafePointer<CChar>) -> Bool {
        let last = String(cString: message).split(separator: "\n").last
        return last == "out of memory" || last.map(String.init) == wordsForLackOfMemory
    }

    /// libpq's text in the user's language, for programs that call `setlocale`.
    private static var wordsForLackOfMemory: String {
        String(cString: opencoredata_libpq_text("libpq5-\(PQlibVersion() / 10_000)", "out of memory"))
    }

    private static func isGood(_ result: OpaquePointer) -> Bool {
        let status = PQresultStatus(result)
        return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK
    }

    /// Evaluates a result, and frees it.
    private func take(_ result: OpaquePointer, for purpose: Pending) throws {
        if PQresultStatus(result) == PGRES_PIPELINE_ABORTED { return PQclear(result) }
        if PQresultStatus(result) == PGRES_PIPELINE_SYNC {
            // libpq has dropped a result, and would wait for ever for the end that it has given here.
            shutdown(socket, Int32(SHUT_RDWR))
        }
        guard Self.isGood(result) else {
            defer { PQclear(result) }
            throw error(result)
        }
        let rows = PostgreSQLRow(result, labels: labels)
        switch purpose {
        case .wanted, .ignored: break
        case .rows(let expected, let givesPlaces):
            let count = givesPlaces ? Int(rows.count) : Int(String(cString: PQcmdTuples(result))) ?? 0
            if let expected, count != expected { throw PipelineMismatch() }
        case .inspect(let body):
            for row in 0..<rows.count {
                rows.row = row
                try body(rows)
            }
        case .begun: openSave.serverTransaction = rows.int64(rows.types.count - 1)
        case .ended(let version):
            if let version, rows.int64(0) != version { throw PipelineMismatch() }
        case .settings(let version):
            if rows.int64(rows.types.count - 1) != version { throw OtherMetadata() }
        case .pastTables:
            if rows.int64(0) != 0 { throw OtherTables() }
        }
    }

    // MARK: Preparing

    /// Prepares a statement, and queries the types of its parameters that `types` does not give.
    func prepare(_ text: String, as name: String, types: [Oid]) throws -> [Oid] {
        if !pipeline.isOn { try deallocateDoomed() }
        let serverName = usesNamedStatements ? name : ""
        let described = try sendingWithin {
            guard PQsendPrepare(handle, serverName, text, Int32(types.count), types) == 1 else { throw error(nil) }
            pipeline.results.append(.ignored)
            guard PQsendDescribePrepared(handle, serverName) == 1 else { throw error(nil) }
            pipeline.results.append(.wanted)
        }
        defer { PQclear(described) }
        let found = (0..<PQnparams(described)).map { PQparamtype(described, $0) }
        if !usesNamedStatements { prepared.unnamed[name] = Unnamed(text: text, types: found) }
        return found
    }

    /// Whether what is sent now would be sent without the settings, which come with each transaction.
    var lacksSettings: Bool { !settings.isEmpty && !pipeline.isOn && transactionState == PQTRANS_IDLE }

    /// Runs `send`, and waits for the result that is wanted. Where each transaction sets the settings again, this
    /// is done within one: then tables are found by the search path, and the time limits apply to the wait for
    /// locks.
    func sendingWithin(_ send: () throws -> Void) throws -> OpaquePointer? {
        if pipeline.isOn {
            try send()
            return try flush()
        }
        try enterPipeline()
        var isBegun = false
        defer {
            PQexitPipelineMode(handle)
            if isBegun, transactionState == PQTRANS_INERROR { try? execute("ROLLBACK") }
        }
        if lacksSettings {
            isBegun = !isReadingWanted
            if isBegun { for text in [Self.beginning] + transactionSettings { try queue(text) } }
            try queuePendingBegin()
        }
        try send()
        if isBegun { try queue("COMMIT") }
        return try flush()
    }

    /// Sends the beginning of the transaction of reading that is pending, if there is one, in a pipeline.
    func queuePendingBegin() throws {
        guard case .wanted(let state) = reading else { return }
        reading = .begun
        try queue("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        if let state { try queue("SET TRANSACTION SNAPSHOT '\(state.snapshot)'") }
        if !settings.isEmpty {
            if let expectedMetadata {
                try queue("\(settings), (\(Self.versionOfMetadata))", .settings(version: expectedMetadata))
            } else {
                try queue(settings)
            }
        }
        guard let tables = state?.tables, !tables.isEmpty else { return }
        // The tables are locked first, so that none changes between this comparison and the read.
        try queue("LOCK TABLE \(tables.joined(separator: ", ")) IN ACCESS SHARE MODE")
        try queue(Self.changedTables(tables), .pastTables)
    }

    /// Counts the tables that have changed since the state that is read. A table that was made or rewritten since
    /// (by a migration, TRUNCATE or VACUUM FULL) may be empty in that state. The rows of `pg_class` belong to that
    /// state. The function returns the present one.
    private static func changedTables(_ tables: [String]) -> String {
        let dialect = PostgreSQLDialect()
        let list = tables.map { "\(dialect.literal(.string($0)))::regclass" }.joined(separator: ", ")
        return """
            SELECT count(*) FROM unnest(ARRAY[\(list)]) AS t(id) LEFT JOIN pg_catalog.pg_class c ON c.oid = t.id \
            WHERE pg_relation_filenode(t.id) IS DISTINCT FROM nullif(c.relfilenode, 0)
            """
    }

    /// Returns the tables of a list that the role may read.
    func readable(_ tables: [String]) throws -> [String] {
        if tables.isEmpty { return [] }
        let list = tables.map { PostgreSQLDialect().literal(.string($0)) }.joined(separator: ", ")
        return try texts("SELECT t FROM unnest(ARRAY[\(list)]) AS t WHERE has_table_privilege(t, 'SELECT')")
    }

    // MARK: Reading

    /// Begins a transaction that reads everything in one state. The beginning is sent only with the first
    /// statement.
    ///
    /// - Parameter state: the state of a query generation; nil for the present one.
    func beginReading(at state: PostgreSQLGeneration.State? = nil) { reading = .wanted(state) }

    var isReadingWanted: Bool { if case .wanted = reading { true } else { false } }

    /// Ends it, without waiting for the server.
    func endReading() {
        let wasBegun = reading == .begun
        reading = .none
        if wasBegun, PQsendQuery(handle, "COMMIT") == 1 { pipeline.hasUnreadResult = true }
    }

    /// Runs a prepared statement that a transaction of reading begins with.
    func runReading(_ name: String, _ values: PostgreSQLValues) throws -> OpaquePointer? {
        try enterPipeline()
        defer { PQexitPipelineMode(handle) }
        try queuePendingBegin()
        try queue(name, values, .wanted)
        return try flush()
    }

    /// Sends the beginning of a transaction of reading that is pending, if there is one.
    func beginWantedReading() throws {
        if !isReadingWanted { return }
        try enterPipeline()
        defer { PQexitPipelineMode(handle) }
        try queuePendingBegin()
        PQclear(try flush())
    }

    /// The statements at the beginning of every transaction, behind a pooler.
    var transactionSettings: [String] { settings.isEmpty ? [] : [settings] }

    /// Begins a transaction that holds the present state for so long, and gives the name by which other
    /// transactions read it. Afterwards the server ends the connection.
    func holdSnapshot(for seconds: TimeInterval) throws -> String {
        beginReading()
        // In milliseconds, at most what the server can count.
        let milliseconds = Int(min(2_147_483_647, (seconds * 1_000).rounded(.up)))
        try execute("SET LOCAL idle_in_transaction_session_timeout = \(milliseconds)")
        return try texts("SELECT pg_export_snapshot()").first ?? ""
    }

    /// Takes the result of a statement whose caller has not waited for it.
    func drainUnreadResult() {
        if !pipeline.hasUnreadResult { return }
        pipeline.hasUnreadResult = false
        while let result = nextResult() { PQclear(result) }
    }
}
#endif
