import Foundation

/// One save or batch request of one store, as history remembers it.
open class NSPersistentHistoryTransaction: NSObject, NSCopying {
    let record: HistoryTransactionRecord
    /// The identifier of the store.
    open private(set) var storeID: String
    /// What was inserted, updated and deleted; nil where the request asked for transactions only.
    open private(set) var changes: [NSPersistentHistoryChange]?

    init(record: HistoryTransactionRecord, storeID: String, changes: [NSPersistentHistoryChange]?) {
        self.record = record
        self.storeID = storeID
        self.changes = changes
        super.init()
        guard let changes, !changes.isEmpty else { return }
        let owner = NSPersistentHistoryChange.Owner(self)
        for change in changes { change.belong(to: owner) }
    }

    /// Makes a transaction of nothing, numbered 0 and dated now. For subclasses in a program's tests.
    public override init() {
        record = HistoryTransactionRecord(number: 0, timestamp: Date())
        storeID = ""
        super.init()
    }

    /// When it was.
    open var timestamp: Date { record.timestamp }
    /// The number of the transaction in its store; they rise.
    open var transactionNumber: Int64 { record.number }
    /// The bundle identifier of the program, empty where it has none.
    open var bundleID: String { record.bundleID ?? "" }
    /// The name of the process.
    open var processID: String { record.processID ?? "" }
    /// The name of the context.
    open var contextName: String? { record.contextName }
    /// The `transactionAuthor` of the context.
    open var author: String? { record.author }
    /// The place in the store's history after this transaction.
    open var token: NSPersistentHistoryToken { NSPersistentHistoryToken(numbers: [storeID: record.number]) }

    /// The changes in the form of a did-save notification with object ids, for
    /// `NSManagedObjectContext.mergeChanges(fromContextDidSave:)`.
    open func objectIDNotification() -> Notification {
        var ids: [NSPersistentHistoryChangeType: Set<NSManagedObjectID>] = [:]
        for change in changes ?? [] { ids[change.changeType, default: []].insert(change.changedObjectID) }
        var info: [AnyHashable: Any] = [:]
        if let inserted = ids[.insert] { info[NSInsertedObjectIDsKey] = inserted }
        if let updated = ids[.update] { info[NSUpdatedObjectIDsKey] = updated }
        if let deleted = ids[.delete] { info[NSDeletedObjectIDsKey] = deleted }
        return Notification(name: .NSManagedObjectContextDidSaveObjectIDs, object: nil, userInfo: info)
    }

    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override var description: String {
        "<NSPersistentHistoryTransaction: \(transactionNumber) in \(storeID) at \(timestamp), author: "
            + "\(author ?? "(null)"), context: \(contextName ?? "(null)"), changes: \(changes.map { "\($0.count)" } ?? "(null)")>"
    }

    /// The entity that predicates on transactions speak of: `author`, `bundleID`, `contextName`, `processID`,
    /// `timestamp`, `token`, `transactionNumber`.
    open class var entityDescription: NSEntityDescription? { HistoryEntities.transaction }

    /// A new fetch request for transactions; see `NSPersistentHistoryChangeRequest.fetchHistory(withFetch:)`.
    open class var fetchRequest: NSFetchRequest<NSFetchRequestResult>? {
        HistoryEntities.fetchRequest(for: HistoryEntities.transaction)
    }

    /// The entity that predicates on transactions speak of.
    open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
        entityDescription
    }
}
