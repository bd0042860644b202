import CoreData

/// A model with uniqueness constraints and every kind of relationship around them: persons (and members below them)
/// with pets, groups, a home and a friend.
public enum RegistryModel {
    /// A fresh, equal model at every call.
    public static func make() -> NSManagedObjectModel {
        let person = SampleModels.entity("Person")
        let member = SampleModels.entity("Member")
        let pet = SampleModels.entity("Pet")
        let group = SampleModels.entity("Group")
        let home = SampleModels.entity("Home")

        let pets = SampleModels.relationship("pets", to: pet, maxCount: 0)
        let owner = SampleModels.relationship("owner", to: person, maxCount: 1)
        pair(pets, owner)
        pets.deleteRule = .cascadeDeleteRule
        let groups = SampleModels.relationship("groups", to: group, maxCount: 0)
        let persons = SampleModels.relationship("persons", to: person, maxCount: 0)
        pair(groups, persons)
        let address = SampleModels.relationship("home", to: home, maxCount: 1)
        let inhabitant = SampleModels.relationship("inhabitant", to: person, maxCount: 1)
        pair(address, inhabitant)
        // Without an inverse.
        let friend = SampleModels.relationship("friend", to: person, maxCount: 1)

        person.properties = [
            SampleModels.attribute("code", .stringAttributeType), SampleModels.attribute("name", .stringAttributeType),
            SampleModels.attribute("note", .stringAttributeType),
            SampleModels.attribute("age", .integer64AttributeType),
            SampleModels.attribute("score", .integer64AttributeType, default: 7), pets, groups, address, friend,
        ]
        person.uniquenessConstraints = [["code"], ["name", "age"]]
        member.properties = [SampleModels.attribute("rank", .integer64AttributeType)]
        person.subentities = [member]
        pet.properties = [SampleModels.attribute("name", .stringAttributeType), owner]
        group.properties = [SampleModels.attribute("name", .stringAttributeType), persons]
        home.properties = [SampleModels.attribute("street", .stringAttributeType), inhabitant]

        let model = NSManagedObjectModel()
        model.entities = [person, member, pet, group, home]
        return model
    }

    private static func pair(_ one: NSRelationshipDescription, _ other: NSRelationshipDescription) {
        for (relationship, inverse) in [(one, other), (other, one)] {
            relationship.inverseRelationship = inverse
            relationship.deleteRule = .nullifyDeleteRule
        }
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
