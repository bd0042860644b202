import CoreData
import Foundation
import MacCheckKit
import TestSupport
import Testing

@testable import MacJudge

/// A run of the kit passes, and a difference that is planted in its report or its stores is found.
@Suite("The judge of a Mac's report")
struct JudgeTests {
    private let small: SmallKit

    init() throws { small = try SmallKit.shared.get() }

    private func failures(_ change: (inout Report) throws -> Void) throws -> [String: [String]] {
        var report = small.report
        try change(&report)
        return failures(Judge(kit: small.kit, report: report, stores: nil))
    }

    private func failures(_ judge: Judge) -> [String: [String]] {
        let failed = judge.verdicts().filter { $0.state == .failed }
        return Dictionary(uniqueKeysWithValues: failed.map { ($0.check, $0.lines) })
    }

    /// The failures of a report whose returned stores are changed.
    private func failures(inStores change: (URL) throws -> Void) throws -> [String: [String]] {
        try withTemporaryFolder { folder in
            let copy = folder.appendingPathComponent("Answer")
            try FileManager.default.copyItem(at: small.answer, to: copy)
            try change(copy)
            return failures(Judge(kit: small.kit, report: small.report, stores: copy))
        }
    }

    @Test("A run of this framework passes, and counts as no Mac's")
    func passing() throws {
        let judged = JudgedReport(Judge(kit: small.kit, report: small.report, stores: small.answer))
        #expect(judged.count(.failed) == 0, "\(judged.text)")
        #expect(judged.count(.fact) == 0)
        #expect(small.report.platform == "Linux, OpenCoreData")
        #expect(judged.text.hasSuffix("This is not the report of a Mac: it says nothing about Apple's framework."))
        #expect(judged.verdicts.contains { $0.check == "returned/history" && $0.state == .passed })
    }

    @Test("A value that differs is found")
    func value() throws {
        let found = try failures {
            $0.findings["read/places"]?.contents?.entities["Place"]?.objects["p1"]?["height"] = "20.5"
        }
        #expect(found == ["read/places": ["Place/p1.height: 20.0 expected, 20.5 found"]])
    }

    @Test("A link that differs is found")
    func link() throws {
        let found = try failures {
            $0.findings["read/pairs"]?.contents?.entities["Shelf"]?.objects["p1"]?["books"] = "{Book/p1}"
        }
        #expect(found == ["read/pairs": ["Shelf/p1.books: {Book/p1, Book/p2} expected, {Book/p1} found"]])
    }

    @Test("An order that differs is found, of members and of a fetch's result")
    func order() throws {
        let found = try failures { report in
            report.findings["read/pairs"]?.contents?.entities["Tag"]?.objects["p1"]?["books"] = "[Book/p1, Book/p3]"
            report.findings["search/19-places"]?.lines = ["1: Place/p2", "2: Place/p4"]
        }
        #expect(found["read/pairs"] == ["Tag/p1.books: [Book/p3, Book/p1] expected, [Book/p1, Book/p3] found"])
        #expect(found["search/19-places"]?.first == "missing: 1: Place/p4")
    }

    @Test("An object that is missing, and one behind the listed ones, are found")
    func object() throws {
        let found = try failures { report in
            report.findings["read/places"]?.contents?.entities["Place"]?.objects["p3"] = nil
            report.findings["read/places"]?.contents?.entities["Place"]?.count = 3
            report.findings["read/diary"]?.contents?.entities["Entry"]?.digest = "0"
        }
        #expect(found["read/places"] == ["Place: 4 objects expected, 3 found", "missing: Place/p3"])
        #expect(found["read/diary"] == ["Entry: an object behind the listed ones differs"])
    }

    @Test("A hash and a default value of a model that differ are found")
    func model() throws {
        let found = try failures { report in
            for (check, old) in [("model/Links", "hash Book: "), ("model/Diary", "Entry.mood: ")] {
                let lines = report.findings[check]?.lines ?? []
                report.findings[check]?.lines = lines.map { $0.hasPrefix(old) ? old + "other" : $0 }
            }
        }
        #expect(found["model/Links"]?.last == "unexpected: hash Book: other")
        #expect(found["model/Diary"]?.last == "unexpected: Entry.mood: other")
    }

