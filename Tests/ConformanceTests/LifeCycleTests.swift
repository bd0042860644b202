import CoreData
import XCTest

/// The calls that objects get, and their answers about themselves.
final class LifeCycleTests: XCTestCase {
    private var container: NSPersistentContainer!
    private var context: NSManagedObjectContext { container.viewContext }

    override func setUp() {
        super.setUp()
        container = Journal.inMemoryContainer()
    }

    override func tearDown() {
        container = nil
        super.tearDown()
    }

    func testAwakeningSavingAndDeleting() throws {
        let expense = Expense(context: context)
        XCTAssertEqual(expense.category, "other")
        expense.amount = NSDecimalNumber(string: "12.34")
        try context.save()
        XCTAssertEqual(expense.cents, 1234)
        context.refresh(expense, mergeChanges: false)
        Expense.events = []
        XCTAssertEqual(expense.cents, 1234)
        XCTAssertEqual(Expense.events, ["fetched"])
        context.delete(expense)
        try context.save()
        XCTAssertEqual(Expense.events, ["fetched", "deleted other"])
    }

    func testStates() throws {
        let trip = context.insertTrip("North")
        XCTAssertTrue(trip.isInserted && trip.hasChanges && !trip.isUpdated)
        try context.save()
        XCTAssertFalse(trip.isInserted || trip.hasChanges || trip.isUpdated || trip.isDeleted)
        trip.title = "South"
        XCTAssertTrue(trip.isUpdated && trip.hasPersistentChangedValues)
        XCTAssertEqual(trip.changedValues()["title"] as? String, "South")
        XCTAssertEqual(trip.committedValues(forKeys: ["title"])["title"] as? String, "North")
        XCTAssertEqual(context.updatedObjects, [trip])
        context.refresh(trip, mergeChanges: true)
        XCTAssertEqual(trip.title, "South")
        context.refresh(trip, mergeChanges: false)
        XCTAssertEqual(trip.title, "North")
        context.delete(trip)
        XCTAssertTrue(trip.isDeleted)
        XCTAssertEqual(context.deletedObjects, [trip])
    }

    func testCommittedValuesOfANewObjectAreNone() throws {
        let trip = context.insertTrip("North")
        XCTAssertTrue(trip.committedValues(forKeys: nil).isEmpty)
        XCTAssertNil(trip.committedValues(forKeys: ["title"])["title"])
        try context.save()
        XCTAssertEqual(trip.committedValues(forKeys: ["title"])["title"] as? String, "North")
    }

    func testEntitiesAndClasses() {
        XCTAssertEqual(Trip.entity().name, "Trip")
        XCTAssertEqual(Cruise.entity().superentity, Trip.entity())
        XCTAssertTrue(Cruise.entity().isKindOf(entity: Trip.entity()))
        let trip = NSEntityDescription.insertNewObject(forEntityName: "Trip", into: context)
        XCTAssertTrue(trip is Trip)
        let entity = NSEntityDescription.entity(forEntityName: "Cruise", in: context)
        let cruise = entity.map { NSManagedObject(entity: $0, insertInto: nil) }
        XCTAssertTrue(cruise is Cruise)
        XCTAssertNil(cruise?.managedObjectContext)
        if let cruise { context.insert(cruise) }
        XCTAssertEqual(context.insertedObjects.count, 2)
    }

    func testRollback() throws {
        let trip = context.insertTrip("North", "Oslo")
        try context.save()
        trip.title = "South"
        let stop = try XCTUnwrap(trip.orderedStops.first)
        context.delete(stop)
        context.insertTrip("West")
        context.rollback()
        XCTAssertEqual(trip.title, "North")
        XCTAssertEqual(trip.orderedStops, [stop])
        XCTAssertEqual(try context.count(for: Trip.fetchRequest()), 1)
        XCTAssertFalse(context.hasChanges)
    }
}
