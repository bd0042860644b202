import CoreData

/// Compares a migrated store with a new one, and its objects with those before the migration.
struct TrialChecks {
    let older: ModelVersion
    let newer: ModelVersion
    /// The mapping model of the migration; nil for an inferred one or one among the resources.
    let mapping: NSMappingModel?
    let before: TrialContent
    /// The version whose schema the file must have, if it is not the newer one. Between versions with the same hashes
    /// there is no migration.
    var built: ModelVersion?
    /// The options with which a new store is made.
    var storeOptions: [AnyHashable: Any] = [:]
    /// Whether no code of the program has changed objects.
    var comparesObjects = true
    /// Whether a mandatory property may have a new value in place of a missing one.
    var allowsNewValues = false

    func problems(_ url: URL, in folder: URL) throws -> [String] {
        let after = try TrialContent(of: url, newer, options: storeOptions)
        var problems: [String] = []
        let damage = try TrialDatabase.damage(in: url)
        if !damage.isEmpty { problems.append("the file is damaged: \(damage.joined(separator: "; "))") }
        let fresh = try StoreSchema(
            ofNewStoreOf: built ?? newer, as: url, in: folder, options: storeOptions)
        problems += try StoreSchema(of: url).difference(from: fresh).map { "schema: \($0)" }
        guard comparesObjects else { return problems }
        // Without a given mapping and without an inferred one, a mapping model of the program's has migrated the store.
        let known =
            try? mapping
            ?? NSMappingModel.inferredMappingModel(
                forSourceModel: older.freshModel(), destinationModel: newer.freshModel())
        if let known { problems += compare(after, known.entityMappings ?? []) }
        return problems
    }

    // MARK: Entities

    /// An entity whose objects all come from those of one other entity, by expressions that name the sources of the
    /// values.
    private struct Pair {
        var origin: String
        var name: String
        /// Attributes of the newer version with the names of the older ones.
        var attributes: [(newer: NSAttributeDescription, older: String)]
        var relationships: [(newer: NSRelationshipDescription, older: String)]
    }

    private func compare(_ after: TrialContent, _ mappings: [NSEntityMapping]) -> [String] {
        var problems: [String] = []
        var pairs: [Pair] = []
        for (name, count) in after.counts.sorted(by: { $0.key < $1.key }) {
            let sources = mappings.filter { $0.destinationEntityName == name }
            // Code of the program's own may make any objects.
            if sources.contains(where: { $0.entityMigrationPolicyClassName?.isEmpty == false }) { continue }
            let origins = sources.compactMap(\.sourceEntityName)
            let expected = origins.reduce(0) { $0 + (before.counts[$1] ?? 0) }
            if count != expected {
                problems.append("\(name) has \(count) rows where \(expected) were to be migrated")
                continue
            }
            guard sources.count == 1, let source = sources.first, let origin = source.sourceEntityName,
                mappings.filter({ $0.sourceEntityName == origin && $0.destinationEntityName != nil }).count == 1,
                let pair = pair(source, origin, name)
            else { continue }
            pairs.append(pair)
        }
        // Whole entities count as removed only if no mapping leads them to an entity of the newer version.
        let kept = Set(mappings.filter { $0.destinationEntityName != nil }.compactMap(\.sourceEntityName))
        let keepsKeys = before.identifier != nil && before.identifier == after.identifier
        let names = Dictionary(pairs.map { ($0.origin, $0.name) }, uniquingKeysWith: { first, _ in first })
        for pair in pairs {
            let old = (before.objects[pair.origin] ?? []).map { described($0, pair, isOlder: true) }
            let new = (after.objects[pair.name] ?? []).map { described($0, pair, isOlder: false) }
            problems += keepsKeys ? byKey(old, new, pair) : byValues(old, new, pair)
        }
        // If rows have new keys, the check identifies objects by their values.
        let texts = { (content: TrialContent, isOlder: Bool) -> [TrialContent.Reference: String] in
            var result: [TrialContent.Reference: String] = [:]
            for pair in pairs {
                for object in content.objects[isOlder ? pair.origin : pair.name] ?? [] {
                    let text = keepsKeys ? object.reference.key : described(object, pair, isOlder: isOlder).text
                    result[object.reference] = "\(pair.name) \(text)"
                }
            }
            return result
        }
        let (oldTexts, newTexts) = (texts(before, true), texts(after, false))
        for pair in pairs {
            for (relationship, olderName) in pair.relationships {
                let targets = subtree(older.model.entitiesByName[pair.origin]?.relationshipsByName[olderName])
                // Only the program's own mapping determines links to objects whose entity is not compared.
                guard targets.allSatisfy({ names[$0] != nil || !kept.contains($0) }) else { continue }
                problems += compareLinks(
                    of: relationship, olderName: olderName, pair: pair, after: after, oldTexts: oldTexts,
                    newTexts: newTexts)
            }
        }
        return problems
    }

