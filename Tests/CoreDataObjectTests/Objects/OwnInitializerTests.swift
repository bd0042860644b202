import Synchronization
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

/// Has a designated initialiser of its own, hence not the framework's.
final class UnmadeThing: NSManagedObject {
    init(named name: String, _ entity: NSEntityDescription, _ context: NSManagedObjectContext) {
        super.init(entity: entity, insertInto: context)
        self.name = name
    }

    var name: String? {
        get { Self.nameSlot.value(of: self) }
        set { Self.nameSlot.set(newValue, of: self) }
    }
    var next: UnmadeThing? {
        get { Self.nextSlot.value(of: self) }
        set { Self.nextSlot.set(newValue, of: self) }
    }

    private static let nameSlot = ManagedSlot("name")
    private static let nextSlot = ManagedSlot("next")
}

/// Counts how often it is made and unmade.
final class CountedThing: NSManagedObject {
    static let made = Atomic(0)
    static let gone = Atomic(0)

    override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        Self.made.add(1, ordering: .relaxed)
        super.init(entity: entity, insertInto: context)
    }

    deinit { Self.gone.add(1, ordering: .relaxed) }

    var name: String? { Self.nameSlot.value(of: self) }
    private static let nameSlot = ManagedSlot("name")
}

/// An object that is made by the initialiser without parameters.
final class EntitylessThing: NSManagedObject {
    var label = "thing"
}

@Suite("Subclasses with initialisers of their own", .leavesNothingBehind, .serialized)
struct OwnInitializerTests {
    private static func context() throws -> NSManagedObjectContext {
        let model = NSManagedObjectModel()
        model.entities = [UnmadeThing.self, CountedThing.self].map { objects in
            let name = NSAttributeDescription()
            name.name = "name"
            name.attributeType = .stringAttributeType
            name.isOptional = true
            let next = NSRelationshipDescription()
            next.name = "next"
            next.maxCount = 1
            let entity = NSEntityDescription()
            next.destinationEntity = entity
            entity.name = "\(objects)"
            entity.managedObjectClassName = NSStringFromClass(objects)
            entity.properties = [name, next]
            return entity
        }
        return try Library(model: model).context()
    }

    @Test("A class without the framework's initialiser works as long as the framework has no object to make")
    func own() throws {
        let context = try Self.context()
        try context.performAndWait {
            let entity = try #require(NSEntityDescription.entity(forEntityName: "UnmadeThing", in: context))
            let things = ["a", "b"].map { UnmadeThing(named: $0, entity, context) }
            things[0].next = things[1]
            try context.save()
            let request = NSFetchRequest<UnmadeThing>(entityName: "UnmadeThing")
            request.sortDescriptors = [NSSortDescriptor(keyPath: \UnmadeThing.next?.name, ascending: false)]
            #expect(try context.fetch(request) == things)
        }
    }

    @Test("The process stops where the framework has to make an object of such a class, and names the missing part")
    func missing() async {
        let fetched = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try Self.context()
            try context.performAndWait {
                let entity = try #require(NSEntityDescription.entity(forEntityName: "UnmadeThing", in: context))
                _ = UnmadeThing(named: "a", entity, context)
                try context.save()
                context.reset()
                _ = try context.fetch(NSFetchRequest<UnmadeThing>(entityName: "UnmadeThing"))
            }
        }
        #expect(
            fetched.said(
                "unimplemented initializer 'init(entity:insertInto:)' for class 'CoreDataObjectTests.UnmadeThing'"))
        let inserted = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try Self.context()
            context.performAndWait {
                _ = NSEntityDescription.insertNewObject(forEntityName: "UnmadeThing", into: context)
            }
        }
        #expect(
            inserted.said(
                "unimplemented initializer 'init(entity:insertInto:)' for class 'CoreDataObjectTests.UnmadeThing'"))
    }

    @Test("A key path has its name without an initialiser of the program's")
    func keyPaths() {
        #expect(NSSortDescriptor(keyPath: \UnmadeThing.name, ascending: true).key == "name")
        #expect(NSSortDescriptor(keyPath: \UnmadeThing.next?.name, ascending: true).key == "next.name")
        let made = CountedThing.made.load(ordering: .relaxed)
        #expect(NSSortDescriptor(keyPath: \CountedThing.name, ascending: true).key == "name")
        #expect(CountedThing.made.load(ordering: .relaxed) == made)
    }

    @Test("The number of objects unmade equals that of objects made, whether a key path is followed or not")
    func balance() throws {
        let context = try Self.context()
        try context.performAndWait {
            _ = CountedThing(context: context)
            try context.save()
            context.reset()
            let request = NSFetchRequest<CountedThing>(entityName: "CountedThing")
            request.sortDescriptors = [NSSortDescriptor(keyPath: \CountedThing.name, ascending: true)]
            #expect(try context.fetch(request).count == 1)
            context.reset()
        }
        #expect(CountedThing.made.load(ordering: .relaxed) == CountedThing.gone.load(ordering: .relaxed))
        #expect(CountedThing.made.load(ordering: .relaxed) >= 2)
    }

    @Test("An object that is made without an entity has no properties, and says so")
    func withoutEntity() async {
        let thing = EntitylessThing()
        #expect(thing.label == "thing")
        #expect(thing.managedObjectContext == nil)
        #expect(thing.entity.properties.isEmpty)
        let read = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSManagedObject().value(forKey: "name")
        }
        #expect(read.said("Failed to call designated initializer on NSManagedObject class 'NSManagedObject'"))
        #expect(read.said("not key value coding-compliant for the key \"name\""))
    }
}
