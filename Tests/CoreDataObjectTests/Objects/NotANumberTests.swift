import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("NaN is refused where it would be lost, with the attribute's name", .leavesNothingBehind)
struct NotANumberTests {
    private static let text = """
        entity Item
          name string
          must double! = 1
          may double
          small float
          when date
          exact decimal
          copy double
        """

    private func library(_ kind: StoreKind) throws -> Library {
        let model = ModelText.model(Self.text)
        let place = NSCompositeAttributeDescription()
        place.name = "place"
        let latitude = NSAttributeDescription()
        latitude.name = "latitude"
        latitude.attributeType = .doubleAttributeType
        place.elements = [latitude]
        model.entitiesByName["Item"]?.properties.append(place)
        return try Library(kind, model: model)
    }

    private func expect(
        _ error: NSError?, names key: String, _ code: Int = NSManagedObjectValidationError,
        _ place: SourceLocation = #_sourceLocation
    ) {
        #expect(error?.code == code, sourceLocation: place)
        #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == key, sourceLocation: place)
        #expect(error?.localizedDescription.contains(key) == true, sourceLocation: place)
        #expect(error?.localizedDescription.contains("NaN") == true, sourceLocation: place)
        if code == NSManagedObjectValidationError {
            let value = error?.userInfo[NSValidationValueErrorKey] as? Double
            #expect(value?.isNaN == true, sourceLocation: place)
        }
    }

