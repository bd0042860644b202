import Foundation

/// The additions of a mapping model to an inferred one: for each object of an entity, one of a new entity, which takes
/// over attributes of the former.
package struct OnlineSplit {
    /// The name of the entity mapping.
    package let name: String
    /// The layouts of the entity in the older version, of its newer form, and of the new entity.
    package let source: Int
    package let owner: Int
    package let part: Int
    /// The relationship from the entity to the new one, and its inverse.
    package let reference: NSRelationshipDescription
    package let back: NSRelationshipDescription
    /// The attributes of the new entity, each with the one that it takes its values from.
    package let attributes: [(new: NSAttributeDescription, old: NSAttributeDescription)]
}

/// Checks that a mapping model has only changes that both versions can make to each other's objects while both are in
/// use: inferred ones, and splits.
struct OnlineMapping {
    private let mappings: [NSEntityMapping]
    private let difference: ModelDifference
    private var refusals: [NSError] = []
    /// The entity mappings that copy objects, by their names, and those that make additional objects.
    private var copies: [String: NSEntityMapping] = [:]
    private var parts: [NSEntityMapping] = []
    /// By the names of the latter: the relationship that leads to their objects, or back.
    private var links: [String: NSRelationshipDescription] = [:]

    /// - Throws: an error with all changes that are impossible: the entity mapping, the property, and how to split the
    ///   change.
    static func splits(of model: NSMappingModel, _ difference: ModelDifference) throws -> [OnlineSplit] {
        var mapping = OnlineMapping(mappings: model.entityMappings ?? [], difference: difference)
        mapping.sort()
        for copy in mapping.copies.values.sorted(by: { $0.name < $1.name }) { mapping.lookAtCopy(copy) }
        for part in mapping.parts { mapping.lookAtLinks(ofPart: part) }
        let splits = mapping.parts.compactMap { mapping.split($0) }
        if !mapping.refusals.isEmpty { throw OnlineMigration.combined(mapping.refusals) }
        return splits
    }

    private init(mappings: [NSEntityMapping], difference: ModelDifference) {
        self.mappings = mappings
        self.difference = difference
    }

    private static let apart =
        "Split the change: add what is new beside what is old, let programs fill it, and remove what is old in a later "
        + "version; or migrate without NSPostgreSQLOnlineMigrationOption."

    private mutating func refuse(
        _ mapping: NSEntityMapping, property: String? = nil, because reason: String, help: String = apart
    ) {
        refusals.append(
            OnlineMigration.refusal(
                entity: mapping.destinationEntityName ?? mapping.sourceEntityName, property: property,
                reason: "\(reason) (entity mapping “\(mapping.name ?? "")”)", help: help))
    }

    private func source(of mapping: NSEntityMapping) -> EntityLayout? {
        mapping.sourceEntityName.flatMap { difference.source.layout(named: $0) }
    }

    private func destination(of mapping: NSEntityMapping) -> EntityLayout? {
        mapping.destinationEntityName.flatMap { difference.destination.layout(named: $0) }
    }

    // MARK: Entities

    private mutating func sort() {
        for mapping in mappings {
            if let policy = mapping.entityMigrationPolicyClassName {
                refuse(mapping, because: "has the policy “\(policy)”, whose code cannot be applied backwards")
                continue
            }
            let (source, destination) = (source(of: mapping), destination(of: mapping))
            switch (source, destination) {
            case (let source?, let destination?):
                if !isOfAllObjects(mapping, source) {
                    refuse(mapping, because: "reads other objects than those of “\(source.name)”, one by one")
                } else if difference.sourceOf[destination.index] == source.index {
                    copies[mapping.name] = mapping
                } else if difference.sourceOf[destination.index] == nil, difference.destinationOf[source.index] != nil {
                    parts.append(mapping)
                } else {
                    refuse(
                        mapping, because: "makes objects of another entity than “\(source.name)” is",
                        help: "Give the entity a renaming identifier in a version before, or migrate without "
                            + "NSPostgreSQLOnlineMigrationOption.")
                }
            case (nil, let destination?) where difference.sourceOf[destination.index] != nil:
                refuse(mapping, because: "leaves out the objects that are there")
            case (let source?, nil) where difference.destinationOf[source.index] != nil:
                refuse(mapping, because: "removes the objects of an entity that is there still")
            default: continue
            }
        }
        let carried = Set(copies.values.compactMap { source(of: $0)?.index })
        for entity in difference.destination.entities where !entity.entity.isAbstract {
            guard let origin = difference.sourceOf[entity.index], !carried.contains(origin) else { continue }
            let name = difference.source.entities[origin].name
            if mappings.contains(where: { $0.sourceEntityName == name }) { continue }
            refusals.append(
                OnlineMigration.refusal(
                    entity: entity.name, reason: "has no entity mapping, and its objects would go", help: Self.apart))
        }
    }

    private func isOfAllObjects(_ mapping: NSEntityMapping, _ source: EntityLayout) -> Bool {
        guard let expression = mapping.sourceExpression else { return true }
        return expression.description == MappingExpressions.objects(of: source.name).description
    }

    // MARK: Properties

    private static func expression(_ name: String, in mappings: [NSPropertyMapping]?) -> String? {
        mappings?.first { $0.name == name }?.valueExpression?.description
    }

    private static func source(_ name: String) -> String { MappingExpressions.source(name).description }

    private static func instances(_ mapping: String, _ path: String?) -> String {
        let source = NSExpression(forVariable: NSMigrationSourceObjectKey)
        return MappingExpressions.instances(
            ofMapping: mapping, from: path.map { MappingExpressions.source($0) } ?? source
        ).description
    }

