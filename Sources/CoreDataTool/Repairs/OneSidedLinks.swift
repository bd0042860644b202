import CoreData

/// Links that only one of two objects has. They are made two-sided if the other object is free, or its side is to-many.
/// They are removed if the other object belongs to a third one.
struct OneSidedLinks {
    struct Link {
        /// The index of the finding.
        let place: Int
        let object: NSManagedObject
        let relationship: NSRelationshipDescription
        let target: NSManagedObject
        let inverse: NSRelationshipDescription

        var isTwoSided: Bool {
            GraphEntity.targets(object, relationship).contains(target)
                && GraphEntity.targets(target, inverse).contains(object)
        }

        /// The object to which the target belongs instead; nil if the target is free.
        var rival: NSManagedObject? { inverse.isToMany ? nil : GraphEntity.targets(target, inverse).first }
    }

    private let links: [Link]

    init(_ links: [Link]) { self.links = links }

    /// Sets the relationships.
    ///
    /// - Returns: the actions, by the indexes of the findings.
    func resolve() -> [Int: String] {
        var done: [Int: String] = [:]
        var open = links
        func resolveLinks(where condition: (Link) -> Bool, _ body: (Link) -> String) -> Bool {
            let before = open.count
            open = open.filter { link in
                if link.isTwoSided {
                    done[link.place] = Self.made
                } else if condition(link) {
                    done[link.place] = body(link)
                } else {
                    return true
                }
                return false
            }
            return open.count < before
        }
        func remove(_ link: Link) -> String {
            let rival = link.rival
            Self.remove(link.target, from: link.object, link.relationship)
            guard let rival else { return "link removed" }
            return "link removed: \(ObjectName.of(link.target.objectID)) leads to \(ObjectName.of(rival.objectID))"
        }
        while !open.isEmpty {
            // If the target and the rival are a whole pair, they stay so, and this link is removed.
            let isRemoved = resolveLinks(
                where: { link in
                    guard let rival = link.rival else { return false }
                    return GraphEntity.targets(rival, link.relationship).contains(link.target)
                }, remove)
            let isMade = resolveLinks(where: { $0.rival == nil }) { link in
                Self.add(link.object, to: link.target, link.inverse)
                return Self.made
            }
            if isRemoved || isMade { continue }
            // The links form a circle: the first one is removed, after which its neighbours can be made two-sided.
            let first = open.removeFirst()
            done[first.place] = remove(first)
        }
        return done
    }

    private static let made = "made two-sided"

    private static func add(
        _ target: NSManagedObject, to object: NSManagedObject, _ relationship: NSRelationshipDescription
    ) {
        set(GraphEntity.targets(object, relationship) + [target], of: object, relationship)
    }

    static func remove(
        _ target: NSManagedObject, from object: NSManagedObject, _ relationship: NSRelationshipDescription
    ) {
        set(GraphEntity.targets(object, relationship).filter { $0 !== target }, of: object, relationship)
    }

    private static func set(
        _ targets: [NSManagedObject], of object: NSManagedObject, _ relationship: NSRelationshipDescription
    ) {
        let value: Any? =
            if !relationship.isToMany {
                targets.last
            } else if relationship.isOrdered {
                NSOrderedSet(array: targets)
            } else {
                Set(targets)
            }
        object.setValue(value, forKey: relationship.name)
    }
}