    @Test("A save refuses NaN in new and changed objects, in every kind of store", arguments: StoreKind.sampled())
    func saves(kind: StoreKind) throws {
        let library = try library(kind)
        let context = library.context()
        try context.performAndWait {
            let item = context.make("Item", ["name": "a"])
            for key in ["must", "may"] {
                item.setValue(Double.nan, forKey: key)
                expect(#expect(throws: NSError.self) { try context.save() }, names: key)
                item.setValue(2.5, forKey: key)
            }
            item.setValue(Float.nan, forKey: "small")
            expect(#expect(throws: NSError.self) { try context.save() }, names: "small")
            item.setValue(Float.infinity, forKey: "small")
            item.setValue(["latitude": Double.nan], forKey: "place")
            expect(#expect(throws: NSError.self) { try context.save() }, names: "place.latitude")
            item.setValue(["latitude": 1.5], forKey: "place")
            item.setValue(Date(timeIntervalSinceReferenceDate: .nan), forKey: "when")
            expect(#expect(throws: NSError.self) { try context.save() }, names: "when", NSValidationInvalidDateError)
            item.setValue(nil, forKey: "when")
            item.setValue(-Double.infinity, forKey: "may")
            item.setValue(NSDecimalNumber.notANumber, forKey: "exact")
            try context.save()

            item.setValue(Double.nan, forKey: "may")
            expect(#expect(throws: NSError.self) { try context.save() }, names: "may")
            context.rollback()
            let child = library.child(of: context)
            child.performAndWait {
                let seen = child.object(with: item.objectID)
                seen.setValue(Double.nan, forKey: "must")
                expect(#expect(throws: NSError.self) { try child.save() }, names: "must")
            }
        }
        let other = try library.beside().context()
        try other.performAndWait {
            let item = try #require(try other.all("Item").first)
            #expect(item.value(forKey: "must") as? Double == 2.5)
            #expect(item.value(forKey: "may") as? Double == -.infinity)
            #expect(item.value(forKey: "small") as? Float == .infinity)
            #expect((item.value(forKey: "exact") as? NSDecimalNumber)?.decimalValue.isNaN == true)
        }
    }

    @Test("A value is refused before it is set, too, as is a dictionary of a composite attribute")
    func validateValue() throws {
        let context = try library(.sqlite).context()
        context.performAndWait {
            let item = context.make("Item")
            for (key, name, given) in [
                ("may", "may", NSNumber(value: Double.nan) as AnyObject),
                ("place", "place.latitude", ["latitude": Double.nan] as NSDictionary),
            ] {
                var value: AnyObject? = given
                expect(#expect(throws: NSError.self) { try item.validateValue(&value, forKey: key) }, names: name)
            }
            var fine: AnyObject? = NSNumber(value: Double.infinity)
            #expect(throws: Never.self) { try item.validateValue(&fine, forKey: "may") }
        }
    }

    @Test("A batch refuses NaN in dictionaries, handlers and constants, and in expressions for a mandatory number")
    func batches() throws {
        let library = try library(.sqlite)
        let context = library.context()
        try context.performAndWait {
            try context.execute(NSBatchInsertRequest(entityName: "Item", objects: [["name": "a", "may": 0.0]]))
            func refused(_ request: NSPersistentStoreRequest, _ key: String, _ place: SourceLocation = #_sourceLocation)
            {
                expect(#expect(throws: NSError.self) { try context.execute(request) }, names: key, 1550, place)
            }
            refused(NSBatchInsertRequest(entityName: "Item", objects: [["must": Double.nan]]), "must")
            refused(
                NSBatchInsertRequest(entityName: "Item", objects: [["place": ["latitude": Double.nan]]]),
                "place.latitude")
            refused(
                NSBatchInsertRequest(
                    entityName: "Item",
                    dictionaryHandler: {
                        $0["small"] = Float.nan
                        return false
                    }), "small")
            refused(
                NSBatchInsertRequest(
                    entityName: "Item",
                    managedObjectHandler: {
                        $0.setValue(Double.nan, forKey: "may")
                        return false
                    }), "may")
            let update = NSBatchUpdateRequest(entityName: "Item")
            update.propertiesToUpdate = ["may": Double.nan]
            refused(update, "may")
            update.propertiesToUpdate = ["may": NSExpression(forConstantValue: Double.nan)]
            refused(update, "may")
            update.propertiesToUpdate = ["must": NSExpression(format: "may / may")]
            refused(update, "must")
            update.propertiesToUpdate = ["must": Double.infinity, "exact": NSDecimalNumber.notANumber]
            try context.execute(update)
        }
        #expect(try library.saved("Item", "must") == ["inf"])
    }

    @Test(
        "A default value of NaN is refused when it would be saved, by saves and batches", arguments: StoreKind.sampled()
    )
    func defaults(kind: StoreKind) throws {
        let model = ModelText.model(Self.text)
        model.entitiesByName["Item"]?.attributesByName["may"]?.defaultValue = Double.nan
        let library = try Library(kind, model: model)
        let context = library.context()
        try context.performAndWait {
            let item = context.make("Item")
            expect(#expect(throws: NSError.self) { try context.save() }, names: "may")
            item.setValue(1.0, forKey: "may")
            try context.save()
            guard kind == .sqlite else { return }
            let batch = NSBatchInsertRequest(entityName: "Item", objects: [["name": "b"]])
            expect(#expect(throws: NSError.self) { try context.execute(batch) }, names: "may")
        }
        #expect(try library.saved("Item", "may") == ["1"] || library.saved("Item", "may") == ["1.0"])
    }

    @Test(
        "A derived attribute that a store's objects compute is refused by its own name",
        arguments: [
            StoreKind.atomic, .xml, .incremental,
        ])
    func derived(kind: StoreKind) throws {
        let model = ModelText.model(Self.text)
        let derived = NSDerivedAttributeDescription()
        derived.name = "quotient"
        derived.attributeType = .doubleAttributeType
        derived.isOptional = true
        derived.derivationExpression = NSExpression(format: "must / may")
        model.entitiesByName["Item"]?.properties.append(derived)
        let context = try Library(kind, model: model).context()
        try context.performAndWait {
            let item = context.make("Item", ["must": 0.0, "may": 0.0])
            expect(#expect(throws: NSError.self) { try context.save() }, names: "quotient")
            item.setValue(2.0, forKey: "may")
            try context.save()
        }
    }

    @Test("SQLite computes NaN for a derived attribute and in a batch for an optional one: the value is nil")
    func computedBySQLite() throws {
        let model = ModelText.model(Self.text)
        let derived = NSDerivedAttributeDescription()
        derived.name = "quotient"
        derived.attributeType = .doubleAttributeType
        derived.isOptional = true
        derived.derivationExpression = NSExpression(format: "must / may")
        model.entitiesByName["Item"]?.properties.append(derived)
        let library = try Library(.sqlite, model: model)
        let context = library.context()
        try context.performAndWait {
            let item = context.make("Item", ["must": 1.0, "may": 2.0])
            try context.save()
            #expect(try library.saved("Item", "quotient") == ["0.5"])
            item.setValue(0.0, forKey: "must")
            item.setValue(0.0, forKey: "may")
            try context.save()
            #expect(try library.saved("Item", "quotient") == ["nil"])
            #expect(try library.saved("Item", "may") != ["nil"])
            let update = NSBatchUpdateRequest(entityName: "Item")
            update.propertiesToUpdate = ["may": NSExpression(format: "must / must")]
            try context.execute(update)
        }
        #expect(try library.saved("Item", "may") == ["nil"])
    }
}
