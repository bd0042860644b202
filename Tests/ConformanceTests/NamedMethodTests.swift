import CoreData
import XCTest

/// What the framework calls by its name alone: it is declared in `Classes/Traveller+Rules.swift`.
final class NamedMethodTests: XCTestCase {
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

    func testValidationOfAProperty() throws {
        let ann = Traveller(context: context)
        ann.email = "nowhere"
        XCTAssertThrowsError(try context.save()) { error in
            XCTAssertEqual((error as? CocoaError)?.code, .validationStringPatternMatching)
        }
        XCTAssertThrowsError(try ann.validateForInsert())
        ann.email = "Ann@Example.org"
        try context.save()
        XCTAssertEqual(ann.email, "ann@example.org")
        XCTAssertFalse(context.hasChanges)
        var value: AnyObject? = "none" as NSString
        XCTAssertThrowsError(try ann.validateValue(&value, forKey: "email"))
        ann.email = "none"
        XCTAssertThrowsError(try ann.validateForUpdate())
    }

    func testKeysOfComputedProperties() throws {
        for name in ["Ann", "Bob", "Ada"] { Traveller(context: context).setValue(name, forKey: "fullName") }
        try context.save()
        let request: NSFetchRequest<Traveller> = Traveller.fetchRequest()
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "initial", cacheName: nil)
        try controller.performFetch()
        XCTAssertEqual(controller.sections?.map(\.name), ["A", "B"])
        let travellers = try XCTUnwrap(controller.fetchedObjects)
        let unreachable = NSPredicate(format: "reachable == NO AND initial == 'A'")
        XCTAssertEqual(travellers.filter { unreachable.evaluate(with: $0) }.map(\.name), ["Ada", "Ann"])
    }

    func testKeyPathsThatAffectAComputedProperty() throws {
        let trip = Trip(context: context)
        trip.title = "Rome"
        var headings: [String?] = []
        let token = trip.observe(\.heading, options: [.new]) { _, change in headings.append(change.newValue) }
        trip.title = "Paris"
        trip.isFavourite = true
        trip.startDate = Date()
        XCTAssertEqual(headings, ["Paris", "★ Paris"])
        token.invalidate()
    }
}
