import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("The entity of a class", .leavesNothingBehind)
struct ClassDescriptionTests {
    /// A class that no model has.
    final class Homeless: NSManagedObject {}

    @Test("fetchRequest() has the class's own type, and the general one where that is asked for")
    func fetchRequest() throws {
        let context = try SlotThing.makeContext()
        try context.performAndWait {
            let thing = SlotThing(context: context)
            let typed = try context.fetch(SlotThing.fetchRequest())
            #expect(typed.map(\.count) == [0] && typed.first === thing)
            let request = SlotThing.fetchRequest() as NSFetchRequest<SlotThing>
            #expect(request.entityName == "SlotThing")
            let general: NSFetchRequest<any NSFetchRequestResult> = SlotThing.fetchRequest()
            #expect(general.entityName == "SlotThing")
        }
    }

    @Test("entity() is the entity of the model that came into use last")
    func entity() throws {
        let context = try SlotThing.makeContext()
        let model = try #require(context.persistentStoreCoordinator?.managedObjectModel)
        #expect(SlotThing.entity().name == "SlotThing")
        #expect(model.entities.contains { $0.isEqual(SlotThing.entity()) })
    }

    @Test("A class without a model names its entity like itself, until the request is executed")
    func withoutModel() {
        #expect(Homeless.fetchRequest().entityName == "Homeless")
    }

    @Test("entity() of a class that no model in use has is an entity of which no object can be made")
    func withoutEntity() async {
        let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let entity = Homeless.entity()
            #expect(entity.name == nil && entity.properties.isEmpty)
            _ = Homeless(entity: entity, insertInto: nil)
        }
        #expect(end.said("+[Homeless entity] Failed to find a unique match for an NSEntityDescription"))
        #expect(end.said("must have a valid NSEntityDescription"))
    }

    @Test("entity() is an error where models in use have the class under entities of different names, and only there")
    func differentNames() async {
        let end = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            func use(_ name: String) -> NSPersistentStoreCoordinator {
                let model = ModelText.model("entity \(name)\n  name string")
                model.entities[0].managedObjectClassName = String(reflecting: Homeless.self)
                return NSPersistentStoreCoordinator(managedObjectModel: model)
            }
            let same = [use("Pear"), use("Pear")]
            #expect(Homeless.entity().name == "Pear")
            let other = use("Plum")
            #expect(Homeless.entity().name == nil)
            withExtendedLifetime((same, other)) {}
        }
        #expect(end.said("+[Homeless entity] Failed to find a unique match for an NSEntityDescription"))
        #expect(end.said("(Pear, Plum)"))
    }
}
