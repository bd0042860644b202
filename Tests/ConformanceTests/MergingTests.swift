import CoreData
import XCTest

/// A save of one context reaches another.
final class MergingTests: XCTestCase {
    private var container: NSPersistentContainer!

    override func setUp() {
        super.setUp()
        container = Journal.inMemoryContainer()
    }

    override func tearDown() {
        container = nil
        super.tearDown()
    }

    func testMainContextFollowsByItself() throws {
        let context = container.viewContext
        context.automaticallyMergesChangesFromParent = true
        let trip = context.insertTrip("North")
        try context.save()
        XCTAssertEqual(trip.title, "North")

        let id = trip.objectID
        let merged = expectation(
            forNotification: NSManagedObjectContext.didChangeObjectsNotification, object: context)
        merged.assertForOverFulfill = false
        container.performBackgroundTask { background in
            (background.object(with: id) as? Trip)?.title = "South"
            do {
                try background.save()
            } catch {
                XCTFail("\(error)")
            }
        }
        wait(for: [merged], timeout: 60)
        XCTAssertEqual(trip.title, "South")
    }

    func testMergingByHand() throws {
        let context = container.viewContext
        let trip = context.insertTrip("North")
        try context.save()
        let background = container.newBackgroundContext()
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: background, queue: nil
        ) { [container] notification in
            container?.viewContext.mergeChanges(fromContextDidSave: notification)
        }
        defer { NotificationCenter.default.removeObserver(token) }
        let id = trip.objectID
        trip.isFavourite = true
        try background.performAndWait {
            (background.object(with: id) as? Trip)?.title = "South"
            try background.save()
        }
        // The title is the other side's, what was not saved yet stays.
        XCTAssertEqual(trip.title, "South")
        XCTAssertTrue(trip.isFavourite && trip.hasChanges)
    }

    func testChangesOfABatch() throws {
        let url = Journal.temporaryStoreURL()
        defer { Journal.remove(url) }
        let container = try Journal.container(at: url)
        let context = container.viewContext
        let trip = context.insertTrip("North")
        try context.save()
        let update = NSBatchUpdateRequest(entityName: "Trip")
        update.propertiesToUpdate = ["title": "South"]
        update.resultType = .updatedObjectIDsResultType
        let result = try context.execute(update) as? NSBatchUpdateResult
        let ids = try XCTUnwrap(result?.result as? [NSManagedObjectID])
        XCTAssertEqual(trip.title, "North")
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSUpdatedObjectsKey: ids], into: [context])
        XCTAssertEqual(trip.title, "South")
    }
}
