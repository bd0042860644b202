import CoreData

/// What a store holds: objects per entity, and the values that mappings will make of them.
struct TrialContent {
    /// Objects of exactly this entity, by its name.
    private(set) var counts: [String: Int] = [:]
    /// Links of a relationship, by entity and name, as "Entity.name", and then by the entity they lead to.
    private(set) var links: [String: [String: Int]] = [:]
    /// The objects' values, by entity; one dictionary for each object.
    private(set) var values: [String: [[String: Any]]] = [:]

    init(of url: URL, _ version: ModelVersion, withValues: Bool = true) throws {
        let model = version.freshModel()
        try TrialStore.open(url, model) { context in
            for entity in model.entities where !entity.isAbstract {
                let name = entity.name ?? ""
                let request = NSFetchRequest<NSManagedObject>(entityName: name)
                request.includesSubentities = false
                guard withValues else {
                    counts[name] = try context.count(for: request)
                    continue
                }
                let objects = try context.fetch(request)
                counts[name] = objects.count
                values[name] = objects.map { object in
                    var values: [String: Any] = [:]
                    for key in entity.attributesByName.keys { values[key] = object.value(forKey: key) }
                    return values
                }
                for key in entity.relationshipsByName.keys {
                    var found: [String: Int] = [:]
                    for object in objects {
                        let value = object.value(forKey: key)
                        let members =
                            (value as? NSManagedObject).map { [$0] } ?? (value as? NSSet)?.allObjects
                            ?? (value as? NSOrderedSet)?.array ?? []
                        for case let member as NSManagedObject in members {
                            found[member.entity.name ?? "", default: 0] += 1
                        }
                    }
                    links["\(name).\(key)"] = found
                }
                context.reset()
            }
        }
    }
}

/// Compares a migrated store with a new one, and its objects with those it had.
struct TrialChecks {
    let older: ModelVersion
    let newer: ModelVersion
    /// The mapping model of the migration; nil for one that was inferred or found among the resources.
    let mapping: NSMappingModel?
    let before: TrialContent

    func problems(_ url: URL, in folder: URL) throws -> [String] {
        let after = try TrialContent(of: url, newer)
        var problems: [String] = []
        let integrity = try TrialDatabase(url).rows("PRAGMA integrity_check").map { $0[0] }
        if integrity != ["ok"] { problems.append("the file is damaged: \(integrity.joined(separator: "; "))") }
        let fresh = folder.appendingPathComponent("Fresh.sqlite")
        defer {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: fresh.path + suffix) }
        }
        try TrialStore.open(fresh, newer.freshModel()) { _ in }
        problems += try StoreSchema(of: url).difference(from: StoreSchema(of: fresh)).map { "schema: \($0)" }
        // Without a given mapping and without an inferred one, a mapping model of the program's has done it.
        let known =
            try? mapping
            ?? NSMappingModel.inferredMappingModel(
                forSourceModel: older.freshModel(), destinationModel: newer.freshModel())
        if let known { problems += compare(after, known) }
        return problems
    }

    private func compare(_ after: TrialContent, _ known: NSMappingModel) -> [String] {
        var problems: [String] = []
        let mappings = known.entityMappings ?? []
        let kept = Set(mappings.filter { $0.destinationEntityName != nil }.compactMap(\.sourceEntityName))
        for (name, count) in after.counts.sorted(by: { $0.key < $1.key }) {
            let sources = mappings.filter { $0.destinationEntityName == name }
            // Code of the program's own may make what it likes.
            if sources.contains(where: { $0.entityMigrationPolicyClassName?.isEmpty == false }) { continue }
            let origins = sources.compactMap(\.sourceEntityName)
            let expected = origins.reduce(0) { $0 + (before.counts[$1] ?? 0) }
            if count != expected {
                problems.append("\(name) has \(count) rows where \(expected) were to be migrated")
                continue
            }
            guard sources.count == 1, let source = sources.first, let origin = source.sourceEntityName,
                let entity = newer.model.entitiesByName[name]
            else { continue }
            problems += compare(after, entity, source, origin, kept: kept)
        }
        return problems
    }

    private func compare(
        _ after: TrialContent, _ entity: NSEntityDescription, _ mapping: NSEntityMapping, _ origin: String,
        kept: Set<String>
    ) -> [String] {
        var problems: [String] = []
        let name = entity.name ?? ""
        for property in mapping.attributeMappings ?? [] {
            guard let key = property.name, let attribute = entity.attributesByName[key],
                let old = older.model.entitiesByName[origin], let source = sourceKey(property.valueExpression),
                old.attributesByName[source] != nil, !attribute.isTransient,
                !(attribute is NSDerivedAttributeDescription), attribute.attributeType != .transformableAttributeType
            else { continue }
            func text(_ value: Any?) -> String { Self.text(value ?? fallback(attribute), attribute.attributeType) }
            let expected = (before.values[origin] ?? []).map { text($0[source]) }.sorted()
            let found = (after.values[name] ?? []).map { text($0[key]) }.sorted()
            if expected != found {
                let example = zip(expected, found).first { $0 != $1 }.map { ": \($0.1) instead of \($0.0)" } ?? ""
                problems.append("\(name).\(key) has other values than \(origin).\(source)\(example)")
            }
        }
        for (key, relationship) in entity.relationshipsByName {
            guard let old = older.model.entitiesByName[origin]?.relationshipsByName[key],
                old.isToMany == relationship.isToMany,
                old.destinationEntity?.name == relationship.destinationEntity?.name,
                old.inverseRelationship?.isToMany == relationship.inverseRelationship?.isToMany,
                (mapping.relationshipMappings ?? []).contains(where: { $0.name == key && $0.valueExpression != nil }),
                let links = before.links["\(origin).\(key)"], let found = after.links["\(name).\(key)"]?.values
            else { continue }
            // What led to objects of an entity that is gone is gone with them.
            let expected = links.filter { kept.contains($0.key) }.values.reduce(0, +)
            let foundCount = found.reduce(0, +)
            if expected != foundCount {
                problems.append("\(name).\(key) has \(foundCount) links where there were \(expected)")
            }
        }
        return problems
    }

    /// What fills a mandatory attribute that had no value.
    private func fallback(_ attribute: NSAttributeDescription) -> Any? {
        attribute.isOptional ? nil : attribute.defaultValue
    }

    /// The key of an expression like `$source.name`; other expressions are the program's own business.
    private func sourceKey(_ expression: NSExpression?) -> String? {
        let text = expression?.description ?? ""
        guard text.hasPrefix("$source.") else { return nil }
        let key = String(text.dropFirst("$source.".count))
        return key.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } ? key : nil
    }

    /// A value as an attribute of a type will hold it.
    private static func text(_ value: Any?, _ type: NSAttributeType) -> String {
        guard let value else { return "nil" }
        guard let number = value as? NSNumber else { return "\(value)" }
        switch type {
        case .floatAttributeType: return "\(number.floatValue)"
        case .booleanAttributeType: return "\(number.boolValue)"
        default: return "\(number.doubleValue)"
        }
    }
}
