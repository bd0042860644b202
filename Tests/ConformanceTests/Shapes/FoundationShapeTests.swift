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

private final class Hidden: NSManagedObject {}

enum FoundationShapes {
    final class Inner: NSManagedObject {}
    final class Box<Value>: NSObject {}
}

/// Answers two questions of sixteen, one of them by paths.
private final class KeepsFiles: NSObject, FileManagerDelegate {
    func fileManager(_ fileManager: FileManager, shouldRemoveItemAt URL: URL) -> Bool { false }

    func fileManager(
        _ fileManager: FileManager, shouldProceedAfterError error: any Error, copyingItemAtPath srcPath: String,
        toPath dstPath: String
    ) -> Bool { true }
}

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

    func testNamesOfInnerClasses() throws {
        let types: [NSManagedObject.Type] = [Trip.self, FoundationShapes.Inner.self, Hidden.self]
        let model = NSManagedObjectModel()
        model.entities = types.map { type in
            let entity = NSEntityDescription()
            entity.name = "\(type)"
            entity.managedObjectClassName = NSStringFromClass(type)
            return entity
        }
        let context = NSPersistentContainer(name: "Inner", managedObjectModel: model).viewContext
        for (entity, type) in zip(model.entities, types) {
            XCTAssert(Swift.type(of: NSManagedObject(entity: entity, insertInto: context)) == type)
        }
        let boxes: [NSObject.Type] = [FoundationShapes.Box<Int>.self, FoundationShapes.Box<String>.self]
        XCTAssertEqual(Set(boxes.map { NSStringFromClass($0) }).count, 2)
        XCTAssertEqual(NSStringFromClass(NSMutableArray.self), "NSMutableArray")
    }

    func testDelegateOfFiles() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (first, second) = (folder.appendingPathComponent("1"), folder.appendingPathComponent("2"))
        try Data([1]).write(to: first)
        let (files, delegate) = (FileManager(), KeepsFiles())
        files.delegate = delegate
        try files.copyItem(at: first, to: second)
        XCTAssertNoThrow(try files.copyItem(at: first, to: second))
        XCTAssertThrowsError(try files.moveItem(at: first, to: second))
        try files.removeItem(at: second)
        XCTAssert(files.fileExists(atPath: second.path))
        try files.moveItem(at: second, to: folder.appendingPathComponent("3"))
        try files.linkItem(at: first, to: second)
        XCTAssertEqual(try files.contentsOfDirectory(atPath: folder.path).sorted(), ["1", "2", "3"])
    }
}
