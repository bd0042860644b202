import CoreData
import XCTest

// Source that compiles against Apple's framework as it stands, and what it has to do there.

private enum Harbour {
    static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }

    static func makeModel() -> NSManagedObjectModel {
        let berth = NSEntityDescription()
        berth.name = "Berth"
        berth.managedObjectClassName = "NSManagedObject"
        let notes = attribute("notes", .transformableAttributeType)
        notes.valueTransformerName = "NSSecureUnarchiveFromDataTransformer"
        let master = NSRelationshipDescription()
        let berths = NSRelationshipDescription()
        let person = NSEntityDescription()
        person.name = "Person"
        person.managedObjectClassName = "NSManagedObject"
        (master.name, master.destinationEntity, master.maxCount, master.isOptional) = ("master", person, 1, true)
        (berths.name, berths.destinationEntity, berths.isOptional) = ("berths", berth, true)
        (master.inverseRelationship, berths.inverseRelationship) = (berths, master)
        berth.properties = [
            attribute("title", .stringAttributeType), attribute("date", .dateAttributeType),
            attribute("depth", .integer32AttributeType), attribute("low", .integer32AttributeType),
            attribute("high", .integer32AttributeType), notes, master,
        ]
        person.properties = [attribute("name", .stringAttributeType), berths]
        let model = NSManagedObjectModel()
        model.entities = [berth, person]
        return model
    }

    static func makeContext(
        _ type: String = NSSQLiteStoreType, options: [AnyHashable: Any]? = nil
    ) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: makeModel())
        let url = Journal.temporaryStoreURL()
        _ = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: type == NSInMemoryStoreType ? nil : url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    @discardableResult
    static func berth(
        _ title: String, _ depth: Int, _ low: Int, _ high: Int, in context: NSManagedObjectContext
    ) -> NSManagedObject {
        let berth = NSEntityDescription.insertNewObject(forEntityName: "Berth", into: context)
        berth.setValuesForKeys(["title": title, "depth": depth, "low": low, "high": high])
        return berth
    }
}

private final class Berth: NSManagedObject {
    override class func entity() -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = "Berth"
        return entity
    }

    override class func fetchRequest() -> NSFetchRequest<NSFetchRequestResult> {
        NSFetchRequest<NSFetchRequestResult>(entityName: "Berth")
    }
}

private func make<T: NSManagedObject>(_ context: NSManagedObjectContext) -> T { T(context: context) }

private func passing<T>(_ context: NSManagedObjectContext, _ block: @escaping () throws -> T) async rethrows -> T {
    try await context.perform { try block() }
}

@MainActor private var shown: [String] = []

final class AppleSourceTests: XCTestCase {
    // MARK: Initialisers and class methods

    func testInitialiserOnAGenericAndOnMetatypes() throws {
        let context = try Harbour.makeContext(NSInMemoryStoreType)
        let berth: Berth = make(context)
        let type: NSManagedObject.Type = Berth.self
        for object in [berth, type.init(context: context)] {
            XCTAssertEqual(object.entity.name, "Berth")
            XCTAssertTrue(
                object.entity === context.persistentStoreCoordinator?.managedObjectModel.entitiesByName["Berth"])
        }
    }

    func testOverriddenClassMethods() throws {
        let context = try Harbour.makeContext(NSInMemoryStoreType)
        let type: NSManagedObject.Type = Berth.self
        XCTAssertEqual(type.entity().name, "Berth")
        _ = Berth(context: context)
        let request: NSFetchRequest<NSFetchRequestResult> = type.fetchRequest()
        XCTAssertEqual(try context.count(for: request), 1)
    }

    // MARK: Blocks

    func testBlockThroughAFunctionThatRethrows() async throws {
        let context = Journal.inMemoryContainer().newBackgroundContext()
        let count = try await passing(context) {
            context.insertTrip("North")
            try context.save()
            return try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Trip"))
        }
        XCTAssertEqual(count, 1)
    }

    @MainActor
    func testBlockOfTheMainActor() async throws {
        let context = Journal.inMemoryContainer().newBackgroundContext()
        shown = await context.perform { ["a"] }
        XCTAssertEqual(shown, ["a"])
    }

    func testWaitingAsAValue() {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        let wait: (() -> Void) -> Void = context.performAndWait(_:)
        var count = 0
        wait { count += 1 }
        let block = { count += 1 }
        context.performAndWait(block)
        XCTAssertEqual(context.performAndWait { count }, 2)
    }

    // MARK: Defaults and stores

    func testDefaults() {
        XCTAssertEqual(NSPersistentStoreDescription().url, URL(fileURLWithPath: "/dev/null"))
        XCTAssertEqual(NSConstraintConflict().constraint, [])
        XCTAssertEqual(NSPersistentStoreCoordinator().managedObjectModel.entities, [])
        XCTAssertNotNil(ValueTransformer(forName: NSValueTransformerName("NSSecureUnarchiveFromDataTransformer")))
    }

    func testTransformerByItsClassName() throws {
        let context = try Harbour.makeContext()
        let berth = Harbour.berth("a", 1, 0, 2, in: context)
        berth.setValue(["x", "y"], forKey: "notes")
        try context.save()
        context.reset()
        let found = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Berth"))
        XCTAssertEqual(found[0].value(forKey: "notes") as? [String], ["x", "y"])
    }

