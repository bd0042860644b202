import CoreData

/// The schema, written in Swift.
enum ContactModel {
    /// Made once: every coordinator of a program shares its model.
    static let shared: NSManagedObjectModel = {
        let person = entity(Person.self)
        let number = entity(PhoneNumber.self)

        let name = attribute("name")
        let email = attribute("email")
        email.setValidationPredicates(
            [NSPredicate(format: "SELF MATCHES %@", "[^@ ]+@[^@ ]+")], withValidationWarnings: ["not an address"])
        let city = attribute("city", isOptional: true)

        let numbers = NSRelationshipDescription()
        numbers.name = "numbers"
        numbers.destinationEntity = number
        numbers.isOptional = true
        numbers.isOrdered = true
        numbers.maxCount = 0
        numbers.deleteRule = .cascadeDeleteRule
        let owner = NSRelationshipDescription()
        owner.name = "person"
        owner.destinationEntity = person
        owner.maxCount = 1
        owner.deleteRule = .nullifyDeleteRule
        (numbers.inverseRelationship, owner.inverseRelationship) = (owner, numbers)

        person.properties = [name, email, city, numbers]
        person.uniquenessConstraints = [["email"]]
        person.indexes = [
            NSFetchIndexDescription(
                name: "byCity", elements: [NSFetchIndexElementDescription(property: city, collationType: .binary)])
        ]
        number.properties = [attribute("digits"), owner]

        let model = NSManagedObjectModel()
        model.entities = [person, number]
        return model
    }()

    private static func entity(_ objects: NSManagedObject.Type) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = "\(objects)"
        entity.managedObjectClassName = NSStringFromClass(objects)
        return entity
    }

    private static func attribute(_ name: String, isOptional: Bool = false) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = .stringAttributeType
        attribute.isOptional = isOptional
        return attribute
    }
}
