import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Special attributes over every kind of store", .leavesNothingBehind)
struct SpecialAttributesTests {
    @Test("NSNull is a value of a transformable attribute in tables, and nil is none", .onEveryDatabase)
    func nullObject() throws {
        let library = try Library()
        let context = library.context()
        try context.performAndWait {
            let book = context.make("Book", ["title": "null", "keywords": NSNull()])
            context.make("Book", ["title": "none"])
            #expect(book.value(forKey: "keywords") is NSNull)
            try context.save()
            #expect(book.value(forKey: "keywords") is NSNull)
        }
        let other = try library.beside().context()
        try other.performAndWait {
            let (null, none) = (
                try other.all("Book", "title == 'null'")[0], try other.all("Book", "title == 'none'")[0]
            )
            #expect(null.value(forKey: "keywords") is NSNull)
            #expect(none.value(forKey: "keywords") == nil)
            null.setValue(nil, forKey: "keywords")
            try other.save()
            #expect(null.value(forKey: "keywords") == nil)
        }
    }

    @Test(
        "A composite attribute is a dictionary; elements of one name in two of them are kept apart",
        arguments: StoreKind.sampled())
    func composites(kind: StoreKind) throws {
        let library = try Library(kind, model: ParcelModel.make())
        let context = library.context()
        try context.performAndWait {
            let parcel = context.make("Parcel", ["name": "p"])
            #expect(parcel.value(forKey: "size") == nil)
            parcel.setValue(["width": 2.5, "unit": ["name": "cm"]] as [String: Any], forKey: "size")
            parcel.setValue(7, forKeyPath: "label.width")
            parcel.setValue(9, forKeyPath: "size.height")
            #expect(parcel.changedValues().keys.contains("size"))
            try context.save()
            #expect(parcel.changedValues().isEmpty)
            context.make("Parcel", ["name": "q", "size": ["width": 1.0] as [String: Any]])
            try context.save()
        }
        let other = library.context()
        try other.performAndWait {
            let parcel = try #require(try other.all("Parcel", "size.width > 2").first)
            let size = try #require(parcel.value(forKey: "size") as? [String: Any])
            #expect(size["width"] as? Double == 2.5)
            #expect(size["height"] as? Double == 9)
            #expect((size["unit"] as? [String: Any])?["name"] as? String == "cm")
            #expect(parcel.value(forKeyPath: "size.unit.name") as? String == "cm")
            #expect((parcel.value(forKey: "label") as? [String: Any])?.keys.sorted() == ["width"])
            #expect(try other.all("Parcel", "size.unit.name == 'cm' AND label.width == 7") == [parcel])
            let sorted = NSFetchRequest<NSManagedObject>(entityName: "Parcel")
            sorted.sortDescriptors = [NSSortDescriptor(key: "size.width", ascending: true)]
            #expect(try other.fetch(sorted).map { $0.value(forKey: "name") as? String } == ["q", "p"])
            parcel.setValue(["height": 1.0] as [String: Any], forKey: "size")
            #expect((parcel.committedValues(forKeys: ["size"])["size"] as? [String: Any])?["width"] as? Double == 2.5)
            try other.save()
            #expect(try other.all("Parcel", "size.width > 2").isEmpty)
            parcel.setValue(nil, forKey: "size")
            #expect(parcel.value(forKey: "size") == nil)
            try other.save()
        }
    }

    @Test("A fetch of dictionaries has a composite attribute as one value", arguments: StoreKind.sampled())
    func compositesInDictionaries(kind: StoreKind) throws {
        let library = try Library(kind, model: ParcelModel.make())
        let context = library.context()
        try context.performAndWait {
            context.make("Parcel", ["name": "p", "size": ["width": 2.0, "unit": ["name": "m"]] as [String: Any]])
            try context.save()
            let request = NSFetchRequest<NSDictionary>(entityName: "Parcel")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["size", "size.width", "name"]
            let row = try #require(try context.fetch(request).first)
            #expect(row["name"] as? String == "p")
            let size = try #require(row["size"] as? [String: Any])
            #expect(size["width"] as? Double == 2)
            #expect((size["unit"] as? [String: Any])?["name"] as? String == "m")
        }
    }

