/// A schema element with its names in one version: an entity, a property (declared or inherited), or an element of a
/// composite attribute.
struct SchemaElement: Hashable {
    var entity: String
    /// Empty for the entity itself.
    var path: [String] = []

    /// The content that a store has of some entities. Derived attributes are computed again.
    static func all(of entities: [EntityLayout]) -> [Int: SchemaElement] {
        var result: [SchemaElement] = []
        for entity in entities {
            result.append(SchemaElement(entity: entity.name))
            for property in ModelDifference.stored(entity) where !(property is NSDerivedAttributeDescription) {
                let paths = (property as? NSCompositeAttributeDescription)?.leaves.map(\.path) ?? [[]]
                result += paths.map { SchemaElement(entity: entity.name, path: [property.name] + $0) }
            }
        }
        return Dictionary(uniqueKeysWithValues: result.enumerated().map { ($0, $1) })
    }

    /// The names of schema elements after a hop, without those that the hop loses.
    static func names(of elements: [Int: SchemaElement], after difference: ModelDifference) -> [Int: SchemaElement] {
        var newNames: [Int: [String: String]] = [:]
        return elements.compactMapValues { element in
            guard let older = difference.source.layout(named: element.entity),
                let newer = difference.destinationOf[older.index]
            else { return nil }
            let entity = difference.destination.entities[newer]
            guard let name = element.path.first else { return SchemaElement(entity: entity.name) }
            if newNames[newer] == nil {
                let pairs = difference.properties[newer].map { ($1.name, $0) }
                newNames[newer] = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
            }
            guard let newName = newNames[newer]?[name] else { return nil }
            // An attribute that is derived from now on is computed, without regard to its former values.
            if entity.entity.propertiesByName[newName] is NSDerivedAttributeDescription { return nil }
            guard element.path.count > 1 else { return SchemaElement(entity: entity.name, path: [newName]) }
            guard let old = difference.properties[newer][newName] as? NSCompositeAttributeDescription,
                let new = entity.entity.propertiesByName[newName] as? NSCompositeAttributeDescription
            else { return nil }
            let element = new.leaves.first { leaf in
                difference.formerPath(of: leaf.path[...], in: new, from: old).map { $0[...] }
                    == element.path.dropFirst()
            }
            return element.map { SchemaElement(entity: entity.name, path: [newName] + $0.path) }
        }
    }
}
