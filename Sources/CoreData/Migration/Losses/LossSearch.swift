import Foundation

/// Finds the content of a store's version that has no place at the end of the hops, by comparing the models. Only the
/// store itself shows whether any row has it.
struct LossSearch {
    /// Content that is lost: the objects of an entity, or a property of the entity.
    struct Lost {
        /// The entity's name in the store's version; for a property the entity that declares it.
        var entity: String
        /// The name of the property; empty if objects are lost. For an element of a composite attribute it is the key
        /// path's parts.
        var path: [String]
        /// The entities whose objects lose it, as places in the layout of the store's version.
        var layouts: [Int]

        var property: String? { path.isEmpty ? nil : path.joined(separator: ".") }
        var name: String { ([entity] + path).joined(separator: ".") }
    }

    private let source: ModelLayout
    private let all: [Int: SchemaElement]
    private var kept: [Int: SchemaElement]

    /// - Parameter stored: the names of the entities that the store holds; nil for all.
    init(_ source: NSManagedObjectModel, storing stored: Set<String>?) {
        self.source = source.layout
        let held = stored.map { MigrationMap.layouts(of: $0, in: source) }
        all = SchemaElement.all(of: source.layout.entities.filter { held?.contains($0.index) ?? true })
        kept = all
    }

    /// The losses of some hops. If a hop is impossible, the search ends before it, because the migration itself reports
    /// why.
    static func lost(
        on hops: [MigrationHop], storing stored: Set<String>?, configuration: String?
    ) -> [Lost] {
        guard let first = hops.first else { return [] }
        var search = LossSearch(first.source, storing: stored)
        var held = stored.map { MigrationMap.layouts(of: $0, in: first.source) }
        for hop in hops {
            let heldThere = MigrationMap.layouts(ofConfiguration: configuration, in: hop.target)
            switch hop.means {
            case .mapping(let mapping): search.follow(mapping)
            case .inferred:
                guard
                    let difference = hop.difference
                        ?? (try? ModelDifference(
                            from: hop.source.layout, to: hop.target.layout, storedSource: held,
                            storedDestination: heldThere))
                else { return search.lost }
                search.kept = SchemaElement.names(of: search.kept, after: difference)
            }
            held = heldThere
        }
        return search.lost
    }

    /// Follows a mapping model. The mapping model keeps properties that an expression reads, and all properties that a
    /// policy may read.
    private mutating func follow(_ mapping: NSMappingModel) {
        let mappings = (mapping.entityMappings ?? []).filter { $0.destinationEntityName != nil }
        let bySource = Dictionary(grouping: mappings) { $0.sourceEntityName ?? "" }
        kept = kept.compactMapValues { element in
            guard let own = bySource[element.entity], let name = own[0].destinationEntityName else { return nil }
            guard let property = element.path.first else { return SchemaElement(entity: name) }
            for mapping in own {
                if mapping.entityMigrationPolicyClassName != nil { return element }
                for new in (mapping.attributeMappings ?? []) + (mapping.relationshipMappings ?? []) {
                    guard let text = new.valueExpression?.description, Self.reads(property, in: text) else { continue }
                    return SchemaElement(
                        entity: mapping.destinationEntityName ?? name,
                        path: [new.name ?? property] + element.path.dropFirst())
                }
            }
            return nil
        }
    }

    private static func reads(_ property: String, in expression: String) -> Bool {
        let name = NSRegularExpression.escapedPattern(for: property)
        return expression.range(of: "(^|[^A-Za-z0-9_])\(name)($|[^A-Za-z0-9_])", options: .regularExpression) != nil
    }

    /// The losses so far, without those that are lost with their entity's objects.
    private var lost: [Lost] {
        let left = Set(all.filter { kept[$0.key] != nil }.values)
        var result: [Lost] = []
        var places: [String: Int] = [:]
        for (_, element) in all.filter({ kept[$0.key] == nil }).sorted(by: { $0.key < $1.key }) {
            guard let layout = source.layout(named: element.entity), !layout.entity.isAbstract else { continue }
            guard let name = element.path.first else {
                result.append(Lost(entity: element.entity, path: [], layouts: [layout.index]))
                continue
            }
            guard left.contains(SchemaElement(entity: element.entity)),
                let property = layout.entity.propertiesByName[name]
            else { continue }
            // The links of a relationship are kept if the next version has either side.
            if let inverse = (property as? NSRelationshipDescription)?.inverseRelationship,
                left.contains(SchemaElement(entity: inverse.entity.name ?? "", path: [inverse.name]))
            {
                continue
            }
            let lost = Lost(
                entity: property.entity.name ?? element.entity, path: element.path, layouts: [layout.index])
            if let place = places[lost.name] {
                result[place].layouts.append(layout.index)
            } else {
                places[lost.name] = result.count
                result.append(lost)
            }
        }
        return result
    }
}

extension MigrationMap {
    /// The layouts that a store of a configuration holds at a version; nil for all.
    static func layouts(ofConfiguration configuration: String?, in version: NSManagedObjectModel) -> Set<Int>? {
        if configuration == nil || configuration == NSManagedObjectModel.defaultConfigurationName { return nil }
        return version.entities(forConfigurationName: configuration).map {
            layouts(of: Set($0.compactMap(\.name)), in: version)
        }
    }
}
