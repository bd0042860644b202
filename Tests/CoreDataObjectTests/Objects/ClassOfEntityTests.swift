import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

// Not nested: NSStringFromClass finds classes at the top of a module only.
class ClassedPlain: NSManagedObject {
    override func awakeFromInsert() {
        super.awakeFromInsert()
        setPrimitiveValue("awake", forKey: "name")
    }
    var shout: String { (value(forKey: "name") as? String ?? "").uppercased() }
}

final class ClassedSpecial: ClassedPlain {}
final class ClassedStored: NSManagedObject { var extra = "more" }

enum ClassedSpace {
    struct Inner {
        final class Note: NSManagedObject {}
        final class Other {}
    }
}

@Suite("The class of an entity's objects", .leavesNothingBehind, .onEveryKindOfStore)
struct ClassOfEntityTests {
    private func makeContext() throws -> NSManagedObjectContext {
        let model = NSManagedObjectModel()
        model.entities = [ClassedPlain.self, ClassedSpecial.self, ClassedStored.self].map { objects in
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
        return try Library(model: model).context()
    }

    private func entity(_ name: String, _ context: NSManagedObjectContext) throws -> NSEntityDescription {
        try #require(NSEntityDescription.entity(forEntityName: name, in: context))
    }

    @Test(
        "A class inside other types is found by all their names, with its module or without", .onStores(.inMemory),
        arguments: [
            (String(reflecting: ClassedSpace.Inner.Note.self), true), ("ClassedSpace.Inner.Note", true),
            (".ClassedSpace.Inner.Note", true), ("ClassedSpace.Inner.Other", false), ("Inner.Note", false),
            ("ClassedSpace.Inner.", false), ("ClassedSpace..Note", false), ("A.B.C.D.E.F.G.H.I", false),
        ])
    func nested(name: String, isFound: Bool) throws {
        // Brings the module into use.
        ManagedClassLookup.learnModule(of: ClassedPlain.self)
        let entity = NSEntityDescription()
        entity.name = "Note"
        entity.managedObjectClassName = name
        let expected = isFound ? ClassedSpace.Inner.Note.self : NSManagedObject.self
        #expect(ManagedClassLookup.managedClass(of: entity) == expected)
    }

    @Test("A superclass's initialiser makes an object of the class that the entity names, inserted or not")
    func superclass() throws {
        let context = try makeContext()
        try context.performAndWait {
            let object = NSManagedObject(entity: try entity("ClassedPlain", context), insertInto: context)
            let plain = try #require(object as? ClassedPlain)
            #expect(plain.shout == "AWAKE")
            #expect(try context.fetch(NSFetchRequest<ClassedPlain>(entityName: "ClassedPlain")) == [plain])
            let detached = NSManagedObject(entity: try entity("ClassedSpecial", context), insertInto: nil)
            #expect(detached is ClassedSpecial)
            let below = ClassedPlain(entity: try entity("ClassedSpecial", context), insertInto: context)
            #expect(type(of: below) == ClassedSpecial.self && below.shout == "AWAKE")
            try context.save()
            context.reset()
            #expect(try context.fetch(NSFetchRequest<ClassedSpecial>(entityName: "ClassedSpecial")).count == 1)
        }
    }

    @Test("A class with stored properties is not made so; a fetch that cannot give the class sees it")
    func storedProperties() throws {
        let context = try makeContext()
        try context.performAndWait {
            let object = NSManagedObject(entity: try entity("ClassedStored", context), insertInto: nil)
            #expect(!(object is ClassedStored))
            object.setValue("x", forKey: "name")
            context.insert(object)
            let request = NSFetchRequest<NSManagedObject>(entityName: "ClassedStored")
            #expect(try context.fetch(request) == [object])
            try context.save()
            context.reset()
            #expect(
                try context.fetch(NSFetchRequest<ClassedStored>(entityName: "ClassedStored")).first?.extra == "more")
        }
    }

    @Test("A fetch of a class that an object does not have stops the process", .onStores(.inMemory))
    func wrongClass() async {
        let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try ClassOfEntityTests().makeContext()
            try context.performAndWait {
                _ = NSManagedObject(
                    entity: try ClassOfEntityTests().entity("ClassedStored", context), insertInto: context)
                _ = try context.fetch(NSFetchRequest<ClassedStored>(entityName: "ClassedStored"))
            }
        }
        #expect(end.said("The request for 'ClassedStored' yields"))
    }
}
