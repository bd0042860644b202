import CoreData
import XCTest

// Programs have members of the same form as the framework's in extensions of their own, often from the time before the
// framework had them. A plain call means the program's.

extension NSManagedObjectContext {
    private func note(_ call: String) { userInfo[call] = (userInfo[call] as? Int ?? 0) + 1 }

    fileprivate func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
        note("performAndWait")
        return try block()
    }
    fileprivate func perform<T>(
        schedule: NSManagedObjectContext.ScheduledTaskType = .immediate, _ block: @escaping () throws -> T
    ) async rethrows -> T {
        note("perform")
        return try block()
    }
    fileprivate func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] {
        note("fetch")
        return []
    }
    fileprivate func count<T>(for request: NSFetchRequest<T>) throws -> Int {
        note("count")
        return 7
    }
    fileprivate func save() throws { note("save") }
    fileprivate func delete(_ object: NSManagedObject) { note("delete") }
    fileprivate func object(with objectID: NSManagedObjectID) -> NSManagedObject {
        note("object")
        return Trip(context: self)
    }
}

private protocol Listed {}
private final class Ledger: NSManagedObject {}
extension Ledger: Listed {}

extension Listed where Self: NSManagedObject {
    static func fetchRequest() -> NSFetchRequest<Self> { NSFetchRequest<Self>(entityName: "Own") }
}

final class OwnMemberShapeTests: XCTestCase {
    private func calls(_ context: NSManagedObjectContext) -> [String: Int] {
        context.userInfo as? [String: Int] ?? [:]
    }

    func testPlainCalls() throws {
        let context = Journal.inMemoryContainer().viewContext
        let number = context.performAndWait { 5 }
        let trips = try context.performAndWait { try context.fetch(NSFetchRequest<Trip>(entityName: "Trip")) }
        let count = try context.count(for: NSFetchRequest<Trip>(entityName: "Trip"))
        XCTAssertEqual([number, trips.count, count], [5, 0, 7])
        let trip = context.insertTrip("Coast")
        XCTAssertFalse(context.object(with: trip.objectID) === trip)
        context.delete(trip)
        XCTAssertFalse(trip.isDeleted)
        try context.save()
        XCTAssertTrue(context.hasChanges)
        XCTAssertEqual(
            calls(context), ["performAndWait": 2, "fetch": 1, "count": 1, "object": 1, "delete": 1, "save": 1])
        let request: NSFetchRequest<Ledger> = Ledger.fetchRequest()
        XCTAssertEqual(request.entityName, "Own")
    }

    func testPerform() async throws {
        let context = Journal.inMemoryContainer().newBackgroundContext()
        let number = await context.perform { 5 }
        await context.perform(schedule: .enqueued) {}
        XCTAssertEqual(number, 5)
        XCTAssertEqual(calls(context), ["perform": 2])
    }
}
