import CoreData
import Foundation

/// A property that a store has in another form than the schema's rules give it.
struct AdoptedProperty: Hashable {
    private let entity: String
    private let name: String
    /// The declared type of an attribute. A program that changes it decides the form anew.
    private let type: ObjectIdentifier?

    init(_ entity: String, _ name: String, _ type: any Any.Type) {
        (self.entity, self.name) = (entity, name)
        self.type = RelationshipShape(type) == nil ? ObjectIdentifier(type) : nil
    }
}

/// Makes the managed object model of a schema.
struct ModelBuilder {
    let schema: Schema
    /// The model of a store, whose forms count where a rule is not settled.
    var stored: NSManagedObjectModel?
    /// The properties of the store's model whose forms count; nil if all do.
    var adopted: Set<AdoptedProperty>?

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
            throw SchemaFault(entity, property.name, "it is neither an attribute nor a relationship")
        }
        description.name = property.name
        description.renamingIdentifier = property.originalName
        if let own = description as? NSAttributeDescription,
            let form = storedProperty(property, of: entity) as? NSAttributeDescription,
            form.versionHash != own.versionHash
        {
            description = StoredForm(property.valueType, form).description(like: own) ?? own
        }
        return description
    }

    /// The property of the store whose form counts for one of the schema; nil if the schema's rules do.
    private func storedProperty(_ property: any SchemaProperty, of entity: Schema.Entity) -> NSPropertyDescription? {
        let known = stored?.entitiesByName[entity.name]?.propertiesByName
        guard let adopted else { return known?[property.name] }
        // An older version may have another name for the property.
        guard let found = known?[property.name] ?? known?[property.originalName] else { return nil }
        let isAdopted = adopted.contains(AdoptedProperty(entity.name, found.name, property.valueType))
        return isAdopted ? found : nil
    }

    /// The name of the relationship that leads back. That of a store counts unless the program has named one, on either
    /// side.
    private func inverse(of relationship: Schema.Relationship, in entity: Schema.Entity) -> String? {
        let back = relationship.inverseName.flatMap {
            schema.entitiesByName[relationship.destination]?.relationshipsByName[$0]
        }
        let isNamed = relationship.inverseKeyPath != nil || back?.inverseKeyPath != nil
        if stored == nil || isNamed && !relationship.isContested { return relationship.inverseName }
        let form = storedProperty(relationship, of: entity) as? NSRelationshipDescription
        guard adopted != nil else { return form?.inverseRelationship?.name }
        guard let form else { return relationship.inverseName }
        guard let name = form.inverseRelationship?.name else { return nil }
        let others = schema.entitiesByName[relationship.destination]?.relationshipsByName ?? [:]
        return others[name]?.name ?? others.values.first { $0.originalName == name }?.name
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
                        entity, relationship.name,
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
        do {
            description = try Self.storage(of: attribute)
        } catch {
            throw SchemaFault(entity, attribute.name, "cannot be stored: \(error.reason)")
        }
        description.isOptional = attribute.isOptional
        description.versionHashModifier = attribute.hashModifier
        description.isTransient = attribute.isTransient
        description.allowsExternalBinaryDataStorage = attribute.options.contains(.externalStorage)
        description.preservesValueInHistoryOnDeletion = attribute.options.contains(.preserveValueOnDeletion)
        return description
    }

    /// Why no attribute has the values of a type.
    struct Unstorable: Error {
        let reason: String
    }

    private static func storage(of attribute: Schema.Attribute) throws(Unstorable) -> NSAttributeDescription {
        let (name, type) = (attribute.name, unwrapped(attribute.valueType))
        if let transformer = attribute.options.lazy.compactMap(\.transformerName).first {
            return transformable(name, type, by: transformer)
        }
        if let composite = attribute as? Schema.CompositeAttribute { return try Self.composite(composite) }
        switch attribute.kind {
        case .scalar(let type):
            let description = plain(name, type)
            description.defaultValue = archived(attribute.defaultValue, as: type)
            return description
        case .json: return plain(name, .binaryDataAttributeType)
        case .archive:
            return transformable(
                name, type, by: NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue)
        case .rawEnumeration, .enumeration, .structure:
            return try composite(
                Schema.CompositeAttribute(
                    name: name, valueType: attribute.valueType, defaultValue: attribute.defaultValue))
        case .none(let text): throw Unstorable(reason: text)
        }
    }

    static func composite(_ composite: Schema.CompositeAttribute) throws(Unstorable) -> NSCompositeAttributeDescription
    {
        if composite.properties.isEmpty { throw Unstorable(reason: "it is a composite attribute of nothing") }
        let description = NSCompositeAttributeDescription()
        description.name = composite.name
        description.renamingIdentifier = composite.name
        var elements: [NSAttributeDescription] = []
        for property in composite.properties {
            let element = try storage(of: property)
            element.isOptional = property.isOptional
            elements.append(element)
        }
        description.elements = elements
        switch composite.enumeration {
        case .rawValue: description.userInfo = ["EnumType": true]
        case .cases: description.userInfo = ["EnumType": true, "enum": composite.properties.map(\.name)]
        case nil:
            // Apple's archives have an empty dictionary in place of a structure's default.
            if composite.defaultValue != nil { description.defaultValue = [String: Any]() as NSDictionary }
        }
        return description
    }

    private static func transformable(
        _ name: String, _ type: any Any.Type, by transformer: String
    ) -> NSAttributeDescription {
        let description = plain(name, .transformableAttributeType)
        description.valueTransformerName = transformer
        description.attributeValueClassName = String(describing: type)
        return description
    }

    private static func plain(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let description = NSAttributeDescription()
        description.name = name
        description.renamingIdentifier = name
        description.attributeType = type
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
