import CoreData
import XCTest

/// An attribute with a primitive accessor, as those have it that write the other accessor themselves.
class Receipt: NSManagedObject {
    @NSManaged private var primitiveStamp: Date?

    var stamp: Date? {
        get {
            willAccessValue(forKey: "stamp")
            defer { didAccessValue(forKey: "stamp") }
            return primitiveStamp
        }
        set {
            willChangeValue(forKey: "stamp")
            primitiveStamp = newValue
            didChangeValue(forKey: "stamp")
        }
    }
}

/// An attribute whose name only has the form of a primitive accessor.
class Parcel: NSManagedObject {
    @NSManaged var primitiveWeight: Double
}

/// A schema without a model file.
final class ModelInCodeTests: XCTestCase {
    private func attribute(_ name: String, _ type: NSAttributeType, default value: Any? = nil) -> NSAttributeDescription
    {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = value == nil
        attribute.defaultValue = value
        return attribute
    }

    private func makeModel() -> NSManagedObjectModel {
        let shelf = NSEntityDescription()
        shelf.name = "Shelf"
        shelf.managedObjectClassName = NSStringFromClass(NSManagedObject.self)
        let book = NSEntityDescription()
        book.name = "Book"
        book.managedObjectClassName = NSStringFromClass(NSManagedObject.self)

        let books = NSRelationshipDescription()
        books.name = "books"
        books.destinationEntity = book
        books.minCount = 0
        books.maxCount = 0
        books.deleteRule = .cascadeDeleteRule
        let place = NSRelationshipDescription()
        place.name = "shelf"
        place.destinationEntity = shelf
        place.minCount = 0
        place.maxCount = 1
        place.deleteRule = .nullifyDeleteRule
        books.inverseRelationship = place
        place.inverseRelationship = books

        let kind = NSAttributeDescription()
        kind.name = "kind"
        kind.type = .string
        kind.defaultValue = "novel"
        shelf.properties = [attribute("label", .stringAttributeType, default: "A"), books]
        book.properties = [
            attribute("title", .stringAttributeType), attribute("pages", .integer32AttributeType, default: 0),
            attribute("read", .booleanAttributeType, default: false), attribute("id", .UUIDAttributeType),
            attribute("bought", .dateAttributeType), attribute("cover", .binaryDataAttributeType),
            attribute("price", .decimalAttributeType), attribute("page", .URIAttributeType), kind, place,
        ]
        let model = NSManagedObjectModel()
        model.entities = [shelf, book]
        return model
    }

    func testSchema() {
        let model = makeModel()
        XCTAssertEqual(Set(model.entitiesByName.keys), ["Shelf", "Book"])
        let book = model.entitiesByName["Book"]
        XCTAssertEqual(book?.attributesByName.count, 9)
        XCTAssertEqual(book?.relationshipsByName["shelf"]?.destinationEntity?.name, "Shelf")
        XCTAssertEqual(model.entitiesByName["Shelf"]?.relationshipsByName["books"]?.isToMany, true)
        XCTAssertEqual(model.entityVersionHashesByName, makeModel().entityVersionHashesByName)
    }

