import CoreData
import Foundation

/// All objects of a store, entity by entity and batch by batch, in one state of the store.
final class GraphWalk {
    let context: NSManagedObjectContext
    let entities: [String: GraphEntity]
    private let store: ResolvedStore
    private static let batchSize = 200

    init(_ store: ResolvedStore) throws {
        self.store = store
        context = try store.context()
        entities = GraphEntity.all(of: store.model)
        // A store without generations, such as an XML store, is read only once.
        context.performAndWait { try? context.setQueryGenerationFrom(.current) }
    }

    private func request(_ entity: GraphEntity) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name)
        request.includesSubentities = false
        return request
    }

    /// The entities that have objects of their own, with their number, by name. Call it on the context's queue.
    func counts() throws -> [(entity: GraphEntity, count: Int)] {
        try store.reading {
            try entities.values.sorted { $0.name < $1.name }
                .map { ($0, try context.count(for: request($0))) }.filter { $0.1 > 0 }
        }
    }

    /// Calls the body with each batch. Call it on the context's queue.
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
                try inspect(entity, batch, body)
                batch.removeAll(keepingCapacity: true)
            }
            if !batch.isEmpty { try inspect(entity, batch, body) }
        }
    }

    private func inspect(
        _ entity: GraphEntity, _ objects: [NSManagedObject],
        _ body: (GraphEntity, [NSManagedObject]) throws -> Void
    ) throws {
        try requireFiles(entity, objects)
        try reading { try body(entity, objects) }
    }

    /// Throws if a value is in a file that is missing. Such a value reads as nil, and would be lost without a message.
    private func requireFiles(_ entity: GraphEntity, _ objects: [NSManagedObject]) throws {
        for attribute in entity.attributes where attribute.allowsExternalBinaryDataStorage {
            let missing = try reading {
                try store.objectsWithoutFile(objects, attribute: attribute, entity: entity.name, in: context)
            }
            guard let first = missing.first else { continue }
            throw ToolError(
                .unreadable,
                "\(store.shown): \(ObjectName.of(first)).\(attribute.name): the file that holds the value is missing",
                details: ["'coredata verify' lists all of them; 'coredata repair' makes a copy without these values."])
        }
    }

    /// Checks all values that may be in files of their own. Call it on the context's queue.
    func requireFiles() throws {
        let counts = try counts().filter { $0.entity.attributes.contains(where: \.allowsExternalBinaryDataStorage) }
        try batches(counts) { _, _ in }
    }

    /// Runs a body that reads objects. A value that cannot be read is an error.
    func reading<Result>(_ body: () throws -> Result) throws -> Result {
        try store.reading { try context.readingFaults(body) }
    }
}
