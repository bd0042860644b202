import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Migrating relationships that become each other's inverses", .leavesNothingBehind)
struct MigratedPairsTests {
    enum Way: String, CaseIterable, Sendable {
        case inPlace, inCopy, objectByObject, xml

        var type: String { self == .xml ? NSXMLStoreType : NSSQLiteStoreType }
    }

    /// Objects by name: those of A, with names that begin with “a” or, of its subentity, “s”; those of B with “b”.
    struct Links: Sendable, CustomTestStringConvertible {
        var x: String
        var y: String
        /// The objects' targets by x and y.
        var before: [String: [String]]
        /// The objects' targets after the migration; nil where the sides disagree.
        var after: String?

        var testDescription: String { "\(x)/\(y) \(before.sorted { $0.key < $1.key }.map { "\($0)→\($1)" })" }
    }

    private static func text(_ x: String, _ y: String, paired: Bool) -> String {
        """
        entity A
          n string
          x \(x) B\(paired ? ".y" : "")
        entity S : A
        entity B
          n string
          y \(y) A\(paired ? ".x" : "")
        """
    }

    private static let names = ["a0", "a1", "s2", "b0", "b1", "b2"]

    private static func name(_ object: Any) -> String {
        ((object as? NSManagedObject)?.value(forKey: "n") as? String) ?? "?"
    }

    private static func fill(_ context: NSManagedObjectContext, _ links: [String: [String]]) throws {
        var objects: [String: NSManagedObject] = [:]
        for name in names {
            objects[name] = context.make(name.hasPrefix("a") ? "A" : name.hasPrefix("s") ? "S" : "B", ["n": name])
        }
        for (name, others) in links.sorted(by: { $0.key < $1.key }) {
            let key = name.hasPrefix("b") ? "y" : "x"
            let members = others.compactMap { objects[$0] }
            guard let object = objects[name], let relationship = object.entity.relationshipsByName[key] else {
                continue
            }
            object.setValue(
                !relationship.isToMany
                    ? members.first : relationship.isOrdered ? NSOrderedSet(array: members) : NSSet(array: members),
                forKey: key)
        }
        try context.save()
    }

    /// “a0:b0,b1 b0:a0”: the objects' targets, those with no links left out.
    private static func shown(_ context: NSManagedObjectContext) throws -> String {
        try (context.all("A") + context.all("B")).sorted { name($0) < name($1) }.compactMap { object in
            let value = object.value(forKey: object.entity.name == "B" ? "y" : "x")
            let members: [String]
            switch value {
            case let list as NSOrderedSet: members = list.array.map(name)
            case let set as NSSet: members = set.allObjects.map(name).sorted()
            case let one?: members = [name(one)]
            case nil: members = []
            }
            return members.isEmpty ? nil : "\(name(object)):\(members.joined(separator: ","))"
        }.joined(separator: " ")
    }

