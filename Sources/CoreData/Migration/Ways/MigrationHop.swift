/// The migration from one version to the next, and its means.
struct MigrationHop {
    enum Means {
        /// The mapping is inferred; SQLite does the work in place.
        case inferred
        /// A mapping model carries over the rows, object by object.
        case mapping(NSMappingModel)
    }

    var source: NSManagedObjectModel
    var target: NSManagedObjectModel
    var means: Means
    /// The stage that runs code of the program's own before or after the hop.
    var stage: NSCustomMigrationStage?
    /// The changes that concern the store's content, once the models have been compared.
    var difference: ModelDifference?

    var isInferred: Bool {
        if case .inferred = means { true } else { false }
    }

    /// Whether code of the program's own takes part: the policies of a mapping model, or the handlers of a stage.
    var runsCode: Bool { !isInferred || stage != nil }

    /// The name of the mapping model, for messages.
    var name: String {
        guard case .mapping(let mapping) = means else { return "inferred" }
        return mapping.fileName ?? "in code"
    }

    /// The label of the stage, for messages; nil if there is none.
    var stageName: String? { stage.map { $0.label ?? "without a label" } }
}

extension MigrationHop {
    /// Whether the hop is inferred and requires values that no row of the older version can have.
    var demandsValues: Bool {
        guard isInferred, let difference else { return false }
        return difference.destination.entities.contains { entity in
            guard !entity.entity.isAbstract, difference.sourceOf[entity.index] != nil else { return false }
            return entity.entity.properties.contains { property in
                guard !property.isOptional, !property.isTransient,
                    difference.properties[entity.index][property.name] == nil
                else { return false }
                if property is NSDerivedAttributeDescription { return false }
                if let attribute = property as? NSAttributeDescription { return attribute.defaultValue == nil }
                return (property as? NSRelationshipDescription)?.isToMany == false
            }
        }
    }

    /// Whether the hop loses content of the store that the last version has again, under the same name.
    func forgets(_ end: some Sequence<NSEntityDescription>, _ isHeld: (String) -> Bool) -> Bool {
        let entities = Dictionary(end.map { ($0.name ?? "", $0) }, uniquingKeysWith: { first, _ in first })
        let kept = Set(entities.values.flatMap { [$0.name, $0.renamingIdentifier] }.compactMap(\.self))
        switch means {
        case .mapping(let mapping):
            let carried = Set(
                (mapping.entityMappings ?? []).filter { $0.destinationEntityName != nil }.compactMap(\.sourceEntityName)
            )
            return source.entities.contains { entity in
                guard !entity.isAbstract, let name = entity.name, isHeld(name) else { return false }
                return kept.contains(name) && !carried.contains(name)
            }
        case .inferred:
            guard let difference else { return true }
            return difference.changes.contains { change in
                switch change {
                case .entityRemoved(let name): return kept.contains(name)
                case .propertyRemoved(let entity, let property):
                    let name = difference.source.layout(named: entity)
                        .flatMap { difference.destinationOf[$0.index] }
                        .map { difference.destination.entities[$0].name }
                    let later = name.flatMap { entities[$0] } ?? entities[entity]
                    return later?.properties.contains { $0.name == property || $0.renamingIdentifier == property }
                        ?? false
                default: return false
                }
            }
        }
    }
}
