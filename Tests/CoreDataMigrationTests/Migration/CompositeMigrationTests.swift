import CoreData
import TestSupport
import Testing

@testable import CoreDataTestSupport

@Suite("Migrating composite attributes", .leavesNothingBehind)
struct CompositeMigrationTests {
    private func number(_ name: String) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = .integer32AttributeType
        attribute.isOptional = true
        return attribute
    }

    private func composite(_ name: String, _ elements: [NSAttributeDescription]) -> NSCompositeAttributeDescription {
        let attribute = NSCompositeAttributeDescription()
        attribute.name = name
        attribute.isOptional = true
        attribute.elements = elements
        return attribute
    }

    private func model(_ properties: [NSPropertyDescription]) -> NSManagedObjectModel {
        let entity = NSEntityDescription()
        entity.name = "T"
        entity.properties = properties
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    /// Saves values with an older model and gives what the object has with a newer one, migrated in place.
    private func migrated(
        _ older: NSManagedObjectModel, _ values: [String: Any], _ newer: NSManagedObjectModel, _ paths: [String]
    ) throws -> [Int?] {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("t.sqlite")
            try withStore(url, older) { context in
                context.make("T", values)
                try context.save()
            }
            let options: [AnyHashable: Any] = [
                NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
                NSMigrationKnownVersionsOption: [older],
            ]
            return try withStore(url, newer, options: options) { context in
                let object = try #require(try context.all("T").first)
                return paths.map { object.value(forKeyPath: $0) as? Int }
            }
        }
    }

    @Test("Elements of different composites that have one name keep their values, and follow the composite's new name")
    func sameNames() throws {
        func line(_ first: String, formerly: String? = nil) -> NSCompositeAttributeDescription {
            let start = composite(first, [number("x"), number("y")])
            start.renamingIdentifier = formerly
            return composite("line", [start, composite("to", [number("x"), number("y")])])
        }
        let values = ["line": ["from": ["x": 1, "y": 2], "to": ["x": 3, "y": 4]]]
        let more = try migrated(
            model([line("from")]), values, model([line("from"), number("more")]),
            ["line.from.x", "line.from.y", "line.to.x", "line.to.y"])
        #expect(more == [1, 2, 3, 4])
        let renamed = try migrated(
            model([line("from")]), values, model([line("start", formerly: "from"), number("more")]),
            ["line.start.x", "line.start.y", "line.to.x", "line.to.y"])
        #expect(renamed == [1, 2, 3, 4])
    }

    @Test(
        "Elements that are renamed, removed, new or of another type come over object by object as they do by SQL",
        arguments: [true, false])
    func objectByObject(_ isSpecific: Bool) throws {
        let older = model([composite("line", [composite("from", [number("x"), number("y")]), number("gone")])])
        let renamed = number("z")
        renamed.renamingIdentifier = "x"
        renamed.attributeType = .doubleAttributeType
        let mandatory = number("y")
        mandatory.isOptional = false
        mandatory.defaultValue = 9
        let added = number("added")
        added.defaultValue = 5
        let start = composite("start", [renamed, mandatory])
        start.renamingIdentifier = "from"
        let newer = model([composite("line", [start, added])])
        try withTemporaryFolder { folder in
            let (old, new) = (folder.appendingPathComponent("Old.sqlite"), folder.appendingPathComponent("New.sqlite"))
            try withStore(old, older) { context in
                context.make("T", ["line": ["from": ["x": 1], "gone": 3]])
                try context.save()
            }
            let manager = NSMigrationManager(sourceModel: older, destinationModel: newer)
            manager.usesStoreSpecificMigrationManager = isSpecific
            try manager.migrateStore(
                from: old, sourceType: NSSQLiteStoreType,
                with: NSMappingModel.inferredMappingModel(forSourceModel: older, destinationModel: newer),
                toDestinationURL: new, destinationType: NSSQLiteStoreType)
            try withStore(new, newer) { context in
                let object = try #require(try context.all("T").first)
                #expect(object.value(forKeyPath: "line.start.z") as? Double == 1)
                #expect(object.value(forKeyPath: "line.start.y") as? Int == 9)
                #expect(object.value(forKeyPath: "line.added") as? Int == 5)
            }
        }
    }

    @Test("A number that a renamed element cannot hold ends the migration and names the element")
    func beyond() throws {
        let older = model([composite("size", [number("x")])])
        let small = number("w")
        small.attributeType = .integer16AttributeType
        small.renamingIdentifier = "x"
        let newer = model([composite("size", [small])])
        try withTemporaryFolder { folder in
            let (old, new) = (folder.appendingPathComponent("Old.sqlite"), folder.appendingPathComponent("New.sqlite"))
            try withStore(old, older) { context in
                context.make("T", ["size": ["x": 40_000]])
                try context.save()
            }
            let manager = NSMigrationManager(sourceModel: older, destinationModel: newer)
            manager.usesStoreSpecificMigrationManager = false
            let error = try #require(throws: NSError.self) {
                try manager.migrateStore(
                    from: old, sourceType: NSSQLiteStoreType,
                    with: NSMappingModel.inferredMappingModel(forSourceModel: older, destinationModel: newer),
                    toDestinationURL: new, destinationType: NSSQLiteStoreType)
            }
            #expect(error.code == NSMigrationError && error.localizedDescription.contains("size.w"), "\(error)")
        }
    }

    @Test("Composites that are made of the same elements keep apart, also when they exchange their names")
    func sharedElements() throws {
        func places(_ first: String, _ second: String, exchanged: Bool) -> [NSPropertyDescription] {
            let elements = [number("x"), number("y")]
            let (one, other) = (composite(first, elements), composite(second, elements))
            if exchanged { (one.renamingIdentifier, other.renamingIdentifier) = (second, first) }
            return [one, other]
        }
        let values = ["home": ["x": 1, "y": 2], "work": ["x": 3, "y": 4]]
        let found = try migrated(
            model(places("home", "work", exchanged: false)), values,
            model(places("home", "work", exchanged: true) + [number("more")]),
            ["home.x", "home.y", "work.x", "work.y"])
        #expect(found == [3, 4, 1, 2])
    }
}
