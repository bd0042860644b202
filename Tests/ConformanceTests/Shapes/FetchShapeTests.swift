import CoreData
import XCTest

// Fetch requests, asynchronous ones, fetched-results controllers and the descriptions that hold requests and
// expressions, as a Mac program may use them.

private class TracedRequest: NSFetchRequest<Trip> {
    var calls: [String] = []

    override init() { super.init() }

    override var entity: NSEntityDescription? {
        get { super.entity }
        set { super.entity = newValue }
    }
    override var entityName: String? { super.entityName ?? "Trip" }
    override var predicate: NSPredicate? {
        get { super.predicate }
        set {
            calls.append("predicate")
            super.predicate = newValue
        }
    }
    override var sortDescriptors: [NSSortDescriptor]? {
        get { super.sortDescriptors }
        set { super.sortDescriptors = newValue }
    }
    override var fetchLimit: Int {
        get { super.fetchLimit }
        set { super.fetchLimit = newValue }
    }
    override var resultType: NSFetchRequestResultType {
        get { super.resultType }
        set { super.resultType = newValue }
    }
    override var propertiesToFetch: [Any]? {
        get { super.propertiesToFetch }
        set { super.propertiesToFetch = newValue }
    }
    override var affectedStores: [NSPersistentStore]? {
        get { super.affectedStores }
        set { super.affectedStores = newValue }
    }
    override var requestType: NSPersistentStoreRequestType { super.requestType }
    override func execute() throws -> [Trip] {
        calls.append("execute")
        return try super.execute()
    }
}

private class TracedAsynchronousRequest: NSAsynchronousFetchRequest<Trip> {
    override var fetchRequest: NSFetchRequest<Trip> { super.fetchRequest }
    override var completionBlock: ((NSAsynchronousFetchResult<Trip>) -> Void)? { super.completionBlock }
    override var estimatedResultCount: Int {
        get { super.estimatedResultCount }
        set { super.estimatedResultCount = newValue }
    }
}

private class TracedController: NSFetchedResultsController<Trip> {
    var calls: [String] = []

    override init(
        fetchRequest: NSFetchRequest<Trip>, managedObjectContext context: NSManagedObjectContext,
        sectionNameKeyPath: String?, cacheName name: String?
    ) {
        super.init(
            fetchRequest: fetchRequest, managedObjectContext: context, sectionNameKeyPath: sectionNameKeyPath,
            cacheName: name)
    }

    override func performFetch() throws {
        calls.append("performFetch")
        try super.performFetch()
    }
    override var fetchRequest: NSFetchRequest<Trip> { super.fetchRequest }
    override var managedObjectContext: NSManagedObjectContext { super.managedObjectContext }
    override var sectionNameKeyPath: String? { super.sectionNameKeyPath }
    override var cacheName: String? { super.cacheName }
    override weak var delegate: NSFetchedResultsControllerDelegate? {
        get { super.delegate }
        set { super.delegate = newValue }
    }
    override class func deleteCache(withName name: String?) { super.deleteCache(withName: name) }
    override var fetchedObjects: [Trip]? { super.fetchedObjects?.reversed() }
    override func object(at indexPath: IndexPath) -> Trip { super.object(at: indexPath) }
    override func indexPath(forObject object: Trip) -> IndexPath? { super.indexPath(forObject: object) }
    override var sections: [NSFetchedResultsSectionInfo]? { super.sections }
    override var sectionIndexTitles: [String] { super.sectionIndexTitles }
    override func sectionIndexTitle(forSectionName sectionName: String) -> String? { "#" + sectionName }
    override func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
        super.section(forSectionIndexTitle: title, at: sectionIndex)
    }
}

private class NamedExpression: NSExpressionDescription, @unchecked Sendable {
    override var expression: NSExpression? {
        get { super.expression }
        set { super.expression = newValue }
    }
    override var expressionResultType: NSAttributeType {
        get { super.expressionResultType }
        set { super.expressionResultType = newValue }
    }
}

private class NamedFetchedProperty: NSFetchedPropertyDescription, @unchecked Sendable {
    override var fetchRequest: NSFetchRequest<NSFetchRequestResult>? {
        get { super.fetchRequest }
        set { super.fetchRequest = newValue }
    }
}

private class Reversal: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSString.self }
    override class func allowsReverseTransformation() -> Bool { true }
    override class func valueTransformerNames() -> [NSValueTransformerName] { super.valueTransformerNames() }
    override class func setValueTransformer(
        _ transformer: ValueTransformer?, forName name: NSValueTransformerName
    ) {
        super.setValueTransformer(transformer, forName: name)
    }
    override func transformedValue(_ value: Any?) -> Any? { (value as? String).map { String($0.reversed()) } }
    override func reverseTransformedValue(_ value: Any?) -> Any? { transformedValue(value) }
}

private protocol Fetching {
    associatedtype Fetched
    var predicate: NSPredicate? { get set }
    var sortDescriptors: [NSSortDescriptor]? { get set }
    func execute() throws -> [Fetched]
}

extension NSFetchRequest: Fetching {}

private protocol ListSource {
    associatedtype Item
    var fetchedObjects: [Item]? { get }
    func performFetch() throws
    func indexPath(forObject object: Item) -> IndexPath?
}

extension NSFetchedResultsController: ListSource {}

private func loaded<Source: ListSource>(_ source: Source) throws -> [Source.Item] {
    try source.performFetch()
    return source.fetchedObjects ?? []
}

private func titled<T: NSManagedObject>(_ type: T.Type, _ title: String) -> NSFetchRequest<T> {
    let request = NSFetchRequest<T>(entityName: type.entity().name ?? "")
    request.predicate = NSPredicate(format: "title == %@", title)
    return request
}

