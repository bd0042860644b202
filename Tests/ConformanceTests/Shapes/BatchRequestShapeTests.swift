import CoreData
import XCTest

private class NotedInsertion: NSBatchInsertRequest {
    override init(entityName: String, objects dictionaries: [[String: Any]]) {
        super.init(entityName: entityName, objects: dictionaries)
    }
    override init(entity: NSEntityDescription, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool) {
        super.init(entity: entity, dictionaryHandler: handler)
    }
    override var entityName: String { super.entityName }
    override var entity: NSEntityDescription? { super.entity }
    override var resultType: NSBatchInsertRequestResultType {
        get { .count }
        set { super.resultType = newValue }
    }
}

private class NotedUpdate: NSBatchUpdateRequest {
    init() {
        super.init(entityName: "Stop")
        propertiesToUpdate = ["place": "b"]
    }
    override var predicate: NSPredicate? {
        get { super.predicate }
        set { super.predicate = newValue }
    }
}

private class NotedDeletion: NSBatchDeleteRequest {
    init() { super.init(fetchRequest: NSFetchRequest<NSFetchRequestResult>(entityName: "Stop")) }
    override var fetchRequest: NSFetchRequest<NSFetchRequestResult> { super.fetchRequest }
}

private protocol Entitled {
    var entityName: String { get }
    var entity: NSEntityDescription? { get }
}

extension NSBatchInsertRequest: Entitled {}
extension NSBatchUpdateRequest: Entitled {}

final class BatchRequestShapeTests: XCTestCase {
    private func name<Request: Entitled>(_ request: Request) -> String { request.entityName }

    func testSubclassesRun() throws {
        let container = NSPersistentContainer(name: "Journal", managedObjectModel: Journal.model)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))]
        container.loadPersistentStores { XCTAssertNil($1) }
        let context = container.viewContext
        let insertion = NotedInsertion(entityName: "Stop", objects: [["place": "a"], ["place": "c"]])
        XCTAssertEqual((try context.execute(insertion) as? NSBatchInsertResult)?.result as? Int, 2)
        XCTAssertEqual((try context.execute(NotedUpdate()) as? NSBatchUpdateResult)?.result as? Bool, true)
        XCTAssertEqual(name(insertion), "Stop")
        XCTAssertEqual(try context.fetch(Stop.fetchRequest()).map(\.place), ["b", "b"])
        XCTAssertEqual((try context.execute(NotedDeletion()) as? NSBatchDeleteResult)?.result as? Bool, true)
        XCTAssertEqual(try context.count(for: Stop.fetchRequest()), 0)
    }

    func testValues() {
        let update: (String) -> NSBatchUpdateRequest = NSBatchUpdateRequest.init(entityName:)
        let insert: (String, [[String: Any]]) -> NSBatchInsertRequest = NSBatchInsertRequest.init(entityName:objects:)
        let delete: ([NSManagedObjectID]) -> NSBatchDeleteRequest = NSBatchDeleteRequest.init(objectIDs:)
        XCTAssertEqual(update("Stop").requestType, .batchUpdateRequestType)
        XCTAssertEqual(insert("Stop", []).requestType, .batchInsertRequestType)
        XCTAssertEqual(delete([]).requestType, .batchDeleteRequestType)
        XCTAssertEqual((update("Stop").copy() as? NSBatchUpdateRequest)?.entityName, "Stop")
    }
}
