import CoreData
import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// Schemas of classes, of entities that a program makes, and of files.
@Suite("Interface of schemas")
struct SwiftDataSchemaInterfaceTests {
    private static let harbours = Schema(Harbour.self, Marina.self, version: Schema.Version(1, 2, 3))

    @Test("Attributes have what their properties declare")
    func attributes() throws {
        let entity = try #require(Self.harbours.entity(for: Harbour.self))
        #expect(entity.name == Schema.entityName(for: Harbour.self))
        let all = entity.attributesByName
        #expect(all["name"]?.isUnique == true && all["name"]?.options == [.unique, .spotlight])
        #expect(all["country"]?.options == [.preserveValueOnDeletion, .allowsCloudEncryption])
        #expect(all["country"]?.isOptional == true && all["country"]?.valueType == String?.self)
        let depth = try #require(all["depth"])
        #expect(depth.originalName == "deepness" && depth.hashModifier == "metres")
        #expect(depth.defaultValue as? Double == 3 && depth.isAttribute && !depth.isRelationship && !depth.isUnique)
        #expect(all["plan"]?.isCodable == true && all["plan"] is Schema.CompositeAttribute == false)
        #expect(all["photo"]?.options == [.externalStorage] && all["isOpen"]?.isTransient == true)
        #expect(all["isOpen"]?.options == [.ephemeral])
        #expect(all["mark"]?.isTransformable == true && all["depth"]?.isTransformable == false)
        #expect(all["mark"]?.options == [.transformable(by: "HarbourMarkTransformer")])
        let use = try #require(all["use"] as? Schema.CompositeAttribute)
        #expect(use.properties.map(\.name) == ["use"] && use.properties[0].valueType == String?.self)
        #expect(use.debugDescription.contains("use: "))
        #expect(use == entity.attributes.first { $0.name == "use" } as? Schema.CompositeAttribute)
    }

    @Test("Relationships have what their properties declare")
    func relationships() throws {
        let entity = try #require(Self.harbours.entitiesByName["Harbour"])
        let berths = try #require(entity.relationshipsByName["berths"])
        #expect(berths.deleteRule == .cascade && berths.destination == "Berth" && berths.inverseName == "harbour")
        #expect(berths.inverseKeyPath == \Berth.harbour && berths.keypath == \Harbour.berths)
        #expect(!berths.isToOneRelationship && berths.isRelationship && !berths.isAttribute && !berths.isUnique)
        let guests = try #require(entity.relationshipsByName["guests"])
        #expect(guests.minimumModelCount == 0 && guests.maximumModelCount == 3 && guests.isOptional)
        #expect(guests.options == [] && guests.hashModifier == nil && guests.originalName == "guests")
        #expect(entity.relationshipsByName["main"]?.isToOneRelationship == true)
        #expect(entity.relationships.map(\.name).sorted() == ["berths", "guests", "main"])
        #expect(Schema.Relationship(.unique, deleteRule: .deny).isUnique)
        #expect(Schema.Relationship(deleteRule: .noAction).deleteRule == .noAction)
    }

    @Test("Entities have constraints, indices and superentities")
    func entities() throws {
        let marina = try #require(Self.harbours.entitiesByName["Marina"])
        let harbour = try #require(marina.superentity)
        #expect(harbour.name == "Harbour" && harbour.subentities == [marina] && marina.superentityName == "Harbour")
        #expect(harbour.uniquenessConstraints == [["name"], ["name", "country"]])
        #expect(harbour.indices == [["name"], ["name", "depth"], ["depth"], ["depth", "width"]])
        #expect(marina.storedProperties.map(\.name) == ["places"])
        #expect(marina.properties.count == marina.inheritedProperties.count + 1)
        #expect(marina.inheritedPropertiesByName.keys == harbour.storedPropertiesByName.keys)
        #expect(Self.harbours.entities.map(\.name) == ["Berth", "Harbour", "Marina"])
        #expect(Self.harbours.version.description == "1.2.3" && Schema.Version(1, 2, 3) == Self.harbours.version)
        #expect(Schema.Version(1, 9, 0) < Schema.Version(1, 10, 0))
        let version = Self.harbours.version
        #expect(version.major == 1 && version.minor == 2 && version.patch == 3)
        #expect(Schema().entities.isEmpty && Schema().encodingVersion == Schema.schemaEncodingVersion)
    }

