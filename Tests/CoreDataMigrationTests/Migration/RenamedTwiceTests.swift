import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataTestSupport

@Suite("Properties that were renamed several times, together with their entities", .leavesNothingBehind)
struct RenamedTwiceTests {
    /// One object of an entity with one value, and where it is to be found in the last version.
    struct Value: Sendable {
        var entity: String
        var key: String
        var last: (entity: String, key: String)
    }

    struct History: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var versions: [String]
        var hops: Int?
        var values: [Value]
    }

    /// Migrates a store through the versions between, which are given in any order, and checks the values.
    private func migrate(
        _ models: [NSManagedObjectModel], _ values: [Value], type: String, hops: Int?
    ) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("store")
            let last = try #require(models.last)
            try withStore(url, models[0], type: type) { context in
                for (number, value) in values.enumerated() {
                    NSEntityDescription.insertNewObject(forEntityName: value.entity, into: context)
                        .setValue("kept \(number)", forKeyPath: value.key)
                }
                try context.save()
            }
            let resources = folder.appendingPathComponent("Resources.bundle")
            try FileManager.default.createDirectory(at: resources, withIntermediateDirectories: true)
            for (number, model) in models.dropLast().enumerated() {
                try ModelArchive.encode(model).write(
                    to: resources.appendingPathComponent("\((number * 7 + 3) % 10) \(number).mom"))
            }
            let bundle = try #require(Bundle(url: resources))
            let forecaster = MigrationForecaster(MigrationRequest(at: url, to: last, bundles: [bundle]))
            let forecast = try forecaster.forecast()
            #expect(forecast.isPossible)
            if let hops { #expect(forecast.hops.count == hops) }
            let options: [AnyHashable: Any] = [
                NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
            ]
            if type == NSSQLiteStoreType {
                try StoreMigration(MigrationRequest(at: url, to: last, options: options, bundles: [bundle])).prepare()
            } else {
                let refusal = try #require(throws: NSError.self) { try withStore(url, last, type: type) { _ in } }
                let request = MigrationRequest(at: url, to: last, options: options, bundles: [bundle])
                try #require(FileMigration(request, ofType: type)).migrate(after: refusal)
            }
            try withStore(url, last, type: type) { context in
                for (number, value) in values.enumerated() {
                    let found = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: value.last.entity))
                        .compactMap { $0.value(forKeyPath: value.last.key) as? String }
                    #expect(found.contains("kept \(number)"), "\(value.entity).\(value.key)")
                }
            }
        }
    }

    static let histories = [
        History(
            testDescription: "a property, then its entity twice",
            versions: [
                "entity A\n  q string", "entity A\n  a string was q", "entity B was A\n  a string",
                "entity C was B\n  a string",
            ], hops: 3, values: [Value(entity: "A", key: "q", last: ("C", "a"))]),
        History(
            testDescription: "an entity, its property, the entity again",
            versions: [
                "entity A\n  q string", "entity B was A\n  q string", "entity B was A\n  a string was q",
                "entity C was B\n  a string",
            ], hops: 2, values: [Value(entity: "A", key: "q", last: ("C", "a"))]),
        History(
            testDescription: "the same with a default that would stand in for it",
            versions: [
                "entity A\n  q string! = none", "entity A\n  a string! = none was q",
                "entity B was A\n  a string! = none",
                "entity C was B\n  a string! = none",
            ], hops: 3, values: [Value(entity: "A", key: "q", last: ("C", "a"))]),
        History(
            testDescription: "what a subentity has of its parent",
            versions: [
                "entity P\n  q string\nentity S : P\n  x string",
                "entity P\n  a string was q\nentity S : P\n  x string",
                "entity R was P\n  a string\nentity S : R\n  x string",
                "entity T was R\n  a string\nentity S : T\n  x string",
            ], hops: 3,
            values: [
                Value(entity: "P", key: "q", last: ("T", "a")), Value(entity: "S", key: "q", last: ("S", "a")),
                Value(entity: "S", key: "x", last: ("S", "x")),
            ]),
        History(
            testDescription: "an entity whose name has its identifier again in a version that lost it",
            versions: [
                "entity A\n  q string", "entity B was A\n  q string", "entity B\n  a string was q",
                "entity B was A\n  a string\n  n int16",
            ], hops: 3, values: [Value(entity: "A", key: "q", last: ("B", "a"))]),
        History(
            testDescription: "a property whose first version has an identifier",
            versions: [
                "entity A\n  q string was o", "entity A\n  c string was o", "entity A\n  d string was c",
                "entity A\n  e string was d",
            ], hops: 3, values: [Value(entity: "A", key: "q", last: ("A", "e"))]),
        History(
            testDescription: "beside a name that has become another thing, so that there is no direct way",
            versions: [
                "entity A\n  name string\n  note string", "entity A\n  title string was name\n  note string",
                "entity A\n  title string\n  memo string was note",
                "entity A\n  title string\n  name int32\n  text string was memo",
            ], hops: 3,
            values: [
                Value(entity: "A", key: "name", last: ("A", "title")),
                Value(entity: "A", key: "note", last: ("A", "text")),
            ]),
    ]

    @Test("Values are kept as going version by version keeps them", arguments: histories)
    func kept(history: History) throws {
        for type in [NSSQLiteStoreType, NSXMLStoreType] {
            try migrate(history.versions.map { ModelText.model($0) }, history.values, type: type, hops: history.hops)
        }
    }

    @Test("elements of composite attributes are kept, too")
    func elements() throws {
        func model(_ name: String, was old: String?) -> NSManagedObjectModel {
            let element = NSAttributeDescription()
            (element.name, element.attributeType, element.renamingIdentifier) = (name, .stringAttributeType, old)
            let composite = NSCompositeAttributeDescription()
            (composite.name, composite.elements) = ("place", [element])
            let model = ModelText.model("entity A\n  q string")
            model.entities[0].properties.append(composite)
            return model
        }
        for type in [NSSQLiteStoreType, NSXMLStoreType] {
            try migrate(
                [model("town", was: nil), model("city", was: "town"), model("settlement", was: "city")],
                [Value(entity: "A", key: "place.town", last: ("A", "place.settlement"))], type: type, hops: 2)
        }
    }

    @Test("renamings in any order keep everything", arguments: 1...24)
    func random(seed: Int) throws {
        var random = SplitMix(state: UInt64(seed))
        func maybe(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }
        struct Named {
            let first: String
            var name: String
            var old: String?

            init(_ name: String) { (first, self.name) = (name, name) }
            var text: String { old.map { " was \($0)" } ?? "" }
        }
        var entities = ["Top", "Sub", "Other"].map(Named.init)
        var properties = [["p", "q"], ["s"], ["t", "q"]].map { $0.map(Named.init) }
        var versions: [String] = []
        var count = 0
        func rename(_ thing: inout Named, _ prefix: String, unless stays: Bool) {
            if stays {
                // Its identifier may be left out again.
                if maybe(2) { thing.old = nil }
                return
            }
            count += 1
            (thing.old, thing.name) = (thing.name, "\(prefix)\(count)")
        }
        for version in 0..<Int.random(in: 3...6, using: &random) {
            for entity in entities.indices where version > 0 {
                rename(&entities[entity], "E", unless: !maybe(3))
                for place in properties[entity].indices {
                    rename(&properties[entity][place], "a", unless: !maybe(3))
                }
            }
            let lines = zip(entities, properties).enumerated().map { number, pair in
                "entity \(pair.0.name)" + (number == 1 ? " : \(entities[0].name)" : "") + pair.0.text
                    + pair.1.map { "\n  \($0.name) string\($0.text)" }.joined()
            }
            // No two are the same.
            versions.append(lines.joined(separator: "\n") + "\n  n int16 modifier \(version)")
        }
        var values: [Value] = []
        for (place, entity) in entities.enumerated() {
            for property in properties[place] + (place == 1 ? properties[0] : []) {
                values.append(Value(entity: entity.first, key: property.first, last: (entity.name, property.name)))
            }
        }
        let type = seed % 4 == 0 ? NSXMLStoreType : NSSQLiteStoreType
        try migrate(versions.map { ModelText.model($0) }, values, type: type, hops: nil)
    }
}
