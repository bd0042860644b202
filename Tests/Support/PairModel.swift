import CoreData

/// Owners and items with a pair of relationships of every kind: one to many, ordered on both sides, ordered on one, one
/// to one; and owners with a rule that makes a save read their values.
public enum PairModel {
    public static func make() -> NSManagedObjectModel {
        let model = ModelText.model(
            """
            entity Owner
              name string
              amount int64
              items many Item.owner
              lefts ordered Item.rights
              queue ordered Item.queuedBy
            entity Item
              name string
              rank int64
              owner one Owner.items
              rights ordered Owner.lefts
              queuedBy one Owner.queue
              partner one Item.partneredBy
              partneredBy one Item.partner
            """)
        // A rule that makes a save read the value, and so fire the fault of an owner that is only related to.
        model.entitiesByName["Owner"]?.attributesByName["amount"]?.setValidationPredicates(
            [NSPredicate(format: "SELF >= 0")], withValidationWarnings: ["small"])
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
