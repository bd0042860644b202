import CoreData
import XCTest

// Each member of NSManagedObject as a Mac program may use it: called, overridden, witnessed by a protocol, referred to
// as a value, through a generic and through a metatype. A member that is not called here has to compile.

private final class Boat: NSManagedObject {
    convenience init(name: String, context: NSManagedObjectContext) {
        self.init(context: context)
        setValue(name, forKey: "name")
    }

    override class func entity() -> NSEntityDescription { BoatModel.entity }
    override class func fetchRequest() -> NSFetchRequest<NSFetchRequestResult> {
        NSFetchRequest<NSFetchRequestResult>(entityName: "Boat")
    }
}

/// An initialiser without arguments, which overrides nothing.
private final class Raft: NSManagedObject {
    convenience init() { self.init(entity: BoatModel.entity, insertInto: nil) }
}

/// Its own initialiser of the framework's name.
private final class Ferry: NSManagedObject {
    convenience init(context: NSManagedObjectContext) {
        self.init(entity: BoatModel.entity, insertInto: context)
        setValue("ferry", forKey: "name")
    }
}

/// Every member that a subclass may override.
private class OverridingBoat: NSManagedObject {
    var calls: [String] = []

    override class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }
    override class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
        key == "colour" || super.automaticallyNotifiesObservers(forKey: key)
    }
    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        super.keyPathsForValuesAffectingValue(forKey: key).union(["name"])
    }
    override var managedObjectContext: NSManagedObjectContext? { super.managedObjectContext }
    override var entity: NSEntityDescription { super.entity }
    override var objectID: NSManagedObjectID { super.objectID }
    override var isInserted: Bool { super.isInserted }
    override var isUpdated: Bool { super.isUpdated }
    override var isDeleted: Bool { super.isDeleted }
    override var hasChanges: Bool { super.hasChanges }
    override var hasPersistentChangedValues: Bool { super.hasPersistentChangedValues }
    override var isFault: Bool { super.isFault }
    override var faultingState: Int { super.faultingState }
    override func hasFault(forRelationshipNamed key: String) -> Bool { super.hasFault(forRelationshipNamed: key) }
    override func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
        super.objectIDs(forRelationshipNamed: key)
    }
    override func willAccessValue(forKey key: String?) { super.willAccessValue(forKey: key) }
    override func didAccessValue(forKey key: String?) { super.didAccessValue(forKey: key) }
    override func willChangeValue(forKey key: String) { super.willChangeValue(forKey: key) }
    override func didChangeValue(forKey key: String) { super.didChangeValue(forKey: key) }
    override func awakeFromFetch() { super.awakeFromFetch() }
    override func awakeFromInsert() { super.awakeFromInsert() }
    override func awake(fromSnapshotEvents flags: NSSnapshotEventType) { super.awake(fromSnapshotEvents: flags) }
    override func prepareForDeletion() { super.prepareForDeletion() }
    override func willSave() { super.willSave() }
    override func didSave() { super.didSave() }
    override func willTurnIntoFault() { super.willTurnIntoFault() }
    override func didTurnIntoFault() { super.didTurnIntoFault() }
    override func value(forKey key: String) -> Any? { super.value(forKey: key) }
    override func setValue(_ value: Any?, forKey key: String) { super.setValue(value, forKey: key) }
    override func value(forKeyPath keyPath: String) -> Any? { super.value(forKeyPath: keyPath) }
    override func setValue(_ value: Any?, forKeyPath keyPath: String) { super.setValue(value, forKeyPath: keyPath) }
    override func value(forUndefinedKey key: String) -> Any? { nil }
    override func setValue(_ value: Any?, forUndefinedKey key: String) {}
    override func primitiveValue(forKey key: String) -> Any? {
        calls.append("primitiveValue")
        return super.primitiveValue(forKey: key)
    }
    override func setPrimitiveValue(_ value: Any?, forKey key: String) {
        calls.append("setPrimitiveValue")
        super.setPrimitiveValue(value, forKey: key)
    }
    override func committedValues(forKeys keys: [String]?) -> [String: Any] { super.committedValues(forKeys: keys) }
    override func changedValues() -> [String: Any] {
        calls.append("changedValues")
        return super.changedValues()
    }
    override func changedValuesForCurrentEvent() -> [String: Any] { super.changedValuesForCurrentEvent() }
    override func validateForDelete() throws { try super.validateForDelete() }
    override func validateForInsert() throws { try super.validateForInsert() }
    override func validateForUpdate() throws { try super.validateForUpdate() }
    override func mutableSetValue(forKey key: String) -> NSMutableSet { super.mutableSetValue(forKey: key) }
    override func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
        super.mutableSetValue(forKeyPath: keyPath)
    }
    override func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
        super.mutableOrderedSetValue(forKey: key)
    }
    override func setValuesForKeys(_ keyedValues: [String: Any]) { super.setValuesForKeys(keyedValues) }
    override func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        super.dictionaryWithValues(forKeys: keys)
    }
}

