import CoreData
import Foundation

/// All objects of a store, entity by entity and batch by batch, in one state of the store.
final class GraphWalk {
    let context: NSManagedObjectContext
    let entities: [String: GraphEntity]
    private let store: OpenedStore
    private static let batchSize = 200

    init(_ store: OpenedStore) throws {
        self.store = store
        context = try store.context()
        entities = GraphEntity.all(of: store.model)
        // What has no generations, as an XML store, is read once anyway.
        context.performAndWait { try? context.setQueryGenerationFrom(.current) }
    }

    private func request(_ entity: GraphEntity) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name)
        request.includesSubentities = false
        return request
    }

    /// The entities that have objects of their own, with their number, by name. To be called on the context's queue.
    func counts() throws -> [(entity: GraphEntity, count: Int)] {
        try store.reading {
            try entities.values.sorted { $0.name < $1.name }
                .map { ($0, try context.count(for: request($0))) }.filter { $0.1 > 0 }
        }
    }

    /// Calls the body with each batch. To be called on the context's queue.
    func batches(
        _ counts: [(entity: GraphEntity, count: Int)], _ body: (GraphEntity, [NSManagedObject]) throws -> Void
    ) throws {
        for (entity, count) in counts {
            let request = request(entity)
            let names = entity.toManyNames
            request.relationshipKeyPathsForPrefetching = names.isEmpty ? nil : names
            let objects = try store.reading { try context.fetch(request, batchSize: Self.batchSize) }
            guard objects.count == count else {
                throw ToolError(.busy, "\(store.shown): another process has changed the store; try again")
            }
            var batch: [NSManagedObject] = []
            for object in objects {
                batch.append(object)
                if batch.count < Self.batchSize { continue }
                try reading { try body(entity, batch) }
                batch.removeAll(keepingCapacity: true)
            }
            if !batch.isEmpty { try reading { try body(entity, batch) } }
        }
    }

    /// Runs what reads objects: a value that cannot be read is an error.
    func reading<Result>(_ body: () throws -> Result) throws -> Result {
        try store.reading { try context.readingFaults(body) }
    }
}
