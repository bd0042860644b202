import CoreData
import Foundation

/// A small model with attributes of every type and relationships of every kind, and stores of it.
enum FuzzModel {
    /// A fresh, equal model at every call.
    static func make() -> NSManagedObjectModel {
        let being = NSEntityDescription()
        being.name = "Being"
        being.isAbstract = true
        let person = NSEntityDescription()
        person.name = "Person"
        let child = NSEntityDescription()
        child.name = "Child"
        let place = NSEntityDescription()
        place.name = "Place"

        let types: [(String, NSAttributeType)] = [
            ("name", .stringAttributeType), ("small", .integer16AttributeType), ("number", .integer32AttributeType),
            ("large", .integer64AttributeType), ("flag", .booleanAttributeType), ("ratio", .floatAttributeType),
            ("size", .doubleAttributeType), ("price", .decimalAttributeType), ("day", .dateAttributeType),
            ("bytes", .binaryDataAttributeType), ("uuid", .UUIDAttributeType), ("link", .URIAttributeType),
            ("object", .transformableAttributeType),
        ]
        var properties: [NSPropertyDescription] = types.map { name, type in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.isOptional = true
            return attribute
        }
        let picture = NSAttributeDescription()
        picture.name = "picture"
        picture.attributeType = .binaryDataAttributeType
        picture.isOptional = true
        picture.allowsExternalBinaryDataStorage = true
        properties.append(picture)

        let home = relationship("home", to: place, count: 1)
        let residents = relationship("residents", to: person, count: 0)
        pair(home, residents)
        let visits = relationship("visits", to: place, count: 0)
        let visitors = relationship("visitors", to: person, count: 0)
        visitors.isOrdered = true
        pair(visits, visitors)
        let guardian = relationship("guardian", to: person, count: 1)
        let wards = relationship("wards", to: child, count: 0)
        wards.isOrdered = true
        pair(guardian, wards)

        let title = NSAttributeDescription()
        title.name = "title"
        title.attributeType = .stringAttributeType
        title.isOptional = false
        title.defaultValue = "here"
        let age = NSAttributeDescription()
        age.name = "age"
        age.attributeType = .integer16AttributeType
        age.isOptional = true

        person.properties = properties + [home, visits, wards]
        child.properties = [age, guardian]
        person.subentities = [child]
        being.subentities = [person]
        place.properties = [title, residents, visitors]
        person.indexes = [
            NSFetchIndexDescription(
                name: "byName",
                elements: [NSFetchIndexElementDescription(property: properties[0], collationType: .binary)])
        ]
        let model = NSManagedObjectModel()
        model.entities = [being, person, child, place]
        return model
    }

    private static func relationship(
        _ name: String, to destination: NSEntityDescription, count: Int
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.maxCount = count
        relationship.isOptional = true
        return relationship
    }

    private static func pair(_ one: NSRelationshipDescription, _ other: NSRelationshipDescription) {
        one.inverseRelationship = other
        other.inverseRelationship = one
    }

    /// What a store of a kind with a few objects has in its file. Two saves, so that there is history.
    static func storeFile(_ type: NSPersistentStore.StoreType) throws -> Data {
        try FuzzFolder.with { folder in
            let file = folder.appendingPathComponent("seed.store", isDirectory: false)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: make())
            let store = try coordinator.addPersistentStore(
                type: type, at: file, options: type == .sqlite ? [NSPersistentHistoryTrackingKey: true] : nil)
            let context = NSManagedObjectContext(.privateQueue)
            context.persistentStoreCoordinator = coordinator
            try context.performAndWait {
                let places = ["Hull", "Lübeck"].map { title in
                    let place = NSEntityDescription.insertNewObject(forEntityName: "Place", into: context)
                    place.setValue(title, forKey: "title")
                    return place
                }
                var people: [NSManagedObject] = []
                for number in 0..<4 {
                    let person = NSEntityDescription.insertNewObject(
                        forEntityName: number < 2 ? "Person" : "Child", into: context)
                    fill(person, number)
                    person.setValue(places[number % 2], forKey: "home")
                    person.setValue(Set(places), forKey: "visits")
                    if number >= 2 { person.setValue(people[0], forKey: "guardian") }
                    people.append(person)
                }
                try context.save()
                people[1].setValue("Renamed", forKey: "name")
                context.delete(people[3])
                try context.save()
            }
            try coordinator.remove(store)
            return try Data(contentsOf: file)
        }
    }

    private static func fill(_ person: NSManagedObject, _ number: Int) {
        person.setValue("Person \(number)", forKey: "name")
        person.setValue(number, forKey: "small")
        person.setValue(number * 1_000, forKey: "number")
        person.setValue(number * 1_000_000, forKey: "large")
        person.setValue(number % 2 == 0, forKey: "flag")
        person.setValue(Float(0.5), forKey: "ratio")
        person.setValue(1.25, forKey: "size")
        person.setValue(NSDecimalNumber(string: "12.50"), forKey: "price")
        person.setValue(Date(timeIntervalSinceReferenceDate: 700_000_000), forKey: "day")
        person.setValue(Data([1, 2, 3, UInt8(number)]), forKey: "bytes")
        person.setValue(UUID(uuidString: "0F8FAD5B-D9CB-469F-A165-70867728950E"), forKey: "uuid")
        person.setValue(URL(string: "https://example.org/\(number)"), forKey: "link")
        person.setValue(["one", "two"] as NSArray, forKey: "object")
        person.setValue(Data([9, 8, 7]), forKey: "picture")
    }
}
