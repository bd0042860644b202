// Implementation notes: CoreDataPostgreSQL/Driver.
//
// - The driver prepares each statement in two forms: one for a single row, and one for many rows as `unnest` of arrays
//   (`PostgreSQLSetStatement`). A row that may break a constraint is tried within a savepoint. Many rows that fail are
//   halved until the row is found.
// - A save is sent as one pipeline (`SQLConnection.together`). Its statements are sent without waiting, their results
//   are read at once, and the commit follows: two round trips, whatever the size. Rows are expected to be written; if
//   one was not (`PipelineMismatch`), the transaction runs again step by step.
// - Listeners are notified by the statement after the commit. NOTIFY within a transaction makes all commits of the
//   server wait for each other's disk.
// - Saves hold the lock of writers shared; batches and migrations hold it exclusively.
// - Each transaction leaves a token (`coredata.saves`). If a connection is lost during a commit, another one inserts
//   the same token. That fails if the transaction was committed, and keeps it from being committed otherwise
//   (`PostgreSQLConnection+Saving`). `Repetitions` runs the same change set again after a deadlock or a lost
//   connection.
// - History is numbered by the database's transactions, and read up to the oldest one that is still open.

#if PostgreSQL
import CPostgreSQL
import CoreData
import Foundation

/// One connection to a server, with its prepared statements. It is used from one thread at a time.
final class PostgreSQLConnection: SQLConnection {
    let address: PostgreSQLAddress
    var labels: EntityLabels
    let handle: OpaquePointer
    /// Which server of several it leads to; nil where the address names one.
    private let server: PostgreSQLHosts.Server?
    var hasSeveralHosts: Bool { server != nil }
    /// How long another server may take to take over; nil where the address names no other.
    var patience: Duration? { hasSeveralHosts ? PostgreSQLHosts.patience : nil }
    /// The settings that lead to this server alone, or to the one that libpq has chosen; nil where the address
    /// names one server.
    let placeSettings: [(String, String)]?
    /// The history line of its server, once that was read.
    var line: PostgreSQLLine?
    /// What the process has recorded of the database, to detect lost commits; nil of a connection that no open
    /// store has.
    var failoverDetector: PostgreSQLFailoverDetector?
    /// Whether the server has committed without waiting any longer for the confirmation of standbys; allocated so
    /// that libpq can set it.
    let isUnconfirmed = UnsafeMutablePointer<Bool>.allocate(capacity: 1)
    package var readSince: RowCache.Moment?
    var prepared = Prepared()
    private var texts: [String: PostgreSQLStatement] = [:]
    var keyRanges = KeyRanges()
    /// Names of statements that are no longer in use. A statement may outlive its connection.
    final class Doomed {
        var names: [String] = []
    }
    let doomed = Doomed()
    /// The number of round trips to the server.
    var roundTrips = 0
    /// The number of its answers.
    var answers = 0

    /// The views over existing tables of other programs, by their names.
    var views: [String: ExistingView] = [:]

    var pipeline = Pipeline()
    /// The version of the metadata that a read through a pooler expects; nil where any will do. It changes when
    /// another store replaces this one.
    var expectedMetadata: Int64?
    /// A transaction of reading that is to begin with the next statement, or has begun.
    enum Reading: Equatable {
        case none
        case wanted(PostgreSQLGeneration.State?)
        case begun
    }
    var reading = Reading.none

    /// The position that a server which follows another one had reached when it was last read, and its line.
    var reached: (position: UInt64, line: String?) = (0, nil)

    /// Whether transactions leave a token, and that of the one which is open.
    var keepsTokens = false
    var token: UUID?
    /// The version under which transactions write, where the store may serve several.
    var admitted: PostgreSQLAdmitted?
    /// The tables and columns of the version that is read, and the labels of its entities, where these differ from
    /// a new store's.
    var places: PostgreSQLPlaces?
    var openSave = OpenSave()
    /// The offset of history's numbers from the server's numbers (`PostgreSQLBookkeeping`).
    var historyOffset: Int64 = 0
    var transactionNumber: Int64? { openSave.serverTransaction.map { $0 + historyOffset } }
    /// The version of the tables that was read last.
    private var knownVersion: Int64?
    private static let keptTexts = 200
    /// The statement at the beginning of each transaction.
    private(set) var settings = ""
    var dialect: any SQLDialect { PostgreSQLDialect() }
    var style: any SQLSchemaStyle { PostgreSQLStyle(places?.names) }

