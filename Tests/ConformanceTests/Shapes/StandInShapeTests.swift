import CoreData
import XCTest

// A Mac program's tests replace contexts, ids, results and history by subclasses. These override the members that the
// code under test calls, and are made without a store.

private struct Refusal: Error {}

private class StandInContext: NSManagedObjectContext, @unchecked Sendable {
    var requests: [NSFetchRequest<NSFetchRequestResult>] = []
    var results: [Any]?
    var isRefusing = false

    override func fetch(_ request: NSFetchRequest<NSFetchRequestResult>) throws -> [Any] {
        requests.append(request)
        if isRefusing { throw Refusal() }
        return try results ?? super.fetch(request)
    }
    override func count(for request: NSFetchRequest<NSFetchRequestResult>) throws -> Int {
        if isRefusing { throw Refusal() }
        return try super.count(for: request) + 100
    }
    override class func mergeChanges(
        fromRemoteContextSave changeNotificationData: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
    ) {
        for case let context as StandInContext in contexts { context.name = "merged" }
        super.mergeChanges(fromRemoteContextSave: changeNotificationData, into: contexts)
    }
}

/// Each of its overrides calls the framework.
private final class CountingContext: NSManagedObjectContext, @unchecked Sendable {
    var fetches = 0

    override func fetch(_ request: NSFetchRequest<NSFetchRequestResult>) throws -> [Any] {
        fetches += 1
        let results = try super.fetch(request)
        return try results.isEmpty ? super.fetch(request) : results
    }
}

/// Inherits the overrides.
private final class SecondStandIn: StandInContext, @unchecked Sendable {}

/// Overrides neither.
private final class RefusingContext: NSManagedObjectContext, @unchecked Sendable {
    override func save() throws { throw Refusal() }
}

private protocol Fetching {
    func fetch(_ request: NSFetchRequest<NSFetchRequestResult>) throws -> [Any]
    func count(for request: NSFetchRequest<NSFetchRequestResult>) throws -> Int
    func fetch<T: NSFetchRequestResult>(_ request: NSFetchRequest<T>) throws -> [T]
}

extension NSManagedObjectContext: Fetching {}

private final class StandInID: NSManagedObjectID, @unchecked Sendable {
    override var isTemporaryID: Bool { false }
}

private final class NumberedID: NSManagedObjectID, @unchecked Sendable {
    let number: Int
    init(number: Int) { self.number = number }
    override func isEqual(_ object: Any?) -> Bool { (object as? NumberedID)?.number == number }
    override var hash: Int { number }
}

private final class StandInTransaction: NSPersistentHistoryTransaction {
    override var author: String? { "somebody" }
    override var changes: [NSPersistentHistoryChange]? { [StandInChange()] }
}

private final class StandInChange: NSPersistentHistoryChange {
    override var changeType: NSPersistentHistoryChangeType { .delete }
    override var changedObjectID: NSManagedObjectID { NumberedID(number: 1) }
}

private final class StandInHistory: NSPersistentHistoryResult {
    override var result: Any? { [StandInTransaction()] }
}

private final class StandInInsertion: NSBatchInsertResult {
    override var result: Any? { 3 as NSNumber }
}

private final class StandInUpdate: NSBatchUpdateResult {
    let ownType: NSBatchUpdateRequestResultType
    init(type: NSBatchUpdateRequestResultType) { ownType = type }
    override var resultType: NSBatchUpdateRequestResultType { ownType }
}

private final class StandInDeletion: NSBatchDeleteResult {
    var ownResult: Any?
    override var result: Any? { ownResult }
}

private final class StandInController: NSFetchedResultsController<NSManagedObject> {
    override var fetchedObjects: [NSManagedObject]? { [] }
}

/// Containers that are made without arguments, as programs write them.
private final class DesignatedStack: NSPersistentContainer, @unchecked Sendable {
    init() { super.init(name: "Designated", managedObjectModel: Journal.model) }
}

private final class ConvenientStack: NSPersistentContainer, @unchecked Sendable {
    convenience init() { self.init(name: "Convenient", managedObjectModel: Journal.model) }
}

