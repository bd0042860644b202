import CoreData
import TestSupport
import Testing

@Suite("The class of an entity's objects")
struct ClassOfEntityTests {
    class Plain: NSManagedObject {
        override func awakeFromInsert() {
            super.awakeFromInsert()
            setPrimitiveValue("awake", forKey: "name")
        }
        var shout: String { (value(forKey: "name") as? String ?? "").uppercased() }
    }
    final class Special: Plain {}
    final class Stored: NSManagedObject { var extra = "more" }

    private func makeContext() throws -> NSManagedObjectContext {
        let model = NSManagedObjectModel()
        model.entities = [Plain.self, Special.self, Stored.self].map { objects in
            let name = NSAttributeDescription()
            name.name = "name"
            name.attributeType = .stringAttributeType
            name.isOptional = true
            let entity = NSEntityDescription()
            entity.name = "\(objects)"
            entity.managedObjectClassName = NSStringFromClass(objects)
            entity.properties = [name]
            return entity
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private func entity(_ name: String, _ context: NSManagedObjectContext) throws -> NSEntityDescription {
        try #require(NSEntityDescription.entity(forEntityName: name, in: context))
    }

    @Test("A superclass's initialiser makes an object of the class that the entity names, inserted or not")
    func superclass() throws {
        let context = try makeContext()
        try context.performAndWait {
            let object = NSManagedObject(entity: try entity("Plain", context), insertInto: context)
            let plain = try #require(object as? Plain)
            #expect(plain.shout == "AWAKE")
            #expect(try context.fetch(NSFetchRequest<Plain>(entityName: "Plain")) == [plain])
            let detached = NSManagedObject(entity: try entity("Special", context), insertInto: nil)
            #expect(detached is Special)
            let below = Plain(entity: try entity("Special", context), insertInto: context)
            #expect(type(of: below) == Special.self && below.shout == "AWAKE")
            try context.save()
            context.reset()
            #expect(try context.fetch(NSFetchRequest<Special>(entityName: "Special")).count == 1)
        }
    }

    @Test("A class with stored properties is not made so; a fetch that cannot give the class sees it")
    func storedProperties() throws {
        let context = try makeContext()
        try context.performAndWait {
            let object = NSManagedObject(entity: try entity("Stored", context), insertInto: nil)
            #expect(!(object is Stored))
            object.setValue("x", forKey: "name")
            context.insert(object)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Stored")
            #expect(try context.fetch(request) == [object])
            try context.save()
            context.reset()
            #expect(try context.fetch(NSFetchRequest<Stored>(entityName: "Stored")).first?.extra == "more")
        }
    }

    @Test("A fetch of a class that an object does not have stops the process")
    func wrongClass() async {
        await #expect(processExitsWith: .failure) {
            let context = try ClassOfEntityTests().makeContext()
            try context.performAndWait {
                _ = NSManagedObject(entity: try ClassOfEntityTests().entity("Stored", context), insertInto: context)
                _ = try context.fetch(NSFetchRequest<Stored>(entityName: "Stored"))
            }
        }
    }
}