    /// The names of the entities of which a relationship can have objects.
    private func subtree(_ relationship: NSRelationshipDescription?) -> [String] {
        func names(_ entity: NSEntityDescription) -> [String] {
            (entity.isAbstract ? [] : [entity.name ?? ""]) + entity.subentities.flatMap(names)
        }
        return relationship?.destinationEntity.map(names) ?? []
    }

    private func pair(_ mapping: NSEntityMapping, _ origin: String, _ name: String) -> Pair? {
        guard let old = older.model.entitiesByName[origin], let new = newer.model.entitiesByName[name] else {
            return nil
        }
        let attributes = (mapping.attributeMappings ?? []).compactMap { property -> (NSAttributeDescription, String)? in
            guard let attribute = property.name.flatMap({ new.attributesByName[$0] }),
                let source = property.valueExpression?.sourceKey, old.attributesByName[source] != nil,
                !attribute.isTransient, !(attribute is NSDerivedAttributeDescription)
            else { return nil }
            return (attribute, source)
        }
        let relationships = (mapping.relationshipMappings ?? []).compactMap {
            property -> (NSRelationshipDescription, String)? in
            guard let relationship = property.name.flatMap({ new.relationshipsByName[$0] }),
                let source = property.valueExpression?.sourceRelationship, old.relationshipsByName[source] != nil,
                !relationship.isTransient
            else { return nil }
            return (relationship, source)
        }
        return Pair(
            origin: origin, name: name, attributes: attributes.sorted { $0.0.name < $1.0.name },
            relationships: relationships.sorted { $0.0.name < $1.0.name })
    }

    // MARK: Values

    /// An object as the newer version has it, or should have it.
    private struct Described {
        var key: String
        var values: [String]
        var text: String { values.joined(separator: ", ") }
    }

    private func described(_ object: TrialContent.Object, _ pair: Pair, isOlder: Bool) -> Described {
        Described(
            key: object.reference.key,
            values: pair.attributes.map { attribute, source in
                let value = object.values[isOlder ? source : attribute.name]
                let known = older.model.entitiesByName[pair.origin]?.attributesByName[source]
                return Self.text(
                    Self.shared(value, attribute, known) ?? (isOlder ? fallback(attribute) : nil),
                    attribute.attributeType)
            })
    }