    @Test(
        "A changed transformable value survives refreshing, a fetch that refreshes, and another context's save",
        arguments: StoreKind.sampled())
    func refreshedTransformable(kind: StoreKind) throws {
        let library = try Library(kind, model: ParcelModel.make())
        let (context, other) = (library.context(), library.context())
        context.performAndWait { context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump }
        try context.performAndWait {
            let parcel = context.make("Parcel", ["name": "p", "list": ["old"]])
            try context.save()
            parcel.setValue(["new"], forKey: "list")
            func check(_ name: String) {
                #expect(parcel.value(forKey: "list") as? [String] == ["new"])
                #expect(parcel.value(forKey: "name") as? String == name)
                #expect(parcel.hasPersistentChangedValues && parcel.changedValues().keys.sorted() == ["list"])
            }
            context.refresh(parcel, mergeChanges: true)
            check("p")
            context.refreshAllObjects()
            check("p")
            try other.performAndWait {
                try other.all("Parcel").first?.setValue("other", forKey: "name")
                try other.save()
            }
            let request = NSFetchRequest<NSManagedObject>(entityName: "Parcel")
            request.shouldRefreshRefetchedObjects = true
            #expect(try context.fetch(request) == [parcel])
            #expect(parcel.value(forKey: "list") as? [String] == ["new"])
            try context.save()
        }
        let beside = library.context()
        try beside.performAndWait {
            let parcel = try #require(try beside.all("Parcel").first)
            #expect(parcel.value(forKey: "list") as? [String] == ["new"])
            #expect(parcel.value(forKey: "name") as? String == "other")
        }
    }

    @Test("Derived attributes have the values of the last save", arguments: StoreKind.sampled())
    func derived(kind: StoreKind) throws {
        let library = try Library(kind, model: ParcelModel.make())
        let context = library.context()
        func check(_ upper: String, _ number: Int, _ weight: Double, _ parcel: NSManagedObject) {
            context.refresh(parcel, mergeChanges: true)
            #expect(parcel.value(forKey: "upper") as? String == upper)
            #expect(parcel.value(forKey: "number") as? Int == number)
            #expect(parcel.value(forKey: "weight") as? Double == weight)
        }
        try context.performAndWait {
            let parcel = context.make("Parcel", ["name": "abc"])
            let items = [1.5, 2].map { context.make("Item", ["weight": $0, "parcel": parcel]) }
            try context.save()
            check("ABC", 2, 3.5, parcel)
            parcel.setValue("d", forKey: "name")
            items[0].setValue(4, forKey: "weight")
            try context.save()
            check("D", 2, 6, parcel)
            context.delete(items[1])
            try context.save()
            check("D", 1, 4, parcel)
            #expect(try context.all("Parcel", "number == 1 AND weight == 4") == [parcel])
        }
    }

    @Test(
        "A fetched property is the result of its request, kept until the object is refreshed",
        arguments: StoreKind.sampled())
    func fetched(kind: StoreKind) throws {
        let library = try Library(kind, model: ParcelModel.make())
        let context = library.context()
        try context.performAndWait {
            let parcel = context.make("Parcel", ["name": "same"])
            let other = context.make("Parcel", ["name": "same"])
            for weight in [1.0, 9, 6] { context.make("Item", ["weight": weight, "parcel": parcel]) }
            try context.save()
            #expect(parcel.value(forKey: "namesakes") as? [NSManagedObject] == [other])
            let heavy = parcel.value(forKey: "heavy") as? [NSManagedObject]
            #expect(heavy?.map { $0.value(forKey: "weight") as? Double } == [6, 9])
            let third = context.make("Parcel", ["name": "same", "code": UUID()])
            #expect(parcel.value(forKey: "namesakes") as? [NSManagedObject] == [other])
            try context.save()
            #expect(parcel.value(forKey: "namesakes") as? [NSManagedObject] == [other])
            context.refresh(parcel, mergeChanges: true)
            #expect(Set(parcel.value(forKey: "namesakes") as? [NSManagedObject] ?? []) == [other, third])
            let slot = ManagedSlot("namesakes")
            let typed: [NSManagedObject] = slot.value(of: parcel)
            #expect(Set(typed) == [other, third])
            #expect(!parcel.hasChanges)
        }
    }

