import CoreData
import XCTest

/// A list on a screen that follows a fetch.
final class FetchedResultsTests: XCTestCase {
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

    private func controller(sectionNameKeyPath: String? = nil) -> NSFetchedResultsController<Trip> {
        let request: NSFetchRequest<Trip> = Trip.fetchRequest()
        request.sortDescriptors = [
            NSSortDescriptor(key: "isFavourite", ascending: false), NSSortDescriptor(key: "title", ascending: true),
        ]
        return NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sectionNameKeyPath,
            cacheName: nil)
    }

    func testSections() throws {
        for title in ["North", "South", "West"] { context.insertTrip(title).isFavourite = title == "South" }
        let controller = controller(sectionNameKeyPath: "isFavourite")
        try controller.performFetch()
        XCTAssertEqual(controller.sections?.map(\.name), ["1", "0"])
        XCTAssertEqual(controller.sections?.map(\.numberOfObjects), [1, 2])
        XCTAssertEqual(controller.fetchedObjects?.map(\.title), ["South", "North", "West"])
        let west = controller.object(at: IndexPath(indexes: [1, 1]))
        XCTAssertEqual(west.title, "West")
        XCTAssertEqual(controller.indexPath(forObject: west), IndexPath(indexes: [1, 1]))
        let first = controller.sections?.first?.objects as? [Trip]
        XCTAssertEqual(first?.map(\.title), ["South"])
    }

    func testChangesAreTold() throws {
        for title in ["North", "South", "West"] { context.insertTrip(title).isFavourite = false }
        try context.save()
        let controller = controller(sectionNameKeyPath: "isFavourite")
        let table = Table()
        controller.delegate = table
        try controller.performFetch()
        table.reload(from: controller)

        // One row comes, one moves to another section, one is deleted, and one stays where it is with another text.
        let trips = try XCTUnwrap(controller.fetchedObjects)
        context.insertTrip("East").isFavourite = false
        trips[0].isFavourite = true
        context.delete(trips[1])
        trips[2].startDate = Date()
        context.processPendingChanges()
        XCTAssertEqual(table.rows.map { $0.map(\.title) }, [["North"], ["East", "West"]])
        XCTAssertEqual(table.rows, Table.rows(of: controller))
        XCTAssertEqual(table.reloaded.map(\.title), ["West"])
        XCTAssertEqual(table.updates, 1)

        try context.save()
        trips[0].isFavourite = false
        context.processPendingChanges()
        XCTAssertEqual(table.rows.map { $0.map(\.title) }, [["East", "North", "West"]])
        context.rollback()
        context.processPendingChanges()
        XCTAssertEqual(table.rows, Table.rows(of: controller))
        XCTAssertEqual(table.rows.count, 2)
    }

    func testWhatAnotherContextSaves() throws {
        context.automaticallyMergesChangesFromParent = true
        let controller = controller()
        let table = Table()
        controller.delegate = table
        try controller.performFetch()
        table.reload(from: controller)
        let changed = expectation(description: "the table changed")
        table.afterUpdates = { changed.fulfill() }
        container.performBackgroundTask { background in
            background.insertTrip("South")
            background.insertTrip("North")
            do {
                try background.save()
            } catch {
                XCTFail("\(error)")
            }
        }
        wait(for: [changed], timeout: 60)
        XCTAssertEqual(table.rows.map { $0.map(\.title) }, [["North", "South"]])
    }
}

/// The part of a table view: it keeps rows, and changes them in its delegate methods.
private final class Table: NSObject, NSFetchedResultsControllerDelegate {
    var rows: [[Trip]] = []
    var reloaded: [Trip] = []
    var updates = 0
    var afterUpdates: () -> Void = {}

    private var deletedSections = IndexSet()
    private var insertedSections = IndexSet()
    private var deletedRows: [IndexPath] = []
    private var insertedRows: [(path: IndexPath, trip: Trip)] = []

    static func rows(of controller: NSFetchedResultsController<Trip>) -> [[Trip]] {
        (controller.sections ?? []).map { $0.objects as? [Trip] ?? [] }
    }

    func reload(from controller: NSFetchedResultsController<Trip>) {
        rows = Self.rows(of: controller)
    }

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
        deletedSections = []
        insertedSections = []
        deletedRows = []
        insertedRows = []
    }

    func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>,
        didChange sectionInfo: NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        switch type {
        case .insert: insertedSections.insert(sectionIndex)
        case .delete: deletedSections.insert(sectionIndex)
        default: XCTFail("a section neither moves nor changes")
        }
    }

    func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        guard let trip = anObject as? Trip else { return XCTFail("\(anObject) is no trip") }
        if type == .update { reloaded.append(trip) }
        if type == .delete || type == .move, let indexPath { deletedRows.append(indexPath) }
        if type == .insert || type == .move, let newIndexPath { insertedRows.append((newIndexPath, trip)) }
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
        for path in deletedRows.sorted(by: >) { rows[path[0]].remove(at: path[1]) }
        for section in deletedSections.reversed() { rows.remove(at: section) }
        for section in insertedSections { rows.insert([], at: section) }
        for (path, trip) in insertedRows.sorted(by: { $0.path < $1.path }) { rows[path[0]].insert(trip, at: path[1]) }
        updates += 1
        afterUpdates()
    }
}
