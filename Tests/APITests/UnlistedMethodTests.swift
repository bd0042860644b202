import CoreData
import Testing

/// This target has no plugin, and so no list of methods. `CoreDataObjectTests` has one that is written by hand.
@Suite("Methods that the framework calls by their names, in a target without the plugin")
struct UnlistedMethodTests {
    final class Visitor: NSManagedObject {
        func validateName(_ value: Any?) throws { throw CocoaError(.validationMissingMandatoryProperty) }
    }

    @Test("A debug build warns once of each class whose methods it cannot call")
    func warned() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let name = NSAttributeDescription()
            name.name = "name"
            name.attributeType = .stringAttributeType
            let entity = NSEntityDescription()
            entity.name = "Visitor"
            entity.managedObjectClassName = NSStringFromClass(Visitor.self)
            entity.properties = [name]
            let model = NSManagedObjectModel()
            model.entities = [entity]
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            try await context.perform {
                for _ in 0..<2 {
                    _ = Visitor(context: context)
                    try context.save()
                }
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let warnings = text.split(separator: "\n").filter { $0.contains("without CoreDataModelPlugin") }
        #expect(warnings.count == 1 && warnings.allSatisfy { $0.contains("Visitor") }, "\(text)")
    }
}
