import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

// The accessors of `@NSManaged var primitiveStamp` call these where no model was available when they were written.

class PrimitiveThing: NSManagedObject {
    var primitiveStamp: Date? {
        get { Self.stamp.value(of: self) }
        set { Self.stamp.set(newValue, of: self) }
    }
    /// By key-value coding.
    var primitiveCount: Any? {
        get { Self.count.value(of: self) }
        set { Self.count.set(newValue, of: self) }
    }

    private static let stamp = ManagedSlot("primitiveStamp", or: "stamp")
    private static let count = ManagedSlot("primitiveCount", or: "count")
}

final class PrimitiveBehind: PrimitiveThing {}
final class PrimitiveNamed: PrimitiveThing {}
final class PrimitiveBoth: PrimitiveThing {}
final class PrimitiveUnmodelled: PrimitiveThing {}

@Suite("Names that begin with primitive", .leavesNothingBehind)
struct PrimitiveNameTests {
    private static let names: [(objects: NSManagedObject.Type, names: [String])] = [
        (PrimitiveBehind.self, ["stamp", "count"]),
        (PrimitiveNamed.self, ["primitiveStamp", "primitiveCount"]),
        (PrimitiveBoth.self, ["stamp", "count", "primitiveStamp", "primitiveCount"]),
    ]

    private static func context() throws -> NSManagedObjectContext {
        let model = NSManagedObjectModel()
        model.entities = names.map { objects, names in
            let entity = NSEntityDescription()
            entity.name = "\(objects)"
            entity.managedObjectClassName = NSStringFromClass(objects)
            entity.properties = names.map { name in
                let attribute = NSAttributeDescription()
                attribute.name = name
                attribute.attributeType = name.hasSuffix("tamp") ? .dateAttributeType : .integer32AttributeType
                attribute.isOptional = true
                return attribute
            }
            return entity
        }
        return try Library(model: model).context()
    }

    @Test(
        "One is the property of that very name where the entity has it, otherwise the one behind",
        arguments: [
            ("PrimitiveBehind", "stamp", "count"), ("PrimitiveNamed", "primitiveStamp", "primitiveCount"),
            ("PrimitiveBoth", "primitiveStamp", "primitiveCount"),
        ])
    func values(entity: String, stamp: String, count: String) throws {
        let context = try Self.context()
        try context.performAndWait {
            let inserted = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            let thing = try #require(inserted as? PrimitiveThing)
            let date = Date(timeIntervalSinceReferenceDate: 12)
            thing.primitiveStamp = date
            thing.primitiveCount = 3
            #expect(thing.primitiveStamp == date)
            #expect(thing.primitiveCount as? Int == 3)
            #expect(Set(thing.changedValues().keys) == [stamp, count])
            #expect(thing.value(forKey: stamp) as? Date == date)
        }
    }

    @Test("A key path has the name that a model in use gives, or the declared one")
    func keyPaths() throws {
        let context = try Self.context()
        #expect(context.persistentStoreCoordinator != nil)
        #expect(NSSortDescriptor(keyPath: \PrimitiveBehind.primitiveStamp, ascending: true).key == "stamp")
        #expect(NSSortDescriptor(keyPath: \PrimitiveNamed.primitiveStamp, ascending: true).key == "primitiveStamp")
        #expect(NSSortDescriptor(keyPath: \PrimitiveUnmodelled.primitiveStamp, ascending: true).key == "primitiveStamp")
    }
}
