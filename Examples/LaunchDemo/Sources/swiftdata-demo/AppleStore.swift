import CoreData

/// A store as Apple's SwiftData makes it for the classes of `Trip.swift`, by a model of Core Data and without them.
///
/// The names, types and flags are those of models that Apple's stores have in them: a structure and an enumeration are
/// composite attributes, an array is a keyed archive.
enum AppleStore {
    static func make(at url: URL) throws {
        let container = NSPersistentContainer(name: "Trips", managedObjectModel: model())
        let description = NSPersistentStoreDescription(url: url)
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        description.shouldAddStoreAsynchronously = false
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
        let context = container.newBackgroundContext()
        try context.performAndWait {
            fill(context)
            try context.save()
        }
        for store in container.persistentStoreCoordinator.persistentStores {
            try container.persistentStoreCoordinator.remove(store)
        }
    }

    private static func fill(_ context: NSManagedObjectContext) {
        func insert(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            object.setValuesForKeys(values)
            return object
        }
        let ann = insert("Guide", ["name": "Ann"])
        let ben = insert("Guide", ["name": "Ben", "chief": ann])
        let rows: [(String, String, NSManagedObject?, [String])] = [
            ("Fjords", "sail", ann, ["Bergen", "Flåm", "Voss"]), ("Ridge", "hike", ben, ["Grindelwald"]),
            ("Sleeper", "train", nil, ["Vienna", "Rome"]), ("Valleys", "hike", ben, ["Merano", "Trento", "Riva"]),
        ]
        for (number, (name, kind, guide, towns)) in rows.enumerated() {
            let trip = insert(
                "Trip",
                [
                    "name": name, "start": Date(timeIntervalSinceReferenceDate: 800_000_000 + Double(number) * 864_000),
                    "isBooked": number != 1, "kind": ["kind": kind], "tags": number < 2 ? ["rain", name] : [name],
                ])
            trip.setValue(guide, forKey: "guide")
            if number < 2 { trip.setValue(["town": towns[0], "beds": 2 + number], forKey: "base") }
            for town in towns { _ = insert("Stop", ["town": town, "trip": trip]) }
        }
    }

    private static func model() -> NSManagedObjectModel {
        let (trip, stop, guide) = (entity("Trip"), entity("Stop"), entity("Guide"))
        let kind = NSCompositeAttributeDescription()
        kind.name = "kind"
        kind.isOptional = false
        kind.userInfo = ["EnumType": true]
        kind.elements = [attribute("kind", .stringAttributeType, isOptional: true)]
        let base = NSCompositeAttributeDescription()
        base.name = "base"
        base.elements = [
            attribute("town", .stringAttributeType, isOptional: true),
            attribute("beds", .integer64AttributeType, isOptional: true),
        ]
        let tags = attribute("tags", .transformableAttributeType)
        tags.valueTransformerName = NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue
        trip.properties = [
            attribute("name", .stringAttributeType), attribute("start", .dateAttributeType),
            attribute("isBooked", .booleanAttributeType), kind, base, tags,
        ]
        stop.properties = [attribute("town", .stringAttributeType)]
        guide.properties = [attribute("name", .stringAttributeType)]
        connect((trip, "stops"), (stop, "trip"), deleting: .cascadeDeleteRule)
        connect((guide, "trips"), (trip, "guide"))
        connect((guide, "team"), (guide, "chief"))
        let model = NSManagedObjectModel()
        model.entities = [trip, stop, guide]
        return model
    }

    private static func entity(_ name: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        return entity
    }

    private static func attribute(
        _ name: String, _ type: NSAttributeType, isOptional: Bool = false
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = isOptional
        return attribute
    }

    /// Makes a to-many relationship, and its to-one inverse.
    private static func connect(
        _ one: (entity: NSEntityDescription, name: String), _ other: (entity: NSEntityDescription, name: String),
        deleting rule: NSDeleteRule = .nullifyDeleteRule
    ) {
        let (many, single) = (NSRelationshipDescription(), NSRelationshipDescription())
        many.name = one.name
        many.destinationEntity = other.entity
        many.isOptional = false
        many.deleteRule = rule
        single.name = other.name
        single.destinationEntity = one.entity
        single.maxCount = 1
        single.deleteRule = .nullifyDeleteRule
        (many.inverseRelationship, single.inverseRelationship) = (single, many)
        one.entity.properties.append(many)
        other.entity.properties.append(single)
    }
}