private protocol Insertable: NSManagedObject {}

extension Insertable {
    static func insert(into context: NSManagedObjectContext) -> Self { Self(context: context) }
    static func all(in context: NSManagedObjectContext) throws -> [Self] {
        let request = NSFetchRequest<Self>(entityName: entity().name ?? "")
        return try context.fetch(request)
    }
}

extension Boat: Insertable {}

private protocol HasEntity {
    static func entity() -> NSEntityDescription
    static func fetchRequest() -> NSFetchRequest<NSFetchRequestResult>
    var objectID: NSManagedObjectID { get }
    var managedObjectContext: NSManagedObjectContext? { get }
    var hasChanges: Bool { get }
    var isFault: Bool { get }
    func changedValues() -> [String: Any]
    func primitiveValue(forKey key: String) -> Any?
    func setPrimitiveValue(_ value: Any?, forKey key: String)
    func value(forKey key: String) -> Any?
    func setValue(_ value: Any?, forKey key: String)
    func willAccessValue(forKey key: String?)
    func awakeFromInsert()
    func validateForInsert() throws
}

extension Boat: HasEntity {}
extension OverridingBoat: HasEntity {}

private func make<T: NSManagedObject>(_ context: NSManagedObjectContext) -> T { T(context: context) }

private func make<T: NSManagedObject>(_ type: T.Type, _ context: NSManagedObjectContext) -> T {
    type.init(context: context)
}

private enum BoatModel {
    static let entity: NSEntityDescription = {
        let name = NSAttributeDescription()
        name.name = "name"
        name.attributeType = .stringAttributeType
        name.isOptional = true
        let entity = NSEntityDescription()
        entity.name = "Boat"
        entity.properties = [name]
        return entity
    }()

    static let model: NSManagedObjectModel = {
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }()

    static func context() throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }
}

final class ManagedObjectShapeTests: XCTestCase {
    func testMadeThroughGenericsMetatypesAndValues() throws {
        let context = try BoatModel.context()
        let generic: Boat = make(context)
        let ofType = make(Boat.self, context)
        let metatype: NSManagedObject.Type = Boat.self
        let dynamic = metatype.init(context: context)
        let initialiser: (NSManagedObjectContext) -> Boat = Boat.init(context:)
        let mapped = [context].map(Boat.init(context:))
        let byProtocol = Boat.insert(into: context)
        let own = Boat(name: "tug", context: context)
        let all: [NSManagedObject] = [generic, ofType, dynamic, initialiser(context), byProtocol, own] + mapped
        XCTAssertEqual(all.map { $0.entity.name }, Array(repeating: "Boat", count: 7))
        XCTAssertTrue(all.allSatisfy { $0 is Boat && $0.managedObjectContext === context && $0.isInserted })
        XCTAssertEqual(own.value(forKey: "name") as? String, "tug")
        XCTAssertEqual(try Boat.all(in: context).count, 7)
    }

