#if PostgreSQL
import CPostgreSQL
import CoreData
import Foundation

// Transactions that write. Each one leaves a token, which shows later whether it was committed. Each one notifies
// the listeners of the channel `coredata`, and is marked as the framework's, so that triggers do nothing. A save
// notifies after its commit: NOTIFY within a transaction makes all commits of the server wait for each other's
// disk. (8 clients of pgbench with fsync make 2,200 commits a second without it and after it, 550 to 800 within.)
extension PostgreSQLConnection {
    /// The lock of writers: saves hold it shared, and exclusive work alone. Its number is 'OpenCore' in ASCII.
    private static let writersLock = 0x4F70_656E_436F_7265

    /// Begins a transaction that writes. It sees what was committed while it waited for other transactions,
    /// whatever the default isolation level of the database is.
    static let beginning = "BEGIN ISOLATION LEVEL READ COMMITTED"

    /// Begins a transaction with the exclusive lock of writers, so that no other one writes until it ends.
    func begin() throws {
        let token = keepsTokens ? UUID() : nil
        // As one expression, these texts would take the compiler ten seconds.
        var statements: [String] = [Self.beginning] + transactionSettings + Self.takingWritersLock
        if let admitted { statements.append("SELECT \(admitted.call)") }
        if let token { statements.append("INSERT INTO coredata.saves (token) VALUES ('\(token)')") }
        try execute(statements.joined(separator: "; "))
        self.token = token
        (openSave.isChecked, openSave.notifiesAfterCommit) = (false, false)
    }

    /// The statements at the beginning of a migration, for a session of another program.
    var beginningOfScript: [String] {
        [Self.beginning, Self.settings(of: address, isLocal: true)] + Self.takingWritersLock + Self.liftingTimeLimits
    }

    /// The statements at the end of a migration.
    static let endingOfScript = [checking, notifyingWithin, "COMMIT"]

    /// The kind of a statement in a script, by its first word.
    static func kind(of text: String) -> MigrationForecast.Statement.Kind {
        let word = text.prefix { $0.isLetter }
        if ["BEGIN", "COMMIT", "SET", "RESET"].contains(word) { return .transaction }
        return ["INSERT", "UPDATE", "DELETE", "WITH", "SELECT"].contains(word) ? .rows : .definition
    }

    /// Takes the lock of writers, and names the framework as the writer, for the triggers.
    static let takingWritersLock = [
        "SELECT pg_advisory_xact_lock(\(writersLock))", "SELECT set_config('coredata.writer', 'framework', true)",
    ]

    /// Takes the exclusive lock of writers in the transaction that is open: waits for saves, and keeps new ones
    /// from beginning until the transaction ends.
    func waitForSaves() throws { try execute("SELECT pg_advisory_xact_lock(\(Self.writersLock))") }

    /// Begins the transaction of a save. Saves run at the same time; with `alone` the save waits for all of them
    /// first.
    func beginSave(alone: Bool) throws {
        let token = UUID()
        let name = try savingStatement(alone: alone)
        let parameters = PostgreSQLParameters(types: [PostgreSQLType.uuid], labels: labels)
        parameters.bind(1, .uuid(token))
        let values = parameters.values()
        if pipeline.isOn {
            for text in [Self.beginning] + transactionSettings { try queue(text) }
            try queue(name, values, .begun)
        } else {
            try execute(([Self.beginning] + transactionSettings).joined(separator: "; "))
            let row = PostgreSQLRow(try run(name, values), labels: labels)
            openSave.serverTransaction = row.int64(row.types.count - 1)
        }
        openSave.isOpen = true
        (openSave.isChecked, openSave.notifiesAfterCommit) = (false, true)
        self.token = token
    }

    private func savingStatement(alone: Bool) throws -> String {
        let lock = alone ? "pg_advisory_xact_lock" : "pg_advisory_xact_lock_shared"
        return try own(
            """
            WITH kept AS (INSERT INTO coredata.saves (token) VALUES ($1)) \
            SELECT \(lock)(\(Self.writersLock)), set_config('coredata.writer', 'framework', true)\(admitted.map { ", \($0.call)" } ?? ""), \
            pg_current_xact_id()::text::bigint
            """, types: [PostgreSQLType.uuid])
    }