    func testValuesOfEveryKind() throws {
        let url = Journal.temporaryStoreURL()
        defer { Journal.remove(url) }
        let id = UUID()
        for isFirst in [true, false] {
            let container = NSPersistentContainer(name: "Shelves", managedObjectModel: makeModel())
            container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
            container.loadPersistentStores { XCTAssertNil($1) }
            let context = container.viewContext
            if isFirst {
                let shelf = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: context)
                let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                book.setValuesForKeys([
                    "title": "Sea", "pages": 300, "read": true, "id": id, "bought": Date(timeIntervalSince1970: 0),
                    "cover": Data([1, 2, 3]), "price": NSDecimalNumber(string: "9.99"),
                    "page": URL(string: "https://example.org/sea")!, "shelf": shelf,
                ])
                try context.save()
            } else {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                request.predicate = NSPredicate(format: "id == %@ AND shelf.label == 'A'", id as NSUUID)
                let book = try XCTUnwrap(context.fetch(request).first)
                XCTAssertEqual(book.value(forKey: "title") as? String, "Sea")
                XCTAssertEqual(book.value(forKey: "pages") as? Int32, 300)
                XCTAssertEqual(book.value(forKey: "read") as? Bool, true)
                XCTAssertEqual(book.value(forKey: "id") as? UUID, id)
                XCTAssertEqual(book.value(forKey: "bought") as? Date, Date(timeIntervalSince1970: 0))
                XCTAssertEqual(book.value(forKey: "cover") as? Data, Data([1, 2, 3]))
                XCTAssertEqual(book.value(forKey: "price") as? NSDecimalNumber, NSDecimalNumber(string: "9.99"))
                XCTAssertEqual(book.value(forKey: "page") as? URL, URL(string: "https://example.org/sea"))
                XCTAssertEqual(book.value(forKey: "kind") as? String, "novel")
            }
        }
    }

    func testNamesThatBeginWithPrimitive() throws {
        let model = NSManagedObjectModel()
        let attributes: [(NSManagedObject.Type, NSAttributeDescription)] = [
            (Receipt.self, attribute("stamp", .dateAttributeType)),
            (Parcel.self, attribute("primitiveWeight", .doubleAttributeType, default: 1.5)),
        ]
        model.entities = attributes.map { objects, attribute in
            let entity = NSEntityDescription()
            entity.name = "\(objects)"
            entity.managedObjectClassName = NSStringFromClass(objects)
            entity.properties = [attribute]
            return entity
        }
        XCTAssertEqual(NSSortDescriptor(keyPath: \Parcel.primitiveWeight, ascending: true).key, "primitiveWeight")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let receipt = Receipt(context: context)
        receipt.stamp = Date(timeIntervalSince1970: 5)
        XCTAssertEqual(receipt.value(forKey: "stamp") as? Date, Date(timeIntervalSince1970: 5))
        XCTAssertEqual(receipt.stamp, Date(timeIntervalSince1970: 5))
        let parcel = Parcel(context: context)
        XCTAssertEqual(parcel.primitiveWeight, 1.5)
        parcel.primitiveWeight = 3
        try context.save()
        XCTAssertEqual(parcel.value(forKey: "primitiveWeight") as? Double, 3)
    }

    func testConfigurations() throws {
        let model = makeModel()
        model.setEntities(model.entities.filter { $0.name == "Book" }, forConfigurationName: "Books")
        XCTAssertEqual(model.configurations.contains("Books"), true)
        XCTAssertEqual(model.entities(forConfigurationName: "Books")?.map(\.name), ["Book"])
    }

    func testMergedModels() {
        let one = NSManagedObjectModel()
        let entity = NSEntityDescription()
        entity.name = "Magazine"
        one.entities = [entity]
        let merged = NSManagedObjectModel(byMerging: [one, makeModel()])
        XCTAssertEqual(Set(merged?.entitiesByName.keys.map { $0 } ?? []), ["Book", "Magazine", "Shelf"])
    }

    func testUserInfoIsEmptyAtFirstAndMayChangeInUse() {
        XCTAssertEqual(NSEntityDescription().userInfo?.count, 0)
        let text = NSAttributeDescription()
        text.name = "text"
        text.attributeType = .stringAttributeType
        text.userInfo?["label"] = "Text"
        let entity = NSEntityDescription()
        entity.name = "Note"
        entity.userInfo?["label"] = "Note"
        entity.properties = [text]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        entity.userInfo?["label"] = "A note"
        text.userInfo?["label"] = "A text"
        let labels = coordinator.managedObjectModel.entities.flatMap { [$0.userInfo] + $0.properties.map(\.userInfo) }
        XCTAssertEqual(labels.map { $0?["label"] as? String }, ["A note", "A text"])
    }

    func testUserInfoIsAskedWhenAFetchedPropertyIsRead() throws {
        let text = NSAttributeDescription()
        text.name = "text"
        text.attributeType = .stringAttributeType
        let entity = NSEntityDescription()
        entity.name = "Note"
        let request = NSFetchRequest<NSFetchRequestResult>()
        request.entity = entity
        request.predicate = NSPredicate(format: "text CONTAINS[c] $FETCHED_PROPERTY.userInfo.search")
        let found = NSFetchedPropertyDescription()
        found.name = "found"
        found.fetchRequest = request
        found.userInfo?["search"] = "north"
        entity.properties = [text, found]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        for text in ["To the North", "north", "South"] {
            NSEntityDescription.insertNewObject(forEntityName: "Note", into: context).setValue(text, forKey: "text")
        }
        try context.save()
        let note = try XCTUnwrap(context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note")).first)
        XCTAssertEqual((note.value(forKey: "found") as? [NSManagedObject])?.count, 2)
        found.userInfo?["search"] = "south"
        context.refresh(note, mergeChanges: false)
        XCTAssertEqual((note.value(forKey: "found") as? [NSManagedObject])?.count, 1)
    }
}
