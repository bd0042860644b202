import CoreData

/// A difference between two versions, for the message of a finding.
struct GateChange {
    let entity: String
    let property: String?
    /// The difference in words.
    let text: String
    /// What becomes of a store that is not migrated.
    var fate = ""

    /// The differences that stores notice.
    static func changes(from old: NSManagedObjectModel, to new: NSManagedObjectModel) -> [GateChange] {
        let found = MigrationVerdict.changes(from: old, to: new).map(GateChange.init) + constraints(from: old, to: new)
        if !found.isEmpty { return found }
        // Modifiers and limits are no changes of rows. Neither is what cannot be inferred.
        let (before, after) = (old.entityVersionHashesByName, new.entityVersionHashesByName)
        return Set(before.keys).union(after.keys).sorted().filter { before[$0] != after[$0] }
            .map { change(of: $0, old.entitiesByName[$0], new.entitiesByName[$0]) }
    }

    private static func constraints(from old: NSManagedObjectModel, to new: NSManagedObjectModel) -> [GateChange] {
        let former = old.entitiesByName
        return new.entities.flatMap { entity -> [GateChange] in
            guard let name = entity.name, let before = former[name] else { return [] }
            let (gone, added) = (before.uniquenessConstraintNames, entity.uniquenessConstraintNames)
            func changed(_ keys: [String], _ state: String) -> GateChange {
                GateChange(
                    entity: name, property: keys.first,
                    text: keys.map { "\(name).\($0)" }.joined(separator: " with ") + " \(state)")
            }
            return gone.filter { !added.contains($0) }.map { changed($0, "no longer unique") }
                + added.filter { !gone.contains($0) }.map { changed($0, "made unique") }
        }
    }

    private static func change(
        of name: String, _ old: NSEntityDescription?, _ new: NSEntityDescription?
    ) -> GateChange {
        guard let old, let new else {
            return GateChange(entity: name, property: nil, text: "entity \(name) \(old == nil ? "added" : "removed")")
        }
        let property = new.properties.sorted { $0.name < $1.name }.first { property in
            old.propertiesByName[property.name].map { $0.versionHash != property.versionHash } ?? true
        }
        return GateChange(
            entity: name, property: property?.name,
            text: property.map { "\(name).\($0.name) changed" } ?? "entity \(name) changed")
    }

    private init(entity: String, property: String?, text: String, fate: String = "") {
        (self.entity, self.property, self.text, self.fate) = (entity, property, text, fate)
    }

    private init(_ change: ModelChange) {
        text = "\(change)"
        switch change {
        case .entityAdded(let name), .entityRemoved(let name), .entityRenamed(_, let name),
            .parentChanged(let name, _, _):
            (entity, property) = (name, nil)
        case .propertyAdded(let owner, let name), .propertyRemoved(let owner, let name),
            .madeOptional(let owner, let name),
            .propertyRenamed(let owner, _, let name), .madeMandatory(let owner, let name),
            .typeChanged(let owner, let name, _, _), .externalStorageChanged(let owner, let name, _),
            .madeToMany(let owner, let name), .orderingChanged(let owner, let name, _),
            .inverseChanged(let owner, let name), .destinationChanged(let owner, let name, _, _, _),
            .movedToSubentity(let owner, let name):
            (entity, property) = (owner, name)
        }
    }

    // MARK: What hashes do not show

    /// The first difference that concerns stores and that version hashes do not show: an index, or the transformer of
    /// values.
    static func unhashed(from old: NSManagedObjectModel, to new: NSManagedObjectModel) -> GateChange? {
        let (before, after) = (facts(of: old), facts(of: new))
        let keys = Set(before.keys).union(after.keys).sorted()
        return keys.first { before[$0]?.text != after[$0]?.text }.flatMap { after[$0] ?? before[$0] }
    }

    /// Whether two versions of equal hashes are equal for stores.
    static func isEqual(_ one: GateVersion, _ other: GateVersion) -> Bool {
        guard let old = one.model, let new = other.model else { return false }
        return unhashed(from: old, to: new) == nil
    }

    private static func facts(of model: NSManagedObjectModel) -> [String: GateChange] {
        var result: [String: GateChange] = [:]
        for entity in model.entities {
            let name = entity.name ?? ""
            for index in entity.indexes {
                let elements = index.elements.map { ($0.propertyName ?? "?") + ($0.isAscending ? "" : " descending") }
                let condition = index.partialIndexPredicate.map { " where \($0)" } ?? ""
                result["\(name) index \(index.name)"] = GateChange(
                    entity: name, property: nil,
                    text: "index '\(index.name)' of \(name): \(elements.joined(separator: ", "))\(condition)",
                    fate: "they stay without the index")
            }
            for case let attribute as NSAttributeDescription in entity.properties
            where attribute.entity === entity && attribute.attributeType == .transformableAttributeType {
                result["\(name) transformer \(attribute.name)"] = GateChange(
                    entity: name, property: attribute.name,
                    text: "transformer of \(name).\(attribute.name): \(attribute.valueTransformerName ?? "none")",
                    fate: "the new transformer reads values that the older one wrote")
            }
        }
        return result
    }
}
