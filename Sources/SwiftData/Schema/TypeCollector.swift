import Foundation

/// Collects the classes of a schema, and reads their properties.
struct TypeCollector {
    private(set) var types: [any PersistentModel.Type] = []
    private var byName: [String: Schema.Entity] = [:]
    private(set) var fault: SchemaFault?

    /// The entities by name, with their relationships joined.
    var entities: [Schema.Entity] { byName.values.sorted { $0.name < $1.name } }

    /// Adds a class, its superclasses, and the classes to which its relationships lead.
    mutating func add(_ type: any PersistentModel.Type) {
        var waiting = [type]
        while let next = waiting.popLast() { waiting += collect(next) }
    }

    /// Joins relationships with their inverses, when all classes are there.
    mutating func joinInverses() { if let fault = InverseJoiner(entities: byName).join() { note(fault) } }

    /// Adds one class. The result are the classes to which it leads.
    private mutating func collect(_ type: any PersistentModel.Type) -> [any PersistentModel.Type] {
        let name = Schema.unqualifiedName(of: type)
        if let known = byName[name]?.type {
            if known != type { note(SchemaFault(type, nil, "\(String(reflecting: known)) has the same name")) }
            return []
        }
        let entity = Schema.Entity(name)
        entity.type = type
        byName[name] = entity
        types.append(type)
        var further: [any PersistentModel.Type] = []
        if let above = _getSuperclass(type) as? any PersistentModel.Type {
            further = collect(above)
            byName[Schema.unqualifiedName(of: above)]?.add(entity)
        }
        read(type, into: entity)
        return further + entity.storedProperties.compactMap { RelationshipShape($0.valueType)?.destination }
    }

    private mutating func read(_ type: any PersistentModel.Type, into entity: Schema.Entity) {
        let metadata = type.schemaMetadata
        var names: [AnyKeyPath: String] = [:]
        for property in metadata {
            guard let keyPath = property.keypath else { continue }
            names[keyPath] = property.name
            let valueType = Swift.type(of: keyPath).valueType
            entity.storedProperties.append(
                RelationshipShape(valueType) == nil
                    ? attribute(property, valueType) : relationship(property, valueType, of: type))
        }
        for property in entity.storedProperties where property.isUnique {
            if RelationshipShape(property.valueType)?.isToMany == true {
                note(SchemaFault(type, property.name, "a relationship to many models cannot be unique"))
            }
            entity.uniquenessConstraints.append([property.name])
        }
        func name(_ keyPath: AnyKeyPath) -> String? {
            names[keyPath] ?? ModelKeyPaths.name(of: keyPath, from: type)
        }
        for property in metadata {
            for constraint in property.constraints {
                let all = constraint.compactMap(name)
                if all.count < constraint.count { note(SchemaFault(type, nil, "#Unique names no stored property")) }
                if !entity.uniquenessConstraints.contains(all) { entity.uniquenessConstraints.append(all) }
            }
            for index in property.indices {
                let all = index.keyPaths.compactMap(name)
                if all.count < index.keyPaths.count { note(SchemaFault(type, nil, "#Index names no stored property")) }
                entity.indices.append(all)
                entity.indexKinds.append(index.kind)
            }
        }
        SchemaNotes.checkConstraints(of: entity)
    }

    private func attribute(_ property: Schema.PropertyMetadata, _ valueType: any Any.Type) -> Schema.Attribute {
        let written = property.metadata as? Schema.Attribute
        let options = written?.options ?? []
        let isComposite = CompositeShape(ValueKind.of(valueType, with: options)) != nil
        let kind = isComposite ? Schema.CompositeAttribute.self : Schema.Attribute.self
        return kind.init(
            name: property.name, originalName: written.flatMap { $0.originalName.isEmpty ? nil : $0.originalName },
            options: options, valueType: valueType, defaultValue: property.defaultValue,
            hashModifier: written?.hashModifier)
    }

    private mutating func relationship(
        _ property: Schema.PropertyMetadata, _ valueType: any Any.Type, of type: any PersistentModel.Type
    ) -> Schema.Relationship {
        let relationship = property.metadata as? Schema.Relationship ?? Schema.Relationship()
        relationship.isAnnotated = property.metadata is Schema.Relationship
        relationship.name = property.name
        if relationship.originalName.isEmpty { relationship.originalName = property.name }
        relationship.valueType = valueType
        relationship.keypath = property.keypath
        if let destination = RelationshipShape(valueType)?.destination {
            relationship.destination = Schema.unqualifiedName(of: destination)
        }
        return relationship
    }

    private mutating func note(_ new: SchemaFault) { fault = fault ?? new }
}
