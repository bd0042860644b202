import CoreData
import XCTest

/// An incremental store that keeps nothing, with every member that a subclass may replace on a Mac.
private class EmptyStore: NSIncrementalStore, @unchecked Sendable {
    static let type = "EmptyStore"

    override var type: String { Self.type }
    override var configurationName: String { super.configurationName }
    override var options: [AnyHashable: Any]? { super.options }
    override var persistentStoreCoordinator: NSPersistentStoreCoordinator? { super.persistentStoreCoordinator }
    override var url: URL? {
        get { super.url }
        set { super.url = newValue }
    }
    override var identifier: String! {
        get { super.identifier }
        set { super.identifier = newValue }
    }
    override var isReadOnly: Bool {
        get { super.isReadOnly }
        set { super.isReadOnly = newValue }
    }
    override var metadata: [String: Any]! {
        get { super.metadata }
        set { super.metadata = newValue }
    }

    override func loadMetadata() throws {
        metadata = [NSStoreTypeKey: Self.type, NSStoreUUIDKey: "5A5A5A5A-0000-4000-8000-000000000000"]
    }
    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        (request as? NSFetchRequest<NSFetchRequestResult>)?.resultType == .countResultType ? [0] : []
    }
    override func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        NSIncrementalStoreNode(objectID: objectID, withValues: [:], version: 1)
    }
    override func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        NSNull()
    }
    override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        array.map { newObjectID(for: $0.entity, referenceObject: UUID().uuidString) }
    }
    override func newObjectID(for entity: NSEntityDescription, referenceObject data: Any) -> NSManagedObjectID {
        super.newObjectID(for: entity, referenceObject: data)
    }
    override func referenceObject(for objectID: NSManagedObjectID) -> Any { super.referenceObject(for: objectID) }
    override func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}
    override func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}
    override func didAdd(to coordinator: NSPersistentStoreCoordinator) { super.didAdd(to: coordinator) }
    override func willRemove(from coordinator: NSPersistentStoreCoordinator?) { super.willRemove(from: coordinator) }
    override class func identifierForNewStore(at storeURL: URL) -> Any { super.identifierForNewStore(at: storeURL) }
    override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] { [NSStoreTypeKey: type] }
    override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {}
    override class func migrationManagerClass() -> AnyClass { super.migrationManagerClass() }
}

private class NotedNode: NSIncrementalStoreNode, @unchecked Sendable {
    override init(objectID: NSManagedObjectID, withValues values: [String: Any], version: UInt64) {
        super.init(objectID: objectID, withValues: values, version: version)
    }
    override var objectID: NSManagedObjectID { super.objectID }
    override var version: UInt64 { super.version }
    override func update(withValues values: [String: Any], version: UInt64) {
        super.update(withValues: values, version: version)
    }
    override func value(for prop: NSPropertyDescription) -> Any? { super.value(for: prop) }
}

private class NotedCacheNode: NSAtomicStoreCacheNode, @unchecked Sendable {
    override init(objectID moid: NSManagedObjectID) { super.init(objectID: moid) }
    override var objectID: NSManagedObjectID { super.objectID }
    override var propertyCache: NSMutableDictionary? {
        get { super.propertyCache }
        set { super.propertyCache = newValue }
    }
    override func value(forKey key: String) -> Any? { super.value(forKey: key) }
    override func setValue(_ value: Any?, forKey key: String) { super.setValue(value, forKey: key) }
}

/// An atomic store that keeps its objects in memory.
private class ShelfStore: NSAtomicStore, @unchecked Sendable {
    static let type = "ShelfStore"

    override var type: String { Self.type }
    override func load() throws {}
    override func save() throws {}
    override func newReferenceObject(for managedObject: NSManagedObject) -> Any { UUID().uuidString }
    override func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        let node = NotedCacheNode(objectID: managedObject.objectID)
        updateCacheNode(node, from: managedObject)
        return node
    }
    override func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
        for name in managedObject.entity.attributesByName.keys {
            node.setValue(managedObject.value(forKey: name), forKey: name)
        }
    }
    override func cacheNodes() -> Set<NSAtomicStoreCacheNode> { super.cacheNodes() }
    override func addCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) { super.addCacheNodes(cacheNodes) }
    override func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {}
    override func cacheNode(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode? {
        super.cacheNode(for: objectID)
    }
    override func objectID(for entity: NSEntityDescription, withReferenceObject data: Any) -> NSManagedObjectID {
        super.objectID(for: entity, withReferenceObject: data)
    }
    override func referenceObject(for objectID: NSManagedObjectID) -> Any { super.referenceObject(for: objectID) }
}

private protocol Placed {
    var url: URL? { get set }
    var type: String { get }
    var identifier: String! { get set }
    var metadata: [String: Any]! { get set }
    static func metadataForPersistentStore(with url: URL) throws -> [String: Any]
}

extension NSPersistentStore: Placed {}

final class StoreShapeTests: XCTestCase {
    private func types<Store: Placed>(_ stores: [Store]) -> [String] { stores.map(\.type) }

    func testStoresOfAProgram() throws {
        NSPersistentStoreCoordinator.registerStoreClass(EmptyStore.self, forStoreType: EmptyStore.type)
        NSPersistentStoreCoordinator.registerStoreClass(ShelfStore.self, forStoreType: ShelfStore.type)
        defer {
            NSPersistentStoreCoordinator.registerStoreClass(nil, forStoreType: EmptyStore.type)
            NSPersistentStoreCoordinator.registerStoreClass(nil, forStoreType: ShelfStore.type)
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Journal.model)
        let url = URL(fileURLWithPath: "/nowhere/store")
        let empty = try coordinator.addPersistentStore(
            ofType: EmptyStore.type, configurationName: nil, at: url, options: nil)
        XCTAssertEqual(types(coordinator.persistentStores), [EmptyStore.type])
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        XCTAssertEqual(try context.fetch(Stop.fetchRequest()).count, 0)
        try coordinator.remove(empty)
        let shelf = try coordinator.addPersistentStore(
            ofType: ShelfStore.type, configurationName: nil, at: nil, options: nil)
        context.insertTrip("Coast", "a")
        try context.save()
        XCTAssertEqual((shelf as? ShelfStore)?.cacheNodes().contains { $0 is NotedCacheNode }, true)
    }

    func testNodesAndMetatypes() throws {
        let stop = Stop(context: Journal.inMemoryContainer().viewContext)
        let node = NotedNode(objectID: stop.objectID, withValues: ["place": "a"], version: 2)
        let place = try XCTUnwrap(Stop.entity().attributesByName["place"])
        XCTAssertEqual(node.value(for: place) as? String, "a")
        XCTAssertEqual(node.version, 2)
        let type: any Placed.Type = EmptyStore.self
        XCTAssertEqual(
            try type.metadataForPersistentStore(with: URL(fileURLWithPath: "/nowhere"))[NSStoreTypeKey] as? String,
            EmptyStore.type)
        let values: (NSManagedObjectID, [String: Any], UInt64) -> NSIncrementalStoreNode = NSIncrementalStoreNode.init(
            objectID:withValues:version:)
        XCTAssertEqual(values(stop.objectID, [:], 1).objectID, stop.objectID)
    }
}
