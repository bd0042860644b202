import CoreData

// The rules of models whose stores CloudKit mirrors. Apple's documentation has most of them ("Creating a Core Data
// Model for CloudKit"); the errors of opening such a store name mandatory attributes and ordered relationships.
extension ModelLint {
    /// Checks the entities that are used with CloudKit.
    mutating func check(_ use: CloudKitUse) {
        var mirrored = use.isWhole ? Set(model.entities.compactMap(\.name)) : []
        for name in use.configurations {
            let members = Set((model.entities(forConfigurationName: name) ?? []).compactMap(\.name))
            mirrored.formUnion(members)
            for entity in model.entities where members.contains(entity.name ?? "") {
                checkDestinations(of: entity, members, name)
            }
        }
        for entity in model.entities where mirrored.contains(entity.name ?? "") { check(mirrored: entity) }
    }

    private mutating func checkDestinations(
        of entity: NSEntityDescription, _ members: Set<String>, _ configuration: String
    ) {
        for case let relationship as NSRelationshipDescription in entity.declaredProperties {
            guard let destination = relationship.destinationEntity?.name, !members.contains(destination) else {
                continue
            }
            add(
                .cloudKit, entity: entity, property: relationship.name,
                "it leads out of the configuration '\(configuration)', which is used with CloudKit; add \(destination) "
                    + "to it")
        }
    }

    private mutating func check(mirrored entity: NSEntityDescription) {
        for constraint in entity.uniquenessConstraints where entity.superentity.map({ !has($0, constraint) }) ?? true {
            let keys = constraint.compactMap { $0 as? String ?? ($0 as? NSPropertyDescription)?.name }
            add(
                .cloudKit, entity: entity, property: nil,
                "\(keys.joined(separator: ", ")) is unique, which CloudKit does not support; let the program search "
                    + "for duplicates")
        }
        for property in entity.declaredProperties where !property.isTransient {
            switch property {
            case is NSDerivedAttributeDescription: continue
            case let attribute as NSAttributeDescription: check(mirrored: attribute, of: entity)
            case let relationship as NSRelationshipDescription: check(mirrored: relationship, of: entity)
            default: continue
            }
        }
    }

    private func has(_ entity: NSEntityDescription, _ constraint: [Any]) -> Bool {
        entity.uniquenessConstraints.contains { "\($0)" == "\(constraint)" }
    }

    private mutating func check(mirrored attribute: NSAttributeDescription, of entity: NSEntityDescription) {
        if attribute.attributeType == .undefinedAttributeType || attribute.attributeType == .objectIDAttributeType {
            add(.cloudKit, entity: entity, property: attribute.name, "it has no type that CloudKit takes")
        }
        if !attribute.isOptional, attribute.defaultValue == nil {
            add(
                .cloudKit, entity: entity, property: attribute.name,
                "it is mandatory and has no default value, but a record of CloudKit may come without it; make it "
                    + "optional, or give it a default value")
        }
    }

    private mutating func check(mirrored relationship: NSRelationshipDescription, of entity: NSEntityDescription) {
        if !relationship.isOptional {
            add(
                .cloudKit, entity: entity, property: relationship.name,
                "it is mandatory, but the records of CloudKit come one after the other; make it optional")
        }
        if relationship.inverseRelationship == nil {
            add(
                .cloudKit, entity: entity, property: relationship.name,
                "it has no inverse, without which the model cannot be used with CloudKit")
        }
        if relationship.isOrdered {
            add(
                .cloudKit, entity: entity, property: relationship.name,
                "it is ordered, and CloudKit keeps no order; keep a number")
        }
        if relationship.deleteRule == .denyDeleteRule {
            add(
                .cloudKit, entity: entity, property: relationship.name,
                "its delete rule is 'deny', which CloudKit does not take; take 'nullify' or 'cascade'")
        }
    }
}
