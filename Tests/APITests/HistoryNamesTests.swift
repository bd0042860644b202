import CoreData
import Testing

// Each line names a symbol with the type it has in Apple's interface: a change of either no longer compiles.

@Suite("Apple's names of persistent history")
struct HistoryNamesTests {
    @Test("NSPersistentHistoryChangeRequest has its members")
    func changeRequest() {
        typealias Request = NSPersistentHistoryChangeRequest
        let _: (Date) -> Request = NSPersistentHistoryChangeRequest.fetchHistory(after:)
        let _: (NSPersistentHistoryToken?) -> Request = NSPersistentHistoryChangeRequest.fetchHistory(after:)
        let _: (NSPersistentHistoryTransaction?) -> Request = NSPersistentHistoryChangeRequest.fetchHistory(after:)
        let _: (NSFetchRequest<NSFetchRequestResult>) -> Request = NSPersistentHistoryChangeRequest.fetchHistory(
            withFetch:)
        let _: (Date) -> Request = NSPersistentHistoryChangeRequest.deleteHistory(before:)
        let _: (NSPersistentHistoryToken?) -> Request = NSPersistentHistoryChangeRequest.deleteHistory(before:)
        let _: (NSPersistentHistoryTransaction?) -> Request = NSPersistentHistoryChangeRequest.deleteHistory(before:)
        let _: ReferenceWritableKeyPath<Request, NSPersistentHistoryResultType> = \.resultType
        let _: KeyPath<Request, NSPersistentHistoryToken?> = \.token
        let _: ReferenceWritableKeyPath<Request, NSFetchRequest<NSFetchRequestResult>?> = \.fetchRequest
        let _: KeyPath<NSPersistentHistoryResult, Any?> = \.result
        let _: KeyPath<NSPersistentHistoryResult, NSPersistentHistoryResultType> = \.resultType
        #expect(NSPersistentHistoryResultType.statusOnly.rawValue == 0 as Int)
        #expect(NSPersistentHistoryResultType.objectIDs.rawValue == 1)
        #expect(NSPersistentHistoryResultType.count.rawValue == 2)
        #expect(NSPersistentHistoryResultType.transactionsOnly.rawValue == 3)
        #expect(NSPersistentHistoryResultType.changesOnly.rawValue == 4)
        #expect(NSPersistentHistoryResultType.transactionsAndChanges.rawValue == 5)
    }

    @Test("NSPersistentHistoryTransaction has its members")
    func transaction() {
        typealias Transaction = NSPersistentHistoryTransaction
        let _: KeyPath<Transaction, Date> = \.timestamp
        let _: KeyPath<Transaction, [NSPersistentHistoryChange]?> = \.changes
        let _: KeyPath<Transaction, Int64> = \.transactionNumber
        let _: KeyPath<Transaction, String> = \.storeID
        let _: KeyPath<Transaction, String> = \.bundleID
        let _: KeyPath<Transaction, String> = \.processID
        let _: KeyPath<Transaction, String?> = \.contextName
        let _: KeyPath<Transaction, String?> = \.author
        let _: KeyPath<Transaction, NSPersistentHistoryToken> = \.token
        let _: (Transaction) -> () -> Notification = NSPersistentHistoryTransaction.objectIDNotification
        let _: () -> NSEntityDescription? = { NSPersistentHistoryTransaction.entityDescription }
        let _: () -> NSFetchRequest<NSFetchRequestResult>? = { NSPersistentHistoryTransaction.fetchRequest }
        let _: (NSManagedObjectContext) -> NSEntityDescription? = NSPersistentHistoryTransaction.entityDescription(
            with:)
    }

    @Test("NSPersistentHistoryChange has its members")
    func change() {
        typealias Change = NSPersistentHistoryChange
        let _: KeyPath<Change, Int64> = \.changeID
        let _: KeyPath<Change, NSManagedObjectID> = \.changedObjectID
        let _: KeyPath<Change, NSPersistentHistoryChangeType> = \.changeType
        let _: KeyPath<Change, [AnyHashable: Any]?> = \.tombstone
        let _: KeyPath<Change, NSPersistentHistoryTransaction?> = \.transaction
        let _: KeyPath<Change, Set<NSPropertyDescription>?> = \.updatedProperties
        let _: () -> NSEntityDescription? = { NSPersistentHistoryChange.entityDescription }
        let _: () -> NSFetchRequest<NSFetchRequestResult>? = { NSPersistentHistoryChange.fetchRequest }
        let _: (NSManagedObjectContext) -> NSEntityDescription? = NSPersistentHistoryChange.entityDescription(with:)
        #expect(NSPersistentHistoryChangeType.insert.rawValue == 0 as Int)
        #expect(NSPersistentHistoryChangeType.update.rawValue == 1)
        #expect(NSPersistentHistoryChangeType.delete.rawValue == 2)
    }

    @Test("NSPersistentHistoryToken, and the members that carry it, have their names")
    func token() {
        let _: any (NSCopying & NSSecureCoding).Type = NSPersistentHistoryToken.self
        let _: (NSPersistentStoreCoordinator) -> ([Any]?) -> NSPersistentHistoryToken? = NSPersistentStoreCoordinator
            .currentPersistentHistoryToken(fromStores:)
        let _: Notification.Name = .NSPersistentStoreRemoteChange
        let _: Notification.Name = .NSPersistentStoreCoordinatorStoresWillChange
        #expect(NSPersistentStoreURLKey == "storeURL")
        #expect(NSPersistentHistoryTokenKey == "historyToken")
    }
}