    @Test("A tombstone and an author of the history that differ are found")
    func history() throws {
        let found = try failures { report in
            let lines = report.findings["read/history"]?.lines ?? []
            report.findings["read/history"]?.lines = lines.map {
                $0.replacingOccurrences(of: "delete Book/p2 title 'Omoo'", with: "delete Book/p2 ")
            }
            report.findings["read/history"]?.lines?[0] = "1: by nil"
        }
        #expect(
            found == [
                "read/history": [
                    "missing: 1: by mac-check", "missing: 6: delete Book/p2 title 'Omoo'", "unexpected: 1: by nil",
                    "unexpected: 6: delete Book/p2 ",
                ]
            ])
    }

    @Test("A message that differs is found: as a failure, or as a fact of a Mac with its row")
    func message() throws {
        let found = try failures { report in
            report.findings["question/message-missing-value"]?.lines = ["error 1570: another text"]
        }
        #expect(found["question/message-missing-value"]?.last == "there: error 1570: another text")
        var report = small.report
        report.platform = "macOS, Version 99"
        report.findings["question/members-are-nil"]?.lines = ["empty, full"]
        report.findings["question/message-missing-value"]?.lines = ["error NSCocoaErrorDomain 1570: another text"]
        report.findings["question/message-predicate"] = Finding(lines: ["no exception"])
        let verdicts = Judge(kit: small.kit, report: report, stores: nil).verdicts()
        let fact = try #require(verdicts.first { $0.check == "question/members-are-nil" })
        #expect(fact.state == .fact)
        #expect(fact.row == "`tags == nil` of a to-many relationship is not documented")
        #expect(fact.lines == ["here: empty", "there: empty, full"])
        // The words of an error are a fact, and its code is a failure.
        #expect(verdicts.first { $0.check == "question/message-missing-value" }?.state == .fact)
        #expect(verdicts.first { $0.check == "question/message-predicate" }?.state == .failed)
        let equal = try #require(verdicts.first { $0.check == "question/nested-parentheses" })
        #expect(equal.state == .fact)
        #expect(equal.lines.first?.hasPrefix("equal: ") == true)
    }

    @Test("A question whose process stopped is answered by an exception about its matter, and by no other end")
    func stops() throws {
        var report = small.report
        report.platform = "macOS, Version 99"
        func verdict(_ stop: Finding.Stop?, _ text: String, _ name: String = "nested-parentheses") -> Verdict? {
            var finding = Finding()
            (finding.outcome, finding.stop, finding.text) = (.stopped, stop, text)
            report.findings["question/\(name)"] = finding
            return Judge(kit: small.kit, report: report, stores: nil).verdicts()
                .first { $0.check == "question/\(name)" }
        }
        #expect(verdict(.exception, "Unable to parse the format string \"((\"")?.state == .fact)
        for (stop, text) in [
            (.exception, "unrecognized selector sent to instance"), (.timeLimit, "Unable to parse the format string"),
            (.other, "Unable to parse the format string"), (.other, ""),
        ] as [(Finding.Stop, String)] {
            #expect(verdict(stop, text)?.state == .failed, "\(stop) \(text)")
        }
        #expect(verdict(nil, "Unable to parse the format string")?.state == .failed)
        #expect(verdict(.exception, "a predicate", "members-are-nil")?.state == .fact)
        #expect(verdict(.exception, "a predicate", "message-missing-value")?.state == .failed)
        var finding = Finding()
        (finding.outcome, finding.text) = (.error, "no question")
        report.findings["question/members-are-nil"] = finding
        let verdicts = Judge(kit: small.kit, report: report, stores: nil).verdicts()
        #expect(verdicts.first { $0.check == "question/members-are-nil" }?.state == .failed)
        #expect(Run.stop("*** Terminating app, reason: 'no'") == .exception)
        #expect(Run.stop("Fatal error: no") == .fatalError)
        #expect(Run.stop("") == .other)
    }

    @Test("Validation, user info, derivation and the flags of a template are compared")
    func descriptions() throws {
        for (model, begin) in [
            ("Places", "validation Place.code: "), ("Places", "user info Place: "),
            ("Places", "user info Place.height: "),
            ("Places", "request TenHigh: result 1, limit 10"), ("Shelves", "Shelf.bookCount: "),
        ] {
            let lines = small.report.findings["model/\(model)"]?.lines ?? []
            #expect(lines.contains { $0.hasPrefix(begin) }, "\(begin) is not in \(lines)")
            let found = try failures {
                $0.findings["model/\(model)"]?.lines = lines.map { $0.hasPrefix(begin) ? begin + "other" : $0 }
            }
            #expect(found["model/\(model)"]?.last == "unexpected: \(begin)other")
        }
        #expect(small.kit.models.flatMap(\.lines).contains { $0.contains("derived by count:(books)") })
    }

    @Test("What a search, a migration and the saves must give does not come from the run that it judges")
    func expectations() throws {
        #expect(Set(SearchPart.all.map(\.name)) == Set(SearchPart.sql.keys))
        let migrated = try #require(small.kit.migrations.first)
        #expect(migrated.contents == migrated.expected)
        #expect(migrated.contents.entities["Entry"]?.objects["p3"]?["words"] == "'Nobody's words'")
        let places = try #require(small.kit.stores.first { $0.name == "places" })
        let plan = try #require(StorePlan.all.first { $0.name == "places" })
        let model = try #require(
            NSManagedObjectModel(contentsOf: small.folder.appendingPathComponent("Models/Places.momd")))
        #expect(try PlannedContents.before(plan, model) == places.contents)
        #expect(try PlannedContents.after(plan, model) == places.contentsAfter)
        // A value, a link, a line of history and a fact about nothing.
        var other = plan
        other.saves[0][0].values["height"] = "20.5"
        #expect(
            Difference.contents(try PlannedContents.before(other, model), places.contents) == [
                "Place/p1.height: 20.5 expected, 20.0 found"
            ])
        other.facts["Place/p9.name"] = "'none'"
        #expect(throws: KitError.self) { try PlannedContents.before(other, model) }
        let history = try #require(small.kit.stores.first { $0.name == "history" })
        #expect(history.contentsAfter?.entities["Author"]?.objects["p1"]?["books"] == "{}")
        #expect(history.historyAfter?.last == "9: update Author/p1 books")
    }

    @Test("What a store of Apple's holds is compared with its rows: a value, a link and a number of objects")
    func rows() throws {
        let pairs = try #require(small.kit.stores.first { $0.name == "pairs" })
        try withTemporaryFolder { folder in
            let copy = try Corpus.copyStore(at: small.folder.appendingPathComponent(pairs.file), to: folder)
            let rows = try RawRows(copy, KitFolder(small.folder).model(named: pairs.model))
            #expect(try rows.differences(to: pairs.contents) == [])
            var other = pairs.contents
            other.entities["Tag"]?.objects["p3"]?["name"] = "'other'"
            other.entities["Shelf"]?.objects["p1"]?["best"] = "Book/p1"
            other.entities["Author"]?.count = 1
            #expect(
                try rows.differences(to: other) == [
                    "Author: 0 rows, 1 objects", "Shelf/p1.best: Book/p2 in the row, Book/p1 read",
                    "Tag/p3.name: 'none' in the row, 'other' read",
                ])
        }
    }

    @Test("A kit is not made if a plan has another value, another link or another line of history than the store")
    func plans() throws {
        for (name, change) in [
            ("pairs", { $0.factsAfter["Book/p4.tags"] = "{Tag/p2}" }), ("pairs", { $0.facts["Book/p1.tags"] = "{}" }),
            ("history", { $0.history[2] = "2: by nil" }), ("history", { $0.historyAfter.removeLast() }),
            ("shelves", { $0.factsAfter["Shelf/p2.bookCount"] = "2" }),
        ] as [(String, (inout StorePlan) -> Void)] {
            try withTemporaryFolder { place in
                var maker = KitMaker(
                    folder: place.appendingPathComponent("Kit"), program: try ChildProgram.url("mac-check"),
                    show: { _ in })
                maker.parts = { $0.name == name && ($0.kind == .read || $0.kind == .write) }
                maker.plans = StorePlan.all.filter { $0.name == name }.map { $0.with(change) }
                let models = SmallKit.models
                let error = #expect(throws: KitError.self) { try maker.makeKit(models: models) }
                #expect(error?.description.hasPrefix("\(name): ") == true, "\(error.map { "\($0)" } ?? "no error")")
            }
        }
    }

    @Test("A check that an exception ended, one with an error and one that is not there are found")
    func outcome() throws {
        let found = try failures { report in
            report.findings["write/pairs"]?.outcome = .stopped
            report.findings["write/pairs"]?.text = "unrecognized selector"
            report.findings["migrate/inferred"]?.outcome = .error
            report.findings["migrate/inferred"]?.text = "NSCocoaErrorDomain 134140"
            report.findings["read/diary"] = nil
        }
        #expect(
            found == [
                "write/pairs": ["stopped: unrecognized selector"],
                "migrate/inferred": ["error: NSCocoaErrorDomain 134140"], "read/diary": ["not in the report"],
            ])
    }

    @Test("A migrated value that differs is found")
    func migration() throws {
        let found = try failures {
            $0.findings["migrate/inferred"]?.contents?.entities["Entry"]?.objects["p1"]?["language"] = "nil"
        }
        #expect(found == ["migrate/inferred": ["Entry/p1.language: 'en' expected, nil found"]])
    }

    @Test("An index that a returned store lacks is found")
    func index() throws {
        let found = try failures(inStores: { folder in
            let database = try RawDatabase(folder.appendingPathComponent("Stores/places/places.sqlite"))
            try database.execute("DROP INDEX Z_Place_byName")
        })
        #expect(found.keys.sorted() == ["returned/places"])
        #expect(found["returned/places"]?[0].hasPrefix("not in the file any more: index Z_Place_byName") == true)
    }

    @Test("A row and a counter of a returned store that differ are found")
    func row() throws {
        let found = try failures(inStores: { folder in
            let pairs = try RawDatabase(folder.appendingPathComponent("Stores/pairs/pairs.sqlite"))
            try pairs.execute("UPDATE ZTAG SET ZNAME = 'other' WHERE Z_PK = 3")
            let places = try RawDatabase(folder.appendingPathComponent("Stores/places/places.sqlite"))
            try places.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 1")
        })
        #expect(found["returned/pairs"] == ["Tag/p3.name: 'none' expected, 'other' found"])
        #expect(found["returned/places"]?[0].hasPrefix("irregular: ") == true)
    }

    @Test("A returned store that is no store is found")
    func damage() throws {
        let found = try failures(inStores: { folder in
            let file = folder.appendingPathComponent("Stores/pairs/pairs.sqlite")
            try Data("no store".utf8).write(to: file)
        })
        #expect(found.keys.sorted() == ["returned/pairs"])
    }
}
