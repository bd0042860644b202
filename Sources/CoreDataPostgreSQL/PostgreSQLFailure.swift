#if PostgreSQL
    import CoreData
    import Foundation

    /// The key, in the user info of an error, of the raw value of a `PostgreSQLFailure`.
    public let NSPostgreSQLFailureKey = "PostgreSQLFailure"
    /// The key, in the user info of an error, of the five letters by which the server calls a failure (SQLSTATE).
    public let NSPostgreSQLStateKey = "PostgreSQLState"

    /// Failures of a server, or of the way to it, that a program or its user can do something about.
    public enum PostgreSQLFailure: String, Sendable, CaseIterable {
        /// The server does not answer at its address.
        case unreachable
        /// An option of the URL, the environment or the store is unknown, or has an invalid value.
        case optionRefused
        /// The connection was lost in the middle of work.
        case connectionLost
        /// The server refuses the user or the password, or there is none.
        case passwordRefused
        /// The server's certificate is not one that is trusted, the client's own or its key cannot be used, or there is
        /// no encryption where it is demanded.
        case certificateNotTrusted
        /// The server has no such database.
        case noDatabase
        /// The server does not let the user do that: a right is missing.
        case notPermitted
        /// The database can only be read: a standby, or one that its administrator has set so.
        case readOnly
        /// Another program brings the store to another version.
        case migratedByAnother
        /// The server's disk is full.
        case diskFull
        /// The server has no connection left.
        case noConnectionLeft
        /// The statement was cancelled, by a limit of time or by an administrator.
        case cancelled
        /// A lock was not given in time.
        case locked
        /// The connection was lost while changes were committed, or no standby has confirmed them, and no server has
        /// said since whether they were.
        case commitUnknown
        /// A history token is of a server that was lost, and the one that goes on has less history.
        case historyLost
        /// The query generation lasted as long as it may, or its connection was lost.
        case generationEnded
        /// No program may have the store open any more as the version of its model that this one has.
        case versionEnded
    }

    extension PostgreSQLError {
        /// What the failure is, as far as it is one of those.
        var failure: PostgreSQLFailure? {
            if isOfOption { return .optionRefused }
            if isOfEndedGeneration { return .generationEnded }
            if isOfCommit { return .commitUnknown }
            if isOfCertificate { return .certificateNotTrusted }
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

        /// The failure in a sentence, with what the server says.
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