    func nameEntities(_ names: [Int: String]) {
        labels = EntityLabels(names.mapValues { places?.label(of: $0) ?? $0 })
    }

    /// Takes the statements that would change something, for a forecast; nil if they run.
    var script: PostgreSQLScript?

    /// A closure that is called while a statement runs, and whether it has returned true.
    private(set) var question: (() -> Bool)?
    private var wasStopped = false

    init(_ address: PostgreSQLAddress, labels: EntityLabels = EntityLabels()) throws {
        self.address = address
        self.labels = labels
        isUnconfirmed.initialize(to: false)
        do {
            (handle, server, placeSettings) = try Self.connected(to: address)
        } catch {
            isUnconfirmed.deallocate()
            throw error
        }
        watchConfirmations()
        guard PQserverVersion(handle) >= Self.oldestVersion else {
            let version = PQparameterStatus(handle, "server_version").map { String(cString: $0) } ?? "?"
            throw PostgreSQLError(
                state: "0A000", message: "The server is PostgreSQL \(version); the oldest that works is 14.",
                address: address.description)
        }
        // In another encoding the server compares and counts other texts than the program has.
        if let encoding = PQparameterStatus(handle, "server_encoding").map({ String(cString: $0) }),
            encoding != "UTF8"
        {
            throw PostgreSQLError(
                state: "0A000",
                message: "The database keeps its texts in the encoding \(encoding); a store needs UTF8.",
                address: address.description)
        }
        // A pooler's sessions are shared with other programs: there every transaction begins with the settings.
        if address.leadsToPooler {
            settings = Self.settings(of: address, isLocal: true)
        } else {
            do {
                try execute(Self.settings(of: address, isLocal: false))
            } catch var error as PostgreSQLError
                where PostgreSQLError.statesOfOptions.contains(error.state)
                || error.state == PostgreSQLError.insufficientPrivilege
            {
                error.cause = .option
                throw error
            }
        }
    }

    deinit {
        PQfinish(handle)
        isUnconfirmed.deallocate()
    }

    /// Makes the next connection try another server first.
    func distrust() { if let server { PostgreSQLHosts.distrust(address, server.place) } }

    private static let oldestVersion: Int32 = 140_000

    var isAlive: Bool { PQstatus(handle) == CONNECTION_OK }

    /// Whether the server keeps statements under names. Behind a transaction pooler the next transaction may run in
    /// another server process, which does not have this one's names.
    var usesNamedStatements: Bool { !address.leadsToPooler }

    var socket: Int32 { PQsocket(handle) }

