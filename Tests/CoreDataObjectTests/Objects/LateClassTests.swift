import CoreData
import Testing

/// At the top of its module, as a bare class name in a model means it.
final class Latecomer: NSManagedObject {}

@Suite("Classes that their entities name without the module")
struct LateClassTests {
    /// A context whose store has one object, made and read while no class of this module is in use.
    private static func context() throws -> NSManagedObjectContext {
        let entity = NSEntityDescription()
        (entity.name, entity.managedObjectClassName) = ("Latecomer", "Latecomer")
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        _ = NSEntityDescription.insertNewObject(forEntityName: "Latecomer", into: context)
        try context.save()
        _ = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Latecomer"))
        context.reset()
        return context
    }

    // Each in a process of its own: a class that is in use determines its module for good.

    @Test("A typed request finds the class of its objects")
    func request() async {
        await #expect(processExitsWith: .success) {
            try await MainActor.run {
                let found = try Self.context().fetch(NSFetchRequest<Latecomer>(entityName: "Latecomer"))
                guard found.count == 1 else { exit(1) }
            }
        }
    }

    @Test("An object made by its class determines the class for those that are read")
    func initialiser() async {
        await #expect(processExitsWith: .success) {
            try await MainActor.run {
                let context = try Self.context()
                let entity = context.persistentStoreCoordinator?.managedObjectModel.entities[0]
                _ = Latecomer(entity: entity!, insertInto: context)
                try context.save()
                context.reset()
                let found = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Latecomer"))
                guard found.count == 2, found.allSatisfy({ $0 is Latecomer }) else { exit(1) }
            }
        }
    }
}
