import CoreData

/// How many objects each entity gets: more than asked for where others need one each for themselves, or several.
struct SampleCounts {
    private var counts: [String: Int]
    /// Needs that lead in a circle would grow without end.
    private static let most = 2000

    init(_ entities: [NSEntityDescription], _ count: Int) {
        counts = Dictionary(
            entities.filter { !$0.isAbstract }.map { ($0.name ?? "", count) }, uniquingKeysWith: { first, _ in first })
        // Needs may lead to other needs; where they lead in a circle, a few rounds are as good as many.
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

    /// How many objects must be there for the others to lead to.
    private func needed(_ relationship: NSRelationshipDescription, owners: Int) -> Int {
        guard owners > 0, !relationship.isOptional || relationship.minCount > 0 else { return 0 }
        let inverse = relationship.inverseRelationship
        let members = relationship.isToMany ? max(1, relationship.minCount) : 1
        if inverse?.isToMany == false { return owners * members }
        // Each may be led to by so many only.
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