    static func migrate(
        _ older: NSManagedObjectModel, _ newer: NSManagedObjectModel, _ way: Way, _ folder: URL,
        _ fill: (NSManagedObjectContext) throws -> Void
    ) throws -> URL {
        let url = folder.appendingPathComponent("old")
        try withStore(url, older, type: way.type, fill)
        if way == .inPlace {
            let before = try Data(contentsOf: url)
            do {
                try LightweightMigrator(MigrationRequest(at: url, to: newer)).apply()
            } catch {
                #expect(try Data(contentsOf: url) == before)
                throw error
            }
            return url
        }
        let new = folder.appendingPathComponent("new")
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: older, destinationModel: newer)
        let manager = NSMigrationManager(sourceModel: older, destinationModel: newer)
        manager.usesStoreSpecificMigrationManager = way == .inCopy
        try manager.migrateStore(
            from: url, type: NSPersistentStore.StoreType(rawValue: way.type), mapping: mapping, to: new,
            type: NSPersistentStore.StoreType(rawValue: way.type))
        return new
    }

    private static let agreeing: [Links] = [
        .init(
            x: "one", y: "one", before: ["a0": ["b0"], "b1": ["s2"], "a1": ["b2"], "b2": ["a1"]],
            after: "a0:b0 a1:b2 b0:a0 b1:s2 b2:a1 s2:b1"),
        .init(
            x: "many", y: "one", before: ["a0": ["b0"], "b1": ["s2"], "s2": ["b2"], "b2": ["s2"]],
            after: "a0:b0 b0:a0 b1:s2 b2:s2 s2:b1,b2"),
        .init(
            x: "many", y: "one", before: ["a0": ["b0", "b1"], "s2": ["b2"]], after: "a0:b0,b1 b0:a0 b1:a0 b2:s2 s2:b2"),
        .init(x: "many", y: "one", before: ["b0": ["a0"], "b1": ["a0"]], after: "a0:b0,b1 b0:a0 b1:a0"),
        .init(
            x: "ordered", y: "one", before: ["a0": ["b2", "b1"], "b0": ["a0"]], after: "a0:b2,b1,b0 b0:a0 b1:a0 b2:a0"),
        .init(
            x: "one", y: "many", before: ["a0": ["b0"], "b1": ["a1", "s2"]], after: "a0:b0 a1:b1 b0:a0 b1:a1,s2 s2:b1"),
        .init(
            x: "many", y: "many", before: ["a0": ["b0", "b1"], "b0": ["a0", "s2"], "b2": ["a1"]],
            after: "a0:b0,b1 a1:b2 b0:a0,s2 b1:a0 b2:a1 s2:b0"),
    ]

    @Test("Every link without an inverse before gets its other side", arguments: agreeing, Way.allCases)
    func joined(_ links: Links, _ way: Way) throws {
        try withTemporaryFolder { folder in
            let newer = ModelText.model(Self.text(links.x, links.y, paired: true))
            let url = try Self.migrate(
                ModelText.model(Self.text(links.x, links.y, paired: false)), newer, way, folder
            ) { try Self.fill($0, links.before) }
            #expect(try withStore(url, newer, type: way.type) { try Self.shown($0) } == links.after)
        }
    }

    private static let contradictions: [Links] = [
        .init(x: "one", y: "one", before: ["a0": ["b0"], "b0": ["a1"]]),
        .init(x: "one", y: "one", before: ["a0": ["b1"], "b0": ["a0"]]),
        .init(x: "one", y: "one", before: ["a0": ["b0"], "a1": ["b0"]]),
        .init(x: "many", y: "one", before: ["a0": ["b0"], "b0": ["s2"]]),
        .init(x: "one", y: "many", before: ["a0": ["b0"], "b1": ["a0"]]),
    ]

    @Test(
        "Sides that disagree, without inverses before, stop the migration: the error names entity, property and row",
        arguments: contradictions, Way.allCases)
    func contradicting(_ links: Links, _ way: Way) throws {
        try withTemporaryFolder { folder in
            let older = ModelText.model(Self.text(links.x, links.y, paired: false))
            let newer = ModelText.model(Self.text(links.x, links.y, paired: true))
            guard let error = Self.failure(older, newer, way, folder, links.before) else { return }
            #expect(error.code == NSMigrationError)
            let entity = error.userInfo["entity"] as? String ?? ""
            let property = error.userInfo["property"] as? String
            #expect(property == (entity == "B" ? "y" : "x"), "\(error)")
            #expect(["A", "B", "S"].contains(entity), "\(error)")
            let isOfRows = way == .inPlace || way == .inCopy
            #expect(error.userInfo[isOfRows ? "row" : "sourceObject"] != nil, "\(error)")
            guard way == .inPlace else { return }
            let forecast = try NSPersistentStoreCoordinator.migrationForecast(
                forPersistentStoreAt: folder.appendingPathComponent("old"), to: newer)
            #expect(forecast.obstacles.first?.entity == entity, "\(forecast)")
        }
    }

    private static func failure(
        _ older: NSManagedObjectModel, _ newer: NSManagedObjectModel, _ way: Way, _ folder: URL,
        _ links: [String: [String]]
    ) -> NSError? {
        do {
            _ = try migrate(older, newer, way, folder) { try fill($0, links) }
            Issue.record("The migration did not fail.")
            return nil
        } catch {
            return error as NSError
        }
    }

    @Test("a to-one relationship that becomes its own inverse gets the other sides", arguments: Way.allCases)
    func reflexive(_ way: Way) throws {
        func text(_ inverse: String) -> String {
            // The inverse alone would not change the hash.
            "entity A\n  n string\(inverse.isEmpty ? "" : "\n  more int16")\n  x one A\(inverse)\nentity S : A\nentity B\n  n string\n  y one A"
        }
        for (links, after) in [
            (["a0": ["s2"]], "a0:s2 s2:a0"), (["a0": ["a0"], "a1": ["s2"], "s2": ["a1"]], "a0:a0 a1:s2 s2:a1"),
            (["a0": ["a1"], "a1": ["s2"]], nil), (["a0": ["s2"], "a1": ["s2"]], nil),
        ] {
            try withTemporaryFolder { folder in
                let (older, newer) = (ModelText.model(text("")), ModelText.model(text(".x")))
                guard let after else {
                    #expect(Self.failure(older, newer, way, folder, links)?.code == NSMigrationError)
                    return
                }
                let url = try Self.migrate(older, newer, way, folder) { try Self.fill($0, links) }
                #expect(try withStore(url, newer, type: way.type) { try Self.shown($0) } == after)
            }
        }
    }

    @Test("two objects that lead to one whose new inverse is to-one are refused on every way", arguments: Way.allCases)
    func newInverse(_ way: Way) throws {
        try withTemporaryFolder { folder in
            func text(_ inverse: String, _ more: String) -> String {
                "entity A\n  n string\n  x one B\(inverse)\nentity S : A\nentity B\n  n string\(more)"
            }
            let older = ModelText.model(text("", ""))
            let newer = ModelText.model(text(".y", "\n  y one A.x"))
            let error = Self.failure(older, newer, way, folder, ["a0": ["b0"], "s2": ["b0"]])
            #expect(error?.code == NSMigrationError)
        }
    }

    private static let models: [(older: String, newer: String, help: String)] = [
        (
            "entity A\n  x many B.y\n  z many B.w\nentity B\n  y one A.x\n  w one A.z",
            "entity A\n  x many B.w\n  z many B.y\nentity B\n  y one A.z\n  w one A.x", "renaming identifiers"
        ),
        (
            "entity A\n  x one B.y\nentity B\n  y one A.x\n  w one A",
            "entity A\n  x one B.w\nentity B\n  y one A\n  w one A.x", "renaming identifiers"
        ),
        (
            "entity A\n  x ordered B\nentity B\n  y many A", "entity A\n  x ordered B.y\nentity B\n  y many A.x",
            "unordered"
        ),
        (
            "entity A\n  x one B\nentity S : A\nentity B\n  y one S",
            "entity A\nentity S : A\n  x one B.y\nentity B\n  y one S.x", "mapping model"
        ),
    ]

    @Test("otherwise they are an obstacle that names both", arguments: models)
    func refused(_ older: String, _ newer: String, _ help: String) throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(folder, older)
            let forecast = try NSPersistentStoreCoordinator.migrationForecast(
                forPersistentStoreAt: fixture.url, to: ModelText.model(newer))
            let obstacle = try #require(forecast.obstacles.first)
            #expect(obstacle.property != nil && obstacle.help.contains(help), "\(forecast)")
            let error = try fixture.failure(to: newer)
            #expect(error.code == NSInferredMappingModelError)
            for name in [".x”", newer.contains("x many B.w") ? "“B.w”" : "“B."] {
                #expect(error.localizedDescription.contains(name), "\(error)")
            }
            #expect(forecast.hops.isEmpty)
            #expect(throws: NSError.self) {
                try NSMappingModel.inferredMappingModel(
                    forSourceModel: ModelText.model(older), destinationModel: ModelText.model(newer))
            }
        }
    }

    @Test("a derived count of links that got their other side is computed anew")
    func counts() throws {
        func model(paired: Bool) throws -> NSManagedObjectModel {
            let model = ModelText.model(Self.text("many", "one", paired: paired))
            let count = NSDerivedAttributeDescription()
            count.name = "count"
            count.attributeType = .integer64AttributeType
            count.isOptional = true
            count.derivationExpression = try CoreData.NSExpression.parse(format: "x.@count")
            model.entitiesByName["A"]?.properties.append(count)
            return model
        }
        try withTemporaryFolder { folder in
            let newer = try model(paired: true)
            let url = try Self.migrate(try model(paired: false), newer, .inPlace, folder) {
                try Self.fill($0, ["a0": ["b0", "b1"], "b2": ["a0"], "a1": []])
            }
            try withStore(url, newer) { context in
                let counts = try context.all("A").sorted { Self.name($0) < Self.name($1) }.map {
                    $0.value(forKey: "count") as? Int
                }
                #expect(counts == [3, 0, 0])
            }
        }
    }

    @Test("rows with a number that no entity has get a new inverse, too")
    func staleNumbers() throws {
        try withTemporaryFolder { folder in
            let fixture = try MigrationFixture(
                folder, "entity A\n  b one B\nentity B\n  n string",
                rows: """
                    INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZB) VALUES (1, 1, 1, 1), (2, 1, 1, 2);
                    INSERT INTO ZB (Z_PK, Z_ENT, Z_OPT, ZN) VALUES (1, 9, 1, 'b'), (2, 2, 1, 'c');
                    UPDATE Z_PRIMARYKEY SET Z_MAX = 2;
                    """)
            try fixture.migrateAndVerify(to: "entity A\n  b one B.a\nentity B\n  n string\n  a one A.b")
            #expect(try fixture.query("SELECT Z_PK, ZA FROM ZB ORDER BY 1") == ["1|1", "2|2"])
        }
    }

    @Test("entities, relationships and tables may get other names and forms at once", arguments: Way.allCases)
    func renamed(_ way: Way) throws {
        let older =
            "entity A\n  n string\n  k int32\n  x ordered B\nentity S : A\nentity B\n  n string\n  k int32\n  y one A"
        let newer = """
            entity Before
              q string
            entity Base
              n string
            entity First : Base was A
              k double
              xs ordered Second.ys was x
            entity S : First
            entity Second was B
              n string
              k double
              ys one First.xs was y
            """
        try withTemporaryFolder { folder in
            let (older, newer) = (ModelText.model(older), ModelText.model(newer))
            let url = try Self.migrate(older, newer, way, folder) {
                try Self.fill($0, ["s2": ["b2", "b0"], "b1": ["s2"], "a0": []])
            }
            try withStore(url, newer, type: way.type) { context in
                let owners = try context.all("First").filter { ($0.value(forKey: "xs") as? NSOrderedSet)?.count != 0 }
                #expect(owners.map(Self.name) == ["s2"])
                #expect(
                    (owners.first?.value(forKey: "xs") as? NSOrderedSet)?.array.map(Self.name) == ["b2", "b0", "b1"])
                #expect(
                    try context.all("Second").map { ($0.value(forKey: "ys") as? NSManagedObject)?.entity.name } == [
                        "S", "S", "S",
                    ])
            }
        }
    }

    @Test("versions one after the other give the same as the last alone, and a version between says whose links stay")
    func between() throws {
        let unpaired =
            "entity A\n  n string\n  x many B.y\n  z many B.w\nentity S : A\nentity B\n  n string\n  y one A.x\n  w one A.z"
        let between = "entity A\n  n string\n  x many B\nentity S : A\nentity B\n  n string"
        let newer = ModelText.model(
            "entity A\n  n string\n  x many B.w\nentity S : A\nentity B\n  n string\n  w one A.x")
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("store")
            try withStore(url, ModelText.model(unpaired)) { context in
                let a = context.make("A", ["n": "a"])
                context.make("B", ["n": "b", "y": a])
                context.make("B", ["n": "c", "w": a])
                try context.save()
            }
            #expect(throws: NSError.self) { try LightweightMigrator(MigrationRequest(at: url, to: newer)).apply() }
            try LightweightMigrator(MigrationRequest(at: url, to: newer)).apply(through: [ModelText.model(between)])
            try withStore(url, newer) { context in
                let linked = try context.all("B").filter { $0.value(forKey: "w") != nil }
                #expect(linked.map(Self.name) == ["b"])
            }
        }
        try withTemporaryFolder { folder in
            let paired = Self.text("many", "one", paired: true)
            let last = ModelText.model(paired + "\n  later double")
            let url = folder.appendingPathComponent("store")
            try withStore(url, ModelText.model(Self.text("many", "one", paired: false))) {
                try Self.fill($0, ["a0": ["b0", "b1"], "b2": ["s2"]])
            }
            try LightweightMigrator(MigrationRequest(at: url, to: last)).apply(through: [ModelText.model(paired)])
            #expect(try withStore(url, last) { try Self.shown($0) } == "a0:b0,b1 b0:a0 b1:a0 b2:s2 s2:b2")
        }
    }
}
