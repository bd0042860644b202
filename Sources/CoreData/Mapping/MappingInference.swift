import Foundation

/// The inference of the mapping model for a migration without one.
///
/// `ModelDifference` decides about the changes, as for the migration in place, so that the two have the same result.
struct MappingInference {
    /// The models, because layouts do not keep them alive.
    private let models: [NSManagedObjectModel]
    private let source: ModelLayout
    private let destination: ModelLayout
    private let difference: ModelDifference

    init(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) throws {
        // Comparing freezes the models, and the caller may still be building its own.
        models = [try Self.copy(source), try Self.copy(destination)]
        self.source = models[0].layout
        self.destination = models[1].layout
        difference = try ModelDifference(from: self.source, to: self.destination)
    }

    /// A copy in which all entities have the class `NSManagedObject`.
    private static func copy(_ model: NSManagedObjectModel) throws -> NSManagedObjectModel {
        model.resolveReferences()
        try model.validate()
        return model.withPlainClasses()
    }

    func mappingModel() -> NSMappingModel {
        defer { withExtendedLifetime(models) {} }
        let model = NSMappingModel()
        let removed = source.entities.filter { difference.destinationOf[$0.index] == nil }.map(removal)
        model.entityMappings = destination.entities.map(mapping) + removed
        model.isInferred = true
        return model
    }

    private func mapping(of entity: EntityLayout) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        mapping.destinationEntityName = entity.name
        mapping.destinationEntityVersionHash = entity.entity.versionHash
        let origin = difference.sourceOf[entity.index].map { source.entities[$0] }
        if let origin {
            mapping.sourceEntityName = origin.name
            mapping.sourceEntityVersionHash = origin.entity.versionHash
            mapping.sourceExpression = MappingExpressions.objects(of: origin.name)
            let isSame = origin.entity.versionHash == entity.entity.versionHash && origin.name == entity.name
            mapping.mappingType = isSame ? .copyEntityMappingType : .transformEntityMappingType
            mapping.name = (isSame ? "IEM_Copy_" : "IEM_Transform_") + entity.name
        } else {
            mapping.mappingType = .addEntityMappingType
            mapping.name = "IEM_Add_" + entity.name
        }
        if let origin { mapping.userInfo = outcome(of: origin, in: entity) }
        mapping.attributeMappings = entity.entity.properties.compactMap { property in
            guard let attribute = property as? NSAttributeDescription, !attribute.isTransient,
                !(attribute is NSDerivedAttributeDescription)
            else { return nil }
            let old = difference.properties[entity.index][attribute.name] as? NSAttributeDescription
            return Self.property(attribute.name, old.map { value(of: $0, for: attribute) })
        }
        mapping.relationshipMappings = entity.entity.properties.compactMap { property in
            guard let relationship = property as? NSRelationshipDescription, !relationship.isTransient else {
                return nil
            }
            let old = difference.properties[entity.index][relationship.name]
            let mapping = Self.property(relationship.name, old.map { MappingExpressions.relationship($0.name) })
            if old != nil { mapping.linking = linking(of: relationship) }
            return mapping
        }
        return mapping
    }

    /// The changes of an entity's properties, in the form of the user info of Apple's inferred mappings.
    /// `mappedProperties` and `addedProperties` are names in the newer version, `removedProperties` names in the older
    /// one.
    private func outcome(of origin: EntityLayout, in entity: EntityLayout) -> [AnyHashable: Any] {
        let sources = difference.properties[entity.index]
        let names = Set(ModelDifference.stored(entity).map(\.name))
        let mapped = names.filter { sources[$0] != nil }
        let gone = Set(ModelDifference.stored(origin).map(\.name)).subtracting(sources.values.map(\.name))
        return ["mappedProperties": mapped, "addedProperties": names.subtracting(mapped), "removedProperties": gone]
    }

    /// The effect of setting a relationship on its inverse, which may have links already, or is not to get any.
    private func linking(of relationship: NSRelationshipDescription) -> NSPropertyMapping.Linking {
        guard let inverse = relationship.inverseRelationship else { return .plainly }
        if difference.isPairedAnew(relationship) { return .joining }
        if difference.succeedsToMany(inverse) { return .alone }
        let isNew = !relationship.isToMany && !inverse.isToMany && difference.source(of: inverse) == nil
        return isNew ? .joining : .plainly
    }

    /// The old value. If the attribute has become mandatory, the default value replaces missing ones.
    private func value(of old: NSAttributeDescription, for new: NSAttributeDescription) -> NSExpression {
        let value = MappingExpressions.source(old.name)
        if let from = old as? NSCompositeAttributeDescription, let into = new as? NSCompositeAttributeDescription {
            return CompositeMapping(from, into, difference).isCopy ? value : MappingExpressions.composite(old, new)
        }
        guard old.isOptional, !new.isOptional, let defaultValue = new.defaultValue else { return value }
        let isMissing = NSComparisonPredicate(
            leftExpression: value, rightExpression: NSExpression(forConstantValue: nil), modifier: .direct,
            type: .equalTo, options: [])
        return NSExpression(
            forConditional: isMissing, trueExpression: NSExpression(forConstantValue: defaultValue),
            falseExpression: value)
    }

    private func removal(of entity: EntityLayout) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        mapping.name = "IEM_Remove_" + entity.name
        mapping.mappingType = .removeEntityMappingType
        mapping.sourceEntityName = entity.name
        mapping.sourceEntityVersionHash = entity.entity.versionHash
        mapping.attributeMappings = []
        mapping.relationshipMappings = []
        return mapping
    }

    private static func property(_ name: String, _ expression: NSExpression?) -> NSPropertyMapping {
        let mapping = NSPropertyMapping()
        mapping.name = name
        mapping.valueExpression = expression
        return mapping
    }
}

extension NSManagedObjectModel {
    /// A copy, not frozen, in which all entities have the class `NSManagedObject`. Migrations work with it, because the
    /// application's classes fit one version of the model only.
    final func withPlainClasses() -> NSManagedObjectModel {
        let copy = copied()
        for entity in copy.entities {
            // The class is no part of the hash, but setting it clears a recorded hash.
            let recorded = entity.recordedVersionHash
            entity.managedObjectClassName = nil
            entity.recordedVersionHash = recorded
        }
        return copy
    }
}