    /// The copied properties have to be those of an inferred mapping, and no further relationship may lead to the
    /// additional objects.
    private mutating func lookAtCopy(_ mapping: NSEntityMapping) {
        guard let entity = destination(of: mapping) else { return }
        for property in ModelDifference.stored(entity) {
            let former = difference.properties[entity.index][property.name]
            switch property {
            case is NSDerivedAttributeDescription: continue
            case is NSAttributeDescription:
                let given = Self.expression(property.name, in: mapping.attributeMappings)
                if given != former.map({ Self.source($0.name) }) {
                    refuse(mapping, property: property.name, given: given, former: former)
                }
            case let relationship as NSRelationshipDescription:
                let given = Self.expression(property.name, in: mapping.relationshipMappings)
                if let former {
                    let known =
                        [MappingExpressions.relationship(former.name).description]
                        + copies.keys.map { Self.instances($0, former.name) }
                    let isOfInverse = given == nil && relationship.inverseRelationship != nil
                    if !isOfInverse, !known.contains(given ?? "") {
                        refuse(mapping, property: property.name, given: given, former: former)
                    }
                } else if let given {
                    guard
                        let part = parts.first(where: {
                            $0.sourceEntityName == mapping.sourceEntityName && Self.instances($0.name, nil) == given
                                && $0.destinationEntityName == relationship.destinationEntity?.name
                        })
                    else {
                        refuse(mapping, property: property.name, given: given, former: nil)
                        continue
                    }
                    links[part.name] = relationship
                }
            default: continue
            }
        }
    }

    private mutating func refuse(
        _ mapping: NSEntityMapping, property: String, given: String?, former: NSPropertyDescription?
    ) {
        if let given, let name = Self.path(given) {
            refuse(
                mapping, property: property,
                because: "takes over “\(name)”, which is not what its name or renaming identifier says",
                help: "Give it the renaming identifier “\(name)”, and migrate without a mapping model.")
        } else if let given {
            refuse(
                mapping, property: property, because: "has the expression \(given), which cannot be applied backwards")
        } else {
            refuse(
                mapping, property: property,
                because: "starts empty, although “\(former?.name ?? "")” has values for it",
                help: "Give it another name, and remove the old one in a later version.")
        }
    }

    /// The key of `$source.key`.
    private static func path(_ expression: String) -> String? {
        let prefix = "$\(NSMigrationSourceObjectKey)."
        guard expression.hasPrefix(prefix) else { return nil }
        let name = String(expression.dropFirst(prefix.count))
        return name.contains { !$0.isLetter && !$0.isNumber && $0 != "_" } ? nil : name
    }

    private mutating func lookAtLinks(ofPart mapping: NSEntityMapping) {
        guard let entity = destination(of: mapping) else { return }
        for case let relationship as NSRelationshipDescription in ModelDifference.stored(entity) {
            guard let given = Self.expression(relationship.name, in: mapping.relationshipMappings) else { continue }
            let isBack = copies.values.contains {
                $0.sourceEntityName == mapping.sourceEntityName && Self.instances($0.name, nil) == given
                    && $0.destinationEntityName == relationship.destinationEntity?.name
            }
            if isBack {
                links[mapping.name] = relationship
            } else {
                refuse(mapping, property: relationship.name, given: given, former: nil)
            }
        }
    }

    private mutating func split(_ mapping: NSEntityMapping) -> OnlineSplit? {
        guard let origin = source(of: mapping), let part = destination(of: mapping),
            let owner = difference.destinationOf[origin.index].map({ difference.destination.entities[$0] })
        else { return nil }
        guard let link = links[mapping.name], let inverse = link.inverseRelationship, !link.isToMany,
            !inverse.isToMany
        else {
            refuse(
                mapping,
                because: "makes an object of each of “\(origin.name)”, and no to-one relationship with a to-one "
                    + "inverse leads from the one to the other",
                help: "Add such a relationship, and have the mapping model fill it.")
            return nil
        }
        let reference = link.entity === part.entity ? inverse : link
        guard reference.entity === owner.entity else {
            refuse(mapping, property: link.name, because: "leads to a property that “\(owner.name)” inherits")
            return nil
        }
        var attributes: [(new: NSAttributeDescription, old: NSAttributeDescription)] = []
        for case let attribute as NSAttributeDescription in ModelDifference.stored(part) {
            guard let given = Self.expression(attribute.name, in: mapping.attributeMappings) else { continue }
            guard let name = Self.path(given), let old = origin.entity.attributesByName[name], !old.isTransient else {
                refuse(
                    mapping, property: attribute.name,
                    because: "has the expression \(given), which cannot be applied backwards")
                continue
            }
            if let help = obstacle(attribute, old: old, others: attributes.map(\.old), owner: owner) {
                refuse(
                    mapping, property: attribute.name, because: "takes over “\(origin.name).\(name)”, \(help.reason)",
                    help: help.help)
                continue
            }
            attributes.append((attribute, old))
        }
        return OnlineSplit(
            name: mapping.name, source: origin.index, owner: owner.index, part: part.index, reference: reference,
            back: reference === link ? inverse : link, attributes: attributes)
    }

    private func obstacle(
        _ new: NSAttributeDescription, old: NSAttributeDescription, others: [NSAttributeDescription],
        owner: EntityLayout
    ) -> (reason: String, help: String)? {
        if others.contains(where: { $0 === old })
            || difference.properties[owner.index].values.contains(where: { $0 === old })
        {
            return (
                "which is copied to another attribute, too: the newer version could write both",
                "Let one attribute take it over."
            )
        }
        let isPlain = [new, old].allSatisfy {
            !($0 is NSDerivedAttributeDescription) && !($0 is NSCompositeAttributeDescription)
        }
        if !isPlain || new.attributeType != old.attributeType {
            return ("which has another type", "Change the type in a version before, or in a later one.")
        }
        return nil
    }
}
