import Foundation

/// The kind of result of a history request.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistoryresulttype)
public enum NSPersistentHistoryResultType: Int, Sendable {
    /// Whether it succeeded: `NSNumber`.
    case statusOnly = 0
    /// The ids of the changed objects, each once: `[NSManagedObjectID]`.
    case objectIDs = 1
    /// The number of changes that were read or deleted: `NSNumber`.
    case count = 2
    /// `[NSPersistentHistoryTransaction]` without their changes.
    case transactionsOnly = 3
    /// `[NSPersistentHistoryChange]` without their transactions.
    case changesOnly = 4
    /// `[NSPersistentHistoryTransaction]` with their changes.
    case transactionsAndChanges = 5
}

/// The result of a history request.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistoryresult)
open class NSPersistentHistoryResult: NSPersistentStoreResult {
    /// The result, in the form of ``resultType``; nil in a result that a program created.
    ///
    /// Transactions and changes come oldest first, unless the fetch request has an order.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistoryresult/result)
    open private(set) var result: Any?
    /// The kind of result.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistoryresult/resulttype)
    open private(set) var resultType: NSPersistentHistoryResultType

    /// Creates an empty result, for subclasses in a program's tests.
    public override init() {
        resultType = .statusOnly
        super.init()
    }

    init(result: Any?, resultType: NSPersistentHistoryResultType) {
        self.result = result
        self.resultType = resultType
    }
}
