import CoreData
import XCTest

private class NotedHistoryRequest: NSPersistentHistoryChangeRequest {
    override var resultType: NSPersistentHistoryResultType {
        get { super.resultType }
        set { super.resultType = newValue }
    }
    override var fetchRequest: NSFetchRequest<NSFetchRequestResult>? {
        get { super.fetchRequest }
        set { super.fetchRequest = newValue }
    }
    override var token: NSPersistentHistoryToken? { super.token }
}

/// The members of transactions and changes that a program names, so that tests can replace them.
private protocol TransactionReading {
    var timestamp: Date { get }
    var author: String? { get }
    var storeID: String { get }
    var token: NSPersistentHistoryToken { get }
    var changes: [NSPersistentHistoryChange]? { get }
    func objectIDNotification() -> Notification
    static var entityDescription: NSEntityDescription? { get }
    static var fetchRequest: NSFetchRequest<NSFetchRequestResult>? { get }
}

private protocol ChangeReading {
    var changeID: Int64 { get }
    var changedObjectID: NSManagedObjectID { get }
    var changeType: NSPersistentHistoryChangeType { get }
    var tombstone: [AnyHashable: Any]? { get }
    var updatedProperties: Set<NSPropertyDescription>? { get }
    var transaction: NSPersistentHistoryTransaction? { get }
}

extension NSPersistentHistoryTransaction: TransactionReading {}
extension NSPersistentHistoryChange: ChangeReading {}

final class HistoryShapeTests: XCTestCase {
    private func kinds<Change: ChangeReading>(_ changes: [Change]) -> [NSPersistentHistoryChangeType] {
        changes.map(\.changeType)
    }

    func testWitnesses() throws {
        let url = Journal.temporaryStoreURL()
        defer { Journal.remove(url) }
        let container = NSPersistentContainer(name: "Journal", managedObjectModel: Journal.model)
        let description = NSPersistentStoreDescription(url: url)
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { XCTAssertNil($1) }
        let context = container.viewContext
        context.insertTrip("Coast")
        try context.save()
        let request = NotedHistoryRequest.fetchHistory(after: Date.distantPast)
        request.resultType = .transactionsAndChanges
        let result = try XCTUnwrap(context.execute(request) as? NSPersistentHistoryResult)
        let transactions = try XCTUnwrap(result.result as? [NSPersistentHistoryTransaction])
        let reading: [any TransactionReading] = transactions
        XCTAssertEqual(reading.count, 1)
        XCTAssertEqual(kinds(transactions.flatMap { $0.changes ?? [] }), [.insert])
        let after: (NSPersistentHistoryToken?) -> NSPersistentHistoryChangeRequest = NSPersistentHistoryChangeRequest
            .fetchHistory(after:)
        let next = after(reading[0].token)
        XCTAssertEqual(
            ((try context.execute(next) as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction])?
                .count, 0)
    }
}
