import CoreData

/// The number of objects of each entity. It is more than requested if each object of another entity needs one of its
/// own, or several.
struct SampleCounts {
    private var counts: [String: Int]
    /// The limit. Numbers of entities that need each other would grow without end.
    private static let most = 2000

    init(_ entities: [NSEntityDescription], _ count: Int) {
        counts = Dictionary(
            entities.filter { !$0.isAbstract }.map { ($0.name ?? "", count) }, uniquingKeysWith: { first, _ in first })
        // Objects that are added may need further ones. If entities need each other in a circle, a few rounds are
        // enough.
        for _ in 0..<4 {
            for entity in entities {
                for (_, relationship) in entity.relationshipsByName where relationship.entity.name == entity.name {
                    guard let target = relationship.destinationEntity else { continue }
                    grow(target, to: needed(relationship, owners: all(of: entity)))
                }
            }
        }
    }

    subscript(_ entity: NSEntityDescription) -> Int { counts[entity.name ?? ""] ?? 0 }

    /// The number of objects to which the owners of a relationship must be able to lead.
    private func needed(_ relationship: NSRelationshipDescription, owners: Int) -> Int {
        guard owners > 0, !relationship.isOptional || relationship.minCount > 0 else { return 0 }
        let inverse = relationship.inverseRelationship
        let members = relationship.isToMany ? max(1, relationship.minCount) : 1
        if inverse?.isToMany == false { return owners * members }
        // Only so many owners may lead to each object.
        if let most = inverse?.maxCount, most > 0 { return max(members, (owners * members + most - 1) / most) }
        return members
    }

    private func all(of entity: NSEntityDescription) -> Int {
        Self.concrete(entity).reduce(0) { $0 + (counts[$1] ?? 0) }
    }

    private mutating func grow(_ entity: NSEntityDescription, to count: Int) {
        guard let first = Self.concrete(entity).first else { return }
        let missing = min(count, Self.most) - all(of: entity)
        if missing > 0 { counts[first, default: 0] += missing }
    }

    private static func concrete(_ entity: NSEntityDescription) -> [String] {
        (entity.isAbstract ? [] : [entity.name ?? ""]) + entity.subentities.flatMap(concrete)
    }
}
