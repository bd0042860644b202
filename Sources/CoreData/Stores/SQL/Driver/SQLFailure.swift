import Foundation

/// The reason why a statement failed, as far as the floors above tell failures apart.
package protocol SQLFailure: Error {
    var kind: SQLFailureKind { get }
    /// The message of the database.
    var message: String { get }
    /// The number by which callers of Core Data know the failure; nil where the engine has none for them.
    var codeOfEngine: Int32? { get }
    /// Whether a table, or a column of one, is not there.
    var isOfMissingPart: Bool { get }
    /// The time for which the same is tried again, where the connection was lost and another server is to continue. Nil
    /// where nobody waits for one.
    var patience: Duration? { get }
    /// The error in Core Data's terms.
    func nsError(doing operation: SQLOperation) -> NSError
}

package enum SQLFailureKind: Equatable {
    /// A row with the same values in the columns of a unique index or key is there.
    case notUnique(columns: [String])
    /// The database does not accept a row or one of its values: a length, a range, a check, a reference.
    case refusedRow
    /// A value is larger than an index of the database takes.
    case tooLargeForIndex
    /// The file that a value of external storage lies in is not there.
    case missingExternalData(row: Int64?)
    /// The question of `SQLConnection.interruptible` was answered with true.
    case stopped
    /// Another transaction has disturbed this one: the same transaction may succeed when it is run again.
    case passing
    /// The connection was lost, and nothing of the transaction was committed.
    case lost
    case other
}

/// The reason why a database does not take a row.
package struct SQLRefusal {
    /// The columns that it is about, as far as that is known.
    package var columns: [String]
    /// Core Data's code for it.
    package var code: Int
    package var reason: String

    package init(columns: [String], code: Int, reason: String) {
        self.columns = columns
        self.code = code
        self.reason = reason
    }
}

/// The work of the store at the time, for the choice of the error code.
package enum SQLOperation {
    case opening
    case reading
    case saving
}

/// Statements that were sent together had another result than expected.
package struct SQLSurprise: Error {
    package init() {}
}

extension SQLFailure {
    package var codeOfEngine: Int32? { nil }
    package var isOfMissingPart: Bool { false }
    package var patience: Duration? { nil }

    /// Whether the same transaction may succeed when it is run again.
    package var mayBeRepeated: Bool { kind == .passing || kind == .lost }

    package var isOfStopping: Bool { kind == .stopped }

    /// Whether it is about one row, and others may be written.
    package var isOfRow: Bool { isUniqueness || isRefusal }

    /// Whether the database refuses a row, with any other rows.
    package var isRefusal: Bool { kind == .refusedRow || kind == .tooLargeForIndex }

    package var isUniqueness: Bool {
        if case .notUnique = kind { true } else { false }
    }
}
