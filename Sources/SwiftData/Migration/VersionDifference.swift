import CoreData
import Foundation

/// What differs between the models of two versions, in words.
struct VersionDifference: CustomStringConvertible {
    /// A sentence for each entity or property, the entities by name in order.
    private(set) var lines: [String] = []
    /// The number of entities and properties that differ.
    private(set) var count = 0
    private let names: (model: String, other: String)

    /// - Parameters:
    ///   - model: A version.
    ///   - other: The other version.
    ///   - name: The name of the version in the sentences.
    ///   - otherName: The name of the other version.
    init(
        _ model: NSManagedObjectModel, from other: NSManagedObjectModel, named name: String, _ otherName: String
    ) {
        names = (name, otherName)
        let (mine, theirs) = (model.entitiesByName, other.entitiesByName)
        let (hashes, otherHashes) = (model.entityVersionHashesByName, other.entityVersionHashesByName)
        for entity in Set(mine.keys).union(theirs.keys).sorted() where hashes[entity] != otherHashes[entity] {
            switch (mine[entity], theirs[entity]) {
            case (let one?, let another?): add(entity, one, another)
            case (let one?, nil): add("\(entity) is missing in \(otherName)", 1 + one.properties.count)
            case (nil, let another?): add("\(entity) is missing in \(name)", 1 + another.properties.count)
            case (nil, nil): continue
            }
        }
    }

    /// The difference of a version from a store that keeps no model.
    init(_ model: NSManagedObjectModel, fromHashes hashes: [String: Data], named name: String) {
        names = (name, "the store")
        let mine = model.entityVersionHashesByName
        for entity in Set(mine.keys).union(hashes.keys).sorted() where mine[entity] != hashes[entity] {
            switch (mine[entity], hashes[entity]) {
            case (_?, nil): add("\(entity) is missing in the store", 1)
            case (nil, _?): add("\(entity) is missing in \(name)", 1)
            default: add("\(entity) is another one in the store, which keeps no model of its version", 1)
            }
        }
    }

    private mutating func add(_ line: String, _ weight: Int) {
        lines.append(line)
        count += weight
    }

    private mutating func add(_ entity: String, _ one: NSEntityDescription, _ another: NSEntityDescription) {
        let (mine, theirs) = (one.propertiesByName, another.propertiesByName)
        let before = count
        for property in Set(mine.keys).union(theirs.keys).sorted() {
            switch (mine[property], theirs[property]) {
            case (let own?, let other?) where own.versionHash != other.versionHash:
                add(
                    "\(entity).\(property) is \(Self.text(own)) in \(names.model) and \(Self.text(other)) in "
                        + names.other, 1)
            case (_?, nil): add("\(entity).\(property) is missing in \(names.other)", 1)
            case (nil, _?): add("\(entity).\(property) is missing in \(names.model)", 1)
            default: continue
            }
        }
        if count == before { add("\(entity) has other constraints, subclasses or modifiers", 1) }
    }

    private static func text(_ property: NSPropertyDescription) -> String {
        let optional = property.isOptional ? "an optional " : "a mandatory "
        switch property {
        case let composite as NSCompositeAttributeDescription:
            return "\(optional)structure of \(composite.elements.map(\.name).joined(separator: ", "))"
        case let attribute as NSAttributeDescription:
            return optional + (types[attribute.attributeType] ?? "value")
        case let relationship as NSRelationshipDescription:
            let back = relationship.inverseRelationship.map { ", back by '\($0.name)'" } ?? ""
            return optional + "relationship to \(relationship.isToMany ? "many" : "one") "
                + "\(relationship.destinationEntity?.name ?? "?")\(back)"
        default: return optional + "property"
        }
    }

    private static let types: [NSAttributeType: String] = [
        .integer16AttributeType: "16-bit integer", .integer32AttributeType: "32-bit integer",
        .integer64AttributeType: "64-bit integer", .booleanAttributeType: "Boolean",
        .doubleAttributeType: "double", .floatAttributeType: "float", .decimalAttributeType: "decimal number",
        .stringAttributeType: "string", .dateAttributeType: "date", .binaryDataAttributeType: "data value",
        .UUIDAttributeType: "UUID", .URIAttributeType: "URL", .transformableAttributeType: "transformable value",
    ]

    var description: String {
        let rest = lines.count - 12
        return lines.prefix(12).joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")
    }
}
