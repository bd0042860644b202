import CoreData
import Foundation
import Testing

/// Blocks in an actor's code run on a context's queue. Closures within such a block check at run time that they run
/// where the actor's code runs, and the check must succeed.
@Suite("perform, called from actors")
struct ActorPerformTests {
    private static func makeContainer() throws -> NSPersistentContainer {
        let name = NSAttributeDescription()
        name.name = "name"
        name.attributeType = .stringAttributeType
        let entity = NSEntityDescription()
        entity.name = "Person"
        entity.properties = [name]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let container = NSPersistentContainer(name: "People", managedObjectModel: model)
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }

    private actor Importer {
        let container: NSPersistentContainer
        private(set) var total = 0

        init(_ container: NSPersistentContainer) { self.container = container }

        func add(_ names: [String]) async throws {
            let context = container.newBackgroundContext()
            let added = try await context.perform {
                let people = names.map { name in
                    let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
                    person.setValue(name, forKey: "name")
                    return person
                }
                try context.save()
                return people.filter { !$0.objectID.isTemporaryID }.count
            }
            total += added
        }
    }

    @Test("closures nested in a block of the main actor run on the queue of a private context")
    @MainActor
    func mainActor() async throws {
        let context = try Self.makeContainer().newBackgroundContext()
        let texts = await context.perform {
            [3, 1, 2].sorted { $0 < $1 }.map { "\($0)" }.filter { !$0.isEmpty && !Thread.isMainThread }
        }
        #expect(texts == ["1", "2", "3"])
        let enqueued = await context.perform(schedule: .enqueued) { [1].map { $0 + 1 } }
        #expect(enqueued == [2])
    }

    @Test("so they do in a background task, in the main context, and on the coordinator's queue")
    @MainActor
    func others() async throws {
        let container = try Self.makeContainer()
        let names = try await container.performBackgroundTask { context in
            for name in ["a", "b"].map({ $0.uppercased() }) {
                let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
                person.setValue(name, forKey: "name")
            }
            try context.save()
            return try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person"))
                .compactMap { $0.value(forKey: "name") as? String }.sorted { $0 < $1 }
        }
        #expect(names == ["A", "B"])
        let main = container.viewContext
        let count = try await main.perform {
            try main.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person")).filter { !$0.isDeleted }.count
        }
        #expect(count == 2)
        let stores = await container.persistentStoreCoordinator.perform { [1, 2].map { $0 * 2 } }
        #expect(stores == [2, 4])
    }

    @Test("an actor that adds from many tasks keeps its state, and every block's error reaches it")
    func actor() async throws {
        let importer = Importer(try Self.makeContainer())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask { try await importer.add(["\(number)", "\(number) again"]) }
            }
            try await group.waitForAll()
        }
        #expect(await importer.total == 100)
    }
}
