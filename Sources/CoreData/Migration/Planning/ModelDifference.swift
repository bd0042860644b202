import Foundation

/// The changes of every entity and every stored property between two models: the inferred mapping.
///
/// The comparison uses neither tables nor columns. It matches entities and properties by renaming identifier and by
/// name. If properties cannot be carried over without a mapping model, `init` throws, with one error for each of them.
package struct ModelDifference {
    package let source: ModelLayout
    package let destination: ModelLayout
    /// For every layout of the destination, the layout of the source whose objects it gets; nil for new entities.
    package private(set) var sourceOf: [Int?]
    /// For every layout of the source, the layout of the destination that gets its objects; nil for removed ones.
    package private(set) var destinationOf: [Int?]
    /// For every layout of the destination, the properties of the source by the names of the destination's properties.
    package private(set) var properties: [[String: NSPropertyDescription]]
    /// The differences, for messages and tests.
    package private(set) var changes: [ModelChange] = []

    private let storedSource: Set<Int>
    private let storedDestination: Set<Int>
    private let origins: ModelOrigins?
    var problems: [NSError] = []

    /// Compares two models. `storedSource` and `storedDestination` are the layouts that the store holds (all if nil).
    /// `origins` give the origin of each property, if it is found through versions between the two; names do not count
    /// then.
    init(
        from source: ModelLayout, to destination: ModelLayout, storedSource: Set<Int>? = nil,
        storedDestination: Set<Int>? = nil, origins: ModelOrigins? = nil
    ) throws {
        ModelEffort.countComparison()
        self.source = source
        self.destination = destination
        self.origins = origins
        self.storedSource = storedSource ?? Set(source.entities.indices)
        self.storedDestination = storedDestination ?? Set(destination.entities.indices)
        sourceOf = Array(repeating: nil, count: destination.entities.count)
        destinationOf = Array(repeating: nil, count: source.entities.count)
        properties = Array(repeating: [:], count: destination.entities.count)
        matchEntities()
        matchProperties()
        matchDestinations()
        checkParents()
        checkGathering()
        for entity in destination.entities { checkProperties(of: entity) }
        if !problems.isEmpty { throw MigrationErrors.combined(problems) }
    }

    // MARK: Entities

    private mutating func matchEntities() {
        let newer = destination.entities.filter { storedDestination.contains($0.index) }
        let older = source.entities.filter { storedSource.contains($0.index) }
        let matches =
            origins.map { origins in
                newer.map { entity in older.firstIndex { $0.index == origins.entities[entity.index] } }
            } ?? RenamingMatch.match(newer.map(Self.entry), from: older.map(Self.entry))
        for (entity, match) in zip(newer, matches) {
            guard let match else {
                changes.append(.entityAdded(entity.name))
                continue
            }
            sourceOf[entity.index] = older[match].index
            destinationOf[older[match].index] = entity.index
            if older[match].name != entity.name {
                changes.append(.entityRenamed(from: older[match].name, to: entity.name))
            }
        }
        for entity in older where destinationOf[entity.index] == nil { changes.append(.entityRemoved(entity.name)) }
    }

    private static func entry(_ entity: EntityLayout) -> RenamingMatch.Entry {
        .init(name: entity.name, identifier: entity.entity.renamingIdentifier)
    }

    /// Refuses two hierarchies that become one, because their keys are counted separately. Entities may move within
    /// their hierarchy and out of it.
    private mutating func checkParents() {
        for root in destination.entities where root.superIndex == nil {
            let members = root.subtree.filter { sourceOf[$0] != nil }
            guard let first = members.first, let firstSource = sourceOf[first] else { continue }
            for member in members.dropFirst() {
                guard let memberSource = sourceOf[member],
                    source.entities[memberSource].rootIndex != source.entities[firstSource].rootIndex
                else { continue }
                problems.append(
                    MigrationErrors.cannotInfer(
                        entity: destination.entities[member].name,
                        source: "has no parent in common with “\(source.entities[firstSource].name)”",
                        destination: "shares the parent “\(root.name)” with “\(destination.entities[first].name)”",
                        help: "Use a mapping model to merge two hierarchies of entities."))
            }
        }
        for entity in destination.entities {
            guard let old = sourceOf[entity.index].map({ source.entities[$0] }) else { continue }
            let before = old.superIndex
            let after = entity.superIndex
            if before.flatMap({ destinationOf[$0] }) != after || (before == nil) != (after == nil) {
                changes.append(
                    .parentChanged(
                        entity: entity.name, from: before.map { source.entities[$0].name },
                        to: after.map { destination.entities[$0].name }))
            }
        }
    }

    // MARK: Properties

    /// The properties that have a place in a store.
    static func stored(_ entity: EntityLayout) -> [NSPropertyDescription] {
        entity.entity.properties.filter {
            !$0.isTransient && ($0 is NSAttributeDescription || $0 is NSRelationshipDescription)
        }
    }

    private mutating func matchProperties() {
        for entity in destination.entities {
            guard let old = sourceOf[entity.index].map({ source.entities[$0] }) else { continue }
            let newer = Self.stored(entity)
            let older = Self.stored(old)
            let matches =
                origins.map { origins in
                    let names = origins.properties[entity.index]
                    return newer.map { property in
                        names[property.name].flatMap { name in older.firstIndex { $0.name == name } }
                    }
                } ?? RenamingMatch.match(newer.map(Self.entry), from: older.map(Self.entry))
            var used: Set<Int> = []
            for (property, match) in zip(newer, matches) {
                let isOwn = property.entity === entity.entity
                guard let match else {
                    if isOwn { changes.append(.propertyAdded(entity: entity.name, property: property.name)) }
                    continue
                }
                used.insert(match)
                properties[entity.index][property.name] = older[match]
                if isOwn, older[match].name != property.name {
                    changes.append(
                        .propertyRenamed(entity: entity.name, from: older[match].name, to: property.name))
                }
            }
            for (place, property) in older.enumerated() where !used.contains(place) && property.entity === old.entity {
                changes.append(.propertyRemoved(entity: old.name, property: property.name))
            }
        }
    }

    private static func entry(_ property: NSPropertyDescription) -> RenamingMatch.Entry {
        .init(name: property.name, identifier: property.renamingIdentifier)
    }

    private mutating func checkProperties(of entity: EntityLayout) {
        guard sourceOf[entity.index] != nil else { return }
        for property in Self.stored(entity) {
            guard let old = properties[entity.index][property.name] else { continue }
            // An inherited property is compared in the entity that declares it, unless that entity is new.
            if property.entity !== entity.entity, let declaring = destination.layout(of: property.entity),
                properties[declaring.index][property.name] === old
            {
                continue
            }
            switch (old, property) {
            case (let old as NSAttributeDescription, let new as NSAttributeDescription):
                checkAttribute(entity, old, new)
            case (let old as NSRelationshipDescription, let new as NSRelationshipDescription):
                checkRelationship(entity, old, new)
            default:
                problems.append(
                    MigrationErrors.cannotInfer(
                        entity: entity.name, property: property.name, source: Self.kind(of: old),
                        destination: Self.kind(of: property),
                        help: "Give the new property another name, or use a mapping model."))
                continue
            }
            if old.isOptional, !property.isOptional {
                changes.append(.madeMandatory(entity: entity.name, property: property.name))
            } else if !old.isOptional, property.isOptional {
                changes.append(.madeOptional(entity: entity.name, property: property.name))
            }
        }
    }

    private static func kind(of property: NSPropertyDescription) -> String {
        switch property {
        case let attribute as NSAttributeDescription: "attribute of type \(attribute.attributeType.readableName)"
        case let relationship as NSRelationshipDescription:
            relationship.isToMany ? "to-many relationship" : "to-one relationship"
        default: "property"
        }
    }

    private mutating func checkAttribute(
        _ entity: EntityLayout, _ old: NSAttributeDescription, _ new: NSAttributeDescription
    ) {
        if let old = old as? NSCompositeAttributeDescription, let new = new as? NSCompositeAttributeDescription {
            for (element, match) in elements(of: new, from: old) {
                if let match { checkAttribute(entity, match, element) }
            }
            return
        }
        guard let conversion = AttributeConversion(from: old, to: new) else {
            problems.append(
                MigrationErrors.cannotInfer(
                    entity: entity.name, property: new.name, source: "type \(old.attributeType.readableName)",
                    destination: "type \(new.attributeType.readableName)",
                    help: "Give the new attribute another name, or use a mapping model."))
            return
        }
        if old.attributeType != new.attributeType {
            changes.append(
                .typeChanged(
                    entity: entity.name, property: new.name, from: old.attributeType.readableName,
                    to: new.attributeType.readableName))
        }
        if let allowed = conversion.tag {
            changes.append(.externalStorageChanged(entity: entity.name, property: new.name, allowed: allowed))
        }
    }

    /// The elements of a composite attribute, each with the element of the older one from which it takes its values.
    func elements(
        of new: NSCompositeAttributeDescription, from old: NSCompositeAttributeDescription
    ) -> [(NSAttributeDescription, NSAttributeDescription?)] {
        new.leaves.map { path, element in
            let former = formerPath(of: path[...], in: new, from: old)
            return (element, former.flatMap { former in old.leaves.first { $0.path == former }?.attribute })
        }
    }

    /// The path of an element in the older composite attribute. It is found level by level, because elements of
    /// different composites may have the same name, or be the same description.
    func formerPath(
        of path: ArraySlice<String>, in new: NSCompositeAttributeDescription, from old: NSCompositeAttributeDescription
    ) -> [String]? {
        guard let name = path.first, let number = new.elements.firstIndex(where: { $0.name == name }),
            let place = RenamingMatch.match(new.elements.map(Self.entry), from: old.elements.map(Self.entry))[number]
        else { return nil }
        let former = old.elements[place]
        switch (new.elements[number], former) {
        case (let inner as NSCompositeAttributeDescription, let formerInner as NSCompositeAttributeDescription):
            return formerPath(of: path.dropFirst(), in: inner, from: formerInner).map { [former.name] + $0 }
        case (is NSCompositeAttributeDescription, _), (_, is NSCompositeAttributeDescription): return nil
        default: return [former.name]
        }
    }

    // MARK: Relationships

    /// Makes a relationship a new one if it leads to another entity than before and is not the old one under a new
    /// name. Such a relationship has the name of the old one, but the destinations of the old links cannot be in it.
    private mutating func matchDestinations() {
        for entity in destination.entities {
            for case let new as NSRelationshipDescription in entity.entity.ownProperties where !new.isTransient {
                guard let old = source(of: new),
                    let oldTarget = old.destinationEntity.flatMap({ source.layout(of: $0) }),
                    let newTarget = new.destinationEntity.flatMap({ destination.layout(of: $0) })
                else { continue }
                let survivors = oldTarget.subtree.compactMap { destinationOf[$0] }
                var isKept = !survivors.isEmpty && survivors.allSatisfy { newTarget.subtree.contains($0) }
                if !isKept || destinationOf[oldTarget.index] != newTarget.index {
                    changes.append(
                        .destinationChanged(
                            entity: entity.name, property: new.name, from: oldTarget.name, to: newTarget.name,
                            keepsLinks: isKept))
                }
                // The links of a to-many relationship are stored together, so those of entities that lose it cannot be
                // left out.
                if isKept, new.isToMany, let oldOwner = source.layout(of: old.entity),
                    !oldOwner.subtree.compactMap({ destinationOf[$0] }).allSatisfy({ entity.subtree.contains($0) })
                {
                    isKept = false
                    changes.append(.movedToSubentity(entity: entity.name, property: new.name))
                }
                guard !isKept else { continue }
                forget(new)
                // A join table has two such sides; neither can keep pairs without the other.
                if let inverse = new.inverseRelationship, new.isToMany, inverse.isToMany { forget(inverse) }
            }
        }
    }

    /// Records a problem if several to-many relationships become one in a common parent, because their links would have
    /// to be merged.
    private mutating func checkGathering() {
        for entity in destination.entities {
            for case let new as NSRelationshipDescription in entity.entity.ownProperties where new.isToMany {
                var sources: [NSRelationshipDescription] = []
                for index in entity.subtree {
                    guard let old = properties[index][new.name] as? NSRelationshipDescription,
                        !sources.contains(where: { $0 === old })
                    else { continue }
                    sources.append(old)
                }
                guard sources.count > 1 else { continue }
                let names = sources.map { "\($0.entity.name ?? "").\($0.name)" }.joined(separator: ", ")
                problems.append(
                    MigrationErrors.cannotInfer(
                        entity: entity.name, property: new.name, source: "several to-many relationships (\(names))",
                        destination: "one", help: "Use a mapping model, or keep the relationships in the subentities."))
            }
        }
    }

    private mutating func forget(_ relationship: NSRelationshipDescription) {
        guard let declaring = destination.layout(of: relationship.entity) else { return }
        for index in declaring.subtree { properties[index][relationship.name] = nil }
    }

    /// The older relationship of which a relationship of the destination is the successor. It is searched where the
    /// relationship is declared, and then in the first subentity that has one.
    func source(of relationship: NSRelationshipDescription) -> NSRelationshipDescription? {
        guard let declaring = destination.layout(of: relationship.entity) else { return nil }
        for index in declaring.subtree {
            if let found = properties[index][relationship.name] as? NSRelationshipDescription { return found }
        }
        return nil
    }

    private mutating func checkRelationship(
        _ entity: EntityLayout, _ old: NSRelationshipDescription, _ new: NSRelationshipDescription
    ) {
        func refuse(_ source: String, _ destination: String, _ help: String) {
            problems.append(
                MigrationErrors.cannotInfer(
                    entity: entity.name, property: new.name, source: source, destination: destination, help: help))
        }
        if old.isToMany, !new.isToMany {
            refuse("to-many", "to-one", "Use a mapping model that chooses the one object to keep.")
            return
        }
        if !old.isToMany, new.isToMany {
            changes.append(.madeToMany(entity: entity.name, property: new.name))
            // With a to-one inverse that stays, the inverse has the links. With a to-many inverse a join table has
            // them.
            let carriedByInverse =
                new.inverseRelationship.map { inverse in
                    inverse.isToMany || source(of: inverse).map { $0 === old.inverseRelationship } ?? false
                } ?? false
            if !carriedByInverse {
                refuse(
                    "to-one \(Self.inverse(old))", "to-many \(Self.inverse(new))",
                    "Give the new relationship a to-many inverse, or use a mapping model.")
            }
        }
        if old.isToMany, let inverse = old.inverseRelationship, inverse.isToMany, new.isToMany {
            let newInverse = new.inverseRelationship
            if newInverse == nil || newInverse?.isToMany == false {
                refuse(
                    "many-to-many \(Self.inverse(old))", "one-to-many \(Self.inverse(new))",
                    "Use a mapping model that chooses the one object to keep.")
            } else if let newInverse, let origin = source(of: newInverse), origin !== inverse {
                refuse(
                    Self.inverse(old), Self.inverse(new),
                    "Use a mapping model, or match the inverse by a renaming identifier.")
            }
        }
        if old.isToMany, new.isToMany, old.isOrdered != new.isOrdered {
            changes.append(.orderingChanged(entity: entity.name, property: new.name, isOrdered: new.isOrdered))
        }
        checkPair(new, old)
        let before = old.inverseRelationship
        let after = new.inverseRelationship
        if (before == nil) != (after == nil) || after.map({ source(of: $0) !== before }) ?? false {
            changes.append(.inverseChanged(entity: entity.name, property: new.name))
        }
    }

    static func inverse(_ relationship: NSRelationshipDescription) -> String {
        relationship.inverseRelationship.map { "with the \($0.isToMany ? "to-many" : "to-one") inverse “\($0.name)”" }
            ?? "without an inverse"
    }
}
