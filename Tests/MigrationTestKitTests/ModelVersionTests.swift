import Foundation
import MigrationTestKit
import TestSupport
import Testing

@testable import CoreData

@Suite("The versions of a model, and the programs of a trial")
struct ModelVersionTests {
    @Test("a version that cannot be read is named with the reason, and all remaining ones are tried")
    func unreadable() throws {
        try withTemporaryFolder { folder in
            let bundle = folder.appendingPathComponent("Shop.momd")
            try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
            for (name, text) in [("Shop", "name string"), ("Shop 3", "name string modifier x")] {
                try ModelArchive.encode(ModelText.model("entity Item\n  \(text)")).write(
                    to: bundle.appendingPathComponent("\(name).mom"))
            }
            try Data("no model".utf8).write(to: bundle.appendingPathComponent("Shop 2.mom"))
            let versions = try ModelVersion.all(at: bundle)
            #expect(versions.map(\.name) == ["Shop", "Shop 2", "Shop 3"])
            #expect(versions.map { $0.unreadableReason == nil } == [true, false, true])
            #expect(versions[1].unreadableReason?.contains("Shop 2.mom") == true)
            let report = try MigrationTrial(versions).run()
            #expect(!report.isClean)
            #expect(report.failures.map(\.name) == ["Shop 2"], "\(report)")
            #expect("\(report)".contains(versions[1].unreadableReason ?? "-"), "\(report)")
            #expect(report.entries.contains { $0.name == "Shop → Shop 3" && $0.isGood }, "\(report)")
            // It is not tried where it is named, either.
            #expect(!(try MigrationTrial(versions).hop(versions[0], versions[1])).isClean)
            #expect(!(try MigrationTrial(versions).hop(versions[1], versions[2])).isClean)
        }
    }

    @Test("a source whose binary file of Xcode 3 is damaged is named with the reason")
    func legacySource() throws {
        try withTemporaryFolder { folder in
            let version = folder.appendingPathComponent("Shop.xcdatamodeld/Shop.xcdatamodel")
            try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
            try Data("bplist00".utf8).write(to: version.appendingPathComponent("elements"))
            let versions = try ModelVersion.all(at: version.deletingLastPathComponent())
            #expect(versions.first?.unreadableReason?.contains("Xcode 3") == true, "\(versions)")
        }
    }

    @Test("a folder without a version, and one that is not there, are errors that name it")
    func nothing() throws {
        try withTemporaryFolder { folder in
            #expect(throws: (any Error).self) { try ModelVersion.all(at: folder.appendingPathComponent("None.momd")) }
            let empty = #expect(throws: CocoaError.self) { try ModelVersion.all(at: folder) }
            #expect(empty?.code == .fileReadNoSuchFile)
            #expect(empty?.localizedDescription.contains(folder.path) == true)
        }
    }

    @Test("the model of a target is found by its name, in the order of its versions")
    func bundled() throws {
        let versions = try ModelVersion.all(named: "Journal")
        #expect(versions.map(\.name) == ["Journal", "Journal 2"])
        #expect(versions.allSatisfy { $0.unreadableReason == nil })
        #expect(versions[1].model.entitiesByName["Cruise"] != nil)
        let missing = #expect(throws: CocoaError.self) { try ModelVersion.all(named: "NoSuchModel") }
        #expect(missing?.localizedDescription.contains("NoSuchModel") == true)
    }

    @Test("the child program is found by its name")
    func program() throws {
        let url = try MigrationChild.program(named: "migration-crash-child")
        #expect(FileManager.default.isExecutableFile(atPath: url.path))
        let missing = #expect(throws: CocoaError.self) { try MigrationChild.program(named: "no-such-program") }
        #expect(missing?.localizedDescription.contains("no-such-program") == true)
    }

    @Test("a mapping model that is made in code, from the inferred one or by hand, takes part")
    func mappingInCode() throws {
        let models = ["size string", "size int32"].map { ModelText.model("entity Item\n  name string\n  \($0)") }
        let versions = zip(["1", "2"], models).map { ModelVersion($0, $1) }
        var trial = MigrationTrial(versions)
        trial.fill = { url, version in
            try withStore(url, ModelText.model("entity Item\n  name string\n  size string")) { context in
                for number in 0..<5 {
                    let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
                    item.setValue("item \(number)", forKey: "name")
                    item.setValue("\(number)", forKey: "size")
                }
                try context.save()
            }
        }
        let mapping = NSMappingModel()
        let item = NSEntityMapping()
        item.name = "Items"
        item.mappingType = .transformEntityMappingType
        item.sourceEntityName = "Item"
        item.destinationEntityName = "Item"
        item.sourceEntityVersionHash = models[0].entityVersionHashesByName["Item"]
        item.destinationEntityVersionHash = models[1].entityVersionHashesByName["Item"]
        item.sourceExpression = NSExpression(
            format: """
                FETCH(FUNCTION($manager, "fetchRequestForSourceEntityNamed:predicateString:", "Item", "TRUEPREDICATE"), \
                $manager.sourceContext, NO)
                """)
        item.attributeMappings = [("name", "$source.name"), ("size", "CAST($source.size, 'NSNumber')")].map {
            let property = NSPropertyMapping()
            property.name = $0
            property.valueExpression = NSExpression(format: $1)
            return property
        }
        mapping.entityMappings = [item]
        trial.mappingModels = [mapping]
        let entry = try trial.hop(versions[0], versions[1])
        #expect(entry.isGood && entry.rows == 5, "\(entry)")
    }

    @Test("an inferred mapping model with another expression takes part, and rows that it leaves out are found out")
    func changedInferred() throws {
        let versions = ["name string", "name string modifier x"].enumerated().map {
            ModelVersion("\($0.offset + 1)", ModelText.model("entity Item\n  \($0.element)"))
        }
        let mapping = try NSMappingModel.inferredMappingModel(
            forSourceModel: versions[0].model, destinationModel: versions[1].model)
        let items = try #require(mapping.entityMappings.first { $0.destinationEntityName == "Item" })
        let name = try #require(items.attributeMappings?.first { $0.name == "name" })
        name.valueExpression = NSExpression(format: "uppercase($source.name)")
        var trial = MigrationTrial(versions)
        trial.mappingModels = [mapping]
        trial.samples = SampleStore(rowsPerEntity: 3)
        #expect(try trial.hop(versions[0], versions[1]).isGood)
        items.sourceExpression = NSExpression(
            format: """
                FETCH(FUNCTION($manager, "fetchRequestForSourceEntityNamed:predicateString:", "Item", \
                "name == 'name 1'"), $manager.sourceContext, NO)
                """)
        let entry = try trial.hop(versions[0], versions[1])
        #expect(entry.problems == ["2: Item has 1 rows where 3 were to be migrated"], "\(entry)")
    }
}
