import CoreData
import XCTest

// Initialisers that subclasses declare on a Mac: over the framework's, beside it, or without it.

/// Overrides the framework's initialiser.
class Gauge: NSManagedObject {
    let made: String
    var awoken: [String] = []

    override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        made = "gauge"
        super.init(entity: entity, insertInto: context)
    }

    convenience init(name: String, in context: NSManagedObjectContext) {
        self.init(context: context)
        setValue(name, forKey: "name")
    }

    override func awakeFromInsert() {
        super.awakeFromInsert()
        awoken.append("insert")
    }

    override func awakeFromFetch() {
        super.awakeFromFetch()
        awoken.append("fetch")
    }
}

/// A subclass of a subclass, with stored properties and a designated initialiser of its own.
class TideGauge: Gauge {
    let level: Int

    init(level: Int, insertInto context: NSManagedObjectContext?) {
        self.level = level
        super.init(entity: GaugeModel.entity("TideGauge"), insertInto: context)
    }

    public required override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        level = 7
        super.init(entity: entity, insertInto: context)
    }
}

/// Inherits all initialisers, and has a stored property.
final class RainGauge: TideGauge {
    var unit = "mm"
}

/// Has no initialiser but its own, so that the framework can make none of its objects.
class Buoy: NSManagedObject {
    init(colour: String) {
        super.init(entity: GaugeModel.entity("Buoy"), insertInto: nil)
        setValue(colour, forKey: "name")
    }
}

/// Has initialisers of the names that the framework's convenience ones have.
final class Beacon: NSManagedObject {
    init() { super.init(entity: GaugeModel.entity("Beacon"), insertInto: nil) }
    init(context: NSManagedObjectContext?) { super.init(entity: GaugeModel.entity("Beacon"), insertInto: context) }
}

private enum GaugeModel {
    static let model: NSManagedObjectModel = {
        let model = NSManagedObjectModel()
        model.entities = [Gauge.self, TideGauge.self, RainGauge.self, Buoy.self, Beacon.self].map { objects in
            let name = NSAttributeDescription()
            name.name = "name"
            name.attributeType = .stringAttributeType
            name.isOptional = true
            let entity = NSEntityDescription()
            entity.name = "\(objects)"
            entity.managedObjectClassName = NSStringFromClass(objects)
            entity.properties = [name]
            return entity
        }
        return model
    }()

    static func entity(_ name: String) -> NSEntityDescription {
        guard let entity = model.entitiesByName[name] else { fatalError("no entity is called \(name)") }
        return entity
    }

    static func context() throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }
}

extension NSManagedObject {
    fileprivate class func make(_ entity: NSEntityDescription, _ context: NSManagedObjectContext) -> Self {
        self.init(entity: entity, insertInto: context)
    }
}

private func make<T: NSManagedObject>(
    _ type: T.Type, _ entity: NSEntityDescription, _ context: NSManagedObjectContext?
) -> T {
    T(entity: entity, insertInto: context)
}

private func make<T: NSManagedObject>(
    dynamic type: T.Type, _ entity: NSEntityDescription, _ context: NSManagedObjectContext?
) -> T {
    type.init(entity: entity, insertInto: context)
}

/// Without the framework's initialiser.
private class FollowedManager: NSMigrationManager {
    let follower: Progress

    init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel, progress: Progress? = nil) {
        follower = progress ?? Progress(totalUnitCount: 1)
        super.init(sourceModel: sourceModel, destinationModel: destinationModel)
    }
}

private class CountingManager: NSMigrationManager {
    let count: Int

    override init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
        count = sourceModel.entities.count
        super.init(sourceModel: sourceModel, destinationModel: destinationModel)
    }
}

private class LabelledPolicy: NSEntityMigrationPolicy {
    let label: String

    override init() {
        label = "own"
        super.init()
    }

    init(label: String) {
        self.label = label
        super.init()
    }
}

private class NamedPolicy: NSEntityMigrationPolicy {
    let name: String

    init(name: String = "b") {
        self.name = name
        super.init()
    }
}

private class FlaggedStore: NSAtomicStore, @unchecked Sendable {
    init(_ value: Bool = false) {
        super.init(
            persistentStoreCoordinator: nil, configurationName: nil, at: URL(fileURLWithPath: "/dev/null"), options: nil
        )
    }
}

private class ChartStore: NSIncrementalStore, @unchecked Sendable {
    static let storeType = "ChartStore"
    let chart: String

    override init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        chart = url.lastPathComponent
        super.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
    }

    override var type: String { Self.storeType }
    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        []
    }
}

private class TaggedRequest: NSPersistentHistoryChangeRequest {
    let tag: String

    init(tag: String) {
        self.tag = tag
        super.init()
    }

    override init() {
        tag = "none"
        super.init()
    }
}

