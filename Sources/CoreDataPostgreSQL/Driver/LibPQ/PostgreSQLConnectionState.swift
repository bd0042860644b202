#if PostgreSQL
import CPostgreSQL
import CoreData

// The state of a connection, in groups.
extension PostgreSQLConnection {
    /// The statements that the server has prepared for the connection.
    struct Prepared {
        var byPlan: [SQLPlan: PostgreSQLStatement] = [:]
        /// The statements that read one row, by root entity.
        var ofRows: [Int: PostgreSQLStatement] = [:]
        var nextName = 0
        /// The names of the driver's own statements, by their texts.
        var own: [String: String] = [:]
        /// The statements of a connection that keeps none by their names (`usesNamedStatements`).
        var unnamed: [String: Unnamed] = [:]
    }

    struct Unnamed {
        var text: String
        var types: [Oid]
    }

    /// The statements that are sent without waiting for results.
    struct Pipeline {
        var isOn = false
        /// The results that are still to come.
        var results: [Pending] = []
        /// Whether a result is to come that no caller waits for.
        var hasUnreadResult = false
    }

    package var isPipelining: Bool { pipeline.isOn }

    /// The save whose transaction is open.
    struct OpenSave {
        var isOpen = false
        /// Whether the checks that would wait for the commit were sent.
        var isChecked = false
        /// Whether the listeners are notified by a statement after the commit.
        var notifiesAfterCommit = false
        /// The number that the server has given to the transaction of the last save.
        var serverTransaction: Int64?
        /// The version of the tables that the save expects.
        var expectedVersion: Int64?
    }

    /// The primary keys for new rows.
    struct KeyRanges {
        /// The sequences of keys, by tables.
        var sequences: [String: String] = [:]
        /// Keys that were taken from them and not used yet.
        var spare: [String: Range<Int64>] = [:]
    }
}
#endif
