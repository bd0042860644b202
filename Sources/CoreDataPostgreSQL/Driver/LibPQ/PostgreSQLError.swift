#if PostgreSQL
import CPostgreSQL
import CoreData
import Foundation

/// An error of a server, or of the connection to it.
struct PostgreSQLError: SQLFailure {
    /// Five letters of the standard; empty where the connection itself failed.
    var state: String
    var message: String
    /// Further details of the failure from the server.
    var detail: String?
    /// The constraint that a row breaks, and its columns, once they were queried.
    var constraint: String?
    /// Its table, and the schema of that; the column and the type where the server names them.
    var schema: String?
    var table: String?
    var column: String?
    var type: String?
    /// The function in the server's source that has failed: its name does not depend on the language, as the
    /// message does.
    var function: String?
    var columns: [String] = []
    /// Where the server is, without a password.
    var address: String
    /// What the error is about, if that decides more than the server's code.
    var cause: Cause?
    /// How long another server may take to take over from the one that failed; nil where the address names no other.
    var patience: Duration?

    enum Cause {
        /// The connection was lost during a commit, whose outcome is unknown.
        case commit
        /// The statement was cancelled because the caller's closure asked for its end.
        case stopping
        /// The encryption failed, or a certificate or private key was not accepted.
        case certificate
        /// An option of the connection is unknown, or has an invalid value.
        case option
        /// The state that was to be read is one that no connection holds any more.
        case endedGeneration
        /// The store lies over existing tables of another program.
        case existingTables
    }

    static let uniqueViolation = "23505"
    static let checkViolation = "23514"
    static let notNullViolation = "23502"
    static let raised = "P0001"
    static let foreignKeyViolation = "23503"
    static let cachedPlan = "0A000"
    static let cancelled = "57014"
    static let limitExceeded = "54000"
    static let unreachable = "08001"
    static let deadlock = "40P01"
    static let locked = "55P03"
    /// A standby removes rows that a statement reads, as its primary has done.
    static let recoveryConflict = "40001"
    static let insufficientPrivilege = "42501"
    /// The server has ended a session that was idle in a transaction.
    static let idleTransaction = "25P03"

    /// Makes the error of a result that has failed.
    init(_ result: OpaquePointer?, address: String) {
        func field(_ code: Int32) -> String? { PQresultErrorField(result, code).map { String(cString: $0) } }
        state = field(Int32(UInt8(ascii: "C"))) ?? ""
        message = field(Int32(UInt8(ascii: "M"))) ?? String(cString: PQresultErrorMessage(result))
        detail = field(Int32(UInt8(ascii: "D")))
        constraint = field(Int32(UInt8(ascii: "n")))
        schema = field(Int32(UInt8(ascii: "s")))
        table = field(Int32(UInt8(ascii: "t")))
        column = field(Int32(UInt8(ascii: "c")))
        type = field(Int32(UInt8(ascii: "d")))
        function = field(Int32(UInt8(ascii: "R")))
        self.address = address
    }

    /// The error of an option, for a sentence about it.
    static func ofOption(_ complaint: String, address: PostgreSQLAddress) -> PostgreSQLError {
        var error = PostgreSQLError(message: address.withoutPassword(complaint), address: address.description)
        error.cause = .option
        return error
    }

    init(state: String = "", message: String, address: String) {
        self.state = state
        self.message = message.trimmingCharacters(in: .whitespacesAndNewlines)
        self.address = address
    }

    var kind: SQLFailureKind {
        if cause == .stopping { return .stopped }
        if isPassing { return .passing }
        if isOfLostConnection { return cause == .commit ? .other : .lost }
        if state == Self.uniqueViolation { return .notUnique(columns: columns) }
        if state == Self.limitExceeded { return .tooLargeForIndex }
        // A trigger that raises an error without a state of its own gives it this one.
        let isOfRow = state.hasPrefix("22") || state.hasPrefix("23") || state == Self.raised
        return isOfRow ? .refusedRow : .other
    }

    /// Whether the same work may succeed when it is done again: another session held a lock, has changed a table,
    /// or has deleted the row that a reference leads to.
    var isPassing: Bool {
        ["40001", Self.deadlock, Self.locked].contains(state) || isOfCachedPlan
            || state == Self.foreignKeyViolation && constraint?.hasSuffix("_fkey") == true && cause != .existingTables
    }

    /// Whether a prepared statement no longer returns the columns that it was prepared for.
    private var isOfCachedPlan: Bool { state == Self.cachedPlan && function == "RevalidateCachedQuery" }

    var isOfMissingPart: Bool { state == "42P01" || state == "42703" }

    /// Whether tables differ from what a statement expects, and the role may use them.
    var isOfOtherTables: Bool { state.hasPrefix("42") && state != Self.insufficientPrivilege }

    /// Whether the connection is lost.
    var isOfLostConnection: Bool {
        cause != .option
            && (state.isEmpty || state.hasPrefix("08") || state.hasPrefix("57P") || state == Self.idleTransaction)
    }

    /// The states of a server's errors for an unknown setting or an invalid value.
    static let statesOfOptions: Set<String> = ["22023", "42704", "42601", "55P02"]

    func nsError(doing operation: SQLOperation) -> NSError {
        let code =
            switch operation {
            case _ where failure == .versionEnded: NSPersistentStoreIncompatibleVersionHashError
            case .opening: NSPersistentStoreOpenError
            case .reading: NSPersistentStoreOperationError
            case .saving: NSPersistentStoreSaveError
            }
        var info: [String: Any] = [NSPostgreSQLStateKey: state]
        if let failure { info[NSPostgreSQLFailureKey] = failure.rawValue }
        if let detail { info["PostgreSQLDetail"] = detail }
        return .coreData(code, reason: "\(reason) (\(address))", userInfo: info)
    }
}
#endif
