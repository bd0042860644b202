import CoreData
import XCTest

/// The announcements of contexts.
final class NotificationTests: XCTestCase {
    private var container: NSPersistentContainer!
    private var context: NSManagedObjectContext { container.viewContext }

    override func setUp() {
        super.setUp()
        container = Journal.inMemoryContainer()
    }

    override func tearDown() {
        container = nil
        super.tearDown()
    }

    func testSave() throws {
        let kept = context.insertTrip("Kept")
        let doomed = context.insertTrip("Doomed")
        try context.save()
        kept.title = "Changed"
        context.delete(doomed)
        let added = context.insertTrip("Added")

        let ids = [added, kept, doomed].map(\.objectID)
        let willSave = expectation(forNotification: .NSManagedObjectContextWillSave, object: context)
        let didSave = expectation(forNotification: .NSManagedObjectContextDidSave, object: context) { notification in
            let keys = [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey]
            let sets = keys.map { notification.userInfo?[$0] as? Set<NSManagedObject> }
            let titles = sets.map { $0?.compactMap { ($0 as? Trip)?.title } }
            return titles == [["Added"], ["Changed"], ["Doomed"]] && sets[1]?.first?.objectID == ids[1]
                && sets[2]?.first?.objectID == ids[2]
        }
        try context.save()
        wait(for: [willSave, didSave], timeout: 10, enforceOrder: true)
    }

    func testChanges() throws {
        let trip = context.insertTrip("North")
        try context.save()
        let id = trip.objectID
        let changed = expectation(
            forNotification: NSManagedObjectContext.didChangeObjectsNotification, object: context
        ) { notification in
            let key = NSManagedObjectContext.NotificationKey.updatedObjects.rawValue
            return (notification.userInfo?[key] as? Set<NSManagedObject>)?.contains { $0.objectID == id } == true
        }
        trip.title = "South"
        context.processPendingChanges()
        wait(for: [changed], timeout: 10)
    }

    func testObserverWithABlock() throws {
        // nonisolated(unsafe): the observer is called by the saves below, on this thread.
        nonisolated(unsafe) var titles: [String] = []
        let token = NotificationCenter.default.addObserver(
            forName: NSManagedObjectContext.didSaveObjectsNotification, object: context, queue: nil
        ) { notification in
            guard let objects = notification.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> else { return }
            titles += objects.compactMap { $0 as? Trip }.map(\.title)
        }
        context.insertTrip("North")
        try context.save()
        NotificationCenter.default.removeObserver(token)
        context.insertTrip("South")
        try context.save()
        XCTAssertEqual(titles, ["North"])
    }

    func testStores() throws {
        let coordinator = container.persistentStoreCoordinator
        let changed = expectation(
            forNotification: .NSPersistentStoreCoordinatorStoresDidChange, object: coordinator
        ) { notification in
            (notification.userInfo?[NSRemovedPersistentStoresKey] as? [NSPersistentStore])?.count == 1
        }
        try coordinator.remove(try XCTUnwrap(coordinator.persistentStores.first))
        wait(for: [changed], timeout: 10)
    }
}
