import CoreData
import Testing

@Suite("Requests of another type of results")
struct ConvertedRequestTests {
    private func request() -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: "pages > 3")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
        request.fetchLimit = 3
        request.fetchOffset = 2
        request.fetchBatchSize = 5
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["title"]
        request.includesSubentities = false
        request.affectedStores = []
        return request
    }

    @Test("A converted request describes the same fetch, and changes by itself")
    func converted() throws {
        let given = request()
        let rows = NSFetchRequest<NSDictionary>(given)
        #expect(rows.isEqual(given))
        rows.fetchLimit = 9
        rows.affectedStores = nil
        #expect(given.isEqual(request()))
        let entity = NSEntityDescription()
        entity.name = "Author"
        given.entity = entity
        #expect(NSFetchRequest<any NSFetchRequestResult>(given).entity === entity)
    }

    @Test("A request is made of any value that is a request of some type of results, and of no other value")
    func casting() {
        let given = request()
        let stored: NSPersistentStoreRequest? = given
        let values: [Any?] = [
            given, stored, NSFetchRequest<any NSFetchRequestResult>(given), nil, "Book", NSPersistentStoreRequest(),
            NSBatchDeleteRequest(fetchRequest: given),
        ]
        let requests = values.map { NSFetchRequest<NSManagedObjectID>(casting: $0) }
        #expect(requests.map { $0?.isEqual(given) } == [true, true, true, nil, nil, nil, nil])
        #expect(NSFetchRequest<NSManagedObject>(casting: given) !== given)
    }
}
