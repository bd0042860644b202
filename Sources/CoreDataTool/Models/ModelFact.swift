import CoreData
import Foundation

/// One fact of a model about an entity or a property: `optional: no`, `delete rule: cascade`.
package struct ModelFact: Sendable {
    /// The name in JSON.
    package let key: String
    /// The name in text.
    package let title: String
    package let value: JSON

    init(_ key: String, _ title: String, _ value: JSON) {
        self.key = key
        self.title = title
        self.value = value
    }

    init(_ key: String, _ title: String, _ text: String?) {
        self.init(key, title, text.map { JSON.string($0) } ?? .null)
    }

    package var text: String { Self.text(value) }

    private static func text(_ value: JSON) -> String {
        switch value {
        case .null: "none"
        case .bool(let isTrue): isTrue ? "yes" : "no"
        case .string(let text): text.isEmpty ? "''" : text
        case .array(let values): values.isEmpty ? "none" : values.map(text).joined(separator: ", ")
        default:
            {
                var bytes: [UInt8] = []
                value.append(to: &bytes)
                return String(decoding: bytes, as: UTF8.self)
            }()
        }
    }

    /// Whether the value is the usual one. Such facts are left out of text.
    package var isUsual: Bool {
        switch value {
        case .null, .bool(false): true
        case .array(let values): values.isEmpty
        default: false
        }
    }
}

/// The newer names of the elements of an older model, so that a renamed entity does not make every relationship to it a
/// change.
package struct NewerNames {
    var entities: [String: String] = [:]
    /// Names of properties, by "Entity.property" of the older model.
    var properties: [String: String] = [:]

    func entity(_ name: String?) -> String? { name.map { entities[$0] ?? $0 } }

    func property(_ property: NSPropertyDescription) -> String {
        let owner = property.entity.name ?? ""
        return "\(entity(owner) ?? "").\(properties["\(owner).\(property.name)"] ?? property.name)"
    }
}

