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
        joinInverses()
    }

    /// Adds one class. The result are the classes to which it leads.
    private mutating func collect(_ type: any PersistentModel.Type) -> [any PersistentModel.Type] {
        let name = String(describing: type)
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
            if let superentity = byName[String(describing: above)] {
                entity.superentity = superentity
                superentity.subentities.insert(entity)
            }
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
                entity.namedIndices.append((index.kind, all))
            }
        }
    }

    private func attribute(_ property: Schema.PropertyMetadata, _ valueType: any Any.Type) -> Schema.Attribute {
        let written = property.metadata as? Schema.Attribute
        return Schema.Attribute(
            name: property.name, originalName: written.flatMap { $0.originalName.isEmpty ? nil : $0.originalName },
            options: written?.options ?? [], valueType: valueType, defaultValue: property.defaultValue,
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
            relationship.destination = String(describing: destination)
        }
        return relationship
    }

    private mutating func note(_ new: SchemaFault) { fault = fault ?? new }

    // MARK: Inverses

    private mutating func joinInverses() {
        let all = entities.flatMap { entity in
            entity.storedProperties.compactMap { ($0 as? Schema.Relationship).map { (entity, $0) } }
        }
        for (entity, relationship) in all {
            guard let keyPath = relationship.inverseKeyPath else { continue }
            guard let back = target(of: keyPath, from: relationship) else {
                let text = "its inverse \(keyPath) is no relationship of \(relationship.destination)"
                note(SchemaFault(entity.type ?? Any.self, relationship.name, text))
                continue
            }
            let isTaken = back.inverseName != nil && back.inverseName != relationship.name
            if isTaken, back.inverseKeyPath == nil {
                // With one column for both, each list would get the models of the other one.
                (relationship.isContested, back.isContested) = (true, true)
                InverseAdvice.say(
                    "\(entity.name).\(relationship.name) has no inverse: \(relationship.destination).\(back.name) is that "
                        + "of \(back.inverseName ?? "")")
                continue
            }
            relationship.inverseName = back.name
            back.inverseName = back.inverseName ?? relationship.name
        }
        for (entity, relationship) in all where relationship.inverseName == nil && !relationship.isContested {
            if relationship.isAnnotated {
                InverseAdvice.advise(relationship, of: entity, among: all)
            } else {
                infer(relationship, of: entity, among: all)
            }
        }
    }

    /// The relationship of a destination, or of a superclass of it, to which a key path leads.
    private func target(of keyPath: AnyKeyPath, from relationship: Schema.Relationship) -> Schema.Relationship? {
        guard let root = Swift.type(of: keyPath).rootType as? any PersistentModel.Type,
            let name = ModelKeyPaths.name(of: keyPath, from: root)
        else { return nil }
        let classes = sequence(first: byName[relationship.destination]) { $0?.superentity }.compactMap { $0 }
        guard classes.contains(where: { $0.type == root }) else { return nil }
        return classes.lazy.flatMap(\.storedProperties).first { $0.name == name } as? Schema.Relationship
    }

    /// Finds the inverse of a relationship without annotation: the one relationship that leads back, if it is the only
    /// one on either side, has no annotation, and one of the two leads to one model and is optional.
    private func infer(
        _ relationship: Schema.Relationship, of entity: Schema.Entity,
        among all: [(Schema.Entity, Schema.Relationship)]
    ) {
        let there = all.filter { $0.0.name == entity.name && $0.1.destination == relationship.destination }
        let back = all.filter { $0.0.name == relationship.destination && $0.1.destination == entity.name }
        guard there.count == 1, back.count == 1, let other = back.first?.1, other !== relationship,
            !other.isAnnotated, other.inverseName == nil
        else { return }
        let toOnes = [relationship, other].filter(\.isToOneRelationship)
        guard !toOnes.isEmpty, toOnes.allSatisfy(\.isOptional) else { return }
        relationship.inverseName = other.name
        other.inverseName = relationship.name
    }
}
