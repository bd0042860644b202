#if PostgreSQL
import CoreData
import Foundation

/// Key of an error's user info: the raw value of a ``PostgreSQLFailure``, a `String`. OpenCoreData only.
public let NSPostgreSQLFailureKey = ServerFailure.userInfoKey
/// Key of an error's user info: the server's code of the failure (SQLSTATE), a `String` of five characters.
/// OpenCoreData only.
public let NSPostgreSQLStateKey = "PostgreSQLState"

/// A failure of a server or of the connection to it, to which a program or its user can respond.
///
/// The raw value is under ``NSPostgreSQLFailureKey`` in the user info of the error.
public enum PostgreSQLFailure: String, Sendable, CaseIterable {
    /// The server does not answer at its address.
    case unreachable
    /// An option of the URL, the environment or the store is unknown, or has an invalid value.
    case optionRefused
    /// The connection was lost in the middle of work.
    case connectionLost
    /// The server refuses the user or the password, or there is no password.
    case passwordRefused
    /// The server's certificate is not trusted, the client's own certificate or key is unusable, or encryption is
    /// required and missing.
    case certificateNotTrusted
    /// The server has no database of that name.
    case noDatabase
    /// The user lacks a right.
    case notPermitted
    /// The database is read-only: it is a standby, or its administrator has set it so.
    case readOnly
    /// Another program is migrating the store to another version.
    case migratedByAnother
    /// The server's disk is full.
    case diskFull
    /// The server has no connection left.
    case noConnectionLeft
    /// A time limit or an administrator cancelled the statement.
    case cancelled
    /// A lock was not given in time.
    case locked
    /// The outcome of a commit is unknown: compare the data with the store before you save again.
    ///
    /// The connection was lost during the commit, or no standby has confirmed it, and no server has given an answer
    /// since.
    case commitUnknown
    /// A history token is of a server that was lost, and the server that has taken over has less history.
    case historyLost
    /// The query generation has reached its time limit, or its connection was lost.
    case generationEnded
    /// The store no longer serves the version of the model that this program has.
    case versionEnded
}

extension PostgreSQLError {
    /// The kind of the failure; nil where it is none of these.
    var failure: PostgreSQLFailure? {
        switch cause {
        case .option: return .optionRefused
        case .endedGeneration: return .generationEnded
        case .commit: return .commitUnknown
        case .certificate: return .certificateNotTrusted
        case .stopping, .existingTables, nil: break
        }
        return switch state {
        // The last one is of a server that starts, or ends.
        case Self.unreachable, "57P03": .unreachable
        case "28P01", "28000": .passwordRefused
        case "3D000": .noDatabase
        case Self.insufficientPrivilege: .notPermitted
        case "53300": .noConnectionLeft
        case "53100": .diskFull
        case "25006": .readOnly
        case PostgreSQLAdmission.ended: .versionEnded
        case "55P03": .locked
        case Self.cancelled: .cancelled
        default: isOfLostConnection ? .connectionLost : nil
        }
    }

    /// The failure in a sentence, with the server's message.
    var reason: String {
        let text =
            switch failure {
            case .unreachable: "The server could not be reached"
            case .optionRefused: "An option of the connection cannot be used"
            case .connectionLost: "The server has ended the connection, or it was lost"
            case .passwordRefused: "The server refuses the user or the password"
            case .certificateNotTrusted: "The server's certificate is not trusted, or the connection not encrypted"
            case .noDatabase: "The server has no such database"
            case .notPermitted: "The user has not the rights for that"
            case .readOnly: "The database can only be read"
            case .migratedByAnother: "Another program brings the store to another version"
            case .diskFull: "The server's disk is full"
            case .noConnectionLeft: "The server has no connection left"
            case .cancelled: "The statement was cancelled"
            case .locked: "A lock was not given in time"
            case .commitUnknown:
                "The connection was lost while the changes were committed, or no standby has confirmed them, and no "
                    + "server has said since whether they were. Compare before you save them again"
            case .historyLost: "A server was lost with its history"
            case .generationEnded:
                "The query generation has ended, by its time (NSPostgreSQLGenerationLifetimeOption) or another way: "
                    + "pin the context again, or let it read what is there now"
            case .versionEnded:
                "The store is not served any more as this version of its model, and nothing was saved: the program "
                    + "slept longer than it may (NSPostgreSQLLeaseOption), or the store was migrated. Remove it from "
                    + "the coordinator and open it with the newer model"
            case nil: nil as String?
            }
        if state == Self.limitExceeded, let constraint {
            return "A value is too large for the index “\(constraint)”, which takes about 2,700 bytes "
                + "as the server compresses them: \(message)"
        }
        guard let text else {
            let place = constraint.map { "“\($0)” of " } ?? ""
            return "\(message)\(detail.map { " " + $0 } ?? "") [\(state)\(table.map { ", \(place)“\($0)”" } ?? "")]"
        }
        return "\(text): \(message)"
    }
}
#endif
