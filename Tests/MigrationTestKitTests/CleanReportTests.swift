import CoreData
import Foundation
import MigrationTestKit
import TestSupport
import Testing

@Suite("When a report of a trial is clean")
struct CleanReportTests {
    /// A text becomes bytes: nothing can be inferred.
    private let refused = [
        ModelVersion("1", ModelText.model("entity Item\n  name string")),
        ModelVersion("2", ModelText.model("entity Item\n  name data")),
    ]

    @Test("a trial whose every way is refused is not clean, and the report says which and why")
    func everyWayRefused() throws {
        let report = try MigrationTrial(refused).run()
        #expect(!report.isClean)
        #expect(report.failures.map(\.name) == ["1 → 2"])
        #expect(report.failures.first?.problems == [])
        #expect("\(report)".contains("REFUSED 1 → 2"), "\(report)")
        #expect(report.failures.first?.refusal?.contains("“Item.name”") == true, "\(report)")
    }

    @Test("a refusal that is expected by the versions' names is clean")
    func expected() throws {
        let report = try MigrationTrial(refused).run(expecting: [ExpectedRefusal(from: "1", to: "2")])
        #expect(report.isClean, "\(report)")
        #expect(report.refused.contains("1 → 2"))
        #expect("\(report)".contains("refused 1 → 2"), "\(report)")
    }

    @Test("an expected refusal that does not happen is not clean")
    func didNotHappen() throws {
        let versions = [
            ModelVersion("1", ModelText.model("entity Item\n  name string")),
            ModelVersion("2", ModelText.model("entity Item\n  name string modifier x")),
        ]
        #expect(try MigrationTrial(versions).run().isClean)
        let report = try MigrationTrial(versions).run(expecting: [ExpectedRefusal(from: "1", to: "2")])
        #expect(!report.isClean)
        #expect(report.failures.map(\.name) == ["1 → 2"], "\(report)")
        #expect("\(report)".contains("a refusal was expected, and the migration went through"))
    }

    @Test("an expected refusal between versions that the trial does not have is not clean")
    func unknownNames() throws {
        let report = try MigrationTrial(refused).run(expecting: [
            ExpectedRefusal(from: "1", to: "2"), ExpectedRefusal(from: "1", to: "4"),
        ])
        #expect(!report.isClean)
        #expect(report.failures.map(\.name) == ["1 → 4"], "\(report)")
    }

    @Test("a version of which no store can be filled is reported, and the other ways are tried")
    func cannotBeFilled() throws {
        let texts = ["name string", "name string modifier x", "name string modifier y"]
        let models = texts.map { ModelText.model("entity Item\n  \($0)") }
        let name = try #require(models[1].entitiesByName["Item"]?.attributesByName["name"])
        name.isOptional = false
        name.setValidationPredicates([NSPredicate(format: "SELF == 'a' AND SELF == 'b'")], withValidationWarnings: [])
        let versions = zip(["1", "2", "3"], models).map { ModelVersion($0, $1) }
        let report = try MigrationTrial(versions).run()
        #expect(!report.isClean)
        #expect(
            report.failures.contains { $0.name == "2 → 3" && $0.problems.first?.contains("Item.name") == true },
            "\(report)")
        #expect(report.entries.contains { $0.name == "1 → 3" && $0.isGood }, "\(report)")
    }

    @Test("Versions that differ in fetch indexes only need no migration: the report is clean and notes the indexes")
    func fetchIndexes() throws {
        let versions = [
            ModelVersion("1", ModelText.model("entity Item\n  name string\n  size int32")),
            ModelVersion("2", ModelText.model("entity Item\n  name string index\n  size int32")),
            ModelVersion("3", ModelText.model("entity Item\n  name string\n  size int32 index")),
        ]
        let report = try MigrationTrial(versions).run()
        #expect(report.isClean, "\(report)")
        #expect(report.refused.isEmpty)
        let notes = try #require(report.entries.first { $0.name == "1 → 2" }).notes
        #expect(notes.contains { $0.contains("nothing is migrated") }, "\(notes)")
        #expect(notes.contains { $0.contains("+ index") && $0.contains("ZNAME") }, "\(notes)")
    }

    @Test("a fetch index that comes beside another entity's change is part of the migration")
    func fetchIndexBesideChange() throws {
        let older = "entity Item\n  name string\nentity Shelf\n  room string"
        let versions = [
            ModelVersion("1", ModelText.model(older)),
            ModelVersion("2", ModelText.model("entity Item\n  name string index\nentity Shelf\n  room string")),
            ModelVersion(
                "3", ModelText.model("entity Item\n  name string index\nentity Shelf\n  room string modifier x")),
        ]
        let report = try MigrationTrial(versions).run()
        #expect(report.isClean, "\(report)")
    }
}
