import CoreData

/// A model with uniqueness constraints and every kind of relationship around them: persons (and members below them)
/// with pets, groups, a home and a friend.
public enum RegistryModel {
    /// A fresh, equal model at every call.
    public static func make() -> NSManagedObjectModel {
        let model = ModelText.model(
            """
            entity Person
              code string
              name string
              note string
              age int64
              score int64 = 7
              pets many Pet.owner
              groups many Group.persons
              home one Home.inhabitant
              friend one Person
              unique code
              unique name,age
            entity Member : Person
              rank int64
            entity Pet
              name string
              owner one Person.pets
            entity Group
              name string
              persons many Person.groups
            entity Home
              street string
              inhabitant one Person.home
            """)
        model.setRule(.cascadeDeleteRule, "Person", "pets")
        return model
    }
}

extension Library {
    /// A library whose objects are those of the registry.
    public static func registry() throws -> Library { try Library(model: RegistryModel.make()) }
}

extension NSManagedObject {
    /// The value of a text attribute.
    public func text(_ key: String) -> String? { value(forKey: key) as? String }

    /// The value of a number attribute.
    public func number(_ key: String) -> Int? { (value(forKey: key) as? NSNumber)?.intValue }

    /// The values of an attribute of the members of a to-many relationship, sorted.
    public func texts(_ relationship: String, _ key: String) -> [String] {
        let members = value(forKey: relationship)
        let objects = (members as? NSSet)?.allObjects ?? (members as? NSOrderedSet)?.array ?? []
        return objects.compactMap { ($0 as? NSManagedObject)?.text(key) }.sorted()
    }
}
