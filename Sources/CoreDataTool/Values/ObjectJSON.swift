import CoreData
import Foundation

/// An object as JSON: its id, its attributes, and its relationships to the requested depth.
package enum ObjectJSON {
    /// - Parameters:
    ///   - depth: how many relationships deep related objects are objects, too.
    ///   - way: the objects that led here; the result has only their names.
    package static func of(_ object: NSManagedObject, depth: Int, way: [NSManagedObjectID] = []) -> JSON {
        let way = way + [object.objectID]
        var members: [(String, JSON)] = [("@id", .string(ObjectName.of(object.objectID)))]
        for property in object.entity.properties where !property.isTransient {
            if let attribute = property as? NSAttributeDescription {
                let value = object.value(forKey: attribute.name)
                members.append((attribute.name, value.map { ValueText.json($0, attribute) } ?? .null))
            } else if let relationship = property as? NSRelationshipDescription {
                if relationship.isToMany, depth == 0 { continue }
                let related = Column.members(object.value(forKey: relationship.name))
                    .map { other in
                        depth > 0 && !way.contains(other.objectID)
                            ? of(other, depth: depth - 1, way: way) : .string(ObjectName.of(other.objectID))
                    }
                members.append((relationship.name, relationship.isToMany ? .array(related) : related.first ?? .null))
            }
        }
        return .object(members)
    }
}
