import CoreData
import MacCheckKit

/// The objects that a store must have by the description of its saves, computed without a store.
///
/// A save gives new objects their keys in the order of its changes. A property has the value that the last change
/// describes. The facts of the plan say what no change describes, such as inverses and derived values.
struct PlannedContents {
    private struct Planned {
        let entity: String
        var texts: [String: String] = [:]
    }

    private let plan: StorePlan
    private let model: NSManagedObjectModel
    /// The objects by root entity and key.
    private var objects: [String: [String: Planned]] = [:]
    private var highest: [String: Int] = [:]

    /// What the store holds before the saves of a check.
    static func before(_ plan: StorePlan, _ model: NSManagedObjectModel) throws -> Contents {
        var planned = PlannedContents(plan, model)
        for save in plan.saves { try planned.apply(save) }
        return try planned.contents(plan.facts)
    }

    /// What the store holds after the saves of a check.
    static func after(_ plan: StorePlan, _ model: NSManagedObjectModel) throws -> Contents {
        var planned = PlannedContents(plan, model)
        for save in plan.saves + (plan.changes ?? []) { try planned.apply(save) }
        let kept = plan.facts.filter { fact, _ in planned.object(of: fact) != nil }
        return try planned.contents(kept.merging(plan.factsAfter) { _, later in later })
    }

    private init(_ plan: StorePlan, _ model: NSManagedObjectModel) {
        self.plan = plan
        self.model = model
    }

    private func root(of name: String) -> String {
        // An XML store numbers the objects of all entities together.
        if plan.type != NSSQLiteStoreType { return "" }
        var entity = model.entitiesByName[name]
        while let parent = entity?.superentity { entity = parent }
        return entity?.name ?? name
    }

    private mutating func apply(_ save: [Change]) throws {
        var named: [String: String] = [:]
        for change in save where change.kind == .insert {
            let root = root(of: change.entity)
            let number = highest[root, default: plan.type == NSSQLiteStoreType ? 0 : 101] + 1
            highest[root] = number
            objects[root, default: [:]]["p\(number)"] = Planned(entity: change.entity)
            named[change.key] = "p\(number)"
        }
        for change in save {
            let (root, key) = (root(of: change.entity), named[change.key] ?? change.key)
            guard let entity = objects[root]?[key].flatMap({ model.entitiesByName[$0.entity] }) else {
                throw KitError("\(plan.name): no \(change.entity)/\(change.key) is planned")
            }
            if change.kind == .delete { objects[root]?[key] = nil }
            for (name, text) in change.values {
                // The facts say what a composite attribute holds after a change of an element.
                guard let property = entity.propertiesByName[name] else { continue }
                let shown =
                    try (property as? NSAttributeDescription).map { try PropertyValue.shown(text, of: $0) }
                    ?? links(text, save, named)
                objects[root]?[key]?.texts[name] = shown
            }
        }
    }

    /// The keys in the place of names of new objects; in the order of `Contents` if the relationship has none.
    private func links(_ text: String, _ save: [Change], _ named: [String: String]) -> String {
        let members = text.trimmingCharacters(in: CharacterSet(charactersIn: "[]{}")).components(separatedBy: ", ")
            .map { member in
                guard let key = named[member], let change = save.first(where: { $0.key == member }) else {
                    return member
                }
                return "\(change.entity)/\(key)"
            }
        if text.hasPrefix("{") { return "{\(members.sorted().joined(separator: ", "))}" }
        return text.hasPrefix("[") ? "[\(members.joined(separator: ", "))]" : members[0]
    }

    /// The object and the property of a fact ("Person/p1.animals").
    private func object(of fact: String) -> (entity: String, key: String, property: String)? {
        let parts = fact.split(separator: ".", maxSplits: 1).map(String.init)
        let place = parts[0].split(separator: "/").map(String.init)
        guard parts.count == 2, place.count == 2, objects[root(of: place[0])]?[place[1]]?.entity == place[0] else {
            return nil
        }
        return (place[0], place[1], parts[1])
    }

    private func contents(_ facts: [String: String]) throws -> Contents {
        for fact in facts.keys {
            guard let place = object(of: fact),
                model.entitiesByName[place.entity]?.propertiesByName[place.property] != nil
            else { throw KitError("\(plan.name): the fact '\(fact)' is of no object") }
        }
        var contents = Contents()
        for entity in model.entities where !entity.isAbstract {
            guard let name = entity.name else { continue }
            let properties = entity.propertiesByName.values.filter { !$0.isTransient }.map { property in
                (property.name, absent(property, in: entity))
            }
            let own = (objects[root(of: name)] ?? [:]).filter { $0.value.entity == name }
            let texts = own.map { key, object in
                (
                    key,
                    Dictionary(
                        uniqueKeysWithValues: properties.map { property, absent in
                            let fact = facts.isEmpty ? nil : facts["\(name)/\(key).\(property)"]
                            return (property, fact ?? object.texts[property] ?? absent)
                        })
                )
            }
            contents.entities[name] = Contents.Objects(Dictionary(uniqueKeysWithValues: texts))
        }
        return contents
    }

    /// The value of a property that no change describes.
    private func absent(_ property: NSPropertyDescription, in entity: NSEntityDescription) -> String {
        if let relationship = property as? NSRelationshipDescription {
            return relationship.isToMany ? (relationship.isOrdered ? "[]" : "{}") : "nil"
        }
        var owner: NSEntityDescription? = entity
        while let one = owner {
            if let text = StorePlan.defaults[plan.model]?["\(one.name ?? "").\(property.name)"] { return text }
            owner = one.superentity
        }
        return "nil"
    }
}
