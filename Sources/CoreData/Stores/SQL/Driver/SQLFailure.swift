import Foundation

/// The reason why a statement failed, as far as the layers above distinguish failures.
package protocol SQLFailure: Error {
    var kind: SQLFailureKind { get }
    /// The message of the database.
    var message: String { get }
    /// The error code by which callers of Core Data recognise the failure; nil if the engine has none for them.
    var codeOfEngine: Int32? { get }
    /// Whether a table, or a column of a table, is missing.
    var isOfMissingPart: Bool { get }
    /// The time for which the work is tried again, if the connection was lost and another server is to take over; nil
    /// if no other server is expected.
    var patience: Duration? { get }
    /// The failure as a Core Data error.
    func nsError(doing operation: SQLOperation) -> NSError
}

/// A failure of a database server, by what the program or its user can do.
///
/// The raw value is under `userInfoKey` in the user info of the error. The module of the server publishes both
/// (`PostgreSQLFailure`).
package enum ServerFailure: String, Sendable, CaseIterable {
    package static let userInfoKey = "PostgreSQLFailure"

    case unreachable, optionRefused, connectionLost, passwordRefused, certificateNotTrusted, noDatabase, notPermitted
    case readOnly, migratedByAnother, diskFull, noConnectionLeft, cancelled, locked, commitUnknown, historyLost
    case generationEnded, versionEnded
}

extension NSError {
    /// The failure of a database server; nil for errors of other kinds.
    package var serverFailure: ServerFailure? {
        (userInfo[ServerFailure.userInfoKey] as? String).flatMap { ServerFailure(rawValue: $0) }
    }
}

package enum SQLFailureKind: Equatable {
    /// There is already a row with these values in the columns of a unique index or key.
    case notUnique(columns: [String])
    /// The database does not accept a row or one of its values: a length, a range, a check, a reference.
    case refusedRow
    /// A value is larger than the database allows in an index.
    case tooLargeForIndex
    /// The file of an external value is missing.
    case missingExternalData(row: Int64?)
    /// The condition of `SQLConnection.interruptible` was true.
    case stopped
    /// Another transaction has disturbed this one. This transaction may succeed when it is run again.
    case passing
    /// The connection was lost, and nothing of the transaction was committed.
    case lost
    case other
}

/// The reason why a database refuses a row.
package struct SQLRefusal {
    /// The columns that the refusal concerns, as far as they are known.
    package var columns: [String]
    /// The Core Data error code for the refusal.
    package var code: Int
    package var reason: String

    package init(columns: [String], code: Int, reason: String) {
        self.columns = columns
        self.code = code
        self.reason = reason
    }
}

/// The work of the store at the time of a failure, which determines the error code.
package enum SQLOperation {
    case opening
    case reading
    case saving
}

/// Thrown if statements of a pipeline had another result than the expected one.
package struct PipelineMismatch: Error {
    package init() {}
}

extension SQLFailure {
    package var codeOfEngine: Int32? { nil }
    package var isOfMissingPart: Bool { false }
    package var patience: Duration? { nil }

    /// Whether the transaction may succeed when it is run again.
    package var mayBeRepeated: Bool { kind == .passing || kind == .lost }

    package var isOfStopping: Bool { kind == .stopped }

    /// Whether the failure concerns one row, so that other rows can still be written.
    package var isOfRow: Bool { isUniqueness || isRefusal }

    /// Whether the database refuses the row, whatever other rows there are.
    package var isRefusal: Bool { kind == .refusedRow || kind == .tooLargeForIndex }

    package var isUniqueness: Bool {
        if case .notUnique = kind { true } else { false }
    }
}