    /// The name of a prepared statement of our own.
    private func own(_ text: String, types: [Oid] = []) throws -> String {
        if let name = prepared.own[text] { return name }
        // Where what was sent before fails, the server has prepared it all the same.
        let name = newName()
        _ = try prepare(text, as: name, types: types)
        prepared.own[text] = name
        return name
    }

    /// Sends what precedes the commit of a save: the checks that would wait for it, and the version of the tables.
    func queueEnd() throws {
        openSave.isOpen = false
        openSave.isChecked = true
        let version = openSave.expectedVersion
        openSave.expectedVersion = nil
        try queue(Self.checking)
        try queue(try own(Self.versionOfMetadata), PostgreSQLValues(), .ended(version: version))
    }

    static let checking = "SET CONSTRAINTS ALL IMMEDIATE"
    /// The version of the metadata: every transaction that writes them changes it.
    static let versionOfMetadata = "SELECT coalesce(max(xmin::text::bigint), 0) FROM coredata.metadata"

    func commit() throws {
        if script != nil { return try execute(Self.endingOfScript) }
        openSave.isOpen = false
        openSave.expectedVersion = nil
        let number = openSave.notifiesAfterCommit ? openSave.serverTransaction : nil
        var statements = openSave.isChecked ? [] : [Self.checking]
        if let number {
            statements += ["COMMIT", Self.notifying(of: number)]
        } else {
            statements += [Self.notifyingWithin, "COMMIT"]
        }
        try end(statements.joined(separator: "; "), telling: number)
    }

    private static func notifying(of transaction: Int64) -> String {
        "SELECT pg_notify('\(PostgreSQLListener.channel)', '\(transaction)')"
    }

    /// The statement that notifies before the commit. A transaction that wrote nothing has no number, and notifies
    /// no listener. The number is the second column.
    static let notifyingWithin =
        "SELECT pg_notify('\(PostgreSQLListener.channel)', pg_current_xact_id()::text), pg_current_xact_id()::text "
        + "WHERE pg_current_xact_id_if_assigned() IS NOT NULL"

    /// Ends a transaction. If the connection is lost during the commit, another connection finds out whether the
    /// transaction was committed. It does so as well if the server has committed and no standby has confirmed it.
    ///
    /// - Parameter number: the transaction that the listeners are notified of after the commit; nil where the
    ///   notification precedes it.
    private func end(_ text: String, telling number: Int64?) throws {
        let token = token
        self.token = nil
        let recorded = number == nil ? nil : transactionNumber
        var committed = number
        do {
            committed = try executeCommit(text) ?? number
        } catch var error as PostgreSQLError where error.isOfLostConnection {
            switch token.flatMap({ wasCommitted($0, telling: number) }) {
            case true?: break
            case false?: throw error
            case nil:
                error.cause = .commit
                throw error
            }
        }
        if let token { failoverDetector?.didCommit(token, transaction: committed, number: recorded) }
    }