/// The whole content of a model, as facts.
package enum ModelFacts {
    package static func of(_ entity: NSEntityDescription, _ names: NewerNames = NewerNames()) -> [ModelFact] {
        [
            ModelFact(
                "class", "class",
                entity.managedObjectClassName.flatMap { ["", "NSManagedObject"].contains($0) ? nil : $0 }),
            ModelFact("parent", "parent", names.entity(entity.superentity?.name)),
            ModelFact("isAbstract", "abstract", .bool(entity.isAbstract)),
            ModelFact("renamingIdentifier", "renaming identifier", renaming(entity.renamingIdentifier, entity.name)),
            ModelFact("hashModifier", "hash modifier", entity.versionHashModifier),
        ]
    }

    package static func of(_ property: NSPropertyDescription, _ names: NewerNames = NewerNames()) -> [ModelFact] {
        let own =
            switch property {
            case let attribute as NSAttributeDescription: attributeFacts(attribute)
            case let relationship as NSRelationshipDescription: relationshipFacts(relationship, names)
            case let fetched as NSFetchedPropertyDescription:
                [
                    ModelFact(
                        "destination", "destination",
                        names.entity(fetched.fetchRequest?.entity?.name ?? fetched.fetchRequest?.entityName)),
                    ModelFact("predicate", "predicate", fetched.fetchRequest?.predicate.map { "\($0)" }),
                ]
            default: [ModelFact]()
            }
        return own + [
            ModelFact(
                "isTransient", "transient", .bool(property.isTransient && !(property is NSFetchedPropertyDescription))),
            ModelFact("limits", "limits", .array(property.validationPredicates.map { .string("\($0)") })),
            ModelFact("isSpotlight", "indexed by Spotlight", .bool(property.isIndexedBySpotlight)),
            ModelFact(
                "renamingIdentifier", "renaming identifier", renaming(property.renamingIdentifier, property.name)),
            ModelFact("hashModifier", "hash modifier", property.versionHashModifier),
        ]
    }

    private static func attributeFacts(_ attribute: NSAttributeDescription) -> [ModelFact] {
        let derivation = (attribute as? NSDerivedAttributeDescription)?.derivationExpression.map { "\($0)" }
        let elements = (attribute as? NSCompositeAttributeDescription)?.elements ?? []
        return [
            ModelFact("type", "type", attribute.attributeType.readableName),
            ModelFact("isOptional", "optional", .bool(attribute.isOptional)),
            ModelFact("default", "default", attribute.defaultValue.map { ValueText.json($0, attribute) } ?? .null),
            ModelFact("isIndexed", "indexed", .bool(attribute.isIndexed)),
            ModelFact("isExternal", "external storage", .bool(attribute.allowsExternalBinaryDataStorage)),
            ModelFact("transformer", "transformer", attribute.valueTransformerName),
            ModelFact(
                "valueClass", "value class",
                attribute.attributeType == .transformableAttributeType ? attribute.attributeValueClassName : nil),
            ModelFact("derivation", "derived from", derivation),
            ModelFact(
                "elements", "elements", .array(elements.map { .string("\($0.name) \($0.attributeType.readableName)") })),
            ModelFact("isKeptInHistory", "kept in history", .bool(attribute.preservesValueInHistoryOnDeletion)),
            ModelFact("isEncrypted", "encrypted in the cloud", .bool(attribute.allowsCloudEncryption)),
        ]
    }

    private static func relationshipFacts(_ relationship: NSRelationshipDescription, _ names: NewerNames) -> [ModelFact]
    {
        [
            ModelFact("destination", "destination", names.entity(relationship.destinationEntity?.name)),
            ModelFact("kind", "kind", kind(of: relationship)),
            ModelFact("inverse", "inverse", relationship.inverseRelationship.map(names.property)),
            ModelFact("deleteRule", "delete rule", relationship.deleteRule.title),
            ModelFact("isOptional", "optional", .bool(relationship.isOptional)),
            ModelFact(
                "minimum", "at least", relationship.minCount > 0 ? .integer(Int64(relationship.minCount)) : .null),
            ModelFact(
                "maximum", "at most", relationship.maxCount > 1 ? .integer(Int64(relationship.maxCount)) : .null),
        ]
    }

    package static func kind(of relationship: NSRelationshipDescription) -> String {
        (relationship.isOrdered ? "ordered " : "") + (relationship.isToMany ? "to-many" : "to-one")
    }

    private static func renaming(_ identifier: String?, _ name: String?) -> String? {
        identifier == name ? nil : identifier
    }

    /// A line about an index: `byTitle: title, year descending where year > 1990`.
    package static func text(_ index: NSFetchIndexDescription) -> String {
        let elements = index.elements.map { element in
            (element.propertyName ?? "?") + (element.isAscending ? "" : " descending")
                + (element.collationType == .rTree ? " (R-tree)" : "")
        }
        let condition = index.partialIndexPredicate.map { " where \($0)" } ?? ""
        return "\(index.name): \(elements.joined(separator: ", "))\(condition)"
    }

    /// The keys of each uniqueness constraint.
    package static func constraints(of entity: NSEntityDescription) -> [[String]] {
        entity.uniquenessConstraints.map { constraint in
            constraint.map { ($0 as? NSPropertyDescription)?.name ?? "\($0)" }
        }
    }

    /// A line about a fetch request: `Book where year > 1990 sorted by title, -year`.
    package static func text(_ request: NSFetchRequest<NSFetchRequestResult>) -> String {
        let sorting = (request.sortDescriptors ?? []).map { ($0.ascending ? "" : "-") + ($0.key ?? "") }
        return (request.entity?.name ?? request.entityName ?? "?")
            + (request.predicate.map { " where \($0)" } ?? "")
            + (sorting.isEmpty ? "" : " sorted by \(sorting.joined(separator: ", "))")
            + (request.fetchLimit > 0 ? " limit \(request.fetchLimit)" : "")
    }
}

extension NSEntityDescription {
    /// The properties that the entity itself declares, by name.
    package var declaredProperties: [NSPropertyDescription] {
        let inherited = superentity?.propertiesByName ?? [:]
        return properties.filter { inherited[$0.name] == nil }.sorted { $0.name < $1.name }
    }
}

extension NSPropertyDescription {
    /// The kind of the property, for text.
    package var noun: String {
        switch self {
        case is NSRelationshipDescription: "relationship"
        case is NSFetchedPropertyDescription: "fetched property"
        default: "attribute"
        }
    }
}

extension NSDeleteRule {
    package var title: String {
        switch self {
        case .noActionDeleteRule: "no action"
        case .nullifyDeleteRule: "nullify"
        case .cascadeDeleteRule: "cascade"
        case .denyDeleteRule: "deny"
        @unknown default: "rule \(rawValue)"
        }
    }
}