final class InitializerShapeTests: XCTestCase {
    func testInsertedAndFetched() throws {
        let context = try GaugeModel.context()
        for name in ["TideGauge", "RainGauge"] {
            let new = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
            XCTAssertEqual((new as? TideGauge)?.level, 7)
            XCTAssertEqual((new as? TideGauge)?.awoken, ["insert"])
        }
        let own = TideGauge(level: 3, insertInto: context)
        XCTAssertEqual([own.made, "\(own.level)"], ["gauge", "3"])
        try context.save()
        context.reset()
        let tides = try context.fetch(NSFetchRequest<TideGauge>(entityName: "TideGauge"))
        XCTAssertEqual(tides.map(\.level), [7, 7])
        let rain = try XCTUnwrap(context.fetch(NSFetchRequest<RainGauge>(entityName: "RainGauge")).first)
        XCTAssertNil(rain.value(forKey: "name"))
        XCTAssertEqual([rain.made, "\(rain.level)", rain.unit] + rain.awoken, ["gauge", "7", "mm", "fetch"])
        XCTAssertEqual((context.object(with: tides[0].objectID) as? TideGauge)?.made, "gauge")
    }

    func testGenericsAndMetatypes() throws {
        let context = try GaugeModel.context()
        let entity = GaugeModel.entity("TideGauge")
        let metatype: NSManagedObject.Type = TideGauge.self
        let all: [NSManagedObject] = [
            make(TideGauge.self, entity, context), make(dynamic: metatype, entity, context),
            TideGauge.make(entity, context),
            metatype.init(entity: entity, insertInto: context), metatype.init(context: context),
            TideGauge(context: context), TideGauge(name: "a", in: context),
        ]
        XCTAssertEqual(all.map { ($0 as? TideGauge)?.level }, Array(repeating: 7, count: 7))
        XCTAssertTrue(all.allSatisfy { $0.managedObjectContext === context && $0.isInserted })
        let initialiser: (NSEntityDescription, NSManagedObjectContext?) -> Gauge = Gauge.init(entity:insertInto:)
        XCTAssertEqual(initialiser(GaugeModel.entity("Gauge"), nil).made, "gauge")
        XCTAssertNil(make(Gauge.self, GaugeModel.entity("Gauge"), nil).managedObjectContext)
    }

    func testWithoutTheInitialiserOfTheFramework() throws {
        let context = try GaugeModel.context()
        let buoy = Buoy(colour: "red")
        context.insert(buoy)
        context.insert(Beacon())
        XCTAssertTrue(Beacon(context: context).isInserted)
        try context.save()
        XCTAssertEqual(try context.fetch(NSFetchRequest<Buoy>(entityName: "Buoy")), [buoy])
        XCTAssertEqual(buoy.value(forKey: "name") as? String, "red")
    }

    func testManagersAndPolicies() {
        let followed = FollowedManager(
            sourceModel: Journal.model, destinationModel: Journal.model, progress: Progress(totalUnitCount: 5))
        XCTAssertEqual(followed.follower.totalUnitCount, 5)
        let alone = FollowedManager(sourceModel: Journal.model, destinationModel: Journal.model)
        XCTAssertEqual(alone.follower.totalUnitCount, 1)
        let managers: [NSMigrationManager.Type] = [CountingManager.self]
        let made = managers.map { $0.init(sourceModel: Journal.model, destinationModel: Journal.model) }
        XCTAssertEqual(made.map { ($0 as? CountingManager)?.count }, [Journal.model.entities.count])
        let policies: [NSEntityMigrationPolicy.Type] = [LabelledPolicy.self]
        XCTAssertEqual(policies.map { ($0.init() as? LabelledPolicy)?.label }, ["own"])
        XCTAssertEqual([LabelledPolicy(label: "a").label, NamedPolicy().name], ["a", "b"])
    }

    func testStores() throws {
        XCTAssertEqual(FlaggedStore(true).url, URL(fileURLWithPath: "/dev/null"))
        NSPersistentStoreCoordinator.registerStoreClass(ChartStore.self, forStoreType: ChartStore.storeType)
        defer { NSPersistentStoreCoordinator.registerStoreClass(nil, forStoreType: ChartStore.storeType) }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Journal.model)
        let url = URL(fileURLWithPath: "/nowhere/North")
        let store = try coordinator.addPersistentStore(
            ofType: ChartStore.storeType, configurationName: nil, at: url, options: ["depth": 3])
        XCTAssertEqual((store as? ChartStore)?.chart, "North")
        XCTAssertEqual(store.options?["depth"] as? Int, 3)
        XCTAssertTrue(store.persistentStoreCoordinator === coordinator)
        let metatype: NSPersistentStore.Type = ChartStore.self
        let other = metatype.init(persistentStoreCoordinator: nil, configurationName: "Charts", at: url, options: nil)
        XCTAssertEqual((other as? ChartStore)?.chart, "North")
        XCTAssertEqual(other.configurationName, "Charts")
    }

    func testHistoryRequests() {
        XCTAssertEqual(TaggedRequest.fetchHistory(after: Date()).tag, "none")
        XCTAssertEqual((TaggedRequest.deleteHistory(before: Date()).copy() as? TaggedRequest)?.tag, "none")
        XCTAssertEqual(TaggedRequest(tag: "a").tag, "a")
    }
}
