/// The origins of the entities and properties of a version in an older one, followed through all versions between
/// them.
struct ModelOrigins {
    /// For every layout of the newer version, the layout of the older one; nil for entities that were added later.
    private(set) var entities: [Int?]
    /// For every layout of the newer version, the names of the older version's properties by those of its own.
    private(set) var properties: [[String: String]]

    /// The events between the versions that concern the values of a property, or the place of an entity. The result of
    /// two equal events depends on the events between them.
    private struct Events: OptionSet {
        let rawValue: Int
        static let type = Events(rawValue: 1)
        static let tag = Events(rawValue: 2)
        static let fill = Events(rawValue: 4)
        static let derivation = Events(rawValue: 8)
        static let ends = Events(rawValue: 16)
        static let parent = Events(rawValue: 32)
        /// Events that can occur in one version only.
        static let unique = Events(rawValue: 64)
    }

    private var entityEvents: [Events]
    private var propertyEvents: [[String: Events]]
    /// Properties whose values in the older version may be missing.
    private var mayBeMissing: [Set<String>]
    /// Whether the direct hop gives the same rows as hops through every version.
    private(set) var isSame = true

    /// Starts with the origins of one hop.
    init(_ difference: ModelDifference) {
        entities = difference.sourceOf
        properties = difference.properties.map { $0.mapValues(\.name) }
        entityEvents = difference.sourceOf.indices.map { Self.parentMoved($0, difference) ? .parent : [] }
        propertyEvents = difference.properties.map { _ in [:] }
        mayBeMissing = difference.properties.map { names in Set(names.filter(\.value.isOptional).keys) }
        for entity in difference.destination.entities {
            for (name, old) in difference.properties[entity.index] {
                guard let new = entity.entity.propertiesByName[name] else { continue }
                propertyEvents[entity.index][name] = Self.events(old, new, difference, mayBeMissing: old.isOptional)
            }
        }
    }

    /// Adds one more hop.
    mutating func follow(_ next: ModelDifference) {
        let before = self
        entities = next.sourceOf.map { $0.flatMap { before.entities[$0] } }
        entityEvents = next.sourceOf.map { $0.map { before.entityEvents[$0] } ?? [] }
        properties = next.properties.map { _ in [:] }
        propertyEvents = properties.map { _ in [:] }
        mayBeMissing = properties.map { _ in [] }
        for entity in next.destination.entities {
            let index = entity.index
            // An entity that was added in between has no rows, and the rows of its older form were deleted.
            guard let middle = next.sourceOf[index], before.entities[middle] != nil else { continue }
            if Self.parentMoved(index, next), !entityEvents[index].insert(.parent).inserted { isSame = false }
            for (name, old) in next.properties[index] {
                guard let new = entity.entity.propertiesByName[name] else { continue }
                let isMissing = before.mayBeMissing[middle].contains(old.name)
                let earlier = before.propertyEvents[middle][old.name] ?? []
                guard let origin = before.properties[middle][old.name] else {
                    // The property was added in between, with the values that a new one gets. They are the same if it
                    // is the same.
                    let isKept = Self.events(old, new, next, mayBeMissing: false).isEmpty && Self.startsAlike(old, new)
                    if !isKept { isSame = false }
                    continue
                }
                let events = Self.events(old, new, next, mayBeMissing: isMissing)
                if !events.isDisjoint(with: earlier) || events.contains(.unique)
                    || earlier.contains(.unique) && !events.isEmpty
                {
                    isSame = false
                }
                properties[index][name] = origin
                propertyEvents[index][name] = events.union(earlier)
                if isMissing { mayBeMissing[index].insert(name) }
            }
        }
    }

    /// Whether a difference takes the same values from the same places.
    func agree(with difference: ModelDifference) -> Bool {
        difference.sourceOf == entities && difference.properties.map { $0.mapValues(\.name) } == properties
    }

    // MARK: The events of one hop

    private static func parentMoved(_ index: Int, _ difference: ModelDifference) -> Bool {
        guard let origin = difference.sourceOf[index] else { return false }
        let before = difference.source.entities[origin].superIndex
        let after = difference.destination.entities[index].superIndex
        return (before == nil) != (after == nil) || before.flatMap { difference.destinationOf[$0] } != after
    }

    private static func events(
        _ old: NSPropertyDescription, _ new: NSPropertyDescription, _ difference: ModelDifference, mayBeMissing: Bool
    ) -> Events {
        switch (old, new) {
        case (let old as NSCompositeAttributeDescription, let new as NSCompositeAttributeDescription):
            return old.leaves.map { "\($0.path) \(facts(of: $0.attribute))" }
                == new.leaves.map { "\($0.path) \(facts(of: $0.attribute))" } ? [] : .unique
        case (let old as NSAttributeDescription, let new as NSAttributeDescription):
            guard let conversion = AttributeConversion(from: old, to: new) else { return .unique }
            var events: Events = []
            let isWidened = conversion == .none && !isReal(old) && !isReal(new)
            if old.attributeType != new.attributeType, !isWidened { events.insert(.type) }
            if conversion.tag != nil { events.insert(.tag) }
            if mayBeMissing, !sameValue(fill(old), fill(new)) { events.insert(.fill) }
            if derivation(old) != derivation(new) { events.insert(.derivation) }
            return events
        case (let old as NSRelationshipDescription, let new as NSRelationshipDescription):
            let end = new.destinationEntity.flatMap { difference.destination.layout(of: $0) }
            let oldEnd = old.destinationEntity.flatMap { difference.source.layout(of: $0) }
            let inverse = new.inverseRelationship.flatMap { difference.source(of: $0) }
            let isKept =
                old.isToMany == new.isToMany && old.isOrdered == new.isOrdered && oldEnd != nil
                && end.flatMap { difference.sourceOf[$0.index] } == oldEnd?.index
                && (old.inverseRelationship == nil) == (new.inverseRelationship == nil)
                && inverse === old.inverseRelationship
            return isKept ? [] : .ends
        default: return .unique
        }
    }

    private static func isReal(_ attribute: NSAttributeDescription) -> Bool {
        [.doubleAttributeType, .floatAttributeType, .decimalAttributeType].contains(attribute.attributeType)
    }

    /// The substitute for a missing value.
    private static func fill(_ attribute: NSAttributeDescription) -> Any? {
        attribute.isOptional ? nil : attribute.defaultValue
    }

    private static func derivation(_ attribute: NSAttributeDescription) -> String? {
        (attribute as? NSDerivedAttributeDescription).map { $0.derivationExpression?.description ?? "" }
    }

    private static func facts(of attribute: NSAttributeDescription) -> String {
        "\(attribute.attributeType) \(attribute.isOptional) \(attribute.renamingIdentifier ?? "") \(attribute.defaultValue ?? "")"
    }

    /// Whether two properties have the same values where they are new.
    private static func startsAlike(_ old: NSPropertyDescription, _ new: NSPropertyDescription) -> Bool {
        guard let old = old as? NSAttributeDescription, let new = new as? NSAttributeDescription else { return true }
        return sameValue(old.defaultValue, new.defaultValue)
    }
}
