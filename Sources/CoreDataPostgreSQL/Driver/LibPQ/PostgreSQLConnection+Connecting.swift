#if PostgreSQL
import CPostgreSQL
import CoreData
import Foundation

// How a connection comes about.
extension PostgreSQLConnection {
    /// Connects to a server. Throws where that fails, with what the server calls the failure, where it was the
    /// server.
    ///
    /// - Returns: the connection, which server of several that is, and what leads to it alone.
    static func connected(
        to address: PostgreSQLAddress
    ) throws -> (handle: OpaquePointer, server: PostgreSQLHosts.Server?, place: [(String, String)]?) {
        var handle = try begun(address, address.settings) { PQconnectStartParams($0, $1, $2) }
        let known = PostgreSQLConnectionOptions(of: handle)
        if let complaint = known.complaint(about: address) ?? refusal(of: handle, address) {
            PQfinish(handle)
            throw PostgreSQLError.ofOption(complaint, address: address)
        }
        let seconds = known.number("connect_timeout") ?? PostgreSQLAddress.usualConnectTimeout
        if let places = PostgreSQLHosts(address, known) {
            PQfinish(handle)
            let found = try places.connected(
                seconds: seconds, { try begun(address, $0) { PQconnectStartParams($0, $1, $2) } },
                { failure(of: $0, address) })
            PQsetErrorVerbosity(found.handle, PQERRORS_DEFAULT)
            return (found.handle, found.server, found.server?.settings)
        }
        let isOneOfSeveral = ["host", "hostaddr"].contains { known.values[$0]?.contains(",") == true }
        if PQstatus(handle) != CONNECTION_BAD {
            if isOneOfSeveral {
                // libpq continues with the next host only where it waits itself.
                PQfinish(handle)
                let settings = [("connect_timeout", "\(seconds)")] + address.settings
                handle = try begun(address, settings) { PQconnectdbParams($0, $1, $2) }
            } else if !wait(for: handle, seconds: seconds) {
                PQfinish(handle)
                throw PostgreSQLError(
                    state: PostgreSQLError.unreachable,
                    message: "It did not answer within \(seconds) seconds.", address: address.description)
            }
        }
        guard PQstatus(handle) == CONNECTION_OK else {
            defer { PQfinish(handle) }
            throw failure(of: handle, address)
        }
        PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
        return (handle, nil, isOneOfSeveral ? place(of: handle, address) : nil)
    }

    /// The settings that lead to the one server that libpq has chosen among several.
    private static func place(of handle: OpaquePointer, _ address: PostgreSQLAddress) -> [(String, String)] {
        func text(_ text: UnsafePointer<CChar>?) -> String { text.map { String(cString: $0) } ?? "" }
        return address.settings + [
            ("host", text(PQhost(handle))), ("hostaddr", text(PQhostaddr(handle))),
            ("port", text(PQport(handle))), ("target_session_attrs", "any"),
        ]
    }

    /// Has libpq begin with settings, or do all of it.
    private static func begun(
        _ address: PostgreSQLAddress, _ settings: [(String, String)],
        _ begin: ([UnsafePointer<CChar>?], [UnsafePointer<CChar>?], Int32) -> OpaquePointer?
    ) throws -> OpaquePointer {
        guard let handle = passed(settings, begin) else {
            throw PostgreSQLError(message: "There is no memory for a connection.", address: address.description)
        }
        // Notices of a server, and its message when it ends a connection, have no reader here and are not printed.
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        return handle
    }

    /// Calls a function of libpq's with settings.
    private static func passed<Result>(
        _ settings: [(String, String)],
        _ body: ([UnsafePointer<CChar>?], [UnsafePointer<CChar>?], Int32) -> Result
    ) -> Result {
        let keywords = settings.map { UnsafePointer(strdup($0.0)) } + [nil]
        let values = settings.map { UnsafePointer(strdup($0.1)) } + [nil]
        defer { for text in keywords + values { free(UnsafeMutablePointer(mutating: text)) } }
        return body(keywords, values, 1)
    }

    /// Whether a server takes connections, or answers that it takes none.
    static func answers(_ settings: [(String, String)]) -> Bool {
        [PQPING_OK, PQPING_REJECT].contains(passed(settings) { PQpingParams($0, $1, $2) })
    }

    /// The reason for which libpq makes no attempt to connect; nil where it makes one. The connection has the same
    /// status as for a server that does not answer. Only a ping distinguishes the two.
    private static func refusal(of handle: OpaquePointer, _ address: PostgreSQLAddress) -> String? {
        guard PQstatus(handle) == CONNECTION_BAD,
            passed(address.settings, { PQpingParams($0, $1, $2) }) == PQPING_NO_ATTEMPT
        else { return nil }
        return String(cString: PQerrorMessage(handle))
    }

