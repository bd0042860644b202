import Foundation

/// A part of a mapping model that ends its migration, as far as the mapping model and its two versions show it. What a
/// policy does is not seen.
package struct MappingFault: Equatable {
    /// The name of the entity mapping's entity in the newer version, or in the older one.
    package let entity: String?
    package let property: String?
    /// The fault in words.
    package let text: String
}

extension MappingModelSource {
    /// The parts that end a migration between two versions, which have all entities and properties that the mapping
    /// model names.
    package func faults(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) -> [MappingFault] {
        let mapping: NSMappingModel
        do {
            mapping = try mappingModel(from: source, to: destination)
        } catch {
            return [MappingFault(entity: nil, property: nil, text: (error as NSError).localizedDescription)]
        }
        let (older, newer) = (source.entitiesByName, destination.entitiesByName)
        let names = Set(entities.map(\.mappingName))
        return zip(entities, mapping.entityMappings ?? []).flatMap { entity, mapping -> [MappingFault] in
            let check = EntityMappingCheck(
                old: entity.source.flatMap { older[$0] }, new: entity.destination.flatMap { newer[$0] },
                hasPolicy: entity.policy != nil, mappings: names)
            return check.filterFaults(entity.filter) + check.faults(of: mapping)
        }
    }
}

/// The check of one entity mapping between two versions.
private struct EntityMappingCheck {
    let old: NSEntityDescription?
    let new: NSEntityDescription?
    let hasPolicy: Bool
    /// The names of all entity mappings.
    let mappings: Set<String>

    private func fault(_ property: String?, _ text: String) -> MappingFault {
        MappingFault(entity: new?.name ?? old?.name, property: property, text: text)
    }

    /// The faults of the predicate that chooses source objects.
    func filterFaults(_ filter: String?) -> [MappingFault] {
        guard let filter, !filter.isEmpty, let old else { return [] }
        do {
            let paths = try NSPredicate.parse(format: filter).keyPaths
            return unknown(paths, in: old).map {
                fault(nil, "its filter reads '\($0)', which '\(old.name ?? "")' lacks")
            }
        } catch {
            return [fault(nil, "its filter '\(filter)' cannot be read: \(error)")]
        }
    }

    func faults(of mapping: NSEntityMapping) -> [MappingFault] {
        guard let new, let old else { return [] }
        var faults: [MappingFault] = []
        if new.isAbstract, !old.isAbstract, !hasPolicy {
            faults.append(fault(nil, "'\(new.name ?? "")' is abstract, and has no objects"))
        }
        for property in mapping.attributeMappings ?? [] {
            guard let attribute = new.attributesByName[property.name ?? ""] else { continue }
            faults += self.faults(of: property.valueExpression, for: attribute, old)
        }
        for property in mapping.relationshipMappings ?? [] {
            guard let relationship = new.relationshipsByName[property.name ?? ""] else { continue }
            guard let expression = property.valueExpression else {
                if !relationship.isOptional, !relationship.isToMany, !hasPolicy {
                    faults.append(
                        fault(relationship.name, "nothing gives the mandatory \(place(relationship)) an object"))
                }
                continue
            }
            faults += self.faults(of: expression, relationship, old)
        }
        return faults
    }

    private func place(_ property: NSPropertyDescription) -> String { "'\(new?.name ?? "").\(property.name)'" }

    private func faults(
        of expression: NSExpression?, for attribute: NSAttributeDescription, _ old: NSEntityDescription
    ) -> [MappingFault] {
        if attribute.isTransient || attribute is NSDerivedAttributeDescription { return [] }
        guard let expression else {
            guard !attribute.isOptional, attribute.defaultValue == nil, !hasPolicy else { return [] }
            return [fault(attribute.name, "nothing gives the mandatory \(place(attribute)) a value")]
        }
        let found = faults(of: expression, attribute, old)
        guard found.isEmpty, !hasPolicy, let origin = Self.attribute(read: expression, in: old),
            !Self.takes(attribute, valuesOf: origin)
        else { return found }
        return [
            fault(
                attribute.name,
                "\(place(attribute)) is of type \(attribute.attributeType.readableName), and gets the values of "
                    + "'\(origin.name)' of type \(origin.attributeType.readableName)")
        ]
    }

    /// The attribute of the source in an expression `$source.key`.
    private static func attribute(read expression: NSExpression, in old: NSEntityDescription) -> NSAttributeDescription?
    {
        guard case .keyPath(let path, let operand?) = expression.payload, path.keys.count == 1,
            case .variable(NSMigrationSourceObjectKey) = operand.payload
        else { return nil }
        return old.attributesByName[path.keys[0]]
    }

    /// Whether an attribute can have all kinds of values of another one.
    private static func takes(_ attribute: NSAttributeDescription, valuesOf origin: NSAttributeDescription) -> Bool {
        func isOpen(_ attribute: NSAttributeDescription) -> Bool {
            [.transformableAttributeType, .undefinedAttributeType, .compositeAttributeType, .objectIDAttributeType]
                .contains(attribute.attributeType)
        }
        func isNumber(_ attribute: NSAttributeDescription) -> Bool {
            ["NSNumber", "NSDecimalNumber"].contains(attribute.attributeValueClassName ?? "")
        }
        return isOpen(attribute) || isOpen(origin) || isNumber(attribute) && isNumber(origin)
            || attribute.attributeValueClassName == origin.attributeValueClassName
    }

    /// The names in an expression that lead nowhere.
    private func faults(
        of expression: NSExpression, _ property: NSPropertyDescription, _ old: NSEntityDescription
    ) -> [MappingFault] {
        var texts: [String] = []
        _ = expression.rewriting { part in
            if case .function(let name, let target?, let arguments) = part.payload,
                case .variable(let on) = target.payload
            {
                if on == NSMigrationEntityPolicyKey, !hasPolicy {
                    texts.append("calls \(name) of the policy, and the entity mapping names none")
                }
                if on == NSMigrationManagerKey, name == MappingExpressions.instancesByMapping,
                    case .constant(let mapping as String, _)? = arguments.first?.payload, !mappings.contains(mapping)
                {
                    texts.append("names the entity mapping '\(mapping)', which is not there")
                }
            }
            return part
        }
        // A policy may change what the source of the expression is.
        if !hasPolicy {
            let paths = expression.replacing { part in
                if case .variable(NSMigrationSourceObjectKey) = part.payload {
                    return NSExpression.expressionForEvaluatedObject()
                }
                return nil
            }.keyPaths
            texts += unknown(paths, in: old).map { "reads '\($0)', which '\(old.name ?? "")' lacks" }
        }
        return texts.map { fault(property.name, "the value of \(place(property)) \($0)") }
    }

    /// Keys that every managed object has.
    private static let own: Set<String> = ["self", "SELF", "objectID", "entity", "managedObjectContext"]

    /// The paths that begin with, or lead through, a key that their entity does not have.
    private func unknown(_ paths: Set<String>, in entity: NSEntityDescription) -> [String] {
        paths.sorted().filter { path in
            var entity = entity
            for key in KeyValuePath(path).keys where !key.hasPrefix("@") && !Self.own.contains(key) {
                switch entity.propertiesByName[key] {
                case let relationship as NSRelationshipDescription:
                    guard let destination = relationship.destinationEntity else { return false }
                    entity = destination
                case .some: return false
                case nil: return !Self.isBelow(entity, key)
                }
            }
            return false
        }
    }

    private static func isBelow(_ entity: NSEntityDescription, _ key: String) -> Bool {
        entity.subentities.contains { $0.propertiesByName[key] != nil || isBelow($0, key) }
    }
}
