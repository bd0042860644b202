import Foundation
import MacCheckKit
import TestSupport
import Testing

@testable import MacJudge

/// The reports that Macs have sent, judged again.
@Suite("Kept reports of Macs")
struct MacReportTests {
    private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let folder = package.appendingPathComponent("Tests/MacCheck/Reports")

    /// Whether a kept report comes to the verdicts that are kept with it.
    private func isUnchanged(_ report: URL) throws -> Bool {
        let table = try String(contentsOf: report.appendingPathComponent("verdict.tsv"), encoding: .utf8)
        // The stores that came back are too large to keep: their checks were judged when the report came.
        let kept = table.split(separator: "\n").filter { !$0.hasPrefix("returned/") }
        return try JudgedReport(Judge(folder: report, hasStores: false)).table.split(separator: "\n") == kept
    }

    @Test("A kept report comes to the same verdicts as when it was kept")
    func kept() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { $0 != "README.md" }
        for name in names {
            #expect(try isUnchanged(Self.folder.appendingPathComponent(name, isDirectory: true)), "\(name)")
        }
    }

    @Test("A changed verdict of a kept report is seen")
    func changed() throws {
        var (kit, report) = (Kit(), Report())
        kit.answers = ["members-are-nil": "empty", "message-predicate": "error"]
        report.platform = "macOS, Version 99"
        for name in kit.answers.keys { report.findings["question/\(name)"] = Finding(lines: ["empty"]) }
        try withTemporaryFolder { folder in
            try JSONEncoder.stable.encode(kit).write(to: folder.appendingPathComponent("kit.json"))
            try JSONEncoder.stable.encode(report).write(to: folder.appendingPathComponent("report.json"))
            let table = JudgedReport(Judge(kit: kit, report: report, stores: nil)).table
            #expect(
                table == """
                    # macOS, Version 99\t\t
                    question/members-are-nil\tfact
                    question/message-predicate\tfailed

                    """)
            let file = folder.appendingPathComponent("verdict.tsv")
            try Data((table + "returned/links\tpassed\n").utf8).write(to: file)
            #expect(try isUnchanged(folder))
            try Data(table.replacingOccurrences(of: "\tfailed", with: "\tpassed").utf8).write(to: file)
            #expect(try !isUnchanged(folder))
        }
    }

    @Test("A store, a schema and a model that are no longer those of a kept report are found")
    func comparison() {
        var kept = Kit()
        kept.models = [ModelPart(name: "Links", file: "Links.mom")]
        kept.models[0].lines = ["hash Book: a"]
        kept.stores = ["links", "gaps"].map { StorePart(name: $0, file: $0, type: "SQLite", model: "Links") }
        kept.stores[0].schema = ["table ZBOOK: Z_PK INTEGER PRIMARY KEY", "table ZBOOK: ZTITLE VARCHAR"]
        kept.stores[0].contents.entities["Book"] = Contents.Objects()
        #expect(KitComparison.lines(kept, kept) == [])
        var new = kept
        new.models[0].lines = ["hash Book: b"]
        new.stores[0].schema?.removeLast()
        new.stores[0].contents.entities["Book"]?.count = 1
        new.stores.removeLast()
        #expect(
            KitComparison.lines(kept, new) == [
                "model/Links: missing: hash Book: a", "model/Links: unexpected: hash Book: b",
                "read/links: Book: 0 objects expected, 1 found",
                "read/links: missing: table ZBOOK: ZTITLE VARCHAR", "read/gaps: no contents",
            ])
    }

    @Test("Each question of behaviour names a row of the list of differences")
    func rows() throws {
        let text = try String(contentsOf: Self.package.appendingPathComponent("DEVIATIONS.md"), encoding: .utf8)
        let rows = Set(
            text.split(separator: "\n").filter { $0.hasPrefix("| ") }.compactMap { line in
                line.split(separator: " | ").first.map { String($0.dropFirst(2)) }
            })
        let questions = Questions.all.filter { $0.row != nil }
        #expect(questions.count >= 40)
        for question in questions {
            #expect(rows.contains(question.row ?? ""), "\(question.name): \(question.row ?? "")")
        }
        #expect(Set(Questions.all.map(\.name)).count == Questions.all.count)
        for plan in StorePlan.all { #expect(plan.row == nil || rows.contains(plan.row ?? ""), "\(plan.name)") }
    }
}
