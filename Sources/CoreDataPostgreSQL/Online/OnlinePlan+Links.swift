#if PostgreSQL
import CoreData
import Foundation

// Relationships that lead to one object in the older version, and to many in the newer one.
extension OnlinePlan {
    /// A column in which the older version keeps one of the pairs of a join table of the newer one.
    struct Link: Equatable {
        /// The table of the column, and the column.
        var table: String
        var key: String
        /// The column of the entity that the key leads to, where there are several.
        var companion: String?
        /// The table that the key leads to.
        var target: String
        /// The join table: its columns for keys of `table`, and of `target`.
        var pairs: String
        var owner: String
        var member: String
    }

    /// Records the columns of such a relationship's links, or the reason for which both forms cannot be kept in
    /// step.
    mutating func lookAtLinks(_ property: String, of name: String) {
        guard let entity = destination.entities.first(where: { $0.name == name }),
            let relationship = entity.entity.relationshipsByName[property],
            let former = migration.difference.properties[entity.index][property] as? NSRelationshipDescription
        else { return }
        if let (reason, help) = obstacle(to: relationship, former, of: entity) {
            refuse(name, property: property, because: reason, help: help)
        } else if let link = link(relationship, former, of: entity) {
            links.append(link)
        } else {
            refuse(
                name, property: property,
                because: "leads to many objects, and the store does not hold both of its entities", help: Self.beside)
        }
    }

    private static let beside =
        "Add a relationship to many beside it, let programs fill both, and remove the old one in a later version."

    private func obstacle(
        to relationship: NSRelationshipDescription, _ former: NSRelationshipDescription, of entity: EntityLayout
    ) -> (reason: String, help: String)? {
        guard relationship.entity === entity.entity,
            source.layout(of: former.entity)?.index == migration.difference.sourceOf[entity.index]
        else {
            return ("leads to many objects, and is a property of another entity of the hierarchy", Self.beside)
        }
        guard let inverse = relationship.inverseRelationship, let formerInverse = former.inverseRelationship else {
            return (
                "leads to many objects, and has no inverse by which both versions find what is deleted",
                "Give it an inverse in a version before."
            )
        }
        if !inverse.isToMany || !formerInverse.isToMany {
            return (
                "leads to many objects, and in the older version its inverse leads to one: of several objects that "
                    + "lead to one, that version would see one leading back", Self.beside
            )
        }
        if [relationship, inverse, formerInverse].contains(where: \.isOrdered) {
            return (
                "leads to many objects in an order, or its inverse does, which the other version does not keep",
                "Order them in a version of its own, when the older one has gone."
            )
        }
        let rules = [relationship, inverse].map(\.deleteRule) + [former, formerInverse].map(\.deleteRule)
        if rules.prefix(2).contains(where: { $0 != .nullifyDeleteRule }) || rules.contains(.noActionDeleteRule) {
            return (
                "leads to many objects, and it or its inverse has a rule for deletions that the older version does "
                    + "not follow for those that it does not see",
                "Let both be “Nullify” until the older version has gone."
            )
        }
        if relationship.maxCount != 0 || relationship.minCount > 1 {
            return (
                "leads to a number of objects that the older version does not respect",
                "Let it lead to any number until the older version has gone."
            )
        }
        let isUnique = source.layout(of: former.entity)?.subtree.contains { index in
            source.entities[index].entity.uniquenessConstraintNames.contains { $0.contains(former.name) }
        }
        if isUnique == true {
            return (
                "leads to many objects, and is part of a uniqueness constraint of the older version",
                "Remove the constraint in a version before."
            )
        }
        if let derived = attribute(derivedOver: [relationship, inverse], in: destination)
            ?? attribute(derivedOver: [former, formerInverse], in: source)
        {
            return (
                "leads to many objects, and “\(derived)” is derived from it, of which each version would have "
                    + "another value",
                "Remove that attribute in a version before, and add it again when the older version has gone."
            )
        }
        return nil
    }

    /// The first attribute that is derived over one of some relationships.
    private func attribute(derivedOver relationships: [NSRelationshipDescription], in model: ModelLayout) -> String? {
        for entity in model.entities {
            for case let derived as NSDerivedAttributeDescription in entity.entity.ownProperties {
                let text = derived.derivationExpression?.description ?? ""
                let words = text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
                if relationships.contains(where: { words.contains($0.name) }) {
                    return "\(entity.name).\(derived.name)"
                }
            }
        }
        return nil
    }

    private func link(
        _ relationship: NSRelationshipDescription, _ former: NSRelationshipDescription, of entity: EntityLayout
    ) -> Link? {
        guard let toMany = entity.toManys.first(where: { $0.relationship === relationship }),
            let end = new.joinEnds[entity.index][toMany.index],
            let origin = migration.difference.sourceOf[entity.index].map({ source.entities[$0] }),
            let slot = origin.slots.firstIndex(where: { $0.property === former }),
            let key = old.columns[origin.index][slot],
            let table = old.table(ofRoot: origin.rootIndex)?.name,
            let target = former.destinationEntity.flatMap({ source.layout(of: $0) })
                .flatMap({ old.table(ofRoot: $0.rootIndex)?.name }),
            case .toOne(_, let companion) = origin.slots[slot].role
        else { return nil }
        return Link(
            table: table, key: key, companion: companion.flatMap { old.columns[origin.index][$0] }, target: target,
            pairs: end.table, owner: end.ownerColumn, member: end.memberColumn)
    }
}
#endif