    @Test("A fetched property is fetched anew when the user info changes that its predicate asks")
    func fetchedByUserInfo() throws {
        let model = ModelText.model("entity Item\n  name string")
        let item = try #require(model.entitiesByName["Item"])
        let property = NSFetchedPropertyDescription()
        property.name = "found"
        property.fetchRequest = NSFetchRequest<NSFetchRequestResult>(entityName: "Item")
        property.fetchRequest?.predicate = NSPredicate(format: "name == $FETCHED_PROPERTY.userInfo.search")
        property.userInfo = ["search": "a"]
        item.properties.append(property)
        let context = try Library(.inMemory, model: model).context()
        try context.performAndWait {
            let items = ["a", "b"].map { context.make("Item", ["name": $0]) }
            try context.save()
            #expect(items[0].value(forKey: "found") as? [NSManagedObject] == [items[0]])
            property.userInfo?["search"] = "b"
            #expect(items[0].value(forKey: "found") as? [NSManagedObject] == [items[1]])
        }
    }

    @Test(
        "A fetched property gives ids, dictionaries or a count where its request asks for them",
        arguments: [StoreKind.sqlite, .inMemory])
    func fetchedOfOtherKinds(kind: StoreKind) throws {
        let model = ModelText.model("entity Item\n  name string")
        let item = try #require(model.entitiesByName["Item"])
        let types: [String: NSFetchRequestResultType] = [
            "ids": .managedObjectIDResultType, "rows": .dictionaryResultType, "number": .countResultType,
        ]
        for (name, type) in types {
            let property = NSFetchedPropertyDescription()
            property.name = name
            property.fetchRequest = NSFetchRequest<NSFetchRequestResult>(entityName: "Item")
            property.fetchRequest?.predicate = NSPredicate(format: "name == $FETCH_SOURCE.name")
            property.fetchRequest?.resultType = type
            item.properties.append(property)
        }
        let context = try Library(kind, model: model).context()
        try context.performAndWait {
            let object = context.make("Item", ["name": "a"])
            context.make("Item", ["name": "b"])
            try context.save()
            // The second time it is read with more objects in the store.
            for _ in 1...2 {
                #expect(object.value(forKey: "ids") as? [NSManagedObjectID] == [object.objectID])
                let rows = object.value(forKey: "rows") as? [[String: Any]]
                #expect(rows?.map { $0["name"] as? String } == ["a"])
                #expect(object.value(forKey: "number") as? [Int] == [1])
                context.make("Item", ["name": "a"])
                try context.save()
            }
            context.refresh(object, mergeChanges: true)
            #expect(object.value(forKey: "number") as? [Int] == [3])
        }
    }

