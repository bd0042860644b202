import CoreData

/// The uniqueness constraints of an entity: those of one own property, and the other ones.
struct SwiftUniqueness {
    private let entity: NSEntityDescription
    /// The own properties that are unique by themselves.
    private(set) var properties: Set<String> = []
    private var others: [[String]] = []
    /// Why constraints have no place.
    private(set) var missing: [String] = []

    init(_ entity: NSEntityDescription) {
        self.entity = entity
        let own = Set(entity.ownProperties.map(\.name))
        for names in entity.uniquenessConstraintNames {
            let found = names.compactMap { entity.propertiesByName[$0] }
            let list = names.joined(separator: ", ")
            if found.count < names.count || found.contains(where: Self.hasNoPlace) {
                missing.append("no class of SwiftData has the constraint of \(list)")
            } else if names.count == 1, own.contains(names[0]), properties.insert(names[0]).inserted {
                continue
            } else {
                others.append(names)
            }
        }
    }

    private static func hasNoPlace(_ property: NSPropertyDescription) -> Bool {
        property is NSDerivedAttributeDescription || (property as? NSRelationshipDescription)?.isToMany == true
    }

    /// The macro for the constraints that stand at no property.
    func lines(_ className: String) -> [String] {
        others.isEmpty ? [] : ["#Unique<\(className)>(\(others.map(SwiftIndexes.list).joined(separator: ", ")))"]
    }
}

/// The indexes of an entity.
enum SwiftIndexes {
    /// The macro for the indexes of properties, in the order of their values.
    static func lines(of entity: NSEntityDescription, _ className: String) -> [String] {
        let lists = entity.indexes.compactMap { index -> String? in
            let names = index.elements.compactMap { element -> String? in
                guard element.collationType == .binary, element.isAscending, let name = element.propertyName,
                    let property = entity.propertiesByName[name], !(property is NSDerivedAttributeDescription),
                    (property as? NSRelationshipDescription)?.isToMany != true, !property.isTransient
                else { return nil }
                return name
            }
            let isPlain = names.count == index.elements.count && index.partialIndexPredicate == nil
            return isPlain && !names.isEmpty ? list(names) : nil
        }
        return lists.isEmpty ? [] : ["#Index<\(className)>(\(lists.joined(separator: ", ")))"]
    }

    static func list(_ names: [String]) -> String {
        "[\(names.map { "\\.\(SwiftLiteral.name($0))" }.joined(separator: ", "))]"
    }
}
