import CoreData
import Foundation

/// What a column of a result shows of an object: its id, an attribute, a key path through relationships, or how many
/// objects a relationship has (`books.@count`).
package struct Column {
    package enum Content {
        case id
        case attribute(NSAttributeDescription)
        /// An object at the end of a to-one relationship.
        case object
        /// The objects of a to-many relationship.
        case objects
        case count
    }

    package let title: String
    /// The keys that lead to the value; the last one names it, unless the content is an id.
    package let keys: [String]
    package let content: Content

    package var isNumber: Bool {
        switch content {
        case .count: true
        case .attribute(let attribute): attribute.attributeType.isNumber
        default: false
        }
    }

    /// The relationship that a fetch should bring along; nil where the value is the object's own.
    package var prefetched: String? {
        switch content {
        case .id: nil
        case .attribute: keys.count > 1 ? keys.dropLast().joined(separator: ".") : nil
        case .object, .objects, .count: keys.joined(separator: ".")
        }
    }

    /// The id, all attributes that are stored, and the objects of to-one relationships.
    package static func all(of entity: NSEntityDescription) -> [Column] {
        let properties = entity.properties.filter { !$0.isTransient }
        return [Column(title: "@id", keys: [], content: .id)]
            + properties.compactMap { property in
                switch property {
                case let attribute as NSAttributeDescription:
                    Column(title: attribute.name, keys: [attribute.name], content: .attribute(attribute))
                case let relationship as NSRelationshipDescription where !relationship.isToMany:
                    Column(title: relationship.name, keys: [relationship.name], content: .object)
                default: nil
                }
            }
    }

    /// Reads `name`, `author.name`, `books.@count`, `@id`.
    package static func named(_ path: String, in entity: NSEntityDescription) throws -> Column {
        let keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if path == "@id" { return Column(title: path, keys: [], content: .id) }
        var entity = entity
        for (place, key) in keys.enumerated() {
            let isLast = place == keys.count - 1
            if let attribute = entity.attributesByName[key] {
                if isLast { return Column(title: path, keys: keys, content: .attribute(attribute)) }
                if let composite = attribute as? NSCompositeAttributeDescription,
                    let element = element(keys[(place + 1)...], of: composite)
                {
                    return Column(title: path, keys: keys, content: .attribute(element))
                }
                throw ToolError(.usage, "'\(key)' of \(entity.name ?? "") is an attribute: '\(path)' leads nowhere")
            }
            guard let relationship = entity.relationshipsByName[key] else {
                throw unknown(key, in: entity)
            }
            if isLast { return Column(title: path, keys: keys, content: relationship.isToMany ? .objects : .object) }
            if relationship.isToMany {
                guard place == keys.count - 2, keys[place + 1] == "@count" else {
                    throw ToolError(
                        .usage,
                        "'\(key)' of \(entity.name ?? "") leads to many objects: only '\(key).@count' can follow it")
                }
                return Column(title: path, keys: Array(keys.dropLast()), content: .count)
            }
            guard let destination = relationship.destinationEntity else { break }
            entity = destination
            if keys[place + 1] == "@id", place == keys.count - 2 {
                return Column(title: path, keys: Array(keys.dropLast()), content: .object)
            }
        }
        throw ToolError(.usage, "'\(path)' is no key path")
    }

    private static func element(
        _ keys: ArraySlice<String>, of composite: NSCompositeAttributeDescription
    ) -> NSAttributeDescription? {
        guard let first = keys.first, let found = composite.elements.first(where: { $0.name == first }) else {
            return nil
        }
        if keys.count == 1 { return found }
        return (found as? NSCompositeAttributeDescription).flatMap { element(keys.dropFirst(), of: $0) }
    }

    package static func unknown(_ key: String, in entity: NSEntityDescription) -> ToolError {
        let names = entity.propertiesByName.keys.sorted()
        let nearest = NearestName.of(key, among: names).map { "; is '\($0)' meant?" } ?? ""
        return ToolError(
            .usage, "\(entity.name ?? "") has no property '\(key)'\(nearest)",
            details: ["It has \(names.joined(separator: ", "))."])
    }

    /// The value of an object: a value of the attribute, a managed object, a set or ordered set of them, a number.
    package func value(of object: NSManagedObject) -> Any? {
        if keys.isEmpty { return object.objectID }
        var value: Any? = object
        for key in keys {
            switch value {
            case let object as NSManagedObject: value = object.value(forKey: key)
            case let elements as [String: Any]: value = elements[key]
            default: return nil
            }
        }
        guard case .count = content else { return value }
        return Self.members(value).count
    }

    /// The objects of a relationship, in their order, or in that of their ids.
    package static func members(_ value: Any?) -> [NSManagedObject] {
        switch value {
        case let ordered as NSOrderedSet: ordered.array.compactMap { $0 as? NSManagedObject }
        case let set as Set<NSManagedObject>:
            set.sorted { ObjectName.order($0.objectID, $1.objectID) }
        case let object as NSManagedObject: [object]
        default: []
        }
    }
}

extension NSAttributeType {
    /// Whether values stand at the right of a column.
    var isNumber: Bool {
        switch self {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .decimalAttributeType,
            .doubleAttributeType, .floatAttributeType:
            true
        default: false
        }
    }
}