    @Test("Schemas are equal if their version, classes and entities are")
    func equality() {
        #expect(Schema([Trip.self]) == Schema([Trip.self, Stop.self]))
        #expect(Schema([Trip.self]) != Schema([Trip.self], version: Schema.Version(2, 0, 0)))
        #expect(Schema([DocksV1.Dock.self]) != Schema([DocksV2.Dock.self]))
        #expect(Schema(versionedSchema: DocksV2.self) == Schema([DocksV2.Dock.self], version: Schema.Version(2, 0, 0)))
        #expect(Self.byHand() == Self.byHand())
        let other = Self.byHand()
        other.entitiesByName["Ship"]?.attributesByName["tonnage"]?.hashModifier = "x"
        #expect(other != Self.byHand())
    }

    // MARK: Entities by hand

    /// A schema without classes.
    private static func byHand() -> Schema {
        let name = Schema.Attribute(name: "name", options: [.unique], valueType: String.self)
        let use = Schema.CompositeAttribute(name: "use", valueType: HarbourUse.self)
        let cargo = Schema.Attribute(name: "cargo", valueType: [String: Int]?.self)
        let tonnage = Schema.Attribute(name: "tonnage", valueType: Int.self, defaultValue: 5)
        let crew = Schema.Relationship(deleteRule: .cascade)
        (crew.name, crew.destination, crew.valueType, crew.inverseName) = ("crew", "Sailor", [Any].self, "ship")
        let ship = Schema.Relationship()
        (ship.name, ship.destination, ship.valueType) = ("ship", "Ship", Any?.self)
        let sailor = Schema.Entity("Sailor", properties: Schema.Attribute(name: "age", valueType: Int?.self), ship)
        let ferry = Schema.Entity("Ferry", properties: Schema.Attribute(name: "cars", valueType: Int?.self))
        let all = Schema.Entity("Ship", subentities: ferry, properties: name, use, cargo, tonnage, crew)
        all.indices = [["tonnage"]]
        return Schema(all, sailor, version: Schema.Version(4, 0, 0))
    }

