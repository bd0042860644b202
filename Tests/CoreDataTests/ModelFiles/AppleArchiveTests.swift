import Foundation
import TestSupport
import Testing

@testable import CoreData

/// The forms of archived models: that of files, and that of a model in use, which stores keep.
@Suite("Archived models in Apple's form")
struct AppleArchiveTests {
    private static func model() -> NSManagedObjectModel {
        let model = ModelText.model(
            """
            entity Vehicle
              name string
              seats int16
              owner one Person.vehicles
            entity Car : Vehicle
              doors int16
            entity Person
              vehicles many Vehicle.owner
            """)
        if let vehicle = model.entitiesByName["Vehicle"] {
            vehicle.indexes = [index("byName", "name", of: vehicle), index("bySeats", "seats", "name", of: vehicle)]
        }
        return model
    }

    private static func index(
        _ name: String, _ properties: String..., of entity: NSEntityDescription
    ) -> NSFetchIndexDescription {
        NSFetchIndexDescription(
            name: name,
            elements: properties.compactMap { property in
                entity.propertiesByName[property].map {
                    NSFetchIndexElementDescription(property: $0, collationType: .binary)
                }
            })
    }

    /// The model as it is read from a file, with the indexes that the file implies.
    private static func compiled() throws -> NSManagedObjectModel {
        let model = model()
        for entity in model.entities { entity.addImpliedIndexes() }
        return try ModelArchive.decode(ModelArchive.encode(model))
    }

    private static func entity(_ name: String, in data: Data) throws -> ArchivedObject {
        let entities = try KeyedArchive(data).root().entries("NSEntities")
        let value = try #require(entities.first { $0.key == name }).value
        let archive = try KeyedArchive(data)
        return try #require(try archive.object(value))
    }

    private static func names(_ key: String, of entity: ArchivedObject) throws -> [String] {
        try entity.elements(key).map { value in
            try #require(try entity.archive.object(value)).string("NSIndexName") ?? ""
        }
    }

    @Test("The archive of a model in use has inherited properties and all indexes; that of a file has neither")
    func forms() throws {
        let model = try Self.compiled()
        let file = try ModelArchive.encode(model)
        let inUse = try RawDeflate.decompress(ModelArchive.encodeDeflated(model))
        #expect(try KeyedArchive(file).root().object("NSEntities")?.className == "NSMutableDictionary")
        #expect(try KeyedArchive(inUse).root().object("NSEntities")?.className == "NSKnownKeysDictionary1")
        let forms: [(data: Data, inherited: [String], implied: [String])] = [
            (file, [], []), (inUse, ["name", "owner", "seats"], ["name"]),
        ]
        for (data, inherited, implied) in forms {
            let car = try Self.entity("Car", in: data)
            #expect(try car.entries("NSProperties").map(\.key).sorted() == (["doors"] + inherited).sorted())
            for (_, value) in try car.entries("NSProperties") {
                let property = try #require(try car.archive.object(value))
                #expect(try property.object("NSEntity")?.string("NSEntityName") == "Car")
            }
            #expect(try car.object("NSSubentities")?.className == "NSMutableDictionary")
            let vehicle = try Self.entity("Vehicle", in: data)
            #expect(try Self.names("NSFetchIndexDescriptions", of: vehicle) == implied + ["byName", "bySeats"])
            let compounds = try vehicle.elements("NSCompoundIndexes").map { tuple in
                try vehicle.archive.elements(tuple).map { try vehicle.archive.string($0) }
            }
            #expect(compounds == [["seats", "name"]])
            #expect(try Self.entity("Person", in: data).fields["NSFetchIndexDescriptions"] == nil)
        }
        #expect(try ModelArchive.decode(file).isEqual(model))
        #expect(try ModelArchive.decode(deflated: RawDeflate.compress(inUse)).isEqual(model))
    }

