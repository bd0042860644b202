import CoreData
import Foundation

/// Models written down in a few lines, for tests.
///
///     entity Person
///       name string! = unknown
///       books many Book.author
///     abstract entity Thing
///     entity Book : Thing was Volume
///       title string was name
///       pages int32 index
///       author one Person.books
///       unique title
///
/// An attribute has a type, `!` when it is mandatory, and then any of `= default`, `was oldName`, `index`, `external`,
/// `transient`, `modifier text`. A relationship is `one`, `many` or `ordered` (`!` when mandatory) to an entity, with
/// or without an inverse behind a dot.
public enum ModelText {
    /// The model; a line that cannot be understood stops the process.
    public static func model(_ text: String) -> NSManagedObjectModel {
        var entities: [NSEntityDescription] = []
        var byName: [String: NSEntityDescription] = [:]
        var parents: [(child: NSEntityDescription, parent: String)] = []
        var links: [(relationship: NSRelationshipDescription, target: String)] = []
        for line in text.split(separator: "\n") {
            var words = line.split(separator: " ").map(String.init)
            guard let first = words.first else { continue }
            if first == "entity" || first == "abstract" {
                let entity = NSEntityDescription()
                if first == "abstract" {
                    entity.isAbstract = true
                    words.removeFirst()
                }
                entity.name = words[1]
                if let parent = value(after: ":", in: words) { parents.append((entity, parent)) }
                entity.renamingIdentifier = value(after: "was", in: words)
                entities.append(entity)
                byName[words[1]] = entity
                continue
            }
            guard let entity = entities.last else { preconditionFailure("A property before any entity: \(line)") }
            if first == "unique" {
                entity.uniquenessConstraints.append(words[1].split(separator: ",").map(String.init))
                continue
            }
            entity.properties.append(property(words, &links))
        }
        for (child, parent) in parents {
            guard let entity = byName[parent] else { preconditionFailure("No entity \(parent)") }
            entity.subentities.append(child)
        }
        for (relationship, target) in links {
            let parts = target.split(separator: ".").map(String.init)
            relationship.destinationEntity = byName[parts[0]]
            guard parts.count > 1 else { continue }
            relationship.inverseRelationship = byName[parts[0]]?.relationshipsByName[parts[1]]
        }
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }

    private static func value(after word: String, in words: [String]) -> String? {
        words.firstIndex(of: word).map { words[$0 + 1] }
    }

    private static func property(
        _ words: [String], _ links: inout [(relationship: NSRelationshipDescription, target: String)]
    ) -> NSPropertyDescription {
        let isMandatory = words[1].hasSuffix("!")
        let kind = isMandatory ? String(words[1].dropLast()) : words[1]
        let property: NSPropertyDescription
        if ["one", "many", "ordered"].contains(kind) {
            let relationship = NSRelationshipDescription()
            relationship.maxCount = kind == "one" ? 1 : 0
            relationship.isOrdered = kind == "ordered"
            links.append((relationship, words[2]))
            property = relationship
        } else {
            let attribute = NSAttributeDescription()
            guard let type = types[kind] else { preconditionFailure("No type \(kind)") }
            attribute.attributeType = type
            attribute.defaultValue = value(after: "=", in: words).map { defaultValue($0, type) }
            attribute.allowsExternalBinaryDataStorage = words.contains("external")
            attribute.isIndexed = words.contains("index")
            property = attribute
        }
        property.name = words[0]
        property.isOptional = !isMandatory
        property.isTransient = words.contains("transient")
        property.renamingIdentifier = value(after: "was", in: words)
        property.versionHashModifier = value(after: "modifier", in: words)
        return property
    }

    private static let types: [String: NSAttributeType] = [
        "int16": .integer16AttributeType, "int32": .integer32AttributeType, "int64": .integer64AttributeType,
        "bool": .booleanAttributeType, "double": .doubleAttributeType, "float": .floatAttributeType,
        "decimal": .decimalAttributeType, "string": .stringAttributeType, "date": .dateAttributeType,
        "data": .binaryDataAttributeType, "uuid": .UUIDAttributeType, "uri": .URIAttributeType,
    ]

    private static func defaultValue(_ text: String, _ type: NSAttributeType) -> Any {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: Int64(text) ?? 0
        case .booleanAttributeType: text == "true"
        case .doubleAttributeType, .floatAttributeType: Double(text) ?? 0
        case .decimalAttributeType: NSDecimalNumber(string: text)
        case .dateAttributeType: Date(timeIntervalSinceReferenceDate: Double(text) ?? 0)
        case .binaryDataAttributeType: Data(text.utf8)
        case .UUIDAttributeType: UUID(uuidString: text) ?? UUID()
        case .URIAttributeType: URL(string: text) ?? URL(fileURLWithPath: text)
        default: text
        }
    }
}
