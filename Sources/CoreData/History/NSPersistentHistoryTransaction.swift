import Foundation

/// One save or one batch request of one store, as the history records it.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorytransaction)
open class NSPersistentHistoryTransaction: NSObject, NSCopying {
    let record: HistoryTransactionRecord
    /// The identifier of the store.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorytransaction/storeid)
    open private(set) var storeID: String
    /// The rows that were inserted, updated and deleted; nil if the request asked for transactions only.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorytransaction/changes)
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

    /// Creates an empty transaction with the number 0 and the present date, for subclasses in a program's tests.
    public override init() {
        record = HistoryTransactionRecord(number: 0, timestamp: Date())
        storeID = ""
        super.init()
    }

    /// The time of the transaction.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorytransaction/timestamp)
    open var timestamp: Date { record.timestamp }
    /// The number of the transaction, which rises within a store.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorytransaction/transactionnumber)
    open var transactionNumber: Int64 { record.number }
    /// The bundle identifier of the program; empty if it has none.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorytransaction/bundleid)
    open var bundleID: String { record.bundleID ?? "" }
    /// The name of the process; empty if it was not recorded.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorytransaction/processid)
    open var processID: String { record.processID ?? "" }
    /// The ``NSManagedObjectContext/name`` of the context that saved.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorytransaction/contextname)
    open var contextName: String? { record.contextName }
    /// The ``NSManagedObjectContext/transactionAuthor`` of the context that saved.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorytransaction/author)
    open var author: String? { record.author }
    /// The token of the place in the store's history after this transaction.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorytransaction/token)
    open var token: NSPersistentHistoryToken { NSPersistentHistoryToken(numbers: [storeID: record.number]) }

    /// Returns the changes as a did-save notification with ids.
    ///
    /// Pass it to ``NSManagedObjectContext/mergeChanges(fromContextDidSave:)``. It has no object. Without ``changes``
    /// its user info is empty.
    ///
    /// - Returns: The notification.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorytransaction/objectidnotification())
    open func objectIDNotification() -> Notification {
        var ids: [NSPersistentHistoryChangeType: Set<NSManagedObjectID>] = [:]
        for change in changes ?? [] { ids[change.changeType, default: []].insert(change.changedObjectID) }
        var info: [AnyHashable: Any] = [:]
        if let inserted = ids[.insert] { info[NSInsertedObjectIDsKey] = inserted }
        if let updated = ids[.update] { info[NSUpdatedObjectIDsKey] = updated }
        if let deleted = ids[.delete] { info[NSDeletedObjectIDsKey] = deleted }
        return Notification(name: .NSManagedObjectContextDidSaveObjectIDs, object: nil, userInfo: info)
    }

    /// Returns the transaction itself, which cannot change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Describes the transaction by number, store, time, author, context and number of changes.
    open override var description: String {
        "<NSPersistentHistoryTransaction: \(transactionNumber) in \(storeID) at \(timestamp), author: "
            + "\(author ?? "(null)"), context: \(contextName ?? "(null)"), changes: \(changes.map { "\($0.count)" } ?? "(null)")>"
    }

    /// The entity for fetch requests on transactions.
    ///
    /// Its keys are `author`, `bundleID`, `contextName`, `processID`, `timestamp`, `token`, `transactionNumber` and
    /// `changes`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorytransaction/entitydescription)
    open class var entityDescription: NSEntityDescription? { HistoryEntities.transaction }

    /// A new fetch request for transactions, to be used by
    /// ``NSPersistentHistoryChangeRequest/fetchHistory(withFetch:)``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorytransaction/fetchrequest)
    open class var fetchRequest: NSFetchRequest<NSFetchRequestResult>? {
        HistoryEntities.fetchRequest(for: HistoryEntities.transaction)
    }

    /// Returns the entity for fetch requests on transactions.
    ///
    /// - Parameter context: Not used.
    /// - Returns: The same entity as ``entityDescription``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorytransaction/entitydescription(with:))
    open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
        entityDescription
    }
}