/// A request of any objects gives objects of the request's type of results, or values of any type, as the source
/// declares.
private struct AnyTrips {
    let context: NSManagedObjectContext
    private var request: NSFetchRequest<NSFetchRequestResult> { NSFetchRequest(entityName: "Trip") }

    func results() throws -> [NSFetchRequestResult] {
        let found = try context.fetch(request)
        return found
    }
    func values() throws -> [Any] {
        let found = try context.fetch(request)
        return found
    }
    func direct() throws -> ([NSFetchRequestResult], [Any], [AnyObject]) {
        (try context.fetch(request), try context.fetch(request), try context.fetch(request) as [AnyObject])
    }
    func assigned() throws -> [NSFetchRequestResult] {
        var found = [NSFetchRequestResult]()
        found = try context.fetch(request)
        let values: [Any] = try context.fetch(request)
        return values.count == found.count ? found : []
    }
    func withinBlock() throws -> [NSFetchRequestResult] {
        try context.performAndWait {
            let found = try context.fetch(request)
            return found
        }
    }
    func cast() throws -> [Trip] {
        guard let trips = try context.fetch(request) as? [Trip], let first = try context.fetch(request).first as? Trip
        else { return [] }
        for case let trip as Trip in try context.fetch(request) where trip.title == first.title { return trips }
        return (try? context.fetch(request)) as! [Trip]
    }
    func asValue() throws -> [Any] {
        let fetch: (NSFetchRequest<NSFetchRequestResult>) throws -> [Any] = context.fetch(_:)
        return try fetch(request)
    }
}

final class FetchShapeTests: XCTestCase {
    private var context: NSManagedObjectContext!

    override func setUp() {
        super.setUp()
        context = Journal.inMemoryContainer().viewContext
        for title in ["North", "South"] { context.insertTrip(title) }
    }

    override func tearDown() {
        context = nil
        super.tearDown()
    }

    func testOverriddenRequest() throws {
        let request = TracedRequest()
        request.entity = NSEntityDescription.entity(forEntityName: "Trip", in: context)
        request.predicate = NSPredicate(format: "title == 'North'")
        XCTAssertEqual(try context.fetch(request).map(\.title), ["North"])
        XCTAssertEqual(try context.performAndWait { try request.execute() }.map(\.title), ["North"])
        XCTAssertEqual(request.calls, ["predicate", "execute"])
        XCTAssertEqual(try context.count(for: titled(Trip.self, "South")), 1)
        let make: (String) -> NSFetchRequest<Trip> = NSFetchRequest<Trip>.init(entityName:)
        let limit: ReferenceWritableKeyPath<NSFetchRequest<Trip>, Int> = \.fetchLimit
        let limited = make("Trip")
        limited[keyPath: limit] = 1
        XCTAssertEqual(try context.fetch(limited).count, 1)
        let fetch: (NSFetchRequest<Trip>) throws -> [Trip] = context.fetch(_:)
        XCTAssertEqual(try fetch(make("Trip")).count, 2)
    }

    func testTypesOfResults() throws {
        let trips = AnyTrips(context: context)
        let counts = [
            try trips.results().count, try trips.values().count, try trips.direct().0.count,
            try trips.direct().1.count, try trips.direct().2.count, try trips.assigned().count,
            try trips.withinBlock().count, try trips.cast().count, try trips.asValue().count,
        ]
        XCTAssertEqual(counts, Array(repeating: 2, count: 9))
    }

    func testOverriddenAsynchronousRequest() throws {
        let told = expectation(description: "told")
        let request = TracedAsynchronousRequest(fetchRequest: titled(Trip.self, "North")) { result in
            XCTAssertEqual(result.finalResult?.map(\.title), ["North"])
            XCTAssertNil(result.operationError)
            told.fulfill()
        }
        request.estimatedResultCount = 1
        try context.execute(request)
        wait(for: [told], timeout: 60)
        XCTAssertNotNil(request.completionBlock)
    }

    func testOverriddenController() throws {
        let request: NSFetchRequest<Trip> = Trip.fetchRequest()
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let own = TracedController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "title", cacheName: nil)
        XCTAssertEqual(try loaded(own).map(\.title), ["South", "North"])
        XCTAssertEqual(own.calls, ["performFetch"])
        let controller: NSFetchedResultsController<Trip> = own
        XCTAssertEqual(controller.sectionIndexTitle(forSectionName: "North"), "#North")
        let place: (Trip) -> IndexPath? = controller.indexPath(forObject:)
        XCTAssertEqual(place(controller.object(at: IndexPath(indexes: [1, 0]))), IndexPath(indexes: [1, 0]))
        let type: NSFetchedResultsController<Trip>.Type = TracedController.self
        type.deleteCache(withName: nil)
    }

    func testDescriptionsAndTransformers() {
        let length = NamedExpression()
        length.name = "longest"
        length.expression = NSExpression(forFunction: "max:", arguments: [NSExpression(forKeyPath: "title")])
        length.expressionResultType = .stringAttributeType
        XCTAssertEqual(length.expression?.function, "max:")
        let property = NamedFetchedProperty()
        property.fetchRequest = NSFetchRequest<NSFetchRequestResult>(entityName: "Trip")
        XCTAssertEqual(property.fetchRequest?.entityName, "Trip")
        let type: ValueTransformer.Type = Reversal.self
        let name = NSValueTransformerName("FetchShapeTests.Reversal")
        type.setValueTransformer(Reversal(), forName: name)
        defer { type.setValueTransformer(nil, forName: name) }
        XCTAssertTrue(type.valueTransformerNames().contains(name))
        XCTAssertEqual(ValueTransformer(forName: name)?.transformedValue("ab") as? String, "ba")
        XCTAssertTrue(type.allowsReverseTransformation())
    }
}
