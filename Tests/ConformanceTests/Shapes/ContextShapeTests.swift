import CoreData
import XCTest

// Each member of NSManagedObjectContext as a Mac program may use it: called, overridden, witnessed by a protocol,
// referred to as a value.

/// Every member that a subclass may override.
private class NotingContext: NSManagedObjectContext, @unchecked Sendable {
    var calls: [String] = []

    override func perform(_ block: @escaping () -> Void) {
        calls.append("perform")
        super.performAndWait(block)
    }
    override func performAndWait(_ block: () -> Void) {
        calls.append("performAndWait")
        super.performAndWait(block)
    }
    override func save() throws {
        calls.append("save")
        try super.save()
    }
    override func insert(_ object: NSManagedObject) { super.insert(object) }
    override func delete(_ object: NSManagedObject) {
        calls.append("delete")
        super.delete(object)
    }
    override func object(with objectID: NSManagedObjectID) -> NSManagedObject { super.object(with: objectID) }
    override func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        try super.existingObject(with: objectID)
    }
    override func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
        super.registeredObject(for: objectID)
    }
    override func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        try super.execute(request)
    }
    override func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
        super.refresh(object, mergeChanges: flag)
    }
    override func refreshAllObjects() { super.refreshAllObjects() }
    override func detectConflicts(for object: NSManagedObject) { super.detectConflicts(for: object) }
    override func processPendingChanges() { super.processPendingChanges() }
    override func assign(_ object: Any, to store: NSPersistentStore) { super.assign(object, to: store) }
    override func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
        try super.obtainPermanentIDs(for: objects)
    }
    override func mergeChanges(fromContextDidSave notification: Notification) {
        super.mergeChanges(fromContextDidSave: notification)
    }
    override func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
        try super.setQueryGenerationFrom(generation)
    }
    override func undo() { super.undo() }
    override func redo() { super.redo() }
    override func reset() { super.reset() }
    override func rollback() { super.rollback() }
    override func shouldHandleInaccessibleFault(
        _ fault: NSManagedObject, for oid: NSManagedObjectID, triggeredByProperty property: NSPropertyDescription?
    ) -> Bool {
        super.shouldHandleInaccessibleFault(fault, for: oid, triggeredByProperty: property)
    }
    override var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { super.persistentStoreCoordinator }
        set { super.persistentStoreCoordinator = newValue }
    }
    override var parent: NSManagedObjectContext? {
        get { super.parent }
        set { super.parent = newValue }
    }
    override var name: String? {
        get { super.name }
        set { super.name = newValue }
    }
    override var undoManager: UndoManager? {
        get { super.undoManager }
        set { super.undoManager = newValue }
    }
    override var hasChanges: Bool { super.hasChanges }
    override var userInfo: NSMutableDictionary { super.userInfo }
    override var concurrencyType: NSManagedObjectContextConcurrencyType { super.concurrencyType }
    override var insertedObjects: Set<NSManagedObject> { super.insertedObjects }
    override var updatedObjects: Set<NSManagedObject> { super.updatedObjects }
    override var deletedObjects: Set<NSManagedObject> { super.deletedObjects }
    override var registeredObjects: Set<NSManagedObject> { super.registeredObjects }
    override var propagatesDeletesAtEndOfEvent: Bool {
        get { super.propagatesDeletesAtEndOfEvent }
        set { super.propagatesDeletesAtEndOfEvent = newValue }
    }
    override var retainsRegisteredObjects: Bool {
        get { super.retainsRegisteredObjects }
        set { super.retainsRegisteredObjects = newValue }
    }
    override var shouldDeleteInaccessibleFaults: Bool {
        get { super.shouldDeleteInaccessibleFaults }
        set { super.shouldDeleteInaccessibleFaults = newValue }
    }
    override var stalenessInterval: TimeInterval {
        get { super.stalenessInterval }
        set { super.stalenessInterval = newValue }
    }
    override var mergePolicy: Any {
        get { super.mergePolicy }
        set { super.mergePolicy = newValue }
    }
    override var queryGenerationToken: NSQueryGenerationToken? { super.queryGenerationToken }
    override var automaticallyMergesChangesFromParent: Bool {
        get { super.automaticallyMergesChangesFromParent }
        set { super.automaticallyMergesChangesFromParent = newValue }
    }
    override var transactionAuthor: String? {
        get { super.transactionAuthor }
        set { super.transactionAuthor = newValue }
    }
}

