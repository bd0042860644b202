import CoreData
import Foundation

/// The objects of a request in one state of the store, a batch at a time, however many there are.
struct ListedObjects {
    let store: OpenedStore
    let context: NSManagedObjectContext
    private let objects: FetchedObjects<NSManagedObject>

    var count: Int { objects.count }

    init(_ options: RequestOptions, of entity: NSEntityDescription, for columns: [Column], in store: OpenedStore) throws
    {
        self.store = store
        let context = try store.context(isFrugal: true)
        self.context = context
        let request = try options.request(for: entity)
        let prefetched = Set(columns.compactMap(\.prefetched))
        request.relationshipKeyPathsForPrefetching = prefetched.isEmpty ? nil : prefetched.sorted()
        objects = try context.performAndWait {
            // Writes of others in the meantime do not show, where the store can keep its state.
            try? context.setQueryGenerationFrom(.current)
            return try store.asking { try context.fetch(request, batchSize: ResultWriter.batchSize) }
        }
    }

    /// Writes the batch that begins at a place, or nothing of it where an object cannot be read. To be called on the
    /// context's queue.
    /// - Returns: the place behind it; nil where it was the last.
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
