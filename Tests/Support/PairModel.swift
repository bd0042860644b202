import CoreData

/// Owners and items with a pair of relationships of every kind: one to many, ordered on both sides, ordered on one, one
/// to one; and owners with a rule that makes a save read their values.
public enum PairModel {
    public static func make() -> NSManagedObjectModel {
        func entity(_ name: String, _ attributes: [(String, NSAttributeType)]) -> NSEntityDescription {
            let entity = NSEntityDescription()
            entity.name = name
            entity.properties = attributes.map { name, type in
                let attribute = NSAttributeDescription()
                attribute.name = name
                attribute.attributeType = type
                attribute.isOptional = true
                return attribute
            }
            return entity
        }
        func pair(
            _ a: NSEntityDescription, _ nameA: String, many manyA: Bool, ordered orderedA: Bool = false,
            _ b: NSEntityDescription, _ nameB: String, many manyB: Bool = false,
            ordered orderedB: Bool = false
        ) {
            func make(_ name: String, _ destination: NSEntityDescription, _ many: Bool, _ ordered: Bool)
                -> NSRelationshipDescription
            {
                let relationship = NSRelationshipDescription()
                relationship.name = name
                relationship.destinationEntity = destination
                relationship.maxCount = many ? 0 : 1
                relationship.isOrdered = ordered
                relationship.deleteRule = .nullifyDeleteRule
                return relationship
            }
            let there = make(nameA, b, manyA, orderedA)
            let back = make(nameB, a, manyB, orderedB)
            there.inverseRelationship = back
            back.inverseRelationship = there
            a.properties.append(there)
            b.properties.append(back)
        }
        let owner = entity(
            "Owner", [("name", .stringAttributeType), ("amount", .integer64AttributeType)])
        // A rule that makes a save read the value, and so fire the fault of an owner that is only related to.
        owner.attributesByName["amount"]?.setValidationPredicates(
            [NSPredicate(format: "SELF >= 0")], withValidationWarnings: ["small"])
        let item = entity("Item", [("name", .stringAttributeType), ("rank", .integer64AttributeType)])
        pair(owner, "items", many: true, item, "owner")
        pair(owner, "lefts", many: true, ordered: true, item, "rights", many: true, ordered: true)
        pair(owner, "queue", many: true, ordered: true, item, "queuedBy")
        pair(item, "partner", many: false, item, "partneredBy")
        let model = NSManagedObjectModel()
        model.entities = [owner, item]
        return model
    }
}

extension NSManagedObject {
    /// The text of `name`; "nil" without one.
    public var nameText: String { value(forKey: "name") as? String ?? "nil" }

    /// The object that a to-one relationship leads to.
    public func one(_ key: String) -> NSManagedObject? { value(forKey: key) as? NSManagedObject }

    /// The members of a to-many relationship without order.
    public func many(_ key: String) -> Set<NSManagedObject> { value(forKey: key) as? Set<NSManagedObject> ?? [] }

    /// The members of an ordered relationship.
    public func ordered(_ key: String) -> [NSManagedObject] {
        (value(forKey: key) as? NSOrderedSet)?.array as? [NSManagedObject] ?? []
    }
}
