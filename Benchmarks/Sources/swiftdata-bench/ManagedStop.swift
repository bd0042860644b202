import CoreData
import Foundation

/// A stop as a program declares it for Core Data: what the structure of the model has is four attributes here.
final class ManagedStop: NSManagedObject {
    @NSManaged var kind: StopKind
    @NSManaged var name: String
    @NSManaged var latitude: Double
    @NSManaged var floor: Int
    @NSManaged var isOpen: Bool

    /// The entity by itself.
    static func makeModel() -> NSManagedObjectModel {
        let entity = NSEntityDescription()
        entity.name = "ManagedStop"
        entity.managedObjectClassName = NSStringFromClass(ManagedStop.self)
        let types: [(String, NSAttributeType)] = [
            ("kind", .stringAttributeType), ("name", .stringAttributeType), ("latitude", .doubleAttributeType),
            ("floor", .integer64AttributeType), ("isOpen", .booleanAttributeType),
        ]
        entity.properties = types.map { name, type in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }
}

/// The enumeration of both sides.
enum StopKind: String, Codable, CaseIterable {
    case near, far, closed
}
