import Foundation

// Relationships that existed before and become each other's inverses.
extension ModelDifference {
    /// Whether a relationship and its inverse both existed before, but not as each other's inverses. Then each side has
    /// links that the other need not have.
    func isPairedAnew(_ new: NSRelationshipDescription) -> Bool {
        guard let inverse = new.inverseRelationship, inverse.inverseRelationship === new, let old = source(of: new),
            let oldInverse = source(of: inverse)
        else { return false }
        return old.inverseRelationship !== oldInverse
    }

    /// Whether a new to-one relationship takes the place of a to-many one: its inverse led back to several objects, or
    /// the entity had a to-many relationship, now removed, to the same entity. The store does not record to which of
    /// the objects the new relationship is to lead. So it starts empty, and its inverse keeps its links.
    func succeedsToMany(_ new: NSRelationshipDescription) -> Bool {
        guard !new.isToMany, source(of: new) == nil, let inverse = new.inverseRelationship,
            let old = source(of: inverse), !old.isToMany
        else { return false }
        if let former = old.inverseRelationship { return former.isToMany }
        guard let entity = destination.layout(of: new.entity), let origin = sourceOf[entity.index] else { return false }
        let kept = properties[entity.index].values
        return source.entities[origin].entity.properties.contains { property in
            guard let former = property as? NSRelationshipDescription, former.isToMany, !former.isTransient else {
                return false
            }
            return former.destinationEntity === old.entity && !kept.contains { $0 === former }
        }
    }

    /// Refuses a new pair of inverses whose links cannot be merged. If one side had another inverse before, its links
    /// belong to that pair.
    mutating func checkPair(_ new: NSRelationshipDescription, _ old: NSRelationshipDescription) {
        guard isPairedAnew(new), let inverse = new.inverseRelationship, inverse !== new,
            let oldInverse = source(of: inverse)
        else { return }
        func name(_ relationship: NSRelationshipDescription) -> String {
            "\(relationship.entity.name ?? "").\(relationship.name)"
        }
        // Each pair is checked once.
        guard name(new) < name(inverse) else { return }
        let help: String
        if old.inverseRelationship != nil || oldInverse.inverseRelationship != nil {
            help =
                "Give them renaming identifiers if they are an older pair under new names; or use a mapping model, or a "
                + "staged migration through a version in which only the one is there whose links are to stay."
        } else if !isSame(new, old) || !isSame(inverse, oldInverse) {
            help =
                "Keep both in the entities that have them, until they are each other’s inverses, or use a mapping model."
        } else if new.isToMany, inverse.isToMany, new.isOrdered || inverse.isOrdered {
            help = "Make them unordered, or use a mapping model that says in which order the objects come."
        } else {
            return
        }
        problems.append(
            MigrationErrors.cannotInfer(
                entity: new.entity.name ?? "", property: new.name,
                source: "“\(name(old))” \(Self.inverse(old)) and “\(name(oldInverse))” \(Self.inverse(oldInverse))",
                destination: "“\(name(new))” and “\(name(inverse))” as each other’s inverses", help: help))
    }

    /// Whether a relationship leads from and to the same entities as before, for every object that has it.
    private func isSame(_ new: NSRelationshipDescription, _ old: NSRelationshipDescription) -> Bool {
        guard let from = source.layout(of: old.entity), let to = destination.layout(of: new.entity),
            let target = old.destinationEntity.flatMap({ source.layout(of: $0) }),
            let newTarget = new.destinationEntity.flatMap({ destination.layout(of: $0) }),
            new.inverseRelationship?.entity === new.destinationEntity
        else { return false }
        return destinationOf[from.index] == to.index && destinationOf[target.index] == newTarget.index
            && to.subtree.allSatisfy { sourceOf[$0] == nil || properties[$0][new.name] === old }
    }
}