    @Test("UUIDs, URIs and large data come back, are found, changed and cleared", arguments: StoreKind.sampled())
    func values(kind: StoreKind) throws {
        let library = try Library(kind, model: ParcelModel.make())
        let context = library.context()
        let (code, link) = (UUID(), try #require(URL(string: "https://example.org/a?b=c%20d")))
        let large = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
        try context.performAndWait {
            context.make("Parcel", ["name": "p", "code": code, "link": link, "content": large])
            try context.save()
        }
        let other = library.context()
        try other.performAndWait {
            let parcel = try #require(try other.all("Parcel", "code == %@ AND link == %@", code, link).first)
            #expect(parcel.value(forKey: "code") as? UUID == code)
            #expect(parcel.value(forKey: "link") as? URL == link)
            #expect(parcel.value(forKey: "content") as? Data == large)
            parcel.setValue(Data([1]), forKey: "content")
            parcel.setValue(nil, forKey: "code")
            try other.save()
            other.refresh(parcel, mergeChanges: false)
            #expect(parcel.value(forKey: "content") as? Data == Data([1]))
            #expect(parcel.value(forKey: "code") == nil)
            #expect(try other.all("Parcel", "code == nil") == [parcel])
        }
    }

    @Test(
        "Transformable values go through their registered transformers and come back equal; other values stop the save",
        arguments: StoreKind.sampled())
    func transformables(kind: StoreKind) throws {
        let library = try Library(kind, model: ParcelModel.make())
        let context = library.context()
        let list = ["a", 1, ["b": Date(timeIntervalSinceReferenceDate: 1)]] as NSArray
        try context.performAndWait {
            context.make(
                "Parcel", ["name": "p", "shade": Shade("red", depth: 3), "secret": "abc", "list": list])
            try context.save()
            let parcel = try #require(try context.all("Parcel").first)
            let wrong: [(String, Any)] = [("shade", Date()), ("secret", 1), ("lost", "x")]
            for (key, value) in wrong {
                parcel.setValue(value, forKey: key)
                let error = #expect(throws: NSError.self) { try context.save() }
                #expect(error?.code == NSCoreDataError)
                #expect(error?.localizedDescription.contains("'\(key)'") == true)
                context.rollback()
            }
        }
        let other = try library.beside().context()
        try other.performAndWait {
            let parcel = try #require(try other.all("Parcel").first)
            #expect(parcel.value(forKey: "shade") as? Shade == Shade("red", depth: 3))
            #expect(parcel.value(forKey: "secret") as? String == "abc")
            #expect(parcel.value(forKey: "list") as? NSArray == list)
            #expect(parcel.value(forKey: "lost") == nil)
            parcel.setValue(Shade("blue", depth: 4), forKey: "shade")
            parcel.setValue(nil, forKey: "list")
            try other.save()
            other.refresh(parcel, mergeChanges: false)
            #expect((parcel.value(forKey: "shade") as? Shade)?.name == "blue")
            #expect(parcel.value(forKey: "list") == nil)
            #expect(try other.all("Parcel", "list == nil AND shade != nil") == [parcel])
        }
    }

    @Test(
        "Decimals keep fifteen digits in SQLite's columns and all of theirs in a program's store",
        arguments: StoreKind.sampled())
    func decimals(kind: StoreKind) throws {
        let library = try Library(kind, model: ParcelModel.make())
        let context = library.context()
        let exact = ["0.1", "12345678.9012345", "-99999999999999.9", "9007199254740993", "1e-20", "0"]
        let long = "1234567890.12345678901234567"
        try context.performAndWait {
            for text in exact + [long] {
                context.make("Parcel", ["name": text, "price": NSDecimalNumber(string: text)])
            }
            try context.save()
        }
        let other = library.context()
        try other.performAndWait {
            for parcel in try other.all("Parcel") {
                let text = try #require(parcel.value(forKey: "name") as? String)
                let price = try #require(parcel.value(forKey: "price") as? NSDecimalNumber)
                if text == long, kind == .sqlite || kind == .inMemory {
                    #expect(price != NSDecimalNumber(string: long))
                    #expect(abs(price.doubleValue - 1_234_567_890.123_456_8) < 0.000_001)
                } else {
                    #expect(price == NSDecimalNumber(string: text))
                }
            }
            #expect(try other.all("Parcel", "price == %@", NSDecimalNumber(string: "0.1")).count == 1)
            #expect(try other.all("Parcel", "price > 0 AND price < 1").count == 2)
        }
    }

    @Test(
        "An expression for the object itself gives ids in dictionaries",
        arguments: StoreKind.sampled().filter { $0 != .incremental })
    func objectIDs(kind: StoreKind) throws {
        let library = try Library(kind, model: ParcelModel.make())
        let context = library.context()
        try context.performAndWait {
            let parcel = context.make("Parcel", ["name": "p"])
            try context.save()
            let column = NSExpressionDescription()
            column.name = "id"
            column.expression = NSExpression.expressionForEvaluatedObject()
            column.expressionResultType = .objectIDAttributeType
            let request = NSFetchRequest<NSDictionary>(entityName: "Parcel")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = [column, "name"]
            #expect(try context.fetch(request).map { $0["id"] as? NSManagedObjectID } == [parcel.objectID])
        }
    }

    @Test("Nothing in place of a default is saved as nothing, through parents too", arguments: StoreKind.sampled())
    func emptiedDefault(kind: StoreKind) throws {
        let model = ModelText.model("entity Item\n  name string")
        let tags = NSAttributeDescription()
        tags.name = "tags"
        tags.attributeType = .transformableAttributeType
        tags.isOptional = true
        tags.defaultValue = ["a"] as NSArray
        model.entitiesByName["Item"]?.properties.append(tags)
        let library = try Library(kind, model: model)
        let root = library.context()
        let child = library.child(of: library.child(of: root))
        for context in [root, child] {
            try context.performAndWait {
                context.make("Item", ["name": "default"])
                context.make("Item", ["name": "nothing"]).setValue(nil, forKey: "tags")
                try context.save()
            }
        }
        try child.parent?.performAndWait { try child.parent?.save() }
        try root.performAndWait { try root.save() }
        let fresh = try library.beside().context()
        try fresh.performAndWait {
            for item in try fresh.all("Item") {
                let tags = item.value(forKey: "tags") as? [String]
                #expect(tags == (item.nameText == "default" ? ["a"] : nil))
            }
        }
    }
}
