import CoreData
import Foundation
import MigrationTestKit
import TestSupport
import Testing

@Suite("Trials of migrations")
struct MigrationTrialTests {
    private func version(_ name: String, _ text: String) -> ModelVersion { ModelVersion(name, ModelText.model(text)) }

    @Test(
        "sample stores have every entity, values of every kind and links of every cardinality, the same for the same seed"
    )
    func samples() throws {
        try withTemporaryFolder { folder in
            func lines(_ seed: UInt64, _ name: String) throws -> [String] {
                let url = folder.appendingPathComponent("\(name).sqlite")
                try SampleStore(rowsPerEntity: 12, seed: seed).make(at: url, version("one", SampleModels.everything))
                let coordinator = NSPersistentStoreCoordinator(
                    managedObjectModel: ModelText.model(SampleModels.everything))
                let store = try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
                defer { try? coordinator.remove(store) }
                let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                context.persistentStoreCoordinator = coordinator
                return try context.performAndWait {
                    try ["Book", "Chapter", "Shelf", "Tag"].flatMap { name in
                        let objects = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: name))
                        #expect(objects.count == 12)
                        return objects.flatMap { object in
                            object.entity.propertiesByName.keys.sorted().map { key in
                                let value = object.value(forKey: key)
                                if let object = value as? NSManagedObject {
                                    return "\(key) \(object.objectID.uriRepresentation().lastPathComponent)"
                                }
                                if let set = value as? NSSet { return "\(key) \(set.count)" }
                                if let set = value as? NSOrderedSet { return "\(key) \(set.count)" }
                                return "\(key) \(value ?? "nil")"
                            }
                        }
                    }
                    .sorted()
                }
            }
            let first = try lines(1, "first")
            #expect(try lines(1, "again") == first)
            #expect(try lines(2, "other") != first)
            for key in ["pages", "price", "rating", "cover", "code", "link", "shelf", "next", "lent"] {
                #expect(first.contains { $0.hasPrefix("\(key) ") && !$0.hasSuffix(" nil") }, "\(key)")
            }
            #expect(first.contains { $0.hasPrefix("tags ") && $0 != "tags 0" })
            #expect(first.contains { $0.hasPrefix("chapters ") && $0 != "chapters 0" })
            #expect(!first.contains("book nil"))
        }
    }

    @Test("Every hop and the whole chain are tried; a hop that cannot be inferred is refused with its reason")
    func chain() throws {
        let texts = [
            SampleModels.everything,
            SampleModels.everything.replacingOccurrences(of: "word string", with: "text string was word")
                .replacingOccurrences(of: "unique word", with: "unique text"),
            SampleModels.everything.replacingOccurrences(of: "word string", with: "text string")
                .replacingOccurrences(of: "unique word", with: "unique text")
                .replacingOccurrences(of: "pages int16", with: "pages double")
                .replacingOccurrences(of: "price decimal", with: "price double\n  note string! = none"),
            SampleModels.everything.replacingOccurrences(of: "word string", with: "text data")
                .replacingOccurrences(of: "unique word\n", with: "").replacingOccurrences(of: "unique word", with: ""),
        ]
        let trial = MigrationTrial(texts.enumerated().map { version("\($0.offset)", $0.element) })
        var report = try trial.run(expecting: [
            ExpectedRefusal(from: "1", to: "3"), ExpectedRefusal(from: "2", to: "3"),
        ])
        #expect(report.isClean, "\(report)")
        // The way back of each pair, and one line for the two processes that were not played.
        #expect(report.entries.filter { $0.play == .downgrade }.count == 6)
        #expect(report.notPlayed == ["0, 1, 2 → 3, two processes"])
        report.entries.removeAll { $0.play != .migration }
        #expect(report.isClean, "\(report)")
        #expect(report.entries.count == 7)
        #expect(report.refused == ["1 → 3", "2 → 3", "0 → 1 → 2 → 3"])
        #expect(report.entries.filter(\.isGood).map(\.name) == ["0 → 1", "0 → 2", "0 → 3", "1 → 2"])
        #expect("\(report)".contains("7 tried, 4 ok, 3 refused as expected, 0 failed"))
    }

    @Test("a given mapping model is followed")
    func mapping() throws {
        var trial = MigrationTrial([
            ModelVersion("1", DepotModels.model(1)), ModelVersion("2", DepotModels.model(2)),
            ModelVersion("3", DepotModels.model(3)),
        ])
        trial.fill = { url, _ in try DepotModels.fill(url, DepotModels.versions[1], items: 30) }
        #expect(try trial.hop(trial.versions[0], trial.versions[1]).refusal != nil)
        trial.mappingModels = [DepotModels.mapping()]
        let entry = try trial.chain(trial.versions)
        #expect(entry.isGood, "\(entry)")
        #expect(entry.rows == 47)
    }

    @Test("a migration that loses rows or changes values is found out")
    func mistakes() throws {
        let mapping = DepotModels.mapping()
        let tags = try #require(mapping.entityMappingsByName["TagToTag"])
        // Values of another attribute, and only some of the shelves.
        tags.attributeMappings?[0].valueExpression = NSExpression(format: "'all the same'")
        let shelves = try #require(mapping.entityMappingsByName["ShelfToShelf"])
        shelves.sourceExpression = NSExpression(
            format: """
                FETCH(FUNCTION($manager, "fetchRequestForSourceEntityNamed:predicateString:", "Shelf", \
                "room != 'Shelf 3'"), $manager.sourceContext, NO)
                """)
        var trial = MigrationTrial([ModelVersion("1", DepotModels.model(1)), ModelVersion("2", DepotModels.model(2))])
        trial.fill = { url, _ in try DepotModels.fill(url, DepotModels.versions[1], items: 30) }
        trial.mappingModels = [mapping]
        let report = try trial.run()
        #expect(!report.isClean)
        #expect("\(report)".contains("Shelf has 9 rows where 10 were to be migrated"), "\(report)")
    }

    @Test("Two schemas differ by the parts that only one of them has")
    func schema() throws {
        try withTemporaryFolder { folder in
            func make(_ name: String, _ text: String) throws -> StoreSchema {
                let url = folder.appendingPathComponent(name)
                try SampleStore(rowsPerEntity: 1).make(at: url, version(name, text))
                return try StoreSchema(of: url)
            }
            let one = try make("one", "entity Item\n  name string")
            let two = try make("two", "entity Item\n  name string index")
            #expect(one.difference(from: one).isEmpty)
            let difference = one.difference(from: two)
            #expect(difference.count == 1 && difference[0].hasPrefix("+ index"), "\(difference)")
            #expect(one.description.contains("table ZITEM"))
        }
    }
}
