import Foundation
import TestSupport
import Testing

@testable import CoreData
@testable import MigrationTestKit

@Suite("Older versions that open later stores in a trial")
struct DowngradeTrialTests {
    private static let older = """
        entity Item
          name string
          shelf one Shelf.items
        entity Shelf
          room string
          items many Item.shelf
        """
    private static let newer = """
        entity Item
          name string
          note string
          rank int16! = 3
          shelf one Shelf.items
          tags many Tag.items
        entity Shelf
          room string
          items many Item.shelf
        entity Tag
          word string
          items many Item.tags
        """

    private func trial(_ older: String, _ newer: String) -> MigrationTrial {
        MigrationTrial([ModelVersion("1", ModelText.model(older)), ModelVersion("2", ModelText.model(newer))])
    }

    private func downgrade(_ trial: MigrationTrial) throws -> MigrationTrialReport.Entry {
        try trial.downgrade(trial.versions[1], to: trial.versions[0])
    }

    @Test("Losses are listed by entity and property, with the rows that hold a value of their own")
    func losses() throws {
        try withTemporaryFolder { folder in
            let trial = trial(Self.older, Self.newer)
            let url = folder.appendingPathComponent("Trial.sqlite")
            try withStore(url, ModelText.model(Self.newer)) { context in
                let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
                for number in 0..<4 {
                    let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
                    item.setValue("item", forKey: "name")
                    if number < 2 { item.setValue("note", forKey: "note") }
                    if number < 1 { item.setValue(7, forKey: "rank") }
                    item.setValue(NSSet(object: tag), forKey: "tags")
                }
                try context.save()
            }
            let (one, two) = (trial.versions[0], trial.versions[1])
            let losses = try #require(TrialLosses(try TrialContent(of: url, two), from: two, to: one)).losses
            #expect(losses.map(\.description) == ["Item.note, 2 rows", "Item.rank, 1 row", "Tag, 1 row"])
            #expect(losses[0].isNamed(in: "“note” of “Item” has 2 rows") && !losses[0].isNamed(in: "“notes” of “Item”"))
            // Nothing is lost on the way up.
            let none = try #require(TrialLosses(try TrialContent(of: url, two), from: two, to: two)).losses
            #expect(none.isEmpty)
        }
    }

    @Test(
        "An attribute whose name is a word of the language of predicates is not lost where both versions have it",
        arguments: ["size", "first", "last", "any", "all", "in", "true", "null", "like"])
    func reservedWords(name: String) throws {
        try withTemporaryFolder { folder in
            let trial = trial("entity Item\n  \(name) string", "entity Item\n  \(name) string\n  note string")
            let url = folder.appendingPathComponent("Trial.sqlite")
            let (one, two) = (trial.versions[0], trial.versions[1])
            try withStore(url, two.model) { context in
                context.make("Item", [name: "a"])
                try context.save()
            }
            #expect(try #require(TrialLosses(try TrialContent(of: url, two), from: two, to: one)).losses.isEmpty)
        }
    }

    @Test("a link is lost where neither of its sides continues")
    func links() throws {
        try withTemporaryFolder { folder in
            let trial = trial("entity Item\n  name string\nentity Shelf\n  room string", Self.older)
            let url = folder.appendingPathComponent("Trial.sqlite")
            try SampleStore(rowsPerEntity: 3).make(at: url, trial.versions[1])
            let (one, two) = (trial.versions[0], trial.versions[1])
            let losses = try #require(TrialLosses(try TrialContent(of: url, two), from: two, to: one)).losses
            #expect(Set(losses.compactMap(\.property)) == ["items", "shelf"], "\(losses)")
            let sided = Self.older.replacingOccurrences(of: "  items many Item.shelf", with: "")
                .replacingOccurrences(of: "Shelf.items", with: "Shelf")
            let half = ModelVersion("0", ModelText.model(sided))
            #expect(try #require(TrialLosses(try TrialContent(of: url, two), from: two, to: half)).losses.isEmpty)
        }
    }

    @Test("a way back on which nothing is lost is gone, and every value is there")
    func lossless() throws {
        let entry = try downgrade(
            trial(Self.older, Self.older.replacingOccurrences(of: "name string", with: "title string was name")))
        #expect(entry.isGood && entry.rows == 40, "\(entry)")
    }

    @Test("The way back between versions with the same hashes does nothing")
    func sameHashes() throws {
        let entry = try downgrade(
            trial(Self.older, Self.older.replacingOccurrences(of: "name string", with: "name string index")))
        #expect(entry.isGood, "\(entry)")
    }

    @Test("a way back that cannot be inferred is refused with the reason, and the store is unchanged")
    func noWay() throws {
        let entry = try downgrade(
            trial(Self.older, Self.older.replacingOccurrences(of: "name string", with: "name data")))
        #expect(entry.isClean && entry.refusal?.contains("“Item.name”") == true, "\(entry)")
    }

    @Test("a way back that loses something is refused with every loss named, and the store is unchanged")
    func lossy() throws {
        let entry = try downgrade(trial(Self.older, Self.newer))
        #expect(entry.isClean, "\(entry)")
        let refusal = try #require(entry.refusal)
        for name in ["“Item.note” of 14", "“Item.rank” of 19", "20 objects of “Tag”"] {
            #expect(refusal.contains(name), "\(refusal)")
        }
    }

    @Test("losses that the options allow are listed, and all other losses are found out")
    func allowed() throws {
        var trial = trial(Self.older, Self.newer)
        trial.options[NSMigrationAllowedLossesOption] = ["Item.note", "Item.rank"]
        let refused = try downgrade(trial)
        #expect(refused.isClean && refused.refusal?.contains("“Tag”") == true, "\(refused)")
        trial.options[NSMigrationAllowedLossesOption] = ["Item.note", "Item.rank", "Item.tags", "Tag"]
        let entry = try downgrade(trial)
        #expect(entry.notes.contains("it loses Tag, 20 rows, as the options allow"), "\(entry)")
        #expect(entry.problems.isEmpty && entry.refusal == nil, "\(entry)")
    }

    @Test("a refusal that does not name every loss is found out, and so is one where nothing is lost")
    func unnamed() {
        let losses = [
            TrialLosses.Loss(entity: "Item", property: "note", rows: 14), TrialLosses.Loss(entity: "Tag", rows: 20),
        ]
        func problems(_ text: String, _ code: Int, _ losses: [TrialLosses.Loss]?) -> [String] {
            let info = [NSLocalizedDescriptionKey: text]
            return MigrationTrial.problems(of: NSError(domain: NSCocoaErrorDomain, code: code, userInfo: info), losses)
        }
        let code = NSMigrationMissingSourceModelError
        #expect(problems("“Item.note” of 14 objects, 20 objects of “Tag”", code, losses) == [])
        #expect(
            problems("“Item.note” of 14 objects", code, losses)
                == ["the refusal does not name the loss of Tag, 20 rows"])
        #expect(problems("The store is of another version.", code, losses).count == 2)
        #expect(
            problems("The store is of another version.", code, []) == ["it was refused, though nothing would be lost"])
        // Where there is no way back, the reason is enough.
        #expect(problems("Can’t infer a mapping.", NSInferredMappingModelError, losses) == [])
        #expect(problems("No model was found.", code, nil) == [])
    }
}
