import CoreData
import Foundation

/// The differences between two versions of a model, entity by entity.
package struct ModelComparison {
    package enum Kind: String, Sendable {
        case added, removed, renamed, changed

        var mark: String {
            switch self {
            case .added: "+"
            case .removed: "-"
            case .renamed: ">"
            case .changed: "~"
            }
        }
    }

    /// A difference within an entity, or within the model.
    package struct Change: Sendable {
        package let kind: Kind
        /// `attribute title`, `index byTitle`; empty for the entity itself.
        package let subject: String
        /// The name of the property; nil if the difference is not about one.
        package let property: String?
        /// The changed aspect, such as `type`; nil if the whole subject is added, removed or renamed.
        package let aspect: String?
        package let before: String?
        package let after: String?

        package var text: String {
            switch kind {
            case .added: "\(subject)\(after.map { ": \($0)" } ?? "")"
            case .removed: "\(subject)\(before.map { ": \($0)" } ?? "")"
            case .renamed: "\(subject) (was \(before ?? ""))"
            case .changed:
                ([subject, aspect ?? ""].filter { !$0.isEmpty }).joined(separator: ", ")
                    + ": \(before ?? "none") → \(after ?? "none")"
            }
        }

        package var json: JSON {
            .object([
                ("kind", .string(kind.rawValue)), ("subject", .string(subject)),
                ("property", property.map { .string($0) } ?? .null), ("aspect", aspect.map { .string($0) } ?? .null),
                ("before", before.map { .string($0) } ?? .null), ("after", after.map { .string($0) } ?? .null),
            ])
        }
    }

    package struct Entity: Sendable {
        package let kind: Kind
        /// The name in the newer version; for a removed entity the name in the older one.
        package let name: String
        package let oldName: String?
        package var changes: [Change]
        /// Whether the version hashes of the entity are the same in both versions.
        package let hasSameHash: Bool
    }

    /// The entities that differ, by name.
    package private(set) var entities: [Entity] = []
    /// The differences beside the entities: templates, configurations, identifiers.
    package private(set) var changes: [Change] = []
    package let hasSameChecksum: Bool

    package var isEmpty: Bool { entities.isEmpty && changes.isEmpty && hasSameChecksum }

    package init(from older: NSManagedObjectModel, to newer: NSManagedObjectModel) {
        hasSameChecksum = older.versionChecksum == newer.versionChecksum
        let pairs = Self.pairs(
            Self.things(older.entities, name: \.name, identifier: \.renamingIdentifier),
            Self.things(newer.entities, name: \.name, identifier: \.renamingIdentifier))
        var names = NewerNames()
        for case (let old?, let new?) in pairs {
            names.entities[old.name ?? ""] = new.name
            for case (let oldProperty?, let newProperty?) in Self.propertyPairs(old, new) {
                names.properties["\(old.name ?? "").\(oldProperty.name)"] = newProperty.name
            }
        }
        entities = pairs.compactMap { Self.entity($0, $1, names) }.sorted { $0.name < $1.name }
        changes = Self.modelChanges(older, newer)
    }

    // MARK: Pairs

    private struct Thing<Value> {
        let name: String
        let identifier: String
        let value: Value
    }

    private static func things<Value>(
        _ values: [Value], name: (Value) -> String?, identifier: (Value) -> String?
    ) -> [Thing<Value>] {
        values.map { Thing(name: name($0) ?? "", identifier: identifier($0) ?? name($0) ?? "", value: $0) }
            .sorted { $0.name < $1.name }
    }

    /// Each older element with its newer form: by renaming identifiers first, because two elements may have exchanged
    /// their names.
    private static func pairs<Value>(_ older: [Thing<Value>], _ newer: [Thing<Value>]) -> [(Value?, Value?)] {
        var rest = older
        var partners: [Int: Value] = [:]
        let rules: [(Thing<Value>, Thing<Value>) -> Bool] = [
            { $0.name == $1.name && $0.identifier == $1.identifier && $1.identifier != $1.name },
            { $1.identifier != $1.name && $0.identifier == $1.identifier && $0.identifier != $0.name },
            { $1.identifier != $1.name && $0.name == $1.identifier },
            { $0.name == $1.name },
            { $0.identifier == $1.name },
        ]
        for rule in rules {
            for place in newer.indices where partners[place] == nil {
                guard let found = rest.firstIndex(where: { rule($0, newer[place]) }) else { continue }
                partners[place] = rest.remove(at: found).value
            }
        }
        return newer.indices.map { (partners[$0], newer[$0].value) } + rest.map { ($0.value, nil) }
    }

    private static func propertyPairs(
        _ old: NSEntityDescription, _ new: NSEntityDescription
    ) -> [(NSPropertyDescription?, NSPropertyDescription?)] {
        pairs(
            things(old.declaredProperties, name: \.name, identifier: \.renamingIdentifier),
            things(new.declaredProperties, name: \.name, identifier: \.renamingIdentifier))
    }

    // MARK: Entities

    private static func entity(
        _ old: NSEntityDescription?, _ new: NSEntityDescription?, _ names: NewerNames
    ) -> Entity? {
        guard let old else {
            let name = new?.name ?? ""
            return Entity(kind: .added, name: name, oldName: nil, changes: [], hasSameHash: false)
        }
        guard let new else {
            return Entity(kind: .removed, name: old.name ?? "", oldName: nil, changes: [], hasSameHash: false)
        }
        let isRenamed = old.name != new.name
        var changes = factChanges(
            of: "", property: nil, from: ModelFacts.of(old, names), to: ModelFacts.of(new), isRenamed: isRenamed)
        for (oldProperty, newProperty) in propertyPairs(old, new) {
            changes += propertyChanges(oldProperty, newProperty, names)
        }
        changes += lists(
            "index", old.indexes.map { ($0.name, ModelFacts.text($0)) },
            new.indexes.map { ($0.name, ModelFacts.text($0)) })
        changes += lists("constraint", constraints(old, names), constraints(new, NewerNames()))
        let hasSameHash = old.versionHash == new.versionHash
        guard isRenamed || !changes.isEmpty || !hasSameHash else { return nil }
        return Entity(
            kind: isRenamed ? .renamed : .changed, name: new.name ?? "", oldName: isRenamed ? old.name : nil,
            changes: changes, hasSameHash: hasSameHash)
    }

    private static func constraints(_ entity: NSEntityDescription, _ names: NewerNames) -> [(String, String)] {
        ModelFacts.constraints(of: entity).map { keys in
            let keys = keys.map { names.properties["\(entity.name ?? "").\($0)"] ?? $0 }.joined(separator: ", ")
            return (keys, keys)
        }
    }

    private static func propertyChanges(
        _ old: NSPropertyDescription?, _ new: NSPropertyDescription?, _ names: NewerNames
    ) -> [Change] {
        func whole(_ kind: Kind, _ property: NSPropertyDescription, before: String?, after: String?) -> Change {
            Change(
                kind: kind, subject: "\(property.noun) \(property.name)", property: property.name, aspect: nil,
                before: before, after: after)
        }
        switch (old, new) {
        case (let old?, nil): return [whole(.removed, old, before: summary(old), after: nil)]
        case (nil, let new?): return [whole(.added, new, before: nil, after: summary(new))]
        case (let old?, let new?) where old.noun != new.noun:
            return [
                whole(.removed, old, before: summary(old), after: nil),
                whole(.added, new, before: nil, after: summary(new)),
            ]
        case (let old?, let new?):
            let isRenamed = old.name != new.name
            return (isRenamed ? [whole(.renamed, new, before: old.name, after: new.name)] : [])
                + factChanges(
                    of: "\(new.noun) \(new.name)", property: new.name, from: ModelFacts.of(old, names),
                    to: ModelFacts.of(new), isRenamed: isRenamed)
        case (nil, nil): return []
        }
    }

    /// A description of a property in a few words: `Integer 32, optional`, `to-many Book`.
    private static func summary(_ property: NSPropertyDescription) -> String {
        let facts = Dictionary(ModelFacts.of(property).map { ($0.key, $0.text) }, uniquingKeysWith: { one, _ in one })
        let type =
            facts["type"] ?? [facts["kind"], facts["destination"]].compactMap { $0 }.joined(separator: " ")
        return type + (property.isOptional ? ", optional" : "")
    }

    private static func factChanges(
        of subject: String, property: String?, from old: [ModelFact], to new: [ModelFact], isRenamed: Bool
    ) -> [Change] {
        new.compactMap { fact in
            // The renaming identifier makes the change a renaming, and is no change of its own then.
            if isRenamed, fact.key == "renamingIdentifier" { return nil }
            let before = old.first { $0.key == fact.key }?.text ?? "none"
            guard before != fact.text else { return nil }
            return Change(
                kind: .changed, subject: subject, property: property, aspect: fact.title, before: before,
                after: fact.text)
        }
    }

    /// The additions, removals and changes in a list of named texts.
    private static func lists(_ noun: String, _ old: [(String, String)], _ new: [(String, String)]) -> [Change] {
        let (old, new) = (
            Dictionary(old, uniquingKeysWith: { one, _ in one }), Dictionary(new, uniquingKeysWith: { one, _ in one })
        )
        return Set(old.keys).union(new.keys).sorted().compactMap { name in
            let (before, after) = (old[name], new[name])
            guard before != after else { return nil }
            let kind: Kind = before == nil ? .added : after == nil ? .removed : .changed
            func shown(_ text: String?) -> String? {
                text.flatMap {
                    $0 == name ? nil : $0.hasPrefix("\(name): ") ? String($0.dropFirst(name.count + 2)) : $0
                }
            }
            return Change(
                kind: kind, subject: "\(noun) \(name)", property: nil, aspect: nil, before: shown(before),
                after: shown(after))
        }
    }

    // MARK: The model

    private static func modelChanges(_ older: NSManagedObjectModel, _ newer: NSManagedObjectModel) -> [Change] {
        func templates(_ model: NSManagedObjectModel) -> [(String, String)] {
            model.fetchRequestTemplatesByName.map { ($0.key, ModelFacts.text($0.value)) }
        }
        func configurations(_ model: NSManagedObjectModel) -> [(String, String)] {
            model.configurations.map { name in
                let entities = (model.entities(forConfigurationName: name) ?? []).compactMap(\.name).sorted()
                return (name, entities.joined(separator: ", "))
            }
        }
        func identifiers(_ model: NSManagedObjectModel) -> [(String, String)] {
            model.versionIdentifiers.map { ("\($0.base)", "\($0.base)") }
        }
        return lists("template", templates(older), templates(newer))
            + lists("configuration", configurations(older), configurations(newer))
            + lists("identifier", identifiers(older), identifiers(newer))
    }
}