    func testOwnInitialiserOfTheSameName() throws {
        let context = try BoatModel.context()
        XCTAssertEqual(Ferry(context: context).value(forKey: "name") as? String, "ferry")
    }

    func testMadeWithoutAnEntity() throws {
        let make: () -> Boat = Boat.init
        let boats = [NSManagedObject(), Boat(), make(), OverridingBoat()]
        XCTAssertTrue(boats.allSatisfy { $0.managedObjectContext == nil && !$0.isInserted && !$0.hasChanges })
        XCTAssertTrue(type(of: boats[1]) == Boat.self)
        XCTAssertEqual(Raft().entity.name, "Boat")
        let context = try BoatModel.context()
        XCTAssertFalse(context.insertedObjects.contains(boats[1]))
    }

    func testOverriddenClassMethods() throws {
        let context = try BoatModel.context()
        XCTAssertEqual(Boat(context: context).entity.name, "Boat")
        let metatype: NSManagedObject.Type = Boat.self
        XCTAssertEqual(metatype.entity().name, "Boat")
        let request: NSFetchRequest<NSFetchRequestResult> = metatype.fetchRequest()
        XCTAssertEqual(request.entityName, "Boat")
        let ofProtocol: HasEntity.Type = Boat.self
        XCTAssertEqual(ofProtocol.fetchRequest().entityName, "Boat")
    }

    func testObservingOfKeysCanBeSteered() throws {
        _ = try BoatModel.context()
        let metatype: NSManagedObject.Type = OverridingBoat.self
        XCTAssertTrue(metatype.automaticallyNotifiesObservers(forKey: "colour"))
        XCTAssertEqual(metatype.keyPathsForValuesAffectingValue(forKey: "title"), ["name"])
        XCTAssertFalse(Boat.automaticallyNotifiesObservers(forKey: "name"))
        XCTAssertTrue(Boat.automaticallyNotifiesObservers(forKey: "unknown"))
        XCTAssertEqual(Boat.keyPathsForValuesAffectingValue(forKey: "name"), [])
    }

    func testKeyPathsAreObserved() throws {
        let context = try BoatModel.context()
        let boat = Boat(name: "a", context: context)
        var tokens: [NSKeyValueObservation] = []
        var states: [Bool?] = []
        tokens.append(
            boat.observe(\.isDeleted, options: [.initial, .new, .old, .prior]) { boat, change in
                let kind: NSKeyValueObservedChange<Bool>.Kind = change.kind
                XCTAssertEqual(kind, NSKeyValueChange.setting)
                XCTAssertNil(change.indexes)
                states.append(change.isPrior ? boat.isDeleted : change.newValue)
            })
        tokens.append(context.observe(\.hasChanges) { context, _ in states.append(context.hasChanges) })
        tokens.forEach { $0.invalidate() }
        XCTAssertEqual(states, [false])
    }

    func testOverriddenMembersAreCalled() throws {
        let context = try BoatModel.context()
        let boat = OverridingBoat(entity: BoatModel.entity, insertInto: context)
        let asBase: NSManagedObject = boat
        asBase.setPrimitiveValue("a", forKey: "name")
        XCTAssertEqual(asBase.primitiveValue(forKey: "name") as? String, "a")
        XCTAssertEqual(asBase.changedValues()["name"] as? String, "a")
        XCTAssertEqual(boat.calls, ["setPrimitiveValue", "primitiveValue", "changedValues"])
        let reference: (String) -> Any? = asBase.primitiveValue(forKey:)
        XCTAssertEqual(reference("name") as? String, "a")
        let unbound: (NSManagedObject) -> () -> Void = NSManagedObject.willSave
        unbound(asBase)()
        XCTAssertNil(asBase.value(forKey: "unknown"))
    }
}