    /// Waits until the connection is there or has failed; false where that takes longer.
    private static func wait(for handle: OpaquePointer, seconds: Int) -> Bool {
        // Without this setting libpq leaves out the five letters of a failure's SQLSTATE.
        PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        let deadline = seconds > 0 ? ContinuousClock.now + .seconds(max(2, seconds)) : nil
        var status = PGRES_POLLING_WRITING
        while status == PGRES_POLLING_READING || status == PGRES_POLLING_WRITING {
            let events = status == PGRES_POLLING_READING ? POLLIN : POLLOUT
            var descriptor = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
            var left: Int32 = -1
            if let deadline {
                let rest = (deadline - ContinuousClock.now).components
                left = Int32(clamping: rest.seconds * 1_000 + rest.attoseconds / 1_000_000_000_000_000)
                if left <= 0 { return false }
            }
            if poll(&descriptor, 1, left) != 0 { status = PQconnectPoll(handle) }
        }
        return true
    }

    /// Why a connection did not come about.
    private static func failure(of handle: OpaquePointer, _ address: PostgreSQLAddress) -> PostgreSQLError {
        var message = address.withoutPassword(String(cString: PQerrorMessage(handle)))
        // The server's message is `FATAL:  28P01: …`, and behind it the place in its sources.
        let states = message.matches(of: /:\x20{2}([0-9A-Z]{5}):/).map { String($0.1) }
        message.replace(/:\x20{2}[0-9A-Z]{5}:/, with: ":")
        message.replace(/\n[^\n]*, \w+\.c:\d+/, with: "")
        var error = PostgreSQLError(
            state: states.last ?? PostgreSQLError.unreachable, message: message, address: address.description)
        // A pooler that refuses an option gives no code of its own for it.
        let isOfOption =
            PostgreSQLError.statesOfOptions.contains(error.state) || message.contains("startup parameter")
        error.cause = isOfOption ? .option : nil
        if states.isEmpty {
            if PQconnectionNeedsPassword(handle) == 1 {
                error.state = "28P01"
            } else if !isOfOption, ["certificate", "SSL", "private key"].contains(where: { message.contains($0) }) {
                error.cause = .certificate
            }
        }
        return error
    }

    // MARK: Idle connections

    /// Whether the connection can be used, as far as that is clear without a query. The property reads messages
    /// that the server has sent since the last statement, such as the one that it shuts down.
    var isUsable: Bool {
        drainUnreadResult()
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        // The server's last message comes before the end of the connection.
        for _ in 0..<4 {
            guard isAlive else { return false }
            if poll(&descriptor, 1, 0) == 0 { return true }
            guard consumeInput() else { return false }
        }
        return isAlive
    }

    /// The number before which history has all transactions: those of other databases of the server do not count.
    func boundOfHistory() throws -> Int64 {
        try texts("SELECT coredata.history_bound()::text").first.flatMap { Int64($0) } ?? 0
    }

    /// The oldest transaction that runs on the server.
    func oldestTransaction() throws -> Int64 {
        try texts("SELECT pg_snapshot_xmin(pg_current_snapshot())::text").first.flatMap { Int64($0) } ?? 0
    }

    /// The statement that sets the session settings of an address, for the transaction alone if `isLocal` is true.
    static func settings(of address: PostgreSQLAddress, isLocal: Bool) -> String {
        func quoted(_ text: String) -> String { "'\(text.replacingOccurrences(of: "'", with: "''"))'" }
        return "SELECT "
            + address.sessionSettings.map { setting in
                "set_config(\(quoted(setting.name)), \(quoted(setting.value)), \(isLocal))"
            }.joined(separator: ", ") + ", \(pathToStore(isLocal: isLocal))"
    }

    /// The search path that leads to the tables of the store's objects, whatever the role's own path is. The schema
    /// is that of the tables' triggers.
    private static func pathToStore(isLocal: Bool) -> String {
        "set_config('search_path', concat_ws(', ', (SELECT quote_ident(n.nspname) FROM pg_catalog.pg_trigger g "
            + "JOIN pg_catalog.pg_class c ON c.oid = g.tgrelid "
            + "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
            + "WHERE g.tgname = 'coredata_changed' ORDER BY c.oid LIMIT 1), "
            + "nullif(current_setting('search_path'), '')), \(isLocal))"
    }
}
#endif
