import CoreData
import Foundation

/// Makes the managed object model of a schema.
struct ModelBuilder {
    let schema: Schema
    /// The model of a store, whose forms count where a rule is not settled.
    var stored: NSManagedObjectModel?

    /// - Throws: A `SchemaFault`, or an error of the framework, for classes that no store can keep.
    func model() throws -> NSManagedObjectModel {
        if let fault = schema.fault { throw fault }
        let model = NSManagedObjectModel()
        var byName: [String: NSEntityDescription] = [:]
        for entity in schema.entities {
            let description = NSEntityDescription()
            description.name = entity.name
            description.renamingIdentifier = entity.name
            description.properties = try entity.storedProperties.map { try property($0, of: entity) }
            byName[entity.name] = description
        }
        for entity in schema.entities {
            guard let description = byName[entity.name] else { continue }
            description.subentities = entity.subentities.compactMap { byName[$0.name] }.sorted { $0.name! < $1.name! }
        }
        try join(byName)
        model.entities = schema.entities.compactMap { byName[$0.name] }
        for entity in schema.entities {
            guard let description = byName[entity.name] else { continue }
            description.uniquenessConstraints = entity.uniquenessConstraints
            description.indexes = entity.namedIndices.compactMap { index($0, of: description) }
        }
        model.setEntities(model.entities, forConfigurationName: "default")
        model.versionIdentifiers = [schema.version.description]
        // A coordinator would stop the process.
        try model.validate()
        return model
    }

    // MARK: Properties

    private func property(_ property: any SchemaProperty, of entity: Schema.Entity) throws -> NSPropertyDescription {
        var description: NSPropertyDescription
        if let relationship = property as? Schema.Relationship {
            description = self.relationship(relationship)
        } else if let attribute = property as? Schema.Attribute {
            description = try self.attribute(attribute, of: entity)
        } else {
            throw SchemaFault(entity.type ?? Any.self, property.name, "it is neither an attribute nor a relationship")
        }
        description.name = property.name
        description.renamingIdentifier = property.originalName
        if let own = description as? NSAttributeDescription,
            let form = storedProperty(property.name, of: entity) as? NSAttributeDescription,
            form.versionHash != own.versionHash
        {
            description = StoredForm(property.valueType, form).description(like: own) ?? own
        }
        return description
    }

    private func storedProperty(_ name: String, of entity: Schema.Entity) -> NSPropertyDescription? {
        stored?.entitiesByName[entity.name]?.propertiesByName[name]
    }

    /// The name of the relationship that leads back. That of a store counts unless the program has named one, on either
    /// side.
    private func inverse(of relationship: Schema.Relationship, in entity: Schema.Entity) -> String? {
        let back = relationship.inverseName.flatMap {
            schema.entitiesByName[relationship.destination]?.relationshipsByName[$0]
        }
        let isNamed = relationship.inverseKeyPath != nil || back?.inverseKeyPath != nil
        if stored == nil || isNamed && !relationship.isContested { return relationship.inverseName }
        return (storedProperty(relationship.name, of: entity) as? NSRelationshipDescription)?.inverseRelationship?.name
    }

    private func relationship(_ relationship: Schema.Relationship) -> NSRelationshipDescription {
        let description = NSRelationshipDescription()
        description.isOptional = relationship.isOptional
        description.deleteRule = relationship.deleteRule.managed
        description.versionHashModifier = relationship.hashModifier
        description.minCount = relationship.minimumModelCount ?? 0
        description.maxCount = relationship.isToOneRelationship ? 1 : relationship.maximumModelCount ?? 0
        return description
    }

    private func join(_ byName: [String: NSEntityDescription]) throws {
        for entity in schema.entities {
            for case let relationship as Schema.Relationship in entity.storedProperties {
                guard let own = byName[entity.name]?.relationshipsByName[relationship.name],
                    let destination = byName[relationship.destination]
                else { continue }
                own.destinationEntity = destination
                guard let inverse = inverse(of: relationship, in: entity) else { continue }
                guard let other = Self.relationship(inverse, of: destination) else {
                    throw SchemaFault(
                        entity.type ?? Any.self, relationship.name,
                        "its inverse '\(inverse)' is no relationship of \(relationship.destination)")
                }
                own.inverseRelationship = other
            }
        }
    }

    private static func relationship(_ name: String, of entity: NSEntityDescription) -> NSRelationshipDescription? {
        entity.propertiesByName[name] as? NSRelationshipDescription
    }