    private func byKey(_ old: [Described], _ new: [Described], _ pair: Pair) -> [String] {
        let found = Dictionary(new.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        var problems: [String] = []
        for object in old {
            guard let other = found[object.key] else {
                problems.append("\(pair.name) has no row \(object.key) any more")
                continue
            }
            for (place, attribute) in pair.attributes.enumerated() where object.values[place] != other.values[place] {
                if allowsNewValues, object.values[place] == "nil", !attribute.newer.isOptional { continue }
                problems.append(
                    "\(pair.name).\(attribute.newer.name), row \(object.key), is \(other.values[place]) instead of "
                        + "\(object.values[place])")
            }
        }
        return Self.first(problems)
    }

    private func byValues(_ old: [Described], _ new: [Described], _ pair: Pair) -> [String] {
        Self.first(
            Self.difference(old.map(\.text), new.map(\.text)).map { isLost, text in
                let names = pair.attributes.map(\.newer.name).joined(separator: ", ")
                return "\(pair.name) has \(isLost ? "no" : "a new") row with \(names) = \(text)"
            })
    }

    // MARK: Links

    private func compareLinks(
        of relationship: NSRelationshipDescription, olderName: String, pair: Pair, after: TrialContent,
        oldTexts: [TrialContent.Reference: String], newTexts: [TrialContent.Reference: String]
    ) -> [String] {
        let wasOrdered =
            older.model.entitiesByName[pair.origin]?.relationshipsByName[olderName]?.isOrdered ?? false
        func lines(
            _ objects: [TrialContent.Object], _ name: String, _ texts: [TrialContent.Reference: String]
        ) -> [String] {
            objects.map { object in
                // Links to objects of a removed entity are removed with them.
                var members = (object.links[name] ?? []).compactMap { texts[$0] }
                if !wasOrdered || !relationship.isOrdered { members.sort() }
                return "\(texts[object.reference] ?? "") → \(members.joined(separator: "; "))"
            }
        }
        let old = lines(before.objects[pair.origin] ?? [], olderName, oldTexts)
        let new = lines(after.objects[pair.name] ?? [], relationship.name, newTexts)
        return Self.first(
            Self.difference(old, new).map { isLost, line in
                "\(pair.name).\(relationship.name) has \(isLost ? "lost" : "got") the links \(line)"
            })
    }

    // MARK: Helpers

    /// The elements that one of two lists has more often than the other one.
    private static func difference(_ old: [String], _ new: [String]) -> [(isLost: Bool, text: String)] {
        var counts: [String: Int] = [:]
        for text in old { counts[text, default: 0] += 1 }
        for text in new { counts[text, default: 0] -= 1 }
        return counts.filter { $0.value != 0 }.sorted { $0.key < $1.key }.map { ($0.value > 0, $0.key) }
    }

    /// The first of many problems of one kind.
    private static func first(_ problems: [String]) -> [String] {
        problems.count > 3 ? problems.prefix(3) + ["… and \(problems.count - 3) more like these"] : problems
    }

    /// The replacement for a missing value of a mandatory attribute.
    private func fallback(_ attribute: NSAttributeDescription) -> Any? {
        attribute.isOptional ? nil : attribute.defaultValue
    }

    /// The elements of a composite value that both versions have; any other value as it is.
    private static func shared(
        _ value: Any?, _ attribute: NSAttributeDescription, _ other: NSAttributeDescription?
    ) -> Any? {
        guard let values = value as? [String: Any], let new = attribute as? NSCompositeAttributeDescription,
            let old = other as? NSCompositeAttributeDescription
        else { return value }
        var result: [String: Any] = [:]
        for element in new.elements {
            guard let same = old.elements.first(where: { $0.name == element.name }) else { continue }
            result[element.name] = shared(values[element.name], element, same)
        }
        return result
    }

    /// A value as an attribute of a type will hold it.
    static func text(_ value: Any?, _ type: NSAttributeType) -> String {
        guard let value else { return "nil" }
        if type == .transformableAttributeType {
            // The descriptions of other objects may contain their addresses in memory.
            let isPlain = value is NSArray || value is NSString || value is NSNumber || value is NSData
            return isPlain ? "\(value)" : "a \(Swift.type(of: value))"
        }
        if let values = value as? [String: Any] {
            return "{" + values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
                + "}"
        }
        guard let number = value as? NSNumber else { return "\(value)" }
        switch type {
        case .floatAttributeType: return "\(number.floatValue)"
        case .booleanAttributeType: return "\(number.boolValue)"
        default: return "\(number.doubleValue)"
        }
    }
}
