import CoreData

/// The parts of a model that are used with CloudKit by its source. Compiled models do not contain this.
package struct CloudKitUse {
    /// Whether all entities are used with CloudKit.
    package private(set) var isWhole = false
    /// The names of configurations that are used with CloudKit.
    package private(set) var configurations: [String] = []

    package init() {}

    /// - Parameter source: The root of a version's source.
    package init(in source: XMLTreeElement) {
        isWhole = source.flag("usedWithCloudKit")
        configurations = source.children(named: "configuration").filter { $0.flag("usedWithCloudKit") }
            .compactMap { $0.text("name") }
    }

    /// The names of the entities that are used with CloudKit.
    func entities(of model: NSManagedObjectModel) -> Set<String> {
        let members = configurations.flatMap { model.entities(forConfigurationName: $0) ?? [] }
        return Set((isWhole ? model.entities : members).compactMap(\.name))
    }
}

/// The rules of models whose stores CloudKit mirrors. Apple's documentation has most of them ("Creating a Core Data
/// Model for CloudKit"). The errors of opening such a store name mandatory attributes and ordered relationships.
package struct CloudKitRules {
    /// A part of a model that breaks a rule.
    package struct Breach {
        package let entity: String
        package let property: String?
        package let message: String
    }

    private let model: NSManagedObjectModel
    private var breaches: [Breach] = []

    /// The parts of a model that break rules.
    package static func breaches(in model: NSManagedObjectModel, _ use: CloudKitUse) -> [Breach] {
        var rules = CloudKitRules(model: model)
        rules.check(use)
        return rules.breaches
    }

    private init(model: NSManagedObjectModel) { self.model = model }

    private mutating func add(entity: NSEntityDescription, property: String?, _ message: String) {
        breaches.append(Breach(entity: entity.name ?? "", property: property, message: message))
    }

    /// Checks the entities that are used with CloudKit.
    private mutating func check(_ use: CloudKitUse) {
        for name in use.configurations {
            let members = Set((model.entities(forConfigurationName: name) ?? []).compactMap(\.name))
            for entity in model.entities where members.contains(entity.name ?? "") {
                checkDestinations(of: entity, members, name)
            }
        }
        let mirrored = use.entities(of: model)
        for entity in model.entities where mirrored.contains(entity.name ?? "") { check(mirrored: entity) }
    }

    private mutating func checkDestinations(
        of entity: NSEntityDescription, _ members: Set<String>, _ configuration: String
    ) {
        for case let relationship as NSRelationshipDescription in entity.properties
        where relationship.entity === entity {
            guard let destination = relationship.destinationEntity?.name, !members.contains(destination) else {
                continue
            }
            add(
                entity: entity, property: relationship.name,
                "it leads out of the configuration '\(configuration)', which is used with CloudKit; add \(destination) "
                    + "to it")
        }
    }

    private mutating func check(mirrored entity: NSEntityDescription) {
        for constraint in entity.uniquenessConstraints where entity.superentity.map({ !has($0, constraint) }) ?? true {
            let keys = constraint.compactMap { $0 as? String ?? ($0 as? NSPropertyDescription)?.name }
            add(
                entity: entity, property: nil,
                "\(keys.joined(separator: ", ")) is unique, which CloudKit does not support; let the program search "
                    + "for duplicates")
        }
        for property in entity.properties where property.entity === entity && !property.isTransient {
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
            add(entity: entity, property: attribute.name, "it has no type that CloudKit takes")
        }
        if !attribute.isOptional, attribute.defaultValue == nil {
            add(
                entity: entity, property: attribute.name,
                "it is mandatory and has no default value, but a record of CloudKit may come without it; make it "
                    + "optional, or give it a default value")
        }
    }

    private mutating func check(mirrored relationship: NSRelationshipDescription, of entity: NSEntityDescription) {
        if !relationship.isOptional {
            add(
                entity: entity, property: relationship.name,
                "it is mandatory, but the records of CloudKit come one after the other; make it optional")
        }
        if relationship.inverseRelationship == nil {
            add(
                entity: entity, property: relationship.name,
                "it has no inverse, without which the model cannot be used with CloudKit")
        }
        if relationship.isOrdered {
            add(
                entity: entity, property: relationship.name,
                "it is ordered, and CloudKit keeps no order; keep a number")
        }
        if relationship.deleteRule == .denyDeleteRule {
            add(
                entity: entity, property: relationship.name,
                "its delete rule is 'deny', which CloudKit does not take; take 'nullify' or 'cascade'")
        }
    }
}