    func testExpressionDescriptionOfAnAttribute() throws {
        let context = try Harbour.makeContext()
        Harbour.berth("a", 7, 0, 2, in: context)
        try context.save()
        let depth = NSExpressionDescription()
        depth.name = "depth"
        depth.expressionResultType = .integer32AttributeType
        let request = NSFetchRequest<NSDictionary>(entityName: "Berth")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = [depth]
        XCTAssertEqual(try context.fetch(request).map { $0["depth"] as? Int }, [7])
    }

    func testMovingBetweenKinds() throws {
        let kinds = [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType, NSInMemoryStoreType]
        for from in kinds {
            for to in kinds {
                let context = try Harbour.makeContext(from)
                let coordinator = try XCTUnwrap(context.persistentStoreCoordinator)
                let berth = Harbour.berth("a", 7, 0, 2, in: context)
                let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
                person.setValue("Ann", forKey: "name")
                berth.setValue(person, forKey: "master")
                try context.save()
                context.reset()
                let target = Journal.temporaryStoreURL()
                let moved = try coordinator.migratePersistentStore(
                    coordinator.persistentStores[0], to: target, options: nil, withType: to)
                XCTAssertEqual(moved.type, to)
                XCTAssertEqual(coordinator.persistentStores, [moved], "\(from) to \(to)")
                let found = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Berth"))
                XCTAssertEqual(
                    found.map { $0.value(forKeyPath: "master.name") as? String }, ["Ann"], "\(from) to \(to)")
                found.first?.setValue(8, forKey: "depth")
                try context.save()
                Journal.remove(target)
            }
        }
    }

    // MARK: Key-value coding and predicates

    func testSettersCapital() throws {
        let context = try Harbour.makeContext(NSInMemoryStoreType)
        let berth = Harbour.berth("a", 1, 0, 2, in: context)
        let date = Date(timeIntervalSinceReferenceDate: 5)
        berth.setValue(date, forKey: "Date")
        XCTAssertEqual(berth.value(forKey: "date") as? Date, date)
    }

    func testNilWithinAny() throws {
        let context = try Harbour.makeContext(NSInMemoryStoreType)
        let berth = Harbour.berth("a", 1, 0, 2, in: context)
        let title: String? = nil
        berth.setValue(title as Any, forKey: "title")
        XCTAssertNil(berth.value(forKey: "title"))
        let person: NSManagedObject? = nil
        berth.setValue(person as Any, forKey: "master")
        XCTAssertNil(berth.value(forKey: "master"))
        let notes: [String]? = nil
        berth.setValue(notes as Any, forKey: "notes")
        XCTAssertNil(berth.value(forKey: "notes"))
    }

    func testBetweenExpressions() throws {
        for type in [NSSQLiteStoreType, NSInMemoryStoreType, NSXMLStoreType] {
            let context = try Harbour.makeContext(type)
            Harbour.berth("inside", 1, 0, 2, in: context)
            Harbour.berth("outside", 9, 0, 2, in: context)
            try context.save()
            let constants = [NSExpression(forConstantValue: 0), NSExpression(forConstantValue: 2)]
            let keys = [NSExpression(forKeyPath: "low"), NSExpression(forKeyPath: "high")]
            for bounds in [constants, keys] {
                let predicates = [
                    NSPredicate(format: "depth BETWEEN %@", bounds as NSArray),
                    NSComparisonPredicate(
                        leftExpression: NSExpression(forKeyPath: "depth"),
                        rightExpression: NSExpression(forConstantValue: bounds), modifier: .direct, type: .between,
                        options: []),
                ]
                for predicate in predicates {
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Berth")
                    request.predicate = predicate
                    let found = try context.fetch(request)
                    XCTAssertEqual(
                        found.map { $0.value(forKey: "title") as? String }, ["inside"], "\(type) \(predicate)")
                    let all = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Berth"))
                    XCTAssertEqual(all.filter { predicate.evaluate(with: $0) }, found, "\(predicate)")
                }
            }
        }
    }

    func testNullInPredicates() {
        let predicate = NSPredicate(format: "title == %@", NSNull())
        XCTAssertEqual("\(predicate)", "title == <null>")
        XCTAssertEqual("\(NSPredicate(format: "\(predicate)"))", "title == <null>")
        XCTAssertEqual("\(NSPredicate(format: "title == nil"))", "title == nil")
    }

    func testAuthorOfABatchThroughAChild() throws {
        let context = try Harbour.makeContext(
            NSSQLiteStoreType, options: [NSPersistentHistoryTrackingKey: true as NSNumber])
        context.transactionAuthor = "parent"
        let child = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        child.parent = context
        _ = try child.execute(NSBatchInsertRequest(entityName: "Berth", objects: [["title": "a"]]))
        let history = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
        let result = try context.execute(history) as? NSPersistentHistoryResult
        let transactions = try XCTUnwrap(result?.result as? [NSPersistentHistoryTransaction])
        XCTAssertEqual(transactions.map(\.author), ["parent"])
    }
}
