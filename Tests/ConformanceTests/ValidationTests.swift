import CoreData
import XCTest

/// The limits of saved values, and the errors for values beyond them.
final class ValidationTests: XCTestCase {
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

    func testMissingValue() {
        let trip = context.insertTrip("North")
        trip.setValue(nil, forKey: "title")
        do {
            try context.save()
            XCTFail("a trip without a title was saved")
        } catch let error as CocoaError {
            XCTAssertEqual(error.code, .validationMissingMandatoryProperty)
            XCTAssertEqual(error.userInfo[NSValidationKeyErrorKey] as? String, "title")
            XCTAssertTrue(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === trip)
        } catch {
            XCTFail("\(error)")
        }
    }

    func testRanges() {
        let trip = context.insertTrip("North", "Oslo")
        trip.orderedStops[0].nights = 366
        XCTAssertThrowsError(try context.save()) { error in
            XCTAssertEqual((error as NSError).code, NSValidationNumberTooLargeError)
            XCTAssertEqual((error as NSError).userInfo[NSValidationValueErrorKey] as? Int, 366)
        }
        trip.orderedStops[0].nights = -1
        XCTAssertThrowsError(try context.save()) { error in
            XCTAssertEqual((error as NSError).code, NSValidationNumberTooSmallError)
        }
        trip.orderedStops[0].nights = 365
        XCTAssertNoThrow(try context.save())
    }

    func testSeveralErrorsAtOnce() {
        let trip = context.insertTrip("", "Oslo")
        trip.orderedStops[0].nights = 1000
        XCTAssertThrowsError(try context.save()) { error in
            let error = error as NSError
            XCTAssertEqual(error.code, NSValidationMultipleErrorsError)
            let details = error.userInfo[NSDetailedErrorsKey] as? [NSError]
            XCTAssertEqual(
                Set(details?.map(\.code) ?? []), [NSValidationStringTooShortError, NSValidationNumberTooLargeError])
        }
    }

    func testObjectsCanBeAsked() throws {
        let trip = context.insertTrip("North")
        XCTAssertNoThrow(try trip.validateForInsert())
        trip.title = ""
        XCTAssertThrowsError(try trip.validateForInsert())
        XCTAssertThrowsError(try trip.validateForUpdate())
        XCTAssertNoThrow(try trip.validateForDelete())
    }

    func testDefaults() {
        let trip = Trip(context: context)
        XCTAssertEqual(trip.title, "Untitled")
        XCTAssertFalse(trip.isFavourite)
        XCTAssertNil(trip.startDate)
        XCTAssertEqual(Stop(context: context).nights, 1)
    }
}