final class StandInShapeTests: XCTestCase {
    private func context<Context: NSManagedObjectContext>(_ type: Context.Type) throws -> Context {
        let context = Context(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = Journal.inMemoryContainer().persistentStoreCoordinator
        context.insertTrip("Coast")
        return context
    }

    func testOverriddenFetch() throws {
        let standIn = try context(SecondStandIn.self)
        try standIn.save()
        let plain: NSManagedObjectContext = standIn
        let request = NSFetchRequest<NSManagedObject>(entityName: "Trip")
        request.fetchLimit = 3
        XCTAssertEqual(try plain.fetch(request).map { $0.value(forKey: "title") as? String }, ["Coast"])
        XCTAssertEqual(standIn.requests.map(\.entityName), ["Trip"])
        XCTAssertEqual(standIn.requests.map(\.fetchLimit), [3])

        standIn.isRefusing = true
        XCTAssertThrowsError(try plain.fetch(request)) { XCTAssertTrue($0 is Refusal) }
        XCTAssertThrowsError(try plain.count(for: request)) { XCTAssertTrue($0 is Refusal) }
        XCTAssertThrowsError(try request.execute(in: plain)) { XCTAssertTrue($0 is Refusal) }
        standIn.isRefusing = false

        standIn.results = [NSManagedObject(), NSManagedObject()]
        XCTAssertEqual(try plain.fetch(request).count, 2)
        standIn.results = [["name": "Johnny"]]
        let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Trip")
        dictionaries.resultType = .dictionaryResultType
        XCTAssertEqual(try plain.fetch(dictionaries).first?["name"] as? String, "Johnny")
    }

    func testOverrideThatAsksTheFramework() throws {
        let counting = try context(CountingContext.self)
        let plain: NSManagedObjectContext = counting
        let untyped = NSFetchRequest<NSFetchRequestResult>(entityName: "Trip")
        XCTAssertEqual(try plain.fetch(NSFetchRequest<NSManagedObject>(entityName: "Trip")).count, 1)
        XCTAssertEqual(try plain.fetch(untyped).count, 1)
        untyped.predicate = NSPredicate(value: false)
        let results: [Any] = try plain.fetch(untyped)
        XCTAssertEqual(results.count, 0)
        XCTAssertEqual(counting.fetches, 3)
    }

    func testOverriddenCount() throws {
        let plain: NSManagedObjectContext = try context(StandInContext.self)
        XCTAssertEqual(try plain.count(for: NSFetchRequest<NSManagedObject>(entityName: "Trip")), 101)
        XCTAssertEqual(try plain.count(for: NSFetchRequest(entityName: "Trip")), 101)
        let refusing = try context(RefusingContext.self)
        XCTAssertEqual(try refusing.count(for: NSFetchRequest<NSManagedObject>(entityName: "Trip")), 1)
        XCTAssertEqual(try refusing.fetch(NSFetchRequest<NSManagedObject>(entityName: "Trip")).count, 1)
        XCTAssertThrowsError(try refusing.save())
    }

    func testWitnessesWithoutATypeOfResults() throws {
        let fetching: any Fetching = try context(NSManagedObjectContext.self)
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Trip")
        let results: [Any] = try fetching.fetch(request)
        XCTAssertEqual(results.compactMap { ($0 as? NSManagedObject)?.value(forKey: "title") as? String }, ["Coast"])
        XCTAssertEqual(try fetching.count(for: request), 1)
        XCTAssertEqual(try fetching.fetch(NSFetchRequest<NSManagedObject>(entityName: "Trip")).count, 1)
    }

    func testOverriddenMerge() throws {
        let standIn = try context(StandInContext.self)
        let type: NSManagedObjectContext.Type = StandInContext.self
        type.mergeChanges(fromRemoteContextSave: [:], into: [standIn])
        XCTAssertEqual(standIn.name, "merged")
    }

    func testIDs() {
        XCTAssertFalse(StandInID().isTemporaryID)
        XCTAssertNotEqual(NSManagedObjectID(), NSManagedObjectID())
        XCTAssertEqual(NumberedID(number: 7), NumberedID(number: 7))
    }

    func testHistory() throws {
        let transactions = try XCTUnwrap(StandInHistory().result as? [NSPersistentHistoryTransaction])
        XCTAssertEqual(transactions.map(\.author), ["somebody"])
        XCTAssertEqual(transactions[0].changes?.map(\.changeType), [.delete])
        XCTAssertEqual(
            transactions[0].objectIDNotification().userInfo?[NSDeletedObjectIDsKey] as? Set<NSManagedObjectID>,
            [NumberedID(number: 1)])
    }

    func testResults() {
        XCTAssertEqual(StandInInsertion().result as? Int, 3)
        XCTAssertEqual(StandInUpdate(type: .updatedObjectIDsResultType).resultType, .updatedObjectIDsResultType)
        let deletion = StandInDeletion()
        XCTAssertNil(deletion.result)
        deletion.ownResult = [NumberedID(number: 2)]
        XCTAssertEqual(deletion.result as? [NSManagedObjectID], [NumberedID(number: 2)])
    }

    func testValuesForVariables() {
        XCTAssertEqual(StandInController().fetchedObjects, [])
        let controller: NSFetchedResultsController<NSManagedObject> = NSFetchedResultsController()
        XCTAssertThrowsError(try controller.performFetch())
        XCTAssertNil(controller.fetchedObjects)
        XCTAssertEqual(NSPersistentContainer().managedObjectModel.entities, [])
        XCTAssertEqual(DesignatedStack().name, "Designated")
        XCTAssertEqual(ConvenientStack().name, "Convenient")
    }
}

extension NSFetchRequest {
    /// Executes the request where a context is current.
    fileprivate func execute(in context: NSManagedObjectContext) throws -> [ResultType] {
        try context.performAndWait { try execute() }
    }
}
