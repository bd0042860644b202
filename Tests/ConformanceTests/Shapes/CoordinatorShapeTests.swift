import CoreData
import XCTest

/// Every member that a subclass may replace on a Mac.
private class TracedCoordinator: NSPersistentStoreCoordinator, @unchecked Sendable {
    var calls: [String] = []

    override init(managedObjectModel model: NSManagedObjectModel) { super.init(managedObjectModel: model) }

    override func perform(_ block: @escaping () -> Void) { performAndWait(block) }
    override func performAndWait(_ block: () -> Void) {
        calls.append("performAndWait")
        super.performAndWait(block)
    }
    override var managedObjectModel: NSManagedObjectModel { super.managedObjectModel }
    override var persistentStores: [NSPersistentStore] { super.persistentStores }
    override var name: String? {
        get { super.name }
        set { super.name = newValue }
    }

    override func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        calls.append("add \(storeType)")
        return try super.addPersistentStore(
            ofType: storeType, configurationName: configuration, at: storeURL, options: options)
    }

    override func addPersistentStore(
        with storeDescription: NSPersistentStoreDescription,
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        calls.append("add description")
        super.addPersistentStore(with: storeDescription, completionHandler: block)
    }

    override func remove(_ store: NSPersistentStore) throws {
        calls.append("remove")
        try super.remove(store)
    }

    override func persistentStore(for URL: URL) -> NSPersistentStore? { super.persistentStore(for: URL) }
    override func url(for store: NSPersistentStore) -> URL { super.url(for: store) }
    override func setURL(_ url: URL, for store: NSPersistentStore) -> Bool { super.setURL(url, for: store) }
    override func metadata(for store: NSPersistentStore) -> [String: Any] { super.metadata(for: store) }
    override func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
        super.setMetadata(metadata, for: store)
    }
    override func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        super.managedObjectID(forURIRepresentation: url)
    }

    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext) throws -> Any {
        calls.append("execute")
        return try super.execute(request, with: context)
    }

    override func migratePersistentStore(
        _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]? = nil, withType storeType: String
    ) throws -> NSPersistentStore {
        calls.append("migrate")
        return try super.migratePersistentStore(store, to: URL, options: options, withType: storeType)
    }

    override func destroyPersistentStore(
        at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
    ) throws {
        calls.append("destroy")
        try super.destroyPersistentStore(at: url, ofType: storeType, options: options)
    }

    override func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil, ofType storeType: String
    ) throws {
        calls.append("replace")
        try super.replacePersistentStore(
            at: destinationURL, destinationOptions: destinationOptions, withPersistentStoreFrom: sourceURL,
            sourceOptions: sourceOptions, ofType: storeType)
    }

    override func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? {
        super.currentPersistentHistoryToken(fromStores: stores)
    }
    override func finishDeferredLightweightMigration() throws { try super.finishDeferredLightweightMigration() }
    override func finishDeferredLightweightMigrationTask() throws {
        try super.finishDeferredLightweightMigrationTask()
    }

    override class func metadataForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try super.metadataForPersistentStore(ofType: storeType, at: url, options: options)
    }
    override class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try super.setMetadata(metadata, forPersistentStoreOfType: storeType, at: url, options: options)
    }
    override class var registeredStoreTypes: [String: NSValue] { super.registeredStoreTypes }
    override class func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {
        super.registerStoreClass(storeClass, forStoreType: storeType)
    }
}

private protocol StoreKeeping {
    var persistentStores: [NSPersistentStore] { get }
    func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]?
    ) throws -> NSPersistentStore
    func remove(_ store: NSPersistentStore) throws
    func destroyPersistentStore(at url: URL, ofType storeType: String, options: [AnyHashable: Any]?) throws
    static func metadataForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]?
    ) throws -> [String: Any]
}

extension NSPersistentStoreCoordinator: StoreKeeping {}

final class CoordinatorShapeTests: XCTestCase {
    private func emptied<Keeper: StoreKeeping>(_ keeper: Keeper) throws -> Int {
        for store in keeper.persistentStores { try keeper.remove(store) }
        return keeper.persistentStores.count
    }

    func testOverridesAreCalled() throws {
        let url = Journal.temporaryStoreURL()
        defer { Journal.remove(url) }
        let other = url.appendingPathExtension("other")
        let coordinator = TracedCoordinator(managedObjectModel: Journal.model)
        let container = NSPersistentStoreDescription(url: url)
        var failure: (any Error)?
        coordinator.addPersistentStore(with: container) { failure = $1 }
        XCTAssertNil(failure)
        let store = try XCTUnwrap(coordinator.persistentStore(for: url))
        let moved = try coordinator.migratePersistentStore(store, to: other, options: nil, withType: NSSQLiteStoreType)
        try coordinator.remove(moved)
        try coordinator.replacePersistentStore(
            at: url, withPersistentStoreFrom: other, ofType: NSSQLiteStoreType)
        try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
        XCTAssertEqual(
            coordinator.calls.filter { $0 != "add SQLite" },
            ["add description", "migrate", "remove", "replace", "destroy"])
        XCTAssertTrue(coordinator.calls.contains("add SQLite"))
    }

    func testOverriddenQueue() {
        let coordinator = TracedCoordinator(managedObjectModel: Journal.model)
        coordinator.perform {}
        XCTAssertEqual(coordinator.performAndWait { coordinator.persistentStores.count }, 0)
        let wait: (() -> Void) -> Void = coordinator.performAndWait(_:)
        wait {}
        XCTAssertEqual(coordinator.calls, ["performAndWait", "performAndWait", "performAndWait"])
    }

    func testWitnessesValuesAndMetatypes() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Journal.model)
        let add = coordinator.addPersistentStore(ofType:configurationName:at:options:)
        _ = try add(NSInMemoryStoreType, nil, nil, nil)
        XCTAssertEqual(try emptied(coordinator), 0)
        let type: NSPersistentStoreCoordinator.Type = TracedCoordinator.self
        XCTAssertNotNil(type.registeredStoreTypes[NSSQLiteStoreType])
        let keeper: any StoreKeeping.Type = type
        XCTAssertThrowsError(
            try keeper.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: URL(fileURLWithPath: "/nowhere.sqlite"), options: nil))
        XCTAssertTrue(NSPersistentStoreCoordinator().persistentStores.isEmpty)
    }
}
