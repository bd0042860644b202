import CoreData
import XCTest

/// Taking back and doing again.
final class UndoTests: XCTestCase {
    private var container: NSPersistentContainer!
    private var context: NSManagedObjectContext { container.viewContext }
    private var undoManager: UndoManager { context.undoManager! }

    override func setUp() {
        super.setUp()
        container = Journal.inMemoryContainer()
        // A context of a container records nothing until it is given an undo manager.
        XCTAssertNil(context.undoManager)
        context.undoManager = UndoManager()
        undoManager.groupsByEvent = false
    }

    override func tearDown() {
        container = nil
        super.tearDown()
    }

    /// All changes in the body are undone together.
    private func group<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
        undoManager.beginUndoGrouping()
        undoManager.setActionName(name)
        defer {
            context.processPendingChanges()
            undoManager.endUndoGrouping()
        }
        return try body()
    }

    func testValues() {
        let trip = group("New Trip") { context.insertTrip("North") }
        group("Rename") { trip.title = "South" }
        XCTAssertEqual(undoManager.undoActionName, "Rename")
        context.undo()
        XCTAssertEqual(trip.title, "North")
        XCTAssertTrue(undoManager.canRedo)
        context.redo()
        XCTAssertEqual(trip.title, "South")
        XCTAssertFalse(undoManager.canRedo)
        context.undo()
        context.undo()
        XCTAssertTrue(context.insertedObjects.isEmpty)
        XCTAssertFalse(undoManager.canUndo)
    }

    func testDeletionAndItsRules() throws {
        let trip = group("New Trip") { context.insertTrip("North", "Oslo", "Bergen") }
        try context.save()
        let stops = trip.orderedStops
        group("Delete Trip") { context.delete(trip) }
        XCTAssertEqual(context.deletedObjects, Set<NSManagedObject>(stops).union([trip]))
        context.undo()
        XCTAssertTrue(context.deletedObjects.isEmpty)
        XCTAssertEqual(trip.orderedStops, stops)
        context.redo()
        try context.save()
        XCTAssertEqual(try context.count(for: Stop.fetchRequest()), 0)
    }

    func testRelationships() throws {
        let (north, south) = group("New Trips") { (context.insertTrip("North", "Oslo"), context.insertTrip("South")) }
        try context.save()
        let stop = north.orderedStops[0]
        group("Move Stop") { stop.trip = south }
        XCTAssertEqual(south.orderedStops, [stop])
        context.undo()
        XCTAssertEqual(north.orderedStops, [stop])
        XCTAssertEqual(south.orderedStops, [])
        XCTAssertEqual(stop.trip, north)
    }

    func testGroupsWithinGroups() {
        let trip = context.insertTripWithoutUndo("North")
        undoManager.beginUndoGrouping()
        group("Rename") { trip.title = "South" }
        group("Favour") { trip.isFavourite = true }
        XCTAssertEqual(undoManager.groupingLevel, 1)
        undoManager.endUndoGrouping()
        context.undo()
        XCTAssertEqual(trip.title, "North")
        XCTAssertFalse(trip.isFavourite)
        context.redo()
        XCTAssertEqual(trip.title, "South")
        XCTAssertTrue(trip.isFavourite)
    }

    func testChangesThatAreNotRecorded() {
        let trip = context.insertTripWithoutUndo("North")
        XCTAssertFalse(undoManager.canUndo)
        XCTAssertTrue(undoManager.isUndoRegistrationEnabled)
        group("Rename") { trip.title = "South" }
        context.undo()
        XCTAssertEqual(trip.title, "North")
        XCTAssertEqual(context.insertedObjects, [trip])
    }

    func testLevels() {
        undoManager.levelsOfUndo = 2
        let trip = context.insertTripWithoutUndo("0")
        for number in 1...4 { group("Rename") { trip.title = "\(number)" } }
        context.undo()
        context.undo()
        XCTAssertFalse(undoManager.canUndo)
        XCTAssertEqual(trip.title, "2")
    }

    func testForgetting() {
        let trip = group("New Trip") { context.insertTrip("North") }
        context.undoManager?.removeAllActions()
        XCTAssertFalse(undoManager.canUndo)
        context.undo()
        XCTAssertEqual(context.insertedObjects, [trip])
    }

    func testNotifications() {
        let trip = context.insertTripWithoutUndo("North")
        group("Rename") { trip.title = "South" }
        let will = expectation(forNotification: .NSUndoManagerWillUndoChange, object: undoManager)
        let did = expectation(forNotification: .NSUndoManagerDidUndoChange, object: undoManager)
        context.undo()
        wait(for: [will, did], timeout: 60)
    }
}

extension NSManagedObjectContext {
    /// A trip that undo does not take away: registration is off while it is made and processed.
    fileprivate func insertTripWithoutUndo(_ title: String) -> Trip {
        processPendingChanges()
        undoManager?.disableUndoRegistration()
        let trip = insertTrip(title)
        processPendingChanges()
        undoManager?.enableUndoRegistration()
        return trip
    }
}
