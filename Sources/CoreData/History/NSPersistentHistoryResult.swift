import Foundation

/// What a history request returns.
public enum NSPersistentHistoryResultType: Int, Sendable {
    /// Whether it succeeded: `NSNumber`.
    case statusOnly = 0
    /// The ids of the changed objects, each once: `[NSManagedObjectID]`.
    case objectIDs = 1
    /// The number of changes: `NSNumber`.
    case count = 2
    /// `[NSPersistentHistoryTransaction]` without their changes.
    case transactionsOnly = 3
    /// `[NSPersistentHistoryChange]` without their transactions.
    case changesOnly = 4
    /// `[NSPersistentHistoryTransaction]` with their changes.
    case transactionsAndChanges = 5
}

/// What a history request found or did.
open class NSPersistentHistoryResult: NSPersistentStoreResult {
    /// What `resultType` says, oldest first.
    open private(set) var result: Any?
    /// What the request asked for.
    open private(set) var resultType: NSPersistentHistoryResultType

    /// Makes a result of nothing. For subclasses in a program's tests.
    public override init() {
        resultType = .statusOnly
        super.init()
    }

    init(result: Any?, resultType: NSPersistentHistoryResultType) {
        self.result = result
        self.resultType = resultType
    }
}
