import CoreData
import Foundation

/// The stored properties of an entity: attributes that are not computed, and relationships.
struct GraphEntity {
    let name: String
    let isAbstract: Bool
    let attributes: [NSAttributeDescription]
    let relationships: [NSRelationshipDescription]

    /// The relationships whose members are read beside the row.
    var toManyNames: [String] { relationships.filter(\.isToMany).map(\.name) }

    init(_ entity: NSEntityDescription) {
        name = entity.name ?? ""
        isAbstract = entity.isAbstract
        attributes = entity.attributesByName.values
            .filter { !$0.isTransient && !($0 is NSDerivedAttributeDescription) }.sorted { $0.name < $1.name }
        relationships = entity.relationshipsByName.values.filter { !$0.isTransient }.sorted { $0.name < $1.name }
    }

    /// The entities of a model by their names.
    static func all(of model: NSManagedObjectModel) -> [String: GraphEntity] {
        model.entitiesByName.mapValues(GraphEntity.init)
    }

    /// The objects to which a relationship of an object leads, without reading their rows.
    static func targets(_ object: NSManagedObject, _ relationship: NSRelationshipDescription) -> [NSManagedObject] {
        switch object.value(forKey: relationship.name) {
        case let target as NSManagedObject: [target]
        case let ordered as NSOrderedSet: ordered.array.compactMap { $0 as? NSManagedObject }
        case let set as Set<NSManagedObject>: Array(set)
        default: []
        }
    }
}

/// Objects as lines of JSON: equal objects give equal lines.
struct GraphLine {
    /// Whether dates are rounded to microseconds.
    let isRounded: Bool
    /// The name of an object; nil leaves out links to it.
    let name: (NSManagedObjectID) -> String?

    init(isRounded: Bool = false, name: @escaping (NSManagedObjectID) -> String? = ObjectName.of) {
        self.isRounded = isRounded
        self.name = name
    }

    /// Appends an object, without the end of the line.
    func append(_ object: NSManagedObject, _ entity: GraphEntity, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: #"{"@id":"#.utf8)
        JSON.append(name(object.objectID) ?? "", to: &bytes)
        for attribute in entity.attributes {
            guard let value = object.value(forKey: attribute.name) else { continue }
            Self.append(key: attribute.name, to: &bytes)
            ExactValue.append(value, attribute, to: &bytes, isRounded: isRounded)
        }
        for relationship in entity.relationships {
            var names = GraphEntity.targets(object, relationship).compactMap { name($0.objectID) }
            if names.isEmpty { continue }
            Self.append(key: relationship.name, to: &bytes)
            if !relationship.isToMany {
                JSON.append(names[0], to: &bytes)
                continue
            }
            if !relationship.isOrdered { names.sort(by: Self.order) }
            for (place, name) in names.enumerated() {
                bytes.append(UInt8(ascii: place == 0 ? "[" : ","))
                JSON.append(name, to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        }
        bytes.append(UInt8(ascii: "}"))
    }

    /// The order by length first, in which the numbers of one entity are in their order.
    static func order(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count ? one < other : one.utf8.count < other.utf8.count
    }

    private static func append(key: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: ","))
        JSON.append(key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
    }
}
