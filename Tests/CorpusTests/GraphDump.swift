import CoreData
import Foundation

/// All objects that a context has of its stores, in a form that can be compared with a later dump.
struct GraphDump {
    /// Values by "Entity/key", then by property.
    var objects: [String: [String: String]] = [:]

    /// Reads all objects. Call inside of `perform`.
    init(_ context: NSManagedObjectContext, model: NSManagedObjectModel) throws {
        for entity in model.entities {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
            request.includesSubentities = false
            for object in try context.fetch(request) { objects[Self.name(object)] = Self.values(of: object) }
        }
    }

    static func name(_ object: NSManagedObject) -> String {
        "\(object.entity.name ?? "")/\(StoreComparison.key(object.objectID))"
    }

    private static func values(of object: NSManagedObject) -> [String: String] {
        var values: [String: String] = [:]
        for attribute in object.entity.attributesByName.values
        where !attribute.isTransient && !(attribute is NSDerivedAttributeDescription) {
            if let value = object.value(forKey: attribute.name) { values[attribute.name] = text(value) }
        }
        for relationship in object.entity.relationshipsByName.values where !relationship.isTransient {
            switch object.value(forKey: relationship.name) {
            case let target as NSManagedObject: values[relationship.name] = name(target)
            case let members as NSOrderedSet:
                values[relationship.name] = members.array.compactMap { ($0 as? NSManagedObject).map(name) }.joined(
                    separator: " ")
            case let members as NSSet:
                values[relationship.name] = members.allObjects.compactMap { ($0 as? NSManagedObject).map(name) }
                    .sorted().joined(separator: " ")
            default: break
            }
        }
        return values
    }

    private static func text(_ value: Any) -> String {
        switch value {
        case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
        case let data as Data: data.base64EncodedString()
        // Dictionaries in them print in any order.
        case is NSDictionary, is NSArray, is NSSet: String("\(value)".sorted())
        default: "\(value)"
        }
    }

    /// The differences from another dump, one line each.
    func differences(from other: GraphDump) -> [String] {
        var lines: [String] = []
        for name in Set(objects.keys).union(other.objects.keys).sorted() where objects[name] != other.objects[name] {
            guard let mine = objects[name], let theirs = other.objects[name] else {
                lines.append("\(name): \(objects[name] == nil ? "missing" : "new")")
                continue
            }
            for key in Set(mine.keys).union(theirs.keys).sorted() where mine[key] != theirs[key] {
                lines.append("\(name).\(key): \(mine[key] ?? "nil") instead of \(theirs[key] ?? "nil")")
            }
        }
        return lines
    }
}
