import CoreData
import XCTest

/// The stack: a container, its stores, and the same by hand.
final class ContainerSetUpTests: XCTestCase {
    private var storeURL: URL!

    override func setUp() {
        super.setUp()
        storeURL = Journal.temporaryStoreURL()
    }

    override func tearDown() {
        Journal.remove(storeURL)
        super.tearDown()
    }

    func testContainerKeepsObjectsInAFile() throws {
        let container = NSPersistentContainer(name: "Journal", managedObjectModel: Journal.model)
        container.persistentStoreDescriptions.first?.url = storeURL
        container.loadPersistentStores { description, error in
            XCTAssertNil(error)
            XCTAssertEqual(description.type, NSSQLiteStoreType)
            XCTAssertEqual(description.url, self.storeURL)
        }
        container.viewContext.insertTrip("North", "Oslo", "Bergen")
        try container.viewContext.save()

        let again = try Journal.container(at: storeURL)
        let trips = try again.viewContext.fetch(Trip.fetchRequest())
        XCTAssertEqual(trips.map(\.title), ["North"])
        XCTAssertEqual(trips.first?.orderedStops.map(\.place), ["Oslo", "Bergen"])
    }

    func testDefaultsOfAContainer() {
        let container = NSPersistentContainer(name: "Journal", managedObjectModel: Journal.model)
        XCTAssertEqual(container.name, "Journal")
        XCTAssertEqual(container.viewContext.concurrencyType, .mainQueueConcurrencyType)
        XCTAssertTrue(container.persistentStoreCoordinator.managedObjectModel === Journal.model)
        let description = container.persistentStoreDescriptions.first
        XCTAssertEqual(
            description?.url, NSPersistentContainer.defaultDirectoryURL().appendingPathComponent("Journal.sqlite"))
        XCTAssertEqual(description?.shouldMigrateStoreAutomatically, true)
        XCTAssertEqual(description?.shouldInferMappingModelAutomatically, true)
        XCTAssertEqual(description?.shouldAddStoreAsynchronously, false)
    }

    func testStoreThatVanishes() throws {
        let container = NSPersistentContainer(name: "Journal", managedObjectModel: Journal.model)
        container.persistentStoreDescriptions.first?.url = URL(fileURLWithPath: "/dev/null")
        container.loadPersistentStores { XCTAssertNil($1) }
        container.viewContext.insertTrip("Nowhere")
        try container.viewContext.save()
        XCTAssertEqual(try container.viewContext.count(for: Trip.fetchRequest()), 1)
    }

    func testSubclassWithAFolderOfItsOwn() {
        // @unchecked Sendable: it adds no state.
        final class GroupContainer: NSPersistentContainer, @unchecked Sendable {
            override class func defaultDirectoryURL() -> URL {
                super.defaultDirectoryURL().appendingPathComponent("Group")
            }
        }
        let container = GroupContainer(name: "Journal", managedObjectModel: Journal.model)
        XCTAssertEqual(
            container.persistentStoreDescriptions.first?.url?.deletingLastPathComponent().lastPathComponent, "Group")
    }

    func testStoreInTheBackground() throws {
        let container = NSPersistentContainer(name: "Journal", managedObjectModel: Journal.model)
        let description = NSPersistentStoreDescription(url: storeURL)
        description.shouldAddStoreAsynchronously = true
        container.persistentStoreDescriptions = [description]
        let loaded = expectation(description: "loaded")
        container.loadPersistentStores { _, error in
            XCTAssertNil(error)
            loaded.fulfill()
        }
        wait(for: [loaded], timeout: 60)
        XCTAssertEqual(container.persistentStoreCoordinator.persistentStores.count, 1)
    }