    /// Runs statements with a COMMIT among them. Later statements cannot undo it, and their failures do not
    /// count.
    ///
    /// - Returns: the number of the transaction, where a statement before the COMMIT returns it.
    private func executeCommit(_ text: String) throws -> Int64? {
        drainUnreadResult()
        roundTrips += 1
        isUnconfirmed.pointee = false
        guard PQsendQuery(handle, text) == 1 else { throw error(nil) }
        var failure: PostgreSQLError?
        var isCommitted = false
        var number: Int64?
        while let result = nextResult() {
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
                // The COMMIT of a transaction that has failed is answered with ROLLBACK.
                isCommitted = isCommitted || String(cString: PQcmdStatus(result)) == "COMMIT"
                if PQntuples(result) == 1, PQnfields(result) == 2, let text = PQgetvalue(result, 0, 1) {
                    number = Int64(String(cString: text))
                }
            default: failure = failure ?? error(result)
            }
        }
        if !isCommitted { throw failure ?? error(nil) }
        if isUnconfirmed.pointee { throw unconfirmed }
        return number
    }

    /// The server has committed, and would continue alone. Commits that no standby has are lost with it.
    private var unconfirmed: PostgreSQLError {
        PostgreSQLError(
            message: "The server was told to wait no longer for a standby.", address: address.description)
    }

    /// Records the server's warning that it has stopped waiting for standbys. The commit itself succeeds.
    func watchConfirmations() {
        let receiver: PQnoticeReceiver = { flag, result in
            guard let routine = PQresultErrorField(result, Int32(UInt8(ascii: "R"))),
                String(cString: routine) == "SyncRepWaitForLSN"
            else { return }
            flag?.assumingMemoryBound(to: Bool.self).pointee = true
        }
        PQsetNoticeReceiver(handle, receiver, isUnconfirmed)
    }

    /// Whether the transaction with a token was committed; nil where no server gives the answer in time.
    ///
    /// The query inserts the token itself: the unique key waits for a server process that is still at work on the
    /// transaction, and keeps it from being committed afterwards.
    private func wasCommitted(_ token: UUID, telling number: Int64?) -> Bool? {
        failoverDetector?.counters.add(to: \.commitsInQuestion)
        var attempts = Attempts(
            RetryPolicy(pauses: 0.01...0.01, upTo: 0.2, timeout: Self.patience / .seconds(1)))
        while true {
            do {
                let other = try PostgreSQLConnection(address, labels: labels)
                // A server that another one has replaced may have commits that the new server lacks.
                try failoverDetector?.requireNewest(other)
                do {
                    try other.ask(
                        "INSERT INTO coredata.saves (token, time) VALUES ('\(token)', \(Self.timeOfQuestion))")
                    return false
                } catch let error as PostgreSQLError where error.isUniqueness {
                    // The insertion of an earlier attempt may have succeeded, with its answer lost.
                    let isOfQuestion =
                        "SELECT time > now() + interval '1 day' FROM coredata.saves WHERE token = $1::text::uuid"
                    if try other.texts(isOfQuestion, ["\(token)"]).first == "t" { return false }
                    // The transaction is committed there. If standbys confirm a later commit, they have this one as
                    // well.
                    try other.ask("INSERT INTO coredata.saves (token) VALUES ('\(UUID())')")
                    if other.isUnconfirmed.pointee { throw unconfirmed }
                    // The server process may have ended between the commit and the notification.
                    if let number { try? other.execute(Self.notifying(of: number)) }
                    return true
                }
            } catch {
                guard attempts.goOn() else { return nil }
            }
        }
    }

    /// The time in the tokens of such queries: it distinguishes them from tokens of transactions, and keeps them
    /// longer.
    private static let timeOfQuestion = "now() + interval '2 days'"

    /// Runs a statement on a server that may wait for ever: for standbys, or for the transaction in question. After
    /// a time limit the next attempt goes to another server.
    private func ask(_ text: String) throws {
        isUnconfirmed.pointee = false
        let end = ContinuousClock.now + Self.longestQuestion
        guard PQsendQuery(handle, text) == 1 else { throw error(nil) }
        while isAwaitingResult() {
            var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            if poll(&descriptor, 1, 50) == 0, ContinuousClock.now > end {
                distrust()
                shutdown(socket, Int32(SHUT_RDWR))
            }
            guard PQconsumeInput(handle) == 1 else { break }
        }
        var failure: PostgreSQLError?
        while let result = nextResult() {
            defer { PQclear(result) }
            if PQresultStatus(result) != PGRES_COMMAND_OK { failure = failure ?? error(result) }
        }
        if let failure { throw failure }
        if !isAlive { throw error(nil) }
    }

    private static let longestQuestion = Duration.seconds(5)

    /// The time within which a server must answer whether a transaction was committed.
    private static let patience = Duration.seconds(30)

    func rollback() {
        drainUnreadResult()
        openSave.isOpen = false
        openSave.expectedVersion = nil
        token = nil
        reading = .none
        if transactionState == PQTRANS_INTRANS || transactionState == PQTRANS_INERROR { try? execute("ROLLBACK") }
    }
}
#endif