private protocol Workspace: AnyObject {
    var hasChanges: Bool { get }
    var parent: NSManagedObjectContext? { get set }
    var undoManager: UndoManager? { get set }
    var mergePolicy: Any { get set }
    var insertedObjects: Set<NSManagedObject> { get }
    func perform(_ block: @escaping @Sendable () -> Void)
    func performAndWait(_ block: () -> Void)
    func performAndWait<T>(_ block: () throws -> T) rethrows -> T
    func perform<T>(
        schedule: NSManagedObjectContext.ScheduledTaskType, _ block: @escaping () throws -> T
    ) async rethrows -> T
    func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T]
    func count<T>(for request: NSFetchRequest<T>) throws -> Int
    func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult
    func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject
    func delete(_ object: NSManagedObject)
    func save() throws
    func reset()
    func rollback()
}

extension NSManagedObjectContext: Workspace {}

/// Goes through a function that rethrows.
private func passing<T>(
    _ context: NSManagedObjectContext, _ block: @escaping () throws -> T
) async rethrows -> T {
    try await context.perform { try block() }
}

@MainActor
private final class Screen {
    let context: NSManagedObjectContext
    var titles: [String] = []

    init(_ context: NSManagedObjectContext) { self.context = context }

    func load() async throws {
        titles = try await context.perform {
            try self.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Trip")).compactMap {
                $0.value(forKey: "title") as? String
            }
        }
        let count = await context.perform(schedule: .enqueued) { 2 }
        XCTAssertEqual(count, 2)
    }
}

private actor Reader {
    let context: NSManagedObjectContext
    private var count = 0

    init(_ context: NSManagedObjectContext) { self.context = context }

    func read() async throws -> Int {
        count = try await context.perform {
            try self.context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Trip"))
        }
        return count
    }
}

final class ContextShapeTests: XCTestCase {
    private func context(_ type: NSManagedObjectContextConcurrencyType) throws -> NotingContext {
        let context = NotingContext(concurrencyType: type)
        context.persistentStoreCoordinator = Journal.inMemoryContainer().persistentStoreCoordinator
        return context
    }

    func testOverriddenMembersAreCalled() throws {
        let context = try context(.privateQueueConcurrencyType)
        let plain: NSManagedObjectContext = context
        try plain.performAndWait {
            let trip = plain.insertTrip("North")
            try plain.save()
            plain.delete(trip)
            try plain.save()
        }
        plain.performAndWait {}
        plain.perform {}
        XCTAssertEqual(
            context.calls, ["performAndWait", "save", "delete", "save", "performAndWait", "perform"])
    }

    func testMethodsAsValues() throws {
        let context = try context(.privateQueueConcurrencyType)
        let wait: (() -> Void) -> Void = context.performAndWait(_:)
        let later: (@escaping @Sendable () -> Void) -> Void = context.perform(_:)
        let save: () throws -> Void = context.save
        var count = 0
        wait { count += 1 }
        wait { try? save() }
        XCTAssertEqual(count, 1)
        let block: () -> Void = { count += 1 }
        context.performAndWait(block)
        XCTAssertEqual(context.performAndWait { count }, 2)
        let number: Int = try context.performAndWait { () throws -> Int in 3 }
        XCTAssertEqual(number, 3)
        let sent: @Sendable () -> Void = {}
        later(sent)
        context.perform(sent)
    }

    func testAsynchronousBlocks() async throws {
        let context = Journal.inMemoryContainer().newBackgroundContext()
        try await context.perform {
            context.insertTrip("North")
            try context.save()
        }
        let screen = await Screen(context)
        try await screen.load()
        let titles = await screen.titles
        XCTAssertEqual(titles, ["North"])
        let read = try await Reader(context).read()
        XCTAssertEqual(read, 1)
        let through = await passing(context) { 5 }
        XCTAssertEqual(through, 5)
        do {
            try await passing(context) { throw CocoaError(.featureUnsupported) }
            XCTFail("the error did not come through")
        } catch let error as CocoaError {
            XCTAssertEqual(error.code, .featureUnsupported)
        }
    }
}