    func testStoreThatCannotBeOpened() throws {
        try Data("This is a text, no database. It is long enough to be read as one.".utf8).write(to: storeURL)
        let container = NSPersistentContainer(name: "Journal", managedObjectModel: Journal.model)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: storeURL)]
        container.loadPersistentStores { _, error in
            let error = error as NSError?
            XCTAssertEqual(error?.domain, NSCocoaErrorDomain)
            XCTAssertEqual(error?.code, NSFileReadCorruptFileError)
        }
        XCTAssertTrue(container.persistentStoreCoordinator.persistentStores.isEmpty)
    }

    func testReadOnlyStore() throws {
        do {
            let container = try Journal.container(at: storeURL)
            container.viewContext.insertTrip("South")
            try container.viewContext.save()
        }
        let container = NSPersistentContainer(name: "Journal", managedObjectModel: Journal.model)
        let description = NSPersistentStoreDescription(url: storeURL)
        description.isReadOnly = true
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { XCTAssertNil($1) }
        let context = container.viewContext
        let trip = try XCTUnwrap(context.fetch(Trip.fetchRequest()).first)
        trip.title = "West"
        XCTAssertThrowsError(try context.save())
        context.rollback()
        XCTAssertEqual(trip.title, "South")
    }

    func testStackByHand() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Journal.model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: storeURL,
            options: [NSSQLitePragmasOption: ["synchronous": "OFF"]])
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.insertTrip("East")
        try context.save()

        XCTAssertEqual(coordinator.url(for: store), storeURL)
        XCTAssertTrue(coordinator.persistentStore(for: storeURL) === store)
        var metadata = coordinator.metadata(for: store)
        XCTAssertEqual(metadata[NSStoreTypeKey] as? String, NSSQLiteStoreType)
        metadata["owner"] = "tests"
        coordinator.setMetadata(metadata, for: store)
        context.insertTrip("West")
        try context.save()
        try coordinator.remove(store)
        XCTAssertTrue(coordinator.persistentStores.isEmpty)

        let kept = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: storeURL, options: nil)
        XCTAssertEqual(kept["owner"] as? String, "tests")
        XCTAssertEqual(kept[NSStoreUUIDKey] as? String, metadata[NSStoreUUIDKey] as? String)
    }

    func testStoreThatIsDestroyed() throws {
        let container = try Journal.container(at: storeURL)
        container.viewContext.insertTrip("Gone")
        try container.viewContext.save()
        let coordinator = container.persistentStoreCoordinator
        for store in coordinator.persistentStores {
            try coordinator.remove(store)
        }
        try coordinator.destroyPersistentStore(at: storeURL, ofType: NSSQLiteStoreType, options: nil)

        let again = try Journal.container(at: storeURL)
        XCTAssertEqual(try again.viewContext.count(for: Trip.fetchRequest()), 0)
    }

    func testTwoStoresOfOneModel() throws {
        let container = Journal.inMemoryContainer()
        let coordinator = container.persistentStoreCoordinator
        let archive = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: storeURL, options: nil)
        let trip = container.viewContext.insertTrip("Kept")
        container.viewContext.assign(trip, to: archive)
        container.viewContext.insertTrip("Forgotten")
        try container.viewContext.save()
        XCTAssertTrue(trip.objectID.persistentStore === archive)

        let request: NSFetchRequest<Trip> = Trip.fetchRequest()
        XCTAssertEqual(try container.viewContext.count(for: request), 2)
        request.affectedStores = [archive]
        XCTAssertEqual(try container.viewContext.fetch(request).map(\.title), ["Kept"])
    }

    func testMetadataAreWrittenByASaveWithoutChanges() throws {
        let url = Journal.temporaryStoreURL()
        defer { Journal.remove(url) }
        let container = try Journal.container(at: url)
        let coordinator = container.persistentStoreCoordinator
        let store = try XCTUnwrap(coordinator.persistentStores.first)
        var metadata = coordinator.metadata(for: store)
        metadata["edition"] = "second"
        coordinator.setMetadata(metadata, for: store)
        func edition() throws -> String? {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)["edition"]
                as? String
        }
        XCTAssertNil(try edition())
        XCTAssertFalse(container.viewContext.hasChanges)
        try container.viewContext.save()
        XCTAssertEqual(try edition(), "second")
    }
}
