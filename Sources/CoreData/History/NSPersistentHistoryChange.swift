import Foundation

/// One row that a transaction inserted, updated or deleted.
open class NSPersistentHistoryChange: NSObject, NSCopying {
    let record: HistoryChangeRecord
    /// The id of the object. A deleted one's leads nowhere.
    open private(set) var changedObjectID: NSManagedObjectID
    private final var owner: Owner?

    /// The transaction of changes. It is not retained, for it has its changes; it is made anew for programs that only
    /// kept a change.
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

    /// Makes a change of no object. For subclasses in a program's tests.
    public override init() {
        changedObjectID = NSManagedObjectID()
        record = HistoryChangeRecord(
            changeID: 0, transaction: 0, type: .insert, key: changedObjectID.objectKey, entityNumber: 0)
        super.init()
    }

    final func belong(to owner: Owner) { self.owner = owner }

    /// The transaction; nil where the request asked for changes only.
    open var transaction: NSPersistentHistoryTransaction? { owner?.present }

    /// The number of the change in its store.
    open var changeID: Int64 { record.changeID }
    /// What became of the row.
    open var changeType: NSPersistentHistoryChangeType { record.type }
    /// Which properties an update changed; nil of other changes, and where the store does not tell: of changes whose
    /// properties a migration has changed, and of those that an older version of this library may have written.
    open var updatedProperties: Set<NSPropertyDescription>? { record.updatedProperties }
    /// Of a deleted row, the values of attributes with `preservesValueInHistoryOnDeletion` by name; nil without any.
    open var tombstone: [AnyHashable: Any]? {
        record.tombstone.map { Dictionary(uniqueKeysWithValues: $0.map { (AnyHashable($0.key), $0.value) }) }
    }

    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override var description: String {
        "<NSPersistentHistoryChange: \(changeID) \(changeType) \(changedObjectID.uriRepresentation().absoluteString)>"
    }

    /// The entity that predicates on changes speak of: `changeType`, `changedEntity` (compared with an entity),
    /// `changedObjectID`, `changedID`; `transaction.author` and the like.
    open class var entityDescription: NSEntityDescription? { HistoryEntities.change }

    /// A new fetch request for changes; see `NSPersistentHistoryChangeRequest.fetchHistory(withFetch:)`.
    open class var fetchRequest: NSFetchRequest<NSFetchRequestResult>? {
        HistoryEntities.fetchRequest(for: HistoryEntities.change)
    }

    /// The entity that predicates on changes speak of.
    open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
        entityDescription
    }
}