    @Test("A model in code has the indexes that it is given; a compiled one also has those of its marked attributes")
    func impliedIndexes() throws {
        func indexes(_ model: NSManagedObjectModel) -> [String] {
            model.freeze()
            return SQLSchemaBuilder.schema(of: model.layout).indexes.map(\.name).filter { $0.hasPrefix("Z_Vehicle_") }
        }
        let model = Self.model()
        #expect(model.entitiesByName["Vehicle"]?.attributesByName["name"]?.isIndexed == true)
        #expect(model.entitiesByName["Vehicle"]?.attributesByName["seats"]?.isIndexed == false)
        #expect(model.entitiesByName["Vehicle"]?.compoundIndexes as? [[String]] == [["seats", "name"]])
        #expect(indexes(model) == ["Z_Vehicle_byName", "Z_Vehicle_bySeats"])
        #expect(indexes(try Self.compiled()) == ["Z_Vehicle_name", "Z_Vehicle_byName", "Z_Vehicle_bySeats"])
        let marked = ModelText.model("entity Vehicle\n  name string index")
        #expect(indexes(marked) == ["Z_Vehicle_name"])
    }

    @Test("A store whose model an earlier version archived as a file opens, and is migrated by that model")
    func earlierForm() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            let model = try Self.compiled()
            try withStore(url, model) { context in
                let car = NSEntityDescription.insertNewObject(forEntityName: "Car", into: context)
                car.setValue("Beetle", forKey: "name")
                try context.save()
            }
            let earlier = try RawDeflate.compress(ModelArchive.encode(model))
            _ = try RawDatabase(url).rows("UPDATE Z_MODELCACHE SET Z_CONTENT = ?", [.blob(earlier)])
            let cached = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
            #expect(cached.isEqual(model))
            let newer = try Self.compiled()
            let note = NSAttributeDescription()
            note.name = "note"
            note.attributeType = .stringAttributeType
            note.isOptional = true
            newer.entitiesByName["Car"]?.properties.append(note)
            let options = [
                NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
            ]
            try withStore(url, newer, options: options) { context in
                let cars = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Car"))
                #expect(cars.map { $0.value(forKey: "name") as? String } == ["Beetle"])
            }
            let indexes = try RawDatabase(url).column(
                "SELECT name FROM sqlite_master WHERE type = 'index' AND name GLOB 'Z_Vehicle_*' ORDER BY 1")
            #expect(indexes == [.text("Z_Vehicle_byName"), .text("Z_Vehicle_bySeats"), .text("Z_Vehicle_name")])
        }
    }

    @Test("An index may have the object itself and its entity as elements, in code and in a source")
    func computedElements() throws {
        let source = """
            <model><entity name="Item"><attribute name="rank" attributeType="Integer 16"/>
            <fetchIndex name="all"><fetchIndexElement property="rank" type="Binary" order="descending"/>
            <fetchIndexElement expression="entity" expressionType="Undefined" type="Binary" order="ascending"/>
            <fetchIndexElement expression="self" expressionType="Undefined" type="Binary" order="ascending"/></fetchIndex>
            <fetchIndex name="sum"><fetchIndexElement expression="rank + 1" type="Binary" order="ascending"/></fetchIndex>
            </entity></model>
            """
        let read = try ModelSourceReader.model(from: Data(source.utf8), file: "contents")
        try withTemporaryFolder { folder in
            let model = folder.appendingPathComponent("M.xcdatamodel", isDirectory: true)
            try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
            try Data(source.utf8).write(to: model.appendingPathComponent("contents"))
            let warnings = try ModelFile.warnings(ofSourceAt: model)
            #expect(warnings.count == 1)
            #expect(warnings.first?.text.contains("no column holds the values of 'rank + 1'") == true)
        }
        // A compiled model and one from code have no source to warn about.
        for model in [read, try ModelArchive.decode(ModelArchive.encode(read))] {
            #expect(
                model.missingIndexes.map { "\($0)" } == [
                    "Item, index 'sum': no column holds the values of 'rank + 1', so stores of this library do not have "
                        + "the index."
                ])
        }
        for model in [read, try ModelArchive.decode(ModelArchive.encode(read))] {
            model.freeze()
            let schema = SQLSchemaBuilder.schema(of: model.layout)
            #expect(
                schema.indexes.map { SQLDefinition.createIndex($0).text } == [
                    "CREATE INDEX Z_Item_all ON ZITEM (ZRANK COLLATE BINARY DESC, Z_ENT COLLATE BINARY ASC, "
                        + "Z_PK COLLATE BINARY ASC)"
                ])
        }
    }

    @Test("Keys of to-many relationships without inverse stand behind those of to-one relationships")
    func ownerKeys() throws {
        let source = """
            <model><entity name="Book"><relationship name="writer" maxCount="1" destinationEntity="Book"/>
            <attribute name="pages" attributeType="Integer 16"/></entity>
            <entity name="Shelf"><relationship name="books" toMany="YES" destinationEntity="Book"/></entity></model>
            """
        let model = try ModelSourceReader.model(from: Data(source.utf8), file: "contents")
        model.freeze()
        let table = SQLSchemaBuilder.schema(of: model.layout).entityTables.first { $0.name == "ZBOOK" }
        #expect(
            table?.columns.map(\.name) == ["Z_PK", "Z_ENT", "Z_OPT", "ZPAGES", "ZWRITER", "Z2BOOKS"])
    }

    @Test("Templates for dictionaries leave out pending changes, and those for IDs property values")
    func templates() throws {
        let source = """
            <model><entity name="Item"/><fetchRequest name="ids" entity="Item" resultType="1"/>
            <fetchRequest name="rows" entity="Item" resultType="2"/><fetchRequest name="objects" entity="Item"/></model>
            """
        let model = try ModelSourceReader.model(from: Data(source.utf8), file: "contents")
        let flags = model.fetchRequestTemplatesByName.mapValues { $0.parameters.archivedFlags }
        #expect(flags == ["ids": 26, "rows": 14, "objects": 30])
    }

    @Test("Elements of composite attributes stand where the attribute's name sorts, in their declared order")
    func composites() throws {
        func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            return attribute
        }
        let place = NSCompositeAttributeDescription()
        place.name = "place"
        place.elements = [
            attribute("zone", .stringAttributeType), attribute("number", .integer16AttributeType),
            attribute("area", .stringAttributeType),
        ]
        let entity = NSEntityDescription()
        entity.name = "Stop"
        entity.properties = [
            attribute("note", .stringAttributeType), place, attribute("title", .stringAttributeType),
            attribute("level", .integer16AttributeType), attribute("rank", .integer16AttributeType),
        ]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        model.freeze()
        let columns = SQLSchemaBuilder.schema(of: model.layout).entityTables[0].columns.map(\.name)
        #expect(columns.dropFirst(3) == ["ZLEVEL", "ZNUMBER", "ZRANK", "ZNOTE", "ZZONE", "ZAREA", "ZTITLE"])
    }

    @Test("A new store has its tables and indexes in the order of Apple's, and rows for history with the first change")
    func newStore() throws {
        let model = ModelText.model(
            """
            entity Album
              title string!
              photos many Photo.albums
              unique title
            entity Photo
              albums many Album.photos
              author one Person
            entity Person
              name string index
            entity Child : Person
            """)
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.sqlite")
            let options = [NSPersistentHistoryTrackingKey: true]
            func names(_ type: String) throws -> [String] {
                try RawDatabase(url).column(
                    "SELECT name FROM sqlite_master WHERE type = '\(type)' AND sql NOT NULL AND tbl_name NOT LIKE 'A%' "
                        + "ORDER BY rowid"
                ).compactMap { if case .text(let name) = $0 { name } else { nil } }
            }
            func entities() throws -> [Int64?] {
                try RawDatabase(url).column("SELECT Z_ENT FROM Z_PRIMARYKEY ORDER BY 1").map(\.int)
            }
            try withStore(url, model, options: options) { _ in }
            #expect(
                try names("table") == [
                    "ZALBUM", "Z_1PHOTOS", "ZPERSON", "ZPHOTO", "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE",
                ])
            #expect(
                try names("index") == [
                    "Z_1PHOTOS_Z_4PHOTOS_INDEX", "Z_Album_UNIQUE_title", "ZPERSON_Z_ENT_INDEX", "Z_Person_name",
                    "ZPHOTO_ZAUTHOR_INDEX",
                ])
            #expect(try entities() == [1, 2, 3, 4])
            try withStore(url, model, options: options) { context in
                _ = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context)
                try context.save()
            }
            #expect(try entities() == [1, 2, 3, 4, 16001, 16002, 16003])
        }
    }
}
