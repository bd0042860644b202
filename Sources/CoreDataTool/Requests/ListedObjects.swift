import CoreData
import Foundation

/// The objects of a request in one state of the store, read a batch at a time, however many there are.
struct ListedObjects {
    let store: ResolvedStore
    let context: NSManagedObjectContext
    private let objects: FetchedObjects<NSManagedObject>

    var count: Int { objects.count }

    init(
        _ options: RequestOptions, of entity: NSEntityDescription, for columns: [Column], in store: ResolvedStore
    ) throws {
        self.store = store
        let context = try store.context(isFrugal: true)
        self.context = context
        let request = try options.request(for: entity)
        let prefetched = Set(columns.compactMap(\.prefetched))
        request.relationshipKeyPathsForPrefetching = prefetched.isEmpty ? nil : prefetched.sorted()
        objects = try context.performAndWait {
            // If the store can keep its state, later writes of other programs do not change the results.
            try? context.setQueryGenerationFrom(.current)
            return try store.asking { try context.fetch(request, batchSize: ResultWriter.batchSize) }
        }
    }

    /// Writes the batch that begins at an index, or none of it if an object cannot be read. Call it on the context's
    /// queue.
    /// - Returns: the index after the batch; nil after the last one.
    func writeBatch(at place: Int, by writer: inout ResultWriter) throws -> Int? {
        let end = min(place + ResultWriter.batchSize, objects.count)
        try writer.whole { writer in
            try store.reading {
                try context.readingFaults { for object in objects[place..<end] { try writer.add(object) } }
            }
        }
        return end < objects.count ? end : nil
    }
}