    @Test("A container over entities without classes has managed objects with these properties")
    func byHandContainer() throws {
        let schema = Self.byHand()
        #expect(schema.entities.map(\.name) == ["Ferry", "Sailor", "Ship"])
        #expect(schema.entitiesByName["Sailor"]?.relationshipsByName["ship"]?.inverseName == "crew")
        #expect(Schema.Entity("Empty").properties.isEmpty)
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("ships.store")
            let context = ModelContext(try ModelContainer(for: schema, configurations: ModelConfiguration(url: url)))
            let managed = context.managedObjectContext
            let ferry = NSEntityDescription.insertNewObject(forEntityName: "Ferry", into: managed)
            let sailor = NSEntityDescription.insertNewObject(forEntityName: "Sailor", into: managed)
            ferry.setValue("A", forKey: "name")
            ferry.setValue("ferry", forKeyPath: "use.use")
            sailor.setValue(ferry, forKey: "ship")
            #expect(ferry.value(forKey: "tonnage") as? Int == 5)
            #expect((ferry.value(forKey: "crew") as? NSSet)?.count == 1)
            try context.save()
            let database = try RawDatabase(url)
            #expect(try database.texts("SELECT ZNAME FROM ZSHIP") == ["A"])
            #expect(
                try database.texts("SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE 'Z_Ship%'")
                    .sorted()
                    == ["Z_Ship_SwiftDataIndexOnBinarytonnage", "Z_Ship_UNIQUE_name"])
        }
    }

    @Test("Entities that make no schema are an error of the container, with entity and property")
    func byHandFaults() {
        func reason(_ entities: Schema.Entity...) -> String {
            do {
                let schema = Schema(entities: entities, version: .init(1, 0, 0), encodingVersion: .init(1, 0, 0))
                _ = try ModelContainer(for: schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
                return "no error"
            } catch {
                return "\(error)"
            }
        }
        let attribute = Schema.Attribute(name: "a", valueType: Int.self)
        let relationship = Schema.Relationship()
        (relationship.name, relationship.destination, relationship.valueType) = ("r", "Nowhere", Any?.self)
        #expect(reason(.init("E"), .init("E")).contains("E: another entity has the same name"))
        #expect(
            reason(.init("E", properties: attribute, attribute)).contains("E.a: another property has the same name"))
        #expect(reason(.init("E", properties: relationship)).contains("E.r: it leads to 'Nowhere'"))
        #expect(
            reason(.init("E", properties: Schema.Attribute(name: "a", valueType: Unstorable.self)))
                .contains("E.a: cannot be stored"))
        #expect(
            reason(.init("E", properties: Schema.CompositeAttribute(name: "a", valueType: Int.self)))
                .contains("E.a: cannot be stored"))
    }

    // MARK: Files

    private func withFile(_ body: (URL) throws -> Void) throws {
        try withTemporaryFolder { try body($0.appendingPathComponent("schema.json")) }
    }

    @Test("A schema of classes comes back from its file, and its container has the same models")
    func classes() throws {
        try withFile { url in
            for schema in [Self.harbours, Schema([Trip.self, BusinessTrip.self]), Schema([Cocktail.self])] {
                try schema.save(to: url)
                let loaded = try Schema.load(from: url)
                #expect(loaded == schema && loaded.hashValue == schema.hashValue)
                #expect(loaded.version == schema.version && loaded.entities == schema.entities)
                #expect(loaded.encodingVersion == Schema.schemaEncodingVersion)
                let (ours, theirs) = (
                    try ModelBuilder(schema: loaded).model(), try ModelBuilder(schema: schema).model()
                )
                #expect(ours.entityVersionHashesByName == theirs.entityVersionHashesByName)
            }
            try Self.harbours.save(to: url)
            let container = try ModelContainer(
                for: try Schema.load(from: url), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
            let context = ModelContext(container)
            context.insert(Marina(name: "A", places: 3))
            try context.save()
            #expect(try context.fetch(FetchDescriptor<Harbour>()).first?.name == "A")
        }
    }

    @Test("A schema of entities comes back from its file")
    func entitiesInFile() throws {
        try withFile { url in
            let schema = Self.byHand()
            try schema.save(to: url)
            let loaded = try Schema.load(from: url)
            #expect(loaded == schema)
            #expect(loaded.entitiesByName["Ship"]?.attributesByName["tonnage"]?.defaultValue as? Int64 == 5)
            #expect(loaded.entitiesByName["Ferry"]?.superentityName == "Ship")
            #expect(
                try ModelBuilder(schema: loaded).model().entityVersionHashesByName
                    == ModelBuilder(schema: schema).model().entityVersionHashesByName)
        }
    }

    @Test("A schema whose classes have changed, or are unknown, still describes its stores")
    func otherClasses() throws {
        try withFile { url in
            let schema = Schema([Trip.self, BusinessTrip.self])
            try schema.save(to: url)
            let text = try String(contentsOf: url, encoding: .utf8)
                .replacing("SwiftDataTests.", with: "Elsewhere.").replacing("14SwiftDataTests", with: "9Elsewhere")
            try text.write(to: url, atomically: true, encoding: .utf8)
            let loaded = try Schema.load(from: url)
            #expect(loaded.entities.allSatisfy { $0.type == nil } && loaded != schema)
            let (ours, theirs) = (try ModelBuilder(schema: loaded).model(), try ModelBuilder(schema: schema).model())
            #expect(ours.entityVersionHashesByName == theirs.entityVersionHashesByName)
            #expect(loaded.entitiesByName["Trip"]?.relationshipsByName["stops"]?.isToOneRelationship == false)
        }
    }

    /// A file in which one text has the place of another.
    struct BadFile: Sendable, CustomTestStringConvertible {
        let text: String
        let change: String
        /// What the error says.
        let sentence: String
        var testDescription: String { sentence }
    }

    static let badFiles = [
        BadFile(text: "{", change: "[", sentence: ""),
        BadFile(text: "\"version\"", change: "\"other\"", sentence: "version"),
        BadFile(text: "\"unique\"", change: "\"unheard\"", sentence: "there is no option 'unheard'"),
        BadFile(text: "\"major\" : 1", change: "\"major\" : 9", sentence: "which is newer than 1.0.0"),
        BadFile(
            text: "\"superentity\" : \"Ship\"", change: "\"superentity\" : \"Nowhere\"",
            sentence: "has the superentity 'Nowhere'"),
        BadFile(
            text: "\"superentity\" : \"Ship\"", change: "\"superentity\" : \"Ferry\"",
            sentence: "is a superentity of its own"),
    ]

    @Test("A file without a schema is an error that says what is wrong", arguments: badFiles)
    func badFile(_ file: BadFile) throws {
        try withFile { url in
            try Self.byHand().save(to: url)
            let text = try String(contentsOf: url, encoding: .utf8)
            try #require(text.contains(file.text))
            try text.replacing(file.text, with: file.change).write(to: url, atomically: true, encoding: .utf8)
            let error = #expect(throws: SwiftDataError.unknownSchema) { try Schema.load(from: url) }
            let reason = try #require(error?.reason)
            #expect(reason.hasPrefix("\(url.path) has no schema: "))
            #expect(file.sentence.isEmpty || reason.contains(file.sentence))
            try FileManager.default.removeItem(at: url)
            #expect(throws: CocoaError.self) { try Schema.load(from: url) }
        }
    }

    @Test("A file of great depth is an error")
    func depth() throws {
        try withFile { url in
            try Self.byHand().save(to: url)
            let text = try String(contentsOf: url, encoding: .utf8)
            let start = try #require(text.firstRange(of: "\"elements\" : [")).upperBound
            for depth in [600, 100_000] {
                let opening = String(repeating: "{\"elements\": [", count: depth)
                let bad = text[..<start] + opening + String(repeating: "]}", count: depth) + "," + text[start...]
                try String(bad).write(to: url, atomically: true, encoding: .utf8)
                #expect(throws: SwiftDataError.unknownSchema) { try Schema.load(from: url) }
            }
        }
    }

    @Test("Names of classes in a file are looked up only if they are plain, and never make anything else a class")
    func classNames() throws {
        try withFile { url in
            try Schema([DocksV1.Dock.self]).save(to: url)
            let text = try String(contentsOf: url, encoding: .utf8)
            let name = try #require(text.firstMatch(of: /"className" : "(\w+)"/)?.1)
            let others = [
                "SS", "Si", "\\u0001\\u0002abc", String(repeating: "Say", count: 400), "$s\\u0001", "",
                _mangledTypeName(DocksV2.Dock.self) ?? "", _mangledTypeName(Trip.self) ?? "",
            ]
            for other in others {
                try text.replacing(name, with: other).write(to: url, atomically: true, encoding: .utf8)
                #expect(try Schema.load(from: url).entities.map { $0.type == nil } == [true])
            }
        }
    }

    @Test("Attributes, relationships, indices and constraints are coded by the names of properties")
    func parts() throws {
        func again<Value: Codable>(_ value: Value) throws -> Value {
            try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
        }
        let harbour = try #require(Self.harbours.entitiesByName["Harbour"])
        let use = try #require(harbour.attributesByName["use"] as? Schema.CompositeAttribute)
        #expect(try again(use) == use && again(use).properties == use.properties)
        let depth = try #require(harbour.attributesByName["depth"])
        #expect(try again(depth) == depth && again(depth).defaultValue as? Double == 3)
        let berths = try #require(harbour.relationshipsByName["berths"])
        #expect(try again(berths) == berths)

        let index = try again(Schema.Index<Harbour>(.binary([\.name]), .rtree([\.depth, \.width])))
        guard case .binary(let one) = index.indices[0], case .rtree(let two) = index.indices[1] else {
            Issue.record("other kinds")
            return
        }
        #expect(one == [\.name] && two == [\.depth, \.width])
        #expect(
            try again(Schema.Unique<Harbour>([\.name], [\.name, \.country])).constraints.last == [\.name, \.country])
        #expect(Schema.Index<Harbour>.CodingKeys.indices.stringValue == "indices")
        #expect(Schema.Unique<Harbour>.CodingKeys.constraints.stringValue == "constraints")
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Schema.Unique<Harbour>.self, from: Data(#"{"constraints": [["x"]]}"#.utf8))
        }
        #expect(throws: EncodingError.self) {
            try JSONEncoder().encode(Schema.Index<Harbour>([\.persistentModelID]))
        }
    }

    // MARK: The option .codable

    @Test("An attribute with the option .codable is JSON, and a plain value stays plain")
    func codable() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("harbours.store")
            let hours = HarbourHours(
                days: DateComponents(calendar: .init(identifier: .gregorian), weekday: 2), note: "n")
            do {
                let context = ModelContext(
                    try ModelContainer(for: Harbour.self, configurations: ModelConfiguration(url: url)))
                let harbour = Harbour(name: "A")
                harbour.plan = HarbourPlan(pages: [1, 2], titles: [:])
                harbour.hours = hours
                context.insert(harbour)
                try context.save()
            }
            let rows = try RawDatabase(url).texts("SELECT CAST(ZPLAN AS TEXT) || ' ' || ZKIND FROM ZHARBOUR")
            let parts = try #require(rows.first).split(separator: " ").map(String.init)
            #expect(try JSONDecoder().decode(HarbourPlan.self, from: Data(parts[0].utf8)).pages == [1, 2])
            #expect(parts[1] == "ferry")
            let context = ModelContext(
                try ModelContainer(for: Harbour.self, configurations: ModelConfiguration(url: url)))
            let harbour = try #require(try context.fetch(FetchDescriptor<Harbour>()).first)
            #expect(harbour.plan.pages == [1, 2] && harbour.hours == hours && harbour.kind == .ferry)
        }
    }

    @Test("A store that keeps an attribute with the option .codable in columns is adopted")
    func codableInColumns() throws {
        try withTemporaryFolder { folder in
            let configuration = ModelConfiguration(url: folder.appendingPathComponent("blocks.store"))
            let context = ModelContext(try ModelContainer(for: InColumns.Block.self, configurations: configuration))
            context.insert(InColumns.Block(size: .init(width: 1, names: ["a"])))
            try context.save()
            let adopted = ModelContext(try ModelContainer(for: AsJSON.Block.self, configurations: configuration))
            let block = try #require(try adopted.fetch(FetchDescriptor<AsJSON.Block>()).first)
            #expect(block.size == .init(width: 1, names: ["a"]))
            block.size.width = 2
            try adopted.save()
            #expect(try RawDatabase(configuration.url).texts("SELECT ZWIDTH FROM ZBLOCK") == ["2"])
        }
    }
}

struct BlockSize: Codable, Equatable {
    var width: Int
    var names: [String]
}

/// A class whose structure has columns.
enum InColumns {
    @Model final class Block {
        var size: BlockSize
        init(size: BlockSize) { self.size = size }
    }
}

/// That class with the option.
enum AsJSON {
    @Model final class Block {
        @Attribute(.codable) var size: BlockSize
        init(size: BlockSize) { self.size = size }
    }
}
