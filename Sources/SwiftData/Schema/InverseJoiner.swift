import Foundation

/// Finds the inverses of the relationships of a schema.
struct InverseJoiner {
    let entities: [String: Schema.Entity]

    /// - Returns: What is wrong with the first inverse that is none.
    func join() -> SchemaFault? {
        let all = entities.values.sorted { $0.name < $1.name }.flatMap { entity in
            entity.storedProperties.compactMap { ($0 as? Schema.Relationship).map { (entity, $0) } }
        }
        var fault: SchemaFault?
        for (entity, relationship) in all {
            if let back = named(by: relationship) {
                join(relationship, of: entity, with: back)
            } else if let keyPath = relationship.inverseKeyPath {
                let text = "its inverse \(keyPath) is no relationship of \(relationship.destination)"
                fault = fault ?? SchemaFault(entity, relationship.name, text)
            }
        }
        for (entity, relationship) in all where relationship.inverseName == nil && !relationship.isContested {
            if !relationship.isAnnotated {
                infer(relationship, of: entity, among: all)
            } else if entity.type != nil {
                SchemaNotes.adviseInverse(relationship, of: entity, among: all)
            }
        }
        return fault
    }

    private func join(_ relationship: Schema.Relationship, of entity: Schema.Entity, with back: Schema.Relationship) {
        let isTaken = back.inverseName != nil && back.inverseName != relationship.name
        if isTaken, back.inverseKeyPath == nil {
            // With one column for both, each list would get the models of the other one.
            (relationship.isContested, back.isContested) = (true, true)
            SchemaNotes.say(
                "\(entity.name).\(relationship.name) has no inverse: \(relationship.destination).\(back.name) is that "
                    + "of \(back.inverseName ?? "")")
            return
        }
        relationship.inverseName = back.name
        back.inverseName = back.inverseName ?? relationship.name
    }

    /// The inverse that a relationship names, by a key path or by its name.
    private func named(by relationship: Schema.Relationship) -> Schema.Relationship? {
        if let keyPath = relationship.inverseKeyPath { return target(of: keyPath, from: relationship) }
        return relationship.inverseName.flatMap { entities[relationship.destination]?.relationshipsByName[$0] }
    }

    /// The relationship of a destination, or of a superclass of it, to which a key path leads.
    private func target(of keyPath: AnyKeyPath, from relationship: Schema.Relationship) -> Schema.Relationship? {
        let classes = sequence(first: entities[relationship.destination]) { $0?.superentity }.compactMap { $0 }
        let properties = classes.lazy.flatMap(\.storedProperties)
        // Two key paths may be of one property and differ, which takes longer to find out.
        let same = properties.first { ($0 as? Schema.Relationship)?.keypath == keyPath } as? Schema.Relationship
        if let same { return same }
        guard let root = Swift.type(of: keyPath).rootType as? any PersistentModel.Type,
            let name = ModelKeyPaths.name(of: keyPath, from: root)
        else { return nil }
        guard classes.contains(where: { $0.type == root }) else { return nil }
        return properties.first { $0.name == name } as? Schema.Relationship
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
