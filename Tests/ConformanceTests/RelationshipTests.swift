import CoreData
import XCTest

/// Both ends of a relationship, its order, and what a deletion takes along.
final class RelationshipTests: XCTestCase {
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

    private func traveller(_ name: String) -> Traveller {
        let traveller = Traveller(context: context)
        traveller.name = name
        return traveller
    }

    func testBothEndsFollowEachOther() {
        let trip = context.insertTrip("North")
        let stop = Stop(context: context)
        stop.trip = trip
        XCTAssertEqual(trip.stops, NSOrderedSet(object: stop))
        let other = context.insertTrip("South")
        other.addToStops(stop)
        XCTAssertEqual(stop.trip, other)
        XCTAssertEqual(trip.stops?.count, 0)
        other.removeFromStops(stop)
        XCTAssertNil(stop.trip)
    }

    func testManyToMany() throws {
        let north = context.insertTrip("North")
        let south = context.insertTrip("South")
        let ann = traveller("Ann")
        ann.addToTrips([north, south] as Set<Trip> as NSSet)
        XCTAssertEqual(north.travellers as? Set<Traveller>, [ann])
        north.removeFromTravellers(ann)
        XCTAssertEqual(ann.trips as? Set<Trip>, [south])
        try context.save()
        context.refreshAllObjects()
        XCTAssertEqual((ann.trips?.allObjects as? [Trip])?.map(\.title), ["South"])
    }

    func testOrderIsKept() throws {
        let trip = context.insertTrip("North", "Oslo", "Bergen")
        let first = Stop(context: context)
        first.place = "Malmö"
        trip.insertIntoStops(first, at: 0)
        XCTAssertEqual(trip.orderedStops.map(\.place), ["Malmö", "Oslo", "Bergen"])
        let stops = NSMutableOrderedSet(orderedSet: trip.stops ?? [])
        stops.exchangeObject(at: 0, withObjectAt: 2)
        trip.stops = stops
        try context.save()
        context.reset()
        let again = try XCTUnwrap(context.fetch(Trip.fetchRequest()).first)
        XCTAssertEqual(again.orderedStops.map(\.place), ["Bergen", "Oslo", "Malmö"])
    }

    func testSetOfSwift() throws {
        let trip = context.insertTrip("North")
        let expense = Expense(context: context)
        expense.amount = 12
        trip.expenses.insert(expense)
        XCTAssertEqual(expense.trip, trip)
        XCTAssertEqual(trip.expenses.count, 1)
        trip.expenses = []
        XCTAssertNil(expense.trip)
    }

    func testCascade() throws {
        let trip = context.insertTrip("North", "Oslo", "Bergen")
        let expense = Expense(context: context)
        expense.trip = trip
        try context.save()
        context.delete(trip)
        try context.save()
        XCTAssertEqual(try context.count(for: Stop.fetchRequest()), 0)
        XCTAssertEqual(try context.count(for: Expense.fetchRequest()), 0)
        XCTAssertNil(expense.managedObjectContext)
    }

    func testNullify() throws {
        let trip = context.insertTrip("North")
        let ann = traveller("Ann")
        ann.addToTrips(trip)
        try context.save()
        context.delete(trip)
        try context.save()
        XCTAssertEqual(ann.trips?.count, 0)
        XCTAssertFalse(ann.isDeleted)
    }

    func testDeny() throws {
        let trip = context.insertTrip("North")
        let ann = traveller("Ann")
        ann.addToTrips(trip)
        try context.save()
        context.delete(ann)
        XCTAssertThrowsError(try context.save()) { error in
            XCTAssertEqual((error as NSError).code, NSValidationRelationshipDeniedDeleteError)
        }
        context.rollback()
        ann.removeFromTrips(trip)
        try context.save()
        context.delete(ann)
        XCTAssertNoThrow(try context.save())
    }

    func testValuesByKey() throws {
        let trip = context.insertTrip("North", "Oslo")
        XCTAssertEqual(trip.value(forKeyPath: "stops.@count") as? Int, 1)
        let stop = try XCTUnwrap(trip.orderedStops.first)
        XCTAssertEqual(stop.value(forKeyPath: "trip.title") as? String, "North")
        stop.setValue("South", forKeyPath: "trip.title")
        XCTAssertEqual(trip.title, "South")
        XCTAssertEqual(trip.dictionaryWithValues(forKeys: ["title", "isFavourite"]).count, 2)
    }
}
