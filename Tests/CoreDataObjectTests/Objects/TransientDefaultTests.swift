import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("A transient attribute has its default value whenever it is not set", .leavesNothingBehind, .onEveryKindOfStore)
struct TransientDefaultTests {
    private func makeLibrary() throws -> Library {
        let model = ModelText.model(
            """
            entity Item
              name string
              count int64! = 7 transient
              ratio double! = 0.5 transient
              isNew bool! = true transient
              label string! = fresh transient
              code uuid! = 5C3C2F3E-0A4B-4C55-8E7D-1D8B3C7B0F11 transient
              price decimal! = 1.25 transient
              day date! = 100 transient
              choice string = any transient
            """)
        let colour = NSAttributeDescription()
        colour.name = "colours"
        colour.attributeType = .transformableAttributeType
        colour.isTransient = true
        colour.isOptional = false
        colour.defaultValue = ["red"]
        model.entitiesByName["Item"]?.properties.append(colour)
        return try Library(model: model)
    }

    private func expectDefaults(_ item: NSManagedObject, _ place: SourceLocation = #_sourceLocation) {
        let values = item.dictionaryWithValues(
            forKeys: ["count", "ratio", "isNew", "label", "code", "price", "day", "choice", "colours"])
        #expect(values["count"] as? Int == 7, sourceLocation: place)
        #expect(values["ratio"] as? Double == 0.5, sourceLocation: place)
        #expect(values["isNew"] as? Bool == true, sourceLocation: place)
        #expect(values["label"] as? String == "fresh", sourceLocation: place)
        #expect((values["code"] as? UUID)?.uuidString.hasPrefix("5C3C") == true, sourceLocation: place)
        #expect(values["price"] as? NSDecimalNumber == NSDecimalNumber(string: "1.25"), sourceLocation: place)
        #expect(values["day"] as? Date == Date(timeIntervalSinceReferenceDate: 100), sourceLocation: place)
        #expect(values["choice"] as? String == "any", sourceLocation: place)
        #expect(values["colours"] as? [String] == ["red"], sourceLocation: place)
        let committed = item.committedValues(forKeys: ["count", "colours"])
        #expect(committed["count"] as? Int == 7 || item.isInserted, sourceLocation: place)
        #expect(committed["colours"] as? [String] == ["red"] || item.isInserted, sourceLocation: place)
    }

    @Test("A fetched object has the defaults, by another coordinator too, and a change can be saved")
    func afterFetch() throws {
        let library = try makeLibrary()
        let context = library.context()
        try context.performAndWait {
            expectDefaults(context.make("Item", ["name": "a"]))
            try context.save()
        }
        let other = try library.beside().context()
        try other.performAndWait {
            let item = try #require(try other.all("Item").first)
            expectDefaults(item)
            item.setValue("b", forKey: "name")
            try other.save()
            expectDefaults(item)
            other.refresh(item, mergeChanges: false)
            expectDefaults(item)
            item.setValue("c", forKey: "name")
            other.refresh(item, mergeChanges: true)
            expectDefaults(item)
            #expect(item.value(forKey: "name") as? String == "c")
            try other.save()
            let dictionary = item.committedValues(forKeys: nil)
            #expect(dictionary["label"] as? String == "fresh")
        }
    }

    @Test("Other contexts do not see a transient value; a refresh gives the default again, and nil stays nil")
    func setValues() throws {
        let library = try makeLibrary()
        let context = library.context()
        try context.performAndWait {
            let item = context.make("Item", ["name": "a", "count": 1, "colours": ["blue"]])
            item.setValue(nil, forKey: "choice")
            try context.save()
            #expect(item.value(forKey: "count") as? Int == 1)
            #expect(item.value(forKey: "choice") == nil)
            let other = library.context()
            try other.performAndWait {
                let seen = try #require(try other.all("Item").first)
                expectDefaults(seen)
                seen.setValue("b", forKey: "name")
                try other.save()
            }
            context.refreshAllObjects()
            expectDefaults(item)
            item.setValue(2, forKey: "count")
            context.rollback()
            expectDefaults(item)
        }
    }

    @Test("A child saves transient values into its parent, and reads none from there")
    func childAndParent() throws {
        let parent = try makeLibrary().context()
        try parent.performAndWait {
            let child = NSManagedObjectContext(.privateQueue)
            child.performAndWait { child.parent = parent }
            let id = try child.performAndWait {
                let item = child.make("Item", ["name": "a", "count": 50])
                try child.save()
                #expect(item.value(forKey: "count") as? Int == 50)
                return item.objectID
            }
            let item = parent.object(with: id)
            #expect(item.value(forKey: "count") as? Int == 50)
            try child.performAndWait {
                #expect(child.registeredObjects.isEmpty)
                let found = try #require(try child.all("Item").first)
                #expect(found.value(forKey: "count") as? Int == 7)
                found.setValue(20, forKey: "count")
                try child.save()
            }
            #expect(item.value(forKey: "count") as? Int == 20)
        }
    }

    @Test("Objects in children have the defaults, also after undo")
    func childrenAndUndo() throws {
        let library = try makeLibrary()
        let context = library.context()
        try context.performAndWait {
            let item = context.make("Item", ["name": "a"])
            try context.save()
            context.refresh(item, mergeChanges: false)
            let child = library.child(of: context)
            try child.performAndWait {
                let seen = try #require(try child.all("Item").first)
                expectDefaults(seen)
                seen.setValue("child", forKey: "name")
                expectDefaults(child.make("Item", ["name": "new"]))
                try child.save()
            }
            for item in try context.all("Item") { expectDefaults(item) }
            try context.save()
            context.undoManager = UndoManager()
            item.setValue(9, forKey: "count")
            context.undo()
            expectDefaults(item)
            context.delete(item)
            try context.save()
            context.undo()
            expectDefaults(try #require(try context.all("Item", "name == 'child'").first))
            try context.save()
        }
    }
}
