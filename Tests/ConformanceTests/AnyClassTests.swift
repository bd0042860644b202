import CoreData
import XCTest

// Initialisers that are called on a generic parameter, on a metatype and on `self` in a class method; a count whose
// request has no type of its own; attributes that a model's file leaves out.

private class OwnContext: NSManagedObjectContext, @unchecked Sendable {
    let label = "own"
}

/// A subclass with an initialiser of its own, which would refuse a required one.
private class MadeContext: NSManagedObjectContext, @unchecked Sendable {
    let made: Int

    init(made: Int) {
        self.made = made
        super.init(concurrencyType: .privateQueueConcurrencyType)
    }

    override init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
        made = -1
        super.init(concurrencyType: ct)
    }
}

private class OwnCoordinator: NSPersistentStoreCoordinator, @unchecked Sendable {}

private class OwnContainer: NSPersistentContainer, @unchecked Sendable {
    override class func defaultDirectoryURL() -> URL { super.defaultDirectoryURL().appendingPathComponent("Own") }
}

private class Doubling: ValueTransformer {
    let factor = 2
    override func transformedValue(_ value: Any?) -> Any? { (value as? Int).map { $0 * factor } }
}

private func makeContext<Context: NSManagedObjectContext>(_ type: Context.Type = Context.self) -> Context {
    Context(concurrencyType: .privateQueueConcurrencyType)
}

private func makeContainer<Container: NSPersistentContainer>(
    _ type: Container.Type, _ model: NSManagedObjectModel = Journal.model
) -> Container {
    Container(name: "Journal", managedObjectModel: model)
}

private func makeRequest<Result: NSFetchRequestResult>() -> NSFetchRequest<Result> {
    NSFetchRequest<Result>(entityName: "Trip")
}

extension NSPersistentStoreCoordinator {
    fileprivate static func empty() -> NSPersistentStoreCoordinator {
        self.init(managedObjectModel: NSManagedObjectModel())
    }

    fileprivate convenience init(merging models: [NSManagedObjectModel]) {
        self.init(managedObjectModel: NSManagedObjectModel(byMerging: models) ?? NSManagedObjectModel())
    }
}

private func makeCoordinator<Coordinator: NSPersistentStoreCoordinator>(
    _ type: Coordinator.Type, _ model: NSManagedObjectModel
) -> Coordinator {
    Coordinator(managedObjectModel: model)
}

final class AnyClassTests: XCTestCase {
    func testArgumentsAreReleasedOnce() {
        weak var gone: NSManagedObjectModel?
        weak var coordinator: NSPersistentStoreCoordinator?
        do {
            let model = NSManagedObjectModel()
            gone = model
            for _ in 0..<100 {
                XCTAssertTrue(makeContainer(OwnContainer.self, model).managedObjectModel === model)
                let made = makeCoordinator(OwnCoordinator.self, model)
                XCTAssertTrue(made.managedObjectModel === model)
                coordinator = made
            }
            XCTAssertEqual(model.entities, [])
        }
        XCTAssertNil(coordinator)
        XCTAssertNil(gone)
    }

    func testContexts() {
        let own: OwnContext = makeContext()
        XCTAssertEqual(own.label, "own")
        XCTAssertEqual(own.concurrencyType, .privateQueueConcurrencyType)
        XCTAssertEqual(makeContext(MadeContext.self).made, -1)
        let type: NSManagedObjectContext.Type = OwnContext.self
        XCTAssertTrue(type.init(concurrencyType: .mainQueueConcurrencyType) is OwnContext)
        XCTAssertEqual(makeContext(NSManagedObjectContext.self).concurrencyType, .privateQueueConcurrencyType)
        XCTAssertEqual(MadeContext(made: 3).made, 3)
    }

    func testCoordinators() {
        XCTAssertTrue(OwnCoordinator.empty() is OwnCoordinator)
        XCTAssertEqual(
            OwnCoordinator(merging: [Journal.model]).managedObjectModel.entities.count, Journal.model.entities.count)
    }

    func testContainers() {
        let container = makeContainer(OwnContainer.self)
        XCTAssertEqual(
            container.persistentStoreDescriptions[0].url?.deletingLastPathComponent().lastPathComponent, "Own")
        let type: NSPersistentContainer.Type = OwnContainer.self
        XCTAssertTrue(type.init(name: "Journal", managedObjectModel: Journal.model) is OwnContainer)
        XCTAssertEqual(type.init(name: "Journal").managedObjectModel.entities.count, Journal.model.entities.count)
    }

    func testTransformers() {
        let types: [ValueTransformer.Type] = [Doubling.self]
        XCTAssertEqual(types.map { $0.init() }.compactMap { $0.transformedValue(4) as? Int }, [8])
    }

    func testCountOfARequestWithoutAType() throws {
        let container = Journal.inMemoryContainer()
        let context = container.viewContext
        context.insertTrip("North")
        XCTAssertEqual(try context.count(for: makeRequest()), 1)
    }

    func testUserInfoOfAFile() throws {
        let trip = try XCTUnwrap(Journal.model.entitiesByName["Trip"])
        XCTAssertEqual(trip.userInfo?.count, 0)
        for property in trip.properties { XCTAssertEqual(property.userInfo?.count, 0, property.name) }
    }

    func testSetMutations() throws {
        let container = Journal.inMemoryContainer()
        let trip = container.viewContext.insertTrip("North")
        try container.viewContext.save()
        let members = Set<AnyHashable>()
        trip.willChangeValue(forKey: "travellers", withSetMutation: .set, using: members)
        trip.setPrimitiveValue(NSMutableSet(), forKey: "travellers")
        trip.didChangeValue(forKey: "travellers", withSetMutation: .set, using: members)
        XCTAssertTrue(trip.hasChanges)
        XCTAssertEqual(NSKeyValueSetMutationKind.union.rawValue, 1)
        XCTAssertEqual(NSKeyValueSetMutationKind.set.rawValue, 4)
    }
}
