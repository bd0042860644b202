import CoreData

/// Links sample objects, by relationships of every cardinality.
struct SampleLinks {
    private let objects: [String: [NSManagedObject]]
    private let constraints: [String: [SampleConstraint]]
    private var random: SampleRandom
    /// The first object of each entity.
    private let firsts: Set<NSManagedObject>

    init(objects: [String: [NSManagedObject]], constraints: [String: [SampleConstraint]], random: SampleRandom) {
        self.objects = objects
        self.constraints = constraints
        self.random = random
        firsts = Set(objects.compactMap { name, all in all.first { $0.entity.name == name } })
    }

    /// Makes the links, and returns the parts of the model that they do not cover, one in each line.
    ///
    /// Throws 1570 if a mandatory relationship has no object to lead to.
    mutating func make(_ entities: [NSEntityDescription]) throws -> [String] {
        var notes: [String] = []
        var done: Set<String> = []
        for entity in entities {
            for (name, relationship) in entity.relationshipsByName.sorted(by: { $0.key < $1.key })
            where relationship.entity.name == entity.name && !relationship.isTransient {
                // Setting one side sets both.
                guard done.insert("\(entity.name ?? "").\(name)").inserted else { continue }
                if let inverse = relationship.inverseRelationship {
                    // The to-one side is set. Of two to-one sides it is the mandatory one.
                    if relationship.isToMany, !inverse.isToMany { continue }
                    if !relationship.isToMany, !inverse.isToMany, relationship.isOptional, !inverse.isOptional {
                        continue
                    }
                    done.insert("\(inverse.entity.name ?? "").\(inverse.name)")
                }
                let owners = objects[entity.name ?? ""] ?? []
                let targets = objects[relationship.destinationEntity?.name ?? ""] ?? []
                guard !owners.isEmpty else { continue }
                if targets.isEmpty {
                    let text =
                        "\(entity.name ?? "").\(name) leads to nothing: there is no object of "
                        + "\(relationship.destinationEntity?.name ?? "its entity") and of its subentities"
                    guard relationship.isOptional else { throw SampleMaker.error(text) }
                    notes.append(text)
                } else if relationship.isToMany {
                    linkMany(relationship, owners, targets)
                } else if relationship.inverseRelationship?.isToMany == false {
                    linkOne(relationship, owners, targets)
                } else {
                    linkToShared(relationship, owners, targets)
                }
            }
        }
        return notes
    }

    /// Whether a link is left out. Some links of optional relationships are missing; the first object of an entity has
    /// all.
    private mutating func isLeftOut(_ relationship: NSRelationshipDescription, _ owner: NSManagedObject) -> Bool {
        guard relationship.isOptional, !Self.isNeeded(relationship), !firsts.contains(owner) else { return false }
        return random.next() % 5 == 0
    }

    /// Whether every destination object needs a link.
    private static func isNeeded(_ relationship: NSRelationshipDescription) -> Bool {
        relationship.inverseRelationship.map { !$0.isOptional || $0.minCount > 1 } ?? false
    }

    /// Links a one-to-one relationship. No object is the destination of two links.
    private mutating func linkOne(
        _ relationship: NSRelationshipDescription, _ owners: [NSManagedObject], _ targets: [NSManagedObject]
    ) {
        let isItsOwn = relationship.inverseRelationship === relationship
        for (place, owner) in owners.enumerated() where !isLeftOut(relationship, owner) {
            if isItsOwn {
                if place % 2 == 0 {
                    owner.setValue(owners[min(place + 1, owners.count - 1)], forKey: relationship.name)
                }
                continue
            }
            // Objects lead to other objects of their entity, not to themselves.
            let target = owners.count <= targets.count ? (place + 1) % targets.count : place
            if target < targets.count { owner.setValue(targets[target], forKey: relationship.name) }
        }
    }

    /// Links a to-one relationship with a to-many inverse. Some destinations get two links, or, if each destination
    /// needs one, all get their share.
    private mutating func linkToShared(
        _ relationship: NSRelationshipDescription, _ owners: [NSManagedObject], _ targets: [NSManagedObject]
    ) {
        let most = relationship.inverseRelationship.map { $0.maxCount > 0 ? $0.maxCount : .max } ?? .max
        let isNeeded = Self.isNeeded(relationship)
        let step = targets.count % 3 == 0 ? 1 : 3
        var counts = Array(repeating: 0, count: targets.count)
        for (place, owner) in owners.enumerated() where !isLeftOut(relationship, owner) {
            let others = (0..<targets.count).lazy.map {
                ((isNeeded ? place : place / 2) * step + 1 + $0) % targets.count
            }
            let constraints = (constraints[owner.entity.name ?? ""] ?? []).filter {
                $0.names.contains(relationship.name)
            }
            let found = others.first { target in
                counts[target] < most
                    && constraints.allSatisfy { $0.isFree(Self.values(of: owner, $0, relationship, targets[target])) }
            }
            guard let found else { continue }
            counts[found] += 1
            owner.setValue(targets[found], forKey: relationship.name)
            for constraint in constraints { constraint.take(owner) }
        }
    }

    private static func values(
        of owner: NSManagedObject, _ constraint: SampleConstraint, _ relationship: NSRelationshipDescription,
        _ target: NSManagedObject
    ) -> [String: Any] {
        var values: [String: Any] = [:]
        for name in constraint.names { values[name] = owner.value(forKey: name) }
        values[relationship.name] = target
        return values
    }

    private mutating func linkMany(
        _ relationship: NSRelationshipDescription, _ owners: [NSManagedObject], _ targets: [NSManagedObject]
    ) {
        let most = relationship.maxCount > 0 ? relationship.maxCount : 3
        var members: [[Int]] = []
        for (place, owner) in owners.enumerated() {
            guard !isLeftOut(relationship, owner) else {
                members.append([])
                continue
            }
            let count = max(relationship.minCount, min(most, 1 + Int(random.next() % 3)))
            let step = targets.count % 2 == 0 ? 1 : 2
            members.append((0..<min(count, targets.count)).map { (place + $0 * step) % targets.count })
        }
        // A destination whose inverse relationship has a minimum count gets so many links.
        if let inverse = relationship.inverseRelationship, !inverse.isOptional || inverse.minCount > 0 {
            var counts = Array(repeating: 0, count: targets.count)
            for member in members.joined() { counts[member] += 1 }
            for target in targets.indices {
                var place = target
                while counts[target] < min(max(1, inverse.minCount), owners.count) {
                    if !members[place % owners.count].contains(target) {
                        members[place % owners.count].append(target)
                        counts[target] += 1
                    }
                    place += 1
                }
            }
        }
        for (owner, members) in zip(owners, members) where !members.isEmpty {
            let set = NSOrderedSet(array: members.map { targets[$0] })
            owner.setValue(relationship.isOrdered ? set : set.set as Any, forKey: relationship.name)
        }
    }
}
