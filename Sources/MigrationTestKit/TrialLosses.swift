import CoreData

/// The losses of a store of a later version that becomes one of an older version. They are found by comparing the
/// store's content with the content that both models have.
struct TrialLosses {
    /// Rows of an entity, or their values in one property.
    struct Loss: CustomStringConvertible {
        /// The entity; for a property the entity that declares it.
        var entity: String
        /// The name of the property; nil if whole rows are lost.
        var property: String?
        var rows: Int

        var name: String { property.map { "\(entity).\($0)" } ?? entity }
        var description: String { "\(name), \(rows) row\(rows == 1 ? "" : "s")" }

        /// Whether a text has the names of the entity and the property.
        func isNamed(in text: String) -> Bool {
            let words = Set(text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
            return words.contains(entity) && property.map { words.contains($0) } ?? true
        }
    }

    let losses: [Loss]

    /// Returns nil if no mapping can be inferred, because then there is no common content to compare with.
    init?(_ before: TrialContent, from newer: ModelVersion, to older: ModelVersion) {
        let (source, target) = (newer.freshModel(), older.freshModel())
        guard
            let mapping = try? NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: target)
        else { return nil }
        let mappings = Dictionary(
            (mapping.entityMappings ?? []).filter { $0.destinationEntityName != nil }.map {
                ($0.sourceEntityName ?? "", $0)
            },
            uniquingKeysWith: { first, _ in first })
        var losses: [Loss] = []
        func add(_ entity: String?, _ property: String?, _ rows: Int) {
            let loss = Loss(entity: entity ?? "", property: property, rows: rows)
            if let place = losses.firstIndex(where: { $0.name == loss.name }) {
                losses[place].rows += rows
            } else if rows > 0 {
                losses.append(loss)
            }
        }
        for entity in source.entities.sorted(by: { ($0.name ?? "") < ($1.name ?? "") }) where !entity.isAbstract {
            let objects = before.objects[entity.name ?? ""] ?? []
            guard !objects.isEmpty else { continue }
            guard let mapping = mappings[entity.name ?? ""] else {
                add(entity.name, nil, objects.count)
                continue
            }
            if mapping.mappingType == .copyEntityMappingType { continue }
            let kept = Set((mapping.attributeMappings ?? []).compactMap { $0.valueExpression?.sourceKey })
            for (name, attribute) in entity.attributesByName.sorted(by: { $0.key < $1.key })
            where !kept.contains(name) && !attribute.isTransient && !(attribute is NSDerivedAttributeDescription) {
                let fallback = TrialChecks.text(attribute.defaultValue, attribute.attributeType)
                let rows = objects.filter { object in
                    guard let value = object.values[name] else { return false }
                    return TrialChecks.text(value, attribute.attributeType) != fallback
                }
                add(attribute.entity.name, name, rows.count)
            }
            for (name, relationship) in entity.relationshipsByName.sorted(by: { $0.key < $1.key })
            where !relationship.isTransient && !Self.isKept(relationship, mapping, mappings) {
                let rows = objects.filter { $0.links[name]?.isEmpty == false }
                add(relationship.entity.name, name, rows.count)
            }
        }
        self.losses = losses
    }

    /// Whether the links of a relationship are kept: by itself, or by its inverse. They also count as kept if the
    /// objects to which the relationship leads are lost, because that is a loss of its own.
    private static func isKept(
        _ relationship: NSRelationshipDescription, _ mapping: NSEntityMapping, _ mappings: [String: NSEntityMapping]
    ) -> Bool {
        func keeps(_ mapping: NSEntityMapping?, _ name: String) -> Bool {
            guard let mapping else { return false }
            return mapping.mappingType == .copyEntityMappingType
                || (mapping.relationshipMappings ?? []).contains { $0.valueExpression?.sourceRelationship == name }
        }
        if keeps(mapping, relationship.name) { return true }
        guard let target = relationship.destinationEntity else { return true }
        let targets = concrete(target)
        if targets.allSatisfy({ mappings[$0] == nil }) { return true }
        return relationship.inverseRelationship.map { inverse in targets.contains { keeps(mappings[$0], inverse.name) }
        }
            ?? false
    }

    private static func concrete(_ entity: NSEntityDescription) -> [String] {
        (entity.isAbstract ? [] : [entity.name ?? ""]) + entity.subentities.flatMap(concrete)
    }
}
