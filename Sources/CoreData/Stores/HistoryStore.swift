import Foundation

/// A store that keeps a history: the transactions, their authors and the changed rows.
package protocol HistoryStore: AnyObject, Sendable {
    /// Whether changes are remembered from now on.
    var tracksHistory: Bool { get }
    /// The number of the transaction that the last save through this store was; nil before the first one.
    var lastRecordedTransaction: Int64? { get }
    /// The number of the newest transaction there ever was; 0 before the first one.
    func lastTransactionNumber() throws -> Int64
    /// Calls the body with the transactions of an interval, oldest first, without their changes.
    func transactions(_ interval: HistoryInterval, _ body: (HistoryTransactionRecord) throws -> Void) throws
    /// Calls the body with the changes of an interval's transactions, those of each in the order in which they came,
    /// and maybe with some that no transaction has. Changes of entities that the model does not have are left out.
    func changes(_ interval: HistoryInterval, _ body: (HistoryChangeRecord) throws -> Void) throws
    /// The number of changes that `changes` would call its body with; none of them is read.
    func changeCount(_ interval: HistoryInterval) throws -> Int
    /// Deletes an interval's transactions with their changes; returns how many changes there were.
    func deleteHistory(_ interval: HistoryInterval) throws -> Int
    /// Whether nothing that came after a transaction has been deleted. False also for numbers that no transaction had
    /// yet.
    func isComplete(after number: Int64) throws -> Bool
    /// Whether history after a transaction was lost with the server that knew it; nil if it was not.
    func lostHistory(after number: Int64) throws -> LostHistory?
    /// The number of an entity in the store's own numbering.
    func number(ofEntityNamed name: String) -> Int?
}

/// An interval of transactions.
package enum HistoryInterval {
    case all
    case none
    /// Those with higher numbers.
    case afterNumber(Int64)
    case beforeNumber(Int64)
    /// Those that are younger.
    case afterDate(Date)
    case beforeDate(Date)
}

/// One transaction as a store has it.
package struct HistoryTransactionRecord {
    package var number: Int64
    package var timestamp: Date
    package var author: String?
    package var bundleID: String?
    package var contextName: String?
    package var processID: String?
}

/// One change as a store has it.
package struct HistoryChangeRecord {
    package var changeID: Int64
    package var transaction: Int64
    package var type: NSPersistentHistoryChangeType
    package var key: ObjectKey
    /// The number of the entity in the store's own numbering.
    package var entityNumber: Int
    /// Of updates.
    package var updatedProperties: Set<NSPropertyDescription>?
    /// The values of a deleted row that were to stay, by attribute name.
    package var tombstone: [String: Any]?
}

/// The reason why no history is read behind a number: the server that has given it is gone, and the one that went on
/// does not have it.
package struct LostHistory {
    /// The newest number that both have.
    package var parting: Int64
    package var reason: String
    /// Further entries of the error's user info.
    package var userInfo: [String: Any]

    package init(parting: Int64, reason: String, userInfo: [String: Any]) {
        self.parting = parting
        self.reason = reason
        self.userInfo = userInfo
    }
}