    /// Whether there is input to read, or the connection has ended.
    var hasInput: Bool {
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) > 0
    }

    /// Reads messages that the server has sent without a request; false where the connection is lost.
    func consumeInput() -> Bool { PQconsumeInput(handle) == 1 && isAlive }

    /// The payloads of the notifications that have come.
    func notifications() -> [String] {
        var payloads: [String] = []
        while let notification = PQnotifies(handle) {
            payloads.append(notification.pointee.extra.map { String(cString: $0) } ?? "")
            PQfreemem(notification)
        }
        return payloads
    }

    // MARK: Statements

    func prepare(_ statement: SQLStatement) throws -> any SQLPreparedStatement {
        if let script, !statement.reads { return try script.prepare(statement) }
        return PostgreSQLStatement(statement, on: self)
    }

    func statement(
        _ plan: SQLPlan, _ make: () throws -> SQLStatement
    ) throws -> any SQLPreparedStatement {
        if let known = prepared.byPlan[plan] { return known }
        let new = PostgreSQLStatement(try make(), on: self)
        prepared.byPlan[plan] = new
        return new
    }

    func statement(_ select: SQLSelect) throws -> any SQLPreparedStatement {
        let new = PostgreSQLStatement(.select(select), on: self)
        // A cached statement has its types and its plan; only the values are this select's.
        if let known = texts[new.text] {
            known.take(valuesOf: new)
            return known
        }
        if texts.count >= Self.keptTexts { texts = [:] }
        texts[new.text] = new
        return new
    }

    func rowStatement(root: Int, _ make: () throws -> SQLStatement) throws -> any SQLPreparedStatement {
        if let known = prepared.ofRows[root] { return known }
        let new = PostgreSQLStatement(try make(), on: self)
        prepared.ofRows[root] = new
        return new
    }

    /// Has all statements prepared anew.
    func forgetStatements() {
        prepared.byPlan = [:]
        prepared.ofRows = [:]
        texts = [:]
    }

    /// A name for a statement of the server's.
    func newName() -> String {
        prepared.nextName += 1
        return "s\(prepared.nextName)"
    }

    // MARK: Talking to the server

    func error(_ result: OpaquePointer?) -> PostgreSQLError {
        if !isAlive || result == nil {
            var error = PostgreSQLError(
                message: address.withoutPassword(String(cString: PQerrorMessage(handle))),
                address: address.description)
            error.patience = patience
            return error
        }
        var error = PostgreSQLError(result, address: address.description)
        error.patience = patience
        if wasStopped && error.state == PostgreSQLError.cancelled {
            error.cause = .stopping
        } else if !views.isEmpty {
            error.cause = .existingTables
        }
        // Another program inserts rows under keys of its own choice, and may have used the spare keys.
        if error.isUniqueness, error.constraint?.hasSuffix("_pkey") == true { keyRanges.spare = [:] }
        return error
    }

    /// Runs one or several statements in SQL, or records them.
    func execute(_ text: String) throws {
        if let script { return script.add(text) }
        try executeNow(text)
    }

    private func executeNow(_ text: String) throws {
        try beginWantedReading()
        drainUnreadResult()
        roundTrips += 1
        let result =
            question == nil ? PQexec(handle, text) : askingMeanwhile { PQsendQuery(handle, text) }
        defer { PQclear(result) }
        let status = PQresultStatus(result)
        guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else { throw error(result) }
    }

    /// Runs statements in one call, all or none.
    func execute(_ statements: [String]) throws {
        if let script { return statements.forEach(script.add) }
        if !statements.isEmpty { try execute(statements.joined(separator: ";\n")) }
    }

    /// Makes the server drop the prepared statements that are no longer in use.
    func deallocateDoomed() throws {
        if doomed.names.isEmpty || transactionState == PQTRANS_INERROR { return }
        let names = doomed.names
        doomed.names = []
        for name in names { prepared.unnamed[name] = nil }
        guard usesNamedStatements else { return }
        try executeNow(names.map { "DEALLOCATE \($0)" }.joined(separator: ";"))
    }

    /// Runs a prepared statement with the values of its parameters; the result is the caller's.
    func run(_ name: String, _ values: PostgreSQLValues) throws -> OpaquePointer {
        if pipeline.isOn {
            try queue(name, values, .wanted)
            if let result = try flush() { return result }
            throw error(nil)
        }
        if question == nil, isReadingWanted {
            if let result = try runReading(name, values) { return result }
            throw error(nil)
        }
        try beginWantedReading()
        drainUnreadResult()
        roundTrips += 1
        let result = values.passed { count, pointers, lengths, formats in
            if let unnamed = prepared.unnamed[name] {
                return askingMeanwhile {
                    PQsendQueryParams(handle, unnamed.text, count, unnamed.types, pointers, lengths, formats, 1)
                }
            }
            return question == nil
                ? PQexecPrepared(handle, name, count, pointers, lengths, formats, 1)
                : askingMeanwhile { PQsendQueryPrepared(handle, name, count, pointers, lengths, formats, 1) }
        }
        let status = PQresultStatus(result)
        guard let result, status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else {
            let error = error(result)
            PQclear(result)
            throw error
        }
        answers += 1
        return result
    }

    /// Calls a body with texts as C has them.
    private static func withPointers<Result>(
        to texts: [String], _ body: ([UnsafePointer<CChar>?]) throws -> Result
    ) rethrows -> Result {
        var bytes: [UInt8] = []
        let places = texts.map { text in
            defer { bytes += Array(text.utf8) + [0] }
            return bytes.count
        }
        return try bytes.withUnsafeBytes { buffer in
            let base = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            return try body(places.map { place in base.map { $0 + place } })
        }
    }

    /// The columns of a unique index or constraint, for the row that breaks it.
    func columns(ofIndex name: String, in schema: String?) -> [String] {
        let select = """
            SELECT a.attname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid \
            JOIN LATERAL unnest(i.indkey) WITH ORDINALITY k(number, place) ON true \
            JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number \
            JOIN pg_namespace n ON n.oid = c.relnamespace \
            WHERE c.relname = $1 AND ($2 = '' OR n.nspname = $2) ORDER BY k.place
            """
        let names = try? texts(select, [name, schema ?? ""])
        return names?.map { PostgreSQLDialect.logical($0) } ?? []
    }

    /// The first column of what a statement in SQL gives, for texts as parameters.
    func texts(_ select: String, _ values: [String] = []) throws -> [String] {
        try rows(select, values).map { $0[0] ?? "" }
    }

    /// Runs a SELECT with parameters as texts, and returns its rows as texts.
    func rows(_ select: String, _ values: [String] = []) throws -> [[String?]] {
        drainUnreadResult()
        if pipeline.isOn || lacksSettings { return try rowsTogether(select, values) }
        try beginWantedReading()
        roundTrips += 1
        let result = Self.withPointers(to: values) { pointers in
            let count = Int32(values.count)
            return question == nil
                ? PQexecParams(handle, select, count, nil, pointers, nil, nil, 0)
                : askingMeanwhile { PQsendQueryParams(handle, select, count, nil, pointers, nil, nil, 0) }
        }
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_TUPLES_OK else { throw error(result) }
        answers += 1
        return Self.texts(of: result)
    }

    private func rowsTogether(_ select: String, _ values: [String]) throws -> [[String?]] {
        let result = try sendingWithin {
            let isSent = Self.withPointers(to: values) { pointers in
                PQsendQueryParams(handle, select, Int32(values.count), nil, pointers, nil, nil, 0)
            }
            guard isSent == 1 else { throw error(nil) }
            pipeline.results.append(.wanted)
        }
        defer { PQclear(result) }
        return Self.texts(of: result)
    }

    private static func texts(of result: OpaquePointer?) -> [[String?]] {
        (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { column in
                PQgetisnull(result, row, column) == 1 ? nil : String(cString: PQgetvalue(result, row, column))
            }
        }
    }

    // MARK: Transactions

    var transactionState: PGTransactionStatusType { PQtransactionStatus(handle) }

    /// Runs a body whose changes are undone when it throws, within the transaction that is open.
    func trying<Result>(_ body: () throws -> Result) throws -> Result {
        try beginWantedReading()
        guard transactionState == PQTRANS_INTRANS else { return try body() }
        try executeNow("SAVEPOINT row")
        do {
            let result = try body()
            try executeNow("RELEASE SAVEPOINT row")
            return result
        } catch {
            if isAlive { try executeNow("ROLLBACK TO SAVEPOINT row; RELEASE SAVEPOINT row") }
            throw error
        }
    }

    // MARK: Versions of the tables

    func changingTables(_ body: () throws -> Void) throws { try body() }

    /// The version of the schema: every definition of ours raises it.
    func schemaVersion() throws -> Int64 {
        // A save that is sent as one pipeline compares the version at its end.
        if pipeline.isOn, let knownVersion {
            openSave.expectedVersion = knownVersion
            return knownVersion
        }
        let version = try metadataVersion()
        knownVersion = version
        return version
    }

    /// The version of the metadata.
    func metadataVersion() throws -> Int64 { try texts(Self.versionOfMetadata).first.flatMap { Int64($0) } ?? 0 }

    func interruptible<Result>(
        every steps: Int, by question: @escaping () -> Bool, _ body: () throws -> Result
    ) rethrows -> Result {
        let outer = self.question
        self.question = question
        defer { self.question = outer }
        return try body()
    }

    /// Sends a statement, and calls `question` at intervals while it runs. If that returns true, the server cancels
    /// the statement. The caller owns the last result.
    private func askingMeanwhile(_ send: () -> Int32) -> OpaquePointer? {
        wasStopped = false
        guard send() == 1 else { return nil }
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        while isAwaitingResult() {
            if poll(&descriptor, 1, Self.pause) == 0, !wasStopped, question?() == true {
                wasStopped = true
                cancel()
            }
            guard PQconsumeInput(handle) == 1 else { break }
        }
        var last: OpaquePointer?
        while let next = nextResult() {
            PQclear(last)
            last = next
        }
        return last
    }

    /// The milliseconds between two calls of `question`.
    private static let pause: Int32 = 25

    /// Makes the server end the statement that runs.
    private func cancel() {
        guard let cancel = PQgetCancel(handle) else { return }
        var message = [CChar](repeating: 0, count: 256)
        PQcancel(cancel, &message, Int32(message.count))
        PQfreeCancel(cancel)
    }

    func stepsPerRow(of statement: SQLStatement) -> Int { 0 }

    func sortingInPieces(_ body: () throws -> Void) throws { try body() }
}
#endif
