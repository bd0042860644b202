import CoreData
import XCTest

// NSPersistentContainer as a Mac program may use it, and the blocks that run on the queues of container and
// coordinator.

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
