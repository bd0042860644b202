import CoreData
import XCTest

// NSPersistentContainer, NSPersistentStoreCoordinator and NSPersistentStoreDescription as a Mac program may use them: called,
// overridden, witnessed by a protocol, referred to as values.

private class OwnContainer: NSPersistentContainer, @unchecked Sendable {
    private let mine = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)

    override class func defaultDirectoryURL() -> URL { super.defaultDirectoryURL().appendingPathComponent("Own") }
    override var name: String { "own " + super.name }
    override var viewContext: NSManagedObjectContext { mine }
    override var managedObjectModel: NSManagedObjectModel { super.managedObjectModel }
    override var persistentStoreCoordinator: NSPersistentStoreCoordinator { super.persistentStoreCoordinator }
    override var persistentStoreDescriptions: [NSPersistentStoreDescription] {
        get { super.persistentStoreDescriptions }
        set { super.persistentStoreDescriptions = newValue }
    }
    override func loadPersistentStores(
        completionHandler block: @escaping (NSPersistentStoreDescription, Error?) -> Void
    ) {
        super.loadPersistentStores(completionHandler: block)
    }
    override func newBackgroundContext() -> NSManagedObjectContext {
        let context = super.newBackgroundContext()
        context.performAndWait { context.name = "own" }
        return context
    }
    override func performBackgroundTask(_ block: @escaping (NSManagedObjectContext) -> Void) {
        block(newBackgroundContext())
    }
}

private class OwnCoordinator: NSPersistentStoreCoordinator, @unchecked Sendable {
    var calls: [String] = []

    override func perform(_ block: @escaping () -> Void) { performAndWait(block) }
    override func performAndWait(_ block: () -> Void) {
        calls.append("performAndWait")
        super.performAndWait(block)
    }
    override var name: String? {
        get { super.name }
        set { super.name = newValue }
    }
    override var managedObjectModel: NSManagedObjectModel { super.managedObjectModel }
    override var persistentStores: [NSPersistentStore] { super.persistentStores }
    override func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        calls.append("add")
        return try super.addPersistentStore(
            ofType: storeType, configurationName: configuration, at: storeURL, options: options)
    }
    override func remove(_ store: NSPersistentStore) throws {
        calls.append("remove")
        try super.remove(store)
    }
    override func persistentStore(for URL: URL) -> NSPersistentStore? { super.persistentStore(for: URL) }
    override func url(for store: NSPersistentStore) -> URL { super.url(for: store) }
    override func metadata(for store: NSPersistentStore) -> [String: Any] { super.metadata(for: store) }
    override func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
        super.setMetadata(metadata, for: store)
    }
    override func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        super.managedObjectID(forURIRepresentation: url)
    }
    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext) throws -> Any {
        try super.execute(request, with: context)
    }
    override func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? {
        super.currentPersistentHistoryToken(fromStores: stores)
    }
}

private protocol Stack: AnyObject {
    var viewContext: NSManagedObjectContext { get }
    var managedObjectModel: NSManagedObjectModel { get }
    var persistentStoreDescriptions: [NSPersistentStoreDescription] { get set }
    func newBackgroundContext() -> NSManagedObjectContext
    func loadPersistentStores(completionHandler block: @escaping (NSPersistentStoreDescription, Error?) -> Void)
    func performBackgroundTask<T>(_ block: @escaping (NSManagedObjectContext) throws -> T) async rethrows -> T
}

extension NSPersistentContainer: Stack {}

private func inBackground<T>(
    _ container: NSPersistentContainer, _ block: @escaping (NSManagedObjectContext) throws -> T
) async rethrows -> T {
    try await container.performBackgroundTask { try block($0) }
}

private func onQueue<T>(
    _ coordinator: NSPersistentStoreCoordinator, _ block: @escaping () throws -> T
) async rethrows -> T {
    try await coordinator.perform { try block() }
}

private func makeContainer<T: NSPersistentContainer>(_ type: T.Type, _ make: (String, NSManagedObjectModel) -> T) -> T {
    make("Journal", Journal.model)
}

final class StackShapeTests: XCTestCase {
    func testOverriddenContainer() {
        let container: NSPersistentContainer = makeContainer(OwnContainer.self) {
            OwnContainer(name: $0, managedObjectModel: $1)
        }
        XCTAssertEqual(container.name, "own Journal")
        XCTAssertNil(container.viewContext.persistentStoreCoordinator)
        let context = container.newBackgroundContext()
        XCTAssertEqual(context.performAndWait { context.name }, "own")
        XCTAssertEqual(
            container.persistentStoreDescriptions[0].url?.deletingLastPathComponent().lastPathComponent, "Own")
        let make: () -> NSManagedObjectContext = container.newBackgroundContext
        XCTAssertNotNil(make().persistentStoreCoordinator)
    }

    func testOverriddenCoordinator() throws {
        let own = OwnCoordinator(managedObjectModel: Journal.model)
        let coordinator: NSPersistentStoreCoordinator = own
        let store = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        XCTAssertEqual(coordinator.performAndWait { coordinator.persistentStores.count }, 1)
        try coordinator.remove(store)
        XCTAssertEqual(own.calls, ["add", "performAndWait", "remove"])
        let wait: (() -> Void) -> Void = coordinator.performAndWait(_:)
        wait {}
    }

    func testAsynchronousBlocks() async throws {
        let container = Journal.inMemoryContainer()
        let count = try await inBackground(container) { context in
            context.insertTrip("North")
            try context.save()
            return try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Trip"))
        }
        XCTAssertEqual(count, 1)
        let stores = await onQueue(container.persistentStoreCoordinator) {
            container.persistentStoreCoordinator.persistentStores.count
        }
        XCTAssertEqual(stores, 1)
    }
}
