import CoreData
import XCTest

/// Follows the changes of another writer of a store by its history.
final class HistoryTests: XCTestCase {
    private var url: URL!
    private var container: NSPersistentContainer!

    override func setUpWithError() throws {
        try super.setUpWithError()
        url = Journal.temporaryStoreURL()
        container = NSPersistentContainer(name: "Journal", managedObjectModel: Journal.model)
        let description = NSPersistentStoreDescription(url: url)
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        description.setOption(true as NSNumber, forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
        container.persistentStoreDescriptions = [description]
        var loadError: Error?
        container.loadPersistentStores { _, error in
            loadError = error
        }
        if let loadError { throw loadError }
        container.viewContext.transactionAuthor = "app"
        container.viewContext.name = "view"
    }

    override func tearDown() {
        container = nil
        Journal.remove(url)
        super.tearDown()
    }

    /// Another writer: an import, an extension.
    private func importTrips(_ titles: String...) throws {
        let context = container.newBackgroundContext()
        context.transactionAuthor = "import"
        try context.performAndWait {
            for title in titles { context.insertTrip(title) }
            try context.save()
        }
    }

    /// The transactions after a token, but not the own ones.
    private func transactionsOfOthers(after token: NSPersistentHistoryToken?) throws -> [NSPersistentHistoryTransaction]
    {
        let context = container.newBackgroundContext()
        return try context.performAndWait {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
            if let fetch = NSPersistentHistoryTransaction.fetchRequest {
                fetch.predicate = NSPredicate(format: "author != %@", "app")
                request.fetchRequest = fetch
            }
            let result = try context.execute(request) as? NSPersistentHistoryResult
            return result?.result as? [NSPersistentHistoryTransaction] ?? []
        }
    }

    func testConsumption() throws {
        let context = container.viewContext
        context.insertTrip("Own")
        try context.save()
        var token = container.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil)
        XCTAssertNotNil(token)

        context.insertTrip("Own, too")
        try context.save()
        try importTrips("North", "South")
        let transactions = try transactionsOfOthers(after: token)
        XCTAssertEqual(transactions.map(\.author), ["import"])
        XCTAssertEqual(transactions.first?.changes?.map(\.changeType), [.insert, .insert])
        for transaction in transactions {
            context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
            token = transaction.token
        }
        XCTAssertEqual(try context.count(for: Trip.fetchRequest()), 4)
        XCTAssertEqual(try transactionsOfOthers(after: token).count, 0)
    }

    func testTokenIsKept() throws {
        try importTrips("North")
        let token = try XCTUnwrap(try transactionsOfOthers(after: nil).last?.token)
        let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
        let file = url.deletingLastPathComponent().appendingPathComponent("token.data")
        try data.write(to: file)

        try importTrips("South")
        let kept = try NSKeyedUnarchiver.unarchivedObject(
            ofClass: NSPersistentHistoryToken.self, from: Data(contentsOf: file))
        XCTAssertEqual(kept, token)
        let transactions = try transactionsOfOthers(after: kept)
        XCTAssertEqual(transactions.count, 1)
        XCTAssertTrue(
            transactions.allSatisfy {
                $0.storeID == container.persistentStoreCoordinator.persistentStores.first?.identifier
            })
    }

    func testOnlyWhatMatters() throws {
        let context = container.newBackgroundContext()
        context.transactionAuthor = "import"
        let id: NSManagedObjectID = try context.performAndWait {
            let trip = context.insertTrip("North", "Oslo")
            try context.save()
            trip.title = "South"
            try context.save()
            context.delete(trip.orderedStops[0])
            try context.save()
            return trip.objectID
        }
        let changes = try transactionsOfOthers(after: nil).flatMap { $0.changes ?? [] }
        let updates = changes.filter { $0.changedObjectID == id && $0.changeType == .update }
        XCTAssertTrue(updates.contains { $0.updatedProperties?.contains { $0.name == "title" } == true })
        let stops = changes.filter { $0.changedObjectID.entity.name == "Stop" }
        XCTAssertEqual(stops.map(\.changeType).filter { $0 != .update }, [.insert, .delete])
    }

    func testOldHistoryIsDeleted() throws {
        try importTrips("North")
        try importTrips("South")
        try importTrips("West")
        let all = try transactionsOfOthers(after: nil)
        XCTAssertEqual(all.count, 3)
        let context = container.newBackgroundContext()
        try context.performAndWait {
            _ = try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: all[2]))
        }
        XCTAssertEqual(try transactionsOfOthers(after: nil).map(\.transactionNumber), [all[2].transactionNumber])
        // The transactions before are gone: a token from then leads nowhere.
        XCTAssertThrowsError(try transactionsOfOthers(after: all[0].token)) { error in
            XCTAssertEqual((error as NSError).code, NSPersistentHistoryTokenExpiredError)
        }
        XCTAssertEqual(try container.viewContext.count(for: Trip.fetchRequest()), 3)
    }

    func testRemoteChange() throws {
        let told = expectation(
            forNotification: .NSPersistentStoreRemoteChange, object: container.persistentStoreCoordinator)
        told.assertForOverFulfill = false
        try importTrips("North")
        wait(for: [told], timeout: 60)
    }
}