    private func index(_ index: (kind: String, names: [String]), of entity: NSEntityDescription)
        -> NSFetchIndexDescription?
    {
        let elements = index.names.compactMap { name in
            entity.propertiesByName[name].map {
                NSFetchIndexElementDescription(property: $0, collationType: .binary)
            }
        }
        let name = "SwiftDataIndexOn\(index.kind)" + index.names.joined()
        return NSFetchIndexDescription(name: name, elements: elements)
    }

    // MARK: Attributes

    private func attribute(_ attribute: Schema.Attribute, of entity: Schema.Entity) throws -> NSAttributeDescription {
        let description: NSAttributeDescription
        if let transformer = attribute.options.lazy.compactMap(\.transformerName).first {
            description = NSAttributeDescription()
            description.attributeType = .transformableAttributeType
            description.valueTransformerName = transformer
            description.attributeValueClassName = String(describing: Self.unwrapped(attribute.valueType))
        } else {
            description = try Self.description(
                of: ValueKind.of(attribute.valueType), attribute.valueType, named: attribute.name,
                isOptional: attribute.isOptional,
                fault: { SchemaFault(entity.type ?? Any.self, attribute.name, "cannot be stored: \($0)") })
            switch ValueKind.of(attribute.valueType) {
            case .scalar(let type): description.defaultValue = Self.archived(attribute.defaultValue, as: type)
            // Apple's archives have an empty dictionary in place of a structure's default.
            case .structure where attribute.defaultValue != nil:
                description.defaultValue = [String: Any]() as NSDictionary
            default: break
            }
        }
        description.isOptional = attribute.isOptional
        description.versionHashModifier = attribute.hashModifier
        description.isTransient = attribute.isTransient
        description.allowsExternalBinaryDataStorage = attribute.options.contains(.externalStorage)
        description.preservesValueInHistoryOnDeletion = attribute.options.contains(.preserveValueOnDeletion)
        return description
    }

    static func description(
        of kind: ValueKind, _ type: any Any.Type, named name: String, isOptional: Bool,
        fault: (String) -> SchemaFault
    ) throws -> NSAttributeDescription {
        switch kind {
        case .scalar(let type): return plain(name, type, isOptional)
        case .json: return plain(name, .binaryDataAttributeType, isOptional)
        case .archive:
            let description = plain(name, .transformableAttributeType, isOptional)
            description.valueTransformerName = NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue
            description.attributeValueClassName = String(describing: unwrapped(type))
            return description
        case .rawEnumeration(let raw):
            let description = NSCompositeAttributeDescription()
            description.elements = [plain(name, raw, true)]
            description.userInfo = ["EnumType": true]
            return description
        case .enumeration(let cases):
            let description = NSCompositeAttributeDescription()
            description.elements = cases.map {
                plain($0.name, $0.hasPayload ? .binaryDataAttributeType : .stringAttributeType, true)
            }
            description.userInfo = ["EnumType": true, "enum": cases.map(\.name)]
            return description
        case .structure(let fields):
            let description = NSCompositeAttributeDescription()
            description.elements = try fields.map { field in
                let element = try Self.description(
                    of: field.kind, field.type, named: field.name, isOptional: isOptional || field.isOptional,
                    fault: fault)
                element.name = field.name
                element.renamingIdentifier = field.name
                element.isOptional = isOptional || field.isOptional
                return element
            }
            return description
        case .none(let text): throw fault(text)
        }
    }

    private static func plain(_ name: String, _ type: NSAttributeType, _ isOptional: Bool) -> NSAttributeDescription {
        let description = NSAttributeDescription()
        description.name = name
        description.renamingIdentifier = name
        description.attributeType = type
        description.isOptional = isOptional
        return description
    }

    static func unwrapped(_ type: any Any.Type) -> any Any.Type {
        (type as? any OptionalType.Type)?.wrappedType ?? type
    }

    /// A default value in the types of key-value coding; nil for a value that no attribute has.
    private static func archived(_ value: Any?, as type: NSAttributeType) -> Any? {
        var value = value
        if let optional = value as? any OptionalType { value = optional.anyWrapped }
        switch value {
        case let flag as Bool: return NSNumber(value: flag)
        case let number as any BinaryInteger: return NSNumber(value: Int64(truncatingIfNeeded: number))
        case let number as CGFloat: return NSNumber(value: Double(number))
        case let number as Double: return NSNumber(value: number)
        case let number as Float: return NSNumber(value: number)
        case let number as Decimal: return NSDecimalNumber(decimal: number)
        case is String, is Date, is Data, is UUID, is URL: return value
        default: return nil
        }
    }
}
