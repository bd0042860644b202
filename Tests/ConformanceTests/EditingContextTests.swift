import CoreData
import XCTest

/// A form edits in a context of its own, whose changes are kept or dropped together.
final class EditingContextTests: XCTestCase {
    private var container: NSPersistentContainer!
    private var trip: Trip!

    override func setUpWithError() throws {
        try super.setUpWithError()
        container = Journal.inMemoryContainer()
        trip = container.viewContext.insertTrip("North", "Oslo")
        try container.viewContext.save()
    }

    override func tearDown() {
        trip = nil
        container = nil
        super.tearDown()
    }

    private func editingContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.parent = container.viewContext
        return context
    }

    func testCancelledEditLeavesNothing() throws {
        let context = editingContext()
        let edited = try XCTUnwrap(context.object(with: trip.objectID) as? Trip)
        edited.title = "South"
        edited.addToStops(Stop(context: context))
        XCTAssertTrue(context.hasChanges)
        context.rollback()
        XCTAssertEqual(edited.title, "North")
        XCTAssertFalse(context.hasChanges)
        XCTAssertFalse(container.viewContext.hasChanges)
        XCTAssertEqual(trip.orderedStops.count, 1)
    }

    func testSavedEditGoesOneFloorUp() throws {
        let context = editingContext()
        let edited = try XCTUnwrap(context.existingObject(with: trip.objectID) as? Trip)
        edited.title = "South"
        let stop = Stop(context: context)
        stop.place = "Rome"
        edited.addToStops(stop)
        try context.save()

        XCTAssertEqual(trip.title, "South")
        XCTAssertEqual(trip.orderedStops.map(\.place), ["Oslo", "Rome"])
        XCTAssertTrue(container.viewContext.hasChanges)
        XCTAssertEqual(container.viewContext.updatedObjects.contains(trip), true)
        try container.viewContext.save()
        XCTAssertFalse(container.viewContext.hasChanges)

        let other = container.newBackgroundContext()
        other.performAndWait {
            let trips = try? other.fetch(Trip.fetchRequest())
            XCTAssertEqual(trips?.first?.orderedStops.count, 2)
        }
    }

    func testNewObjectOfAForm() throws {
        let context = editingContext()
        let draft = Trip(context: context)
        draft.title = "Draft"
        XCTAssertTrue(draft.objectID.isTemporaryID)
        XCTAssertEqual(try container.viewContext.count(for: Trip.fetchRequest()), 1)
        try context.save()
        try container.viewContext.save()

        let request: NSFetchRequest<Trip> = Trip.fetchRequest()
        request.predicate = NSPredicate(format: "title == %@", "Draft")
        let kept = try XCTUnwrap(container.viewContext.fetch(request).first)
        XCTAssertFalse(kept.objectID.isTemporaryID)
        XCTAssertEqual(kept.managedObjectContext, container.viewContext)
    }

    func testInvalidEditStaysInItsContext() throws {
        let context = editingContext()
        let edited = try XCTUnwrap(context.object(with: trip.objectID) as? Trip)
        edited.title = ""
        XCTAssertThrowsError(try context.save())
        XCTAssertEqual(edited.title, "")
        XCTAssertEqual(trip.title, "North")
    }

    func testDeletionInAForm() throws {
        let context = editingContext()
        context.delete(context.object(with: trip.objectID))
        try context.save()
        XCTAssertTrue(trip.isDeleted)
        try container.viewContext.save()
        XCTAssertEqual(try container.viewContext.count(for: Trip.fetchRequest()), 0)
        XCTAssertEqual(try container.viewContext.count(for: Stop.fetchRequest()), 0)
    }

    func testPrivateChildWorksBesideTheMainContext() throws {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.parent = container.viewContext
        let id = trip.objectID
        let saved = expectation(description: "saved")
        context.perform {
            let edited = context.object(with: id) as? Trip
            edited?.title = "Background"
            do {
                try context.save()
            } catch {
                XCTFail("\(error)")
            }
            saved.fulfill()
        }
        wait(for: [saved], timeout: 60)
        XCTAssertEqual(trip.title, "Background")
    }

    func testThreeFloors() throws {
        let middle = editingContext()
        let top = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        top.parent = middle
        let edited = try XCTUnwrap(top.object(with: trip.objectID) as? Trip)
        edited.title = "Top"
        try top.save()
        XCTAssertEqual((middle.object(with: trip.objectID) as? Trip)?.title, "Top")
        XCTAssertEqual(trip.title, "North")
        try middle.save()
        XCTAssertEqual(trip.title, "Top")
    }
}
