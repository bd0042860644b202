import Foundation

/// A store that keeps a history: the transactions, their authors and the changed rows.
package protocol HistoryStore: AnyObject, Sendable {
    /// Whether the store records changes.
    var tracksHistory: Bool { get }
    /// The number of the transaction of the last save through this store; nil before the first save.
    var lastRecordedTransaction: Int64? { get }
    /// Records the transactions of the saves through this store in a log from now on, as long as the log is retained.
    func record(savesIn log: SaveLog)
    /// The number of the newest transaction that was ever recorded; 0 before the first one.
    func lastTransactionNumber() throws -> Int64
    /// Calls the body with the transactions of an interval, oldest first, without their changes.
    func transactions(_ interval: HistoryInterval, _ body: (HistoryTransactionRecord) throws -> Void) throws
    /// Calls the body with the changes of an interval's transactions. The changes of each transaction come in their
    /// order. There may be changes that belong to no transaction. Changes of entities that the model does not have are
    /// left out.
    func changes(_ interval: HistoryInterval, _ body: (HistoryChangeRecord) throws -> Void) throws
    /// The number of changes for which `changes` would call its body. None of them is read.
    func changeCount(_ interval: HistoryInterval) throws -> Int
    /// Deletes an interval's transactions with their changes. Returns the number of changes.
    func deleteHistory(_ interval: HistoryInterval) throws -> Int
    /// Whether no transaction after a given one has been deleted. False also for a number that no transaction has had
    /// yet.
    func isComplete(after number: Int64) throws -> Bool
    /// Whether history after a transaction was lost with the server that had it; nil if it was not.
    func lostHistory(after number: Int64) throws -> LostHistory?
    /// The number of an entity in the store's own numbering.
    func number(ofEntityNamed name: String) -> Int?
}

/// An interval of transactions.
package enum HistoryInterval {
    case all
    case none
    /// The transactions with higher numbers.
    case afterNumber(Int64)
    case beforeNumber(Int64)
    /// The transactions that are younger.
    case afterDate(Date)
    case beforeDate(Date)
}

/// One transaction in the form in which a store keeps it.
package struct HistoryTransactionRecord {
    package var number: Int64
    package var timestamp: Date
    package var author: String?
    package var bundleID: String?
    package var contextName: String?
    package var processID: String?
}

/// One change in the form in which a store keeps it.
package struct HistoryChangeRecord {
    package var changeID: Int64
    package var transaction: Int64
    package var type: NSPersistentHistoryChangeType
    package var key: ObjectKey
    /// The number of the entity in the store's own numbering.
    package var entityNumber: Int
    /// The properties that an update has changed; nil for other changes.
    package var updatedProperties: Set<NSPropertyDescription>?
    /// The values of a deleted row that history preserves, by attribute name.
    package var tombstone: [String: Any]?
}

/// The reason why no history can be read after a number: the server that gave the number is lost, and the server that
/// replaced it does not have that history.
package struct LostHistory {
    /// The newest number that both servers have.
    package var lastShared: Int64
    package var reason: String
    /// Further entries of the error's user info.
    package var userInfo: [String: Any]

    package init(lastShared: Int64, reason: String, userInfo: [String: Any]) {
        self.lastShared = lastShared
        self.reason = reason
        self.userInfo = userInfo
    }
}
