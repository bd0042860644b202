import CoreData
import XCTest

// What a Mac's Foundation has around Core Data, as programs use it.

/// Sorts anything: the compiler cannot see that the values are objects.
private struct AnySorting<Model> {
    let descriptors: [SortDescriptor<Model>]

    @available(*, deprecated, message: "As its initialiser is.")
    func forFetch() -> [NSSortDescriptor] { descriptors.map { NSSortDescriptor($0) } }
}

private final class Plain: NSObject {}

final class FoundationShapeTests: XCTestCase {
    private func members<Iterator: IteratorProtocol>(of iterator: Iterator) -> [Iterator.Element] {
        var iterator = iterator
        var members: [Iterator.Element] = []
        while let member = iterator.next() { members.append(member) }
        return members
    }

    @available(*, deprecated, message: "As the initialiser is.")
    func testSortDescriptorsOfAnyType() throws {
        let context = Journal.inMemoryContainer().viewContext
        for title in ["B", "C", "A"] { context.insertTrip(title) }
        let request: NSFetchRequest<Trip> = Trip.fetchRequest()
        request.sortDescriptors = AnySorting<Trip>(descriptors: [SortDescriptor(\.title, order: .reverse)]).forFetch()
        XCTAssertEqual(try context.fetch(request).map(\.title), ["C", "B", "A"])
    }

    func testFileProtection() {
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
        description.setOption(FileProtectionType.complete as NSObject, forKey: NSPersistentStoreFileProtectionKey)
        XCTAssertEqual(description.options[NSPersistentStoreFileProtectionKey] as? FileProtectionType, .complete)
        let other = FileProtectionType.completeUnlessOpen as NSString
        XCTAssertEqual(other as FileProtectionType, .completeUnlessOpen)
        let kinds: Set<FileProtectionType> = [.complete, .none, .complete]
        XCTAssertEqual(kinds.count, 2)
        let container = NSPersistentContainer(name: "Journal", managedObjectModel: Journal.model)
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { XCTAssertNil($1) }
        let options: [String: Any] = [NSPersistentStoreFileProtectionKey: FileProtectionType.complete]
        XCTAssertNoThrow(
            try NSPersistentStoreCoordinator(managedObjectModel: Journal.model).addPersistentStore(
                ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: options))
    }

    func testEnumeration() throws {
        let entity = try XCTUnwrap(Journal.model.entitiesByName["Trip"])
        let objects: [NSFastEnumeration] = [
            Journal.model, entity, ["a", "b"] as NSArray, NSSet(array: [1]), NSOrderedSet(array: [1, 2, 3]),
            ["key": 1] as NSDictionary, (["x"] as NSArray).objectEnumerator(),
        ]
        let all = objects.map { members(of: NSFastEnumerationIterator($0)) }
        XCTAssertEqual(all[0].compactMap { ($0 as? NSEntityDescription)?.name }, Journal.model.entities.map { $0.name })
        XCTAssertEqual(all[1].compactMap { ($0 as? NSPropertyDescription)?.name }, entity.properties.map { $0.name })
        XCTAssertEqual(all[2...].map { $0.count }, [2, 1, 3, 1, 1])
        XCTAssertEqual(all[5].first as? String, "key")
    }

    func testNameOfAClass() {
        XCTAssertEqual(Plain.description().split(separator: ".").last, "Plain")
        XCTAssertEqual(type(of: Plain()).description(), Plain.description())
    }
}
