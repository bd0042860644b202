import Foundation

/// One row that a transaction inserted, updated or deleted.
///
/// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorychange)
open class NSPersistentHistoryChange: NSObject, NSCopying {
    let record: HistoryChangeRecord
    /// The id of the object. If the change is a deletion, no row belongs to it any more.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorychange/changedobjectid)
    open private(set) var changedObjectID: NSManagedObjectID
    private final var owner: Owner?

    /// The transaction of some changes. The changes hold it weakly, because it holds them. If only a change is kept,
    /// its transaction is made again.
    final class Owner {
        private weak var transaction: NSPersistentHistoryTransaction?
        private let record: HistoryTransactionRecord
        private let storeID: String

        init(_ transaction: NSPersistentHistoryTransaction) {
            self.transaction = transaction
            record = transaction.record
            storeID = transaction.storeID
        }

        var present: NSPersistentHistoryTransaction {
            transaction ?? NSPersistentHistoryTransaction(record: record, storeID: storeID, changes: nil)
        }
    }

    init(record: HistoryChangeRecord, changedObjectID: NSManagedObjectID) {
        self.record = record
        self.changedObjectID = changedObjectID
    }

    /// Creates a change of no object, for subclasses in a program's tests.
    public override init() {
        changedObjectID = NSManagedObjectID()
        record = HistoryChangeRecord(
            changeID: 0, transaction: 0, type: .insert, key: changedObjectID.objectKey, entityNumber: 0)
        super.init()
    }

    final func belong(to owner: Owner) { self.owner = owner }

    /// The transaction that the change belongs to; nil if the request asked for changes only.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorychange/transaction)
    open var transaction: NSPersistentHistoryTransaction? { owner?.present }

    /// The number of the change in its store.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorychange/changeid)
    open var changeID: Int64 { record.changeID }
    /// Whether the row was inserted, updated or deleted.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorychange/changetype)
    open var changeType: NSPersistentHistoryChangeType { record.type }
    /// The properties that an update changed.
    ///
    /// Nil for insertions and deletions. Nil also if the record in the store is ambiguous: for properties that a
    /// migration has changed, and if Apple's framework and older versions of this library would have recorded them
    /// differently.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorychange/updatedproperties)
    open var updatedProperties: Set<NSPropertyDescription>? { record.updatedProperties }
    /// The values that were preserved of a deleted row, by property name; nil if there are none.
    ///
    /// These are the values of attributes with `preservesValueInHistoryOnDeletion`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorychange/tombstone)
    open var tombstone: [AnyHashable: Any]? {
        record.tombstone.map { Dictionary(uniqueKeysWithValues: $0.map { (AnyHashable($0.key), $0.value) }) }
    }

    /// Returns the change itself, which cannot change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Describes the change by its number, type and object.
    open override var description: String {
        "<NSPersistentHistoryChange: \(changeID) \(changeType) \(changedObjectID.uriRepresentation().absoluteString)>"
    }

    /// The entity for fetch requests on changes.
    ///
    /// Its keys are `changeType`, `changedEntity` (compared with an entity), `changedObjectID`, `changedID`,
    /// `changeID`, and the keys of the transaction, such as `transaction.author`.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorychange/entitydescription)
    open class var entityDescription: NSEntityDescription? { HistoryEntities.change }

    /// A new fetch request for changes, to be used by ``NSPersistentHistoryChangeRequest/fetchHistory(withFetch:)``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorychange/fetchrequest)
    open class var fetchRequest: NSFetchRequest<NSFetchRequestResult>? {
        HistoryEntities.fetchRequest(for: HistoryEntities.change)
    }

    /// Returns the entity for fetch requests on changes.
    ///
    /// - Parameter context: Not used.
    /// - Returns: The same entity as ``entityDescription``.
    ///
    /// [Apple's documentation](https://developer.apple.com/documentation/coredata/nspersistenthistorychange/entitydescription(with:))
    open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
        entityDescription
    }
}
