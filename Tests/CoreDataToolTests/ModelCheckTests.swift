import CoreData
import Foundation
import MigrationTestKit
import TestSupport
import Testing

@testable import CoreDataTool

@Suite("coredata model check")
struct ModelCheckTests {
    /// Runs the command in this process.
    static func check(
        _ arguments: [String], in folder: URL
    ) throws -> (status: CoreDataTool.ExitStatus, output: String) {
        let console = Console.keeping()
        let words = try Arguments(arguments + ["--repository", folder.path], of: ModelCheckCommand.page)
        let status = try ModelCheckCommand(words).run(console)
        return (status, String(decoding: console.takeKept(), as: UTF8.self))
    }

    @Test(
        "Each harmful change has one finding, with its place, what happens to stores, and what to do",
        arguments: ModelHistory.harmful)
    func harmful(_ history: ModelHistory) throws {
        try withTemporaryFolder { folder in
            let repository = try history.play(in: folder)
            let run = try Self.check(["--base", "main", "--json"], in: repository.folder)
            #expect(run.status == .found)
            let report = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
            let findings = try #require(report?["findings"] as? [[String: Any]])
            #expect(findings.map { $0["rule"] as? String } == [history.rule], "\(run.output)")
            let finding = try #require(findings.first)
            let line = (finding["line"] as? Int).map { ":\($0)" } ?? ""
            let element = [finding["entity"], finding["property"]].compactMap { $0 as? String }.joined(separator: ".")
            let place = "\(finding["file"] as? String ?? "")\(line)" + (element.isEmpty ? "" : " \(element)")
            #expect(place == history.place)
            let message = finding["message"] as? String ?? ""
            #expect(message.hasPrefix(history.message), "\(message)")
            let remedy = finding["remedy"] as? String ?? ""
            #expect(remedy.contains(history.remedy), "\(remedy)")
        }
    }

    @Test("The harmful histories show sixteen rules, and eight histories are harmless")
    func histories() {
        #expect(Set(ModelHistory.harmful.compactMap(\.rule)).count == 16)
        #expect(ModelHistory.harmful.count == 16)
        #expect(ModelHistory.harmless.count == 8)
    }

    @Test("Nothing is found where nothing can happen to a store", arguments: ModelHistory.harmless)
    func harmless(_ history: ModelHistory) throws {
        try withTemporaryFolder { folder in
            let repository = try history.play(in: folder)
            let run = try Self.check(["--base", "main"], in: repository.folder)
            #expect(run.status == .done)
            #expect(run.output.hasSuffix("Compared with 'main': no findings\n"), "\(run.output)")
        }
    }

    /// The findings of the third version with some attributes, and of a mapping model to it.
    private func third(
        _ attributes: [String], mapping: ((String) -> String)? = nil
    ) throws -> [(rule: String, place: String, message: String)] {
        try withTemporaryFolder { folder in
            let repository = try ModelHistory(name: "") { _ in }.play(in: folder)
            try repository.write(version: "Library 3", ModelHistory.library(attributes))
            try repository.choose("Library 3")
            if let mapping {
                let names = ["isbn", "pages", "title", "year"] + (attributes.count > 4 ? ["stock"] : [])
                let text = ModelHistory.mapping(names, from: "Library 2", to: "Library 3")
                try repository.write(mapping(text), to: "Steps.xcmappingmodel/xcmapping.xml")
            }
            let report = try ModelGate(repository: folder, base: "main").check()
            return report.findings.map { ($0.rule.rawValue, $0.place ?? $0.file, $0.message) }
        }
    }

    @Test("A stored attribute that is derived now loses its values, and one that no store can compute is named")
    func derivations() throws {
        func derived(_ expression: String) -> String {
            ModelHistory.attribute(
                "title", "String", "optional=\"YES\" derived=\"YES\" derivationExpression=\"\(expression)\"")
        }
        let lost = try third([ModelHistory.isbn, ModelHistory.pages, derived("canonical:(isbn)"), ModelHistory.year])
        #expect(lost.map(\.rule) == ["loss"] && lost.map(\.place) == ["Book.title"], "\(lost)")
        #expect(
            lost.first?.message.contains("'Library 3' computes the attribute by canonical:(isbn)") == true, "\(lost)")
        let unknown = try third([ModelHistory.isbn, ModelHistory.pages, derived("canonical:(name)"), ModelHistory.year])
        let finding = try #require(unknown.first { $0.rule == "derivation" }, "\(unknown)")
        #expect(finding.place == "Book.title" && finding.message.contains("name"), "\(finding)")
    }

    @Test("A mapping model that ends a migration is a finding")
    func failingMappings() throws {
        let all = [ModelHistory.isbn, ModelHistory.pages, ModelHistory.title, ModelHistory.year]
        let stock = ModelHistory.attribute("stock", "String", "")
        func faults(_ attributes: [String], _ change: @escaping (String) -> String) throws -> [String] {
            try third(attributes, mapping: change).filter { $0.rule == "mapping" || $0.rule == "unreadable" }
                .map { "\($0.rule) \($0.place): \($0.message)" }
        }
        #expect(try faults(all) { $0 }.isEmpty)
        let mandatory = try faults(all + [stock]) { $0 }
        #expect(mandatory.count == 1, "\(mandatory)")
        #expect(mandatory.first?.contains("nothing gives the mandatory 'Book.stock' a value") == true, "\(mandatory)")
        let source = "<attribute name=\"sourcename\" type=\"string\">Book</attribute>"
        func filter(_ text: String) -> (String) -> String {
            {
                $0.replacing(
                    source,
                    with: source + "<attribute name=\"sourcefilterpredicatestring\" type=\"string\">\(text)</attribute>"
                )
            }
        }
        #expect(try faults(all, filter("pages &gt; 3")).isEmpty)
        let unknown = try faults(all, filter("sheets &gt; 3"))
        #expect(unknown.first?.contains("its filter reads 'sheets', which 'Book' lacks") == true, "\(unknown)")
        let broken = try faults(all, filter("pages &gt;"))
        #expect(broken.first?.contains("its filter 'pages >' cannot be read") == true, "\(broken)")
        let link =
            "<object type=\"XDDEVRELATIONSHIPMAPPING\" id=\"author\"><attribute name=\"sourcekeypath\" type=\"string\">"
            + "$source.writer</attribute><attribute name=\"sourcemappingname\" type=\"string\">Writers</attribute>"
        let names = try faults(all) {
            $0.replacing("<object type=\"XDDEVRELATIONSHIPMAPPING\" id=\"author\">", with: link)
        }
        #expect(names.first?.contains("names the entity mapping 'Writers', which is not there") == true, "\(names)")
        #expect(names.first?.contains("reads 'writer', which 'Book' lacks") == true, "\(names)")
        let unreadable = try faults(all) { _ in "<database>" }
        #expect(unreadable.first?.hasPrefix("unreadable Steps.xcmappingmodel/xcmapping.xml") == true, "\(unreadable)")
    }

    /// What is found about the policy of a mapping model after a change.
    private func policies(
        shipped: [String: String], _ change: @escaping @Sendable (ModelRepository) throws -> Void
    ) throws -> (findings: [ModelGateReport.Finding], notes: [String]) {
        try withTemporaryFolder { folder in
            let repository = try ModelHistory(name: "", files: shipped) { try change($0) }.play(in: folder)
            let compared = try ModelGate(repository: repository.folder, base: "main").compare().1
            let found = try PolicyFindings(in: try #require(compared.first))
            return (found.findings, found.notes)
        }
    }

    @Test("A policy that a mapping model names must stay, and a new one that no source declares is noted")
    func policies() throws {
        let (path, mapping) = (
            "Steps.xcmappingmodel/xcmapping.xml",
            ModelHistory.mapping(["isbn", "pages", "title", "year"], to: "Library 2", policy: "Library.TextPolicy")
        )
        @Sendable func policy(_ name: String) -> String {
            "// TextPolicy\nimport CoreData\nfinal class \(name): NSEntityMigrationPolicy {}\n"
        }
        let known = [path: mapping, "Sources/Policy.swift": policy("TextPolicy")]
        let same = try policies(shipped: known) { try $0.write(mapping + "<!-- -->", to: path) }
        #expect(same.findings.isEmpty && same.notes.isEmpty, "\(same)")
        let renamed = try policies(shipped: known) { try $0.write(policy("WordPolicy"), to: "Sources/Policy.swift") }
        #expect(renamed.findings.map(\.place) == ["Author", "Book"] && renamed.notes.isEmpty, "\(renamed)")
        #expect(renamed.findings.allSatisfy { $0.rule == .mapping && $0.message.contains("'TextPolicy'") })
        let elsewhere = try policies(shipped: [path: mapping]) { try $0.write(mapping + "\n", to: path) }
        #expect(elsewhere.findings.isEmpty && elsewhere.notes.isEmpty, "\(elsewhere)")
        let new = try policies(shipped: [:]) { try $0.write(mapping, to: path) }
        #expect(new.findings.isEmpty && new.notes.count == 2, "\(new)")
        #expect(new.notes.first?.contains("names the policy 'TextPolicy' for Author") == true, "\(new)")
        let other = try policies(shipped: known) { repository in
            try repository.remove("Sources/Policy.swift")
            try repository.write("@implementation TextPolicy\n@end\n", to: "Sources/Policy.m")
        }
        #expect(other.findings.isEmpty && other.notes.isEmpty, "\(other)")
    }

    // MARK: Output

    @Test("The text has each finding with its remedy, and the ways of stores")
    func text() throws {
        try withTemporaryFolder { folder in
            let repository = try ModelRepository(at: folder)
            try repository.write(version: "Library", ModelHistory.first)
            try repository.commit()
            try repository.write(
                version: "Library 2", ModelHistory.library([ModelHistory.isbn, ModelHistory.title]))
            try repository.choose("Library 2")
            let run = try ToolRun(["model", "check", "--base", "main"], in: folder)
            #expect(
                run.output == """
                    Library.xcdatamodeld/Library 2.xcdatamodel/contents:7: loss
                      Stores of 'Library' lose the values of 'Book.pages': 'Library 2' has no place for them.
                      If the loss is wanted, allow it: --allow loss:Book.pages.

                    Library.xcdatamodeld
                      'Library' → 'Library 2': in place

                    Compared with 'main': 1 finding

                    """)
            #expect(run.errors.isEmpty)
            #expect(run.status == 1)
            let allowed = try ToolRun(
                ["model", "check", "--base", "main", "--allow", "loss:Book.pages", "Library.xcdatamodeld"], in: folder)
            #expect(allowed.output.hasSuffix("Compared with 'main': no findings\n"))
            #expect(allowed.status == 0)
        }
    }

    @Test("Annotations of a workflow name file and line, and escape what the format would take as its own")
    func annotations() throws {
        try withTemporaryFolder { folder in
            let repository = try ModelRepository(at: folder)
            try repository.write(version: "A,1%", of: "Part: one", ModelHistory.first)
            try repository.commit()
            try repository.write(
                version: "A,1%", of: "Part: one", ModelHistory.library([ModelHistory.isbn, ModelHistory.title]))
            let run = try Self.check(["--base", "HEAD", "--github"], in: folder)
            let place = "Part%3A one.xcdatamodeld/A%2C1%25.xcdatamodel/contents"
            #expect(
                run.output.hasPrefix(
                    "::error file=\(place),line=7,title=Model%3A unversioned::The shipped version 'A,1%25' was changed")
            )
            #expect(run.output.contains("%0AAdd a version with the changes"))
            #expect(run.output.split(separator: "\n").count == 1)
        }
    }

    /// The ways of the stores, as the JSON has them.
    private func shownWays(of repository: ModelRepository) throws -> [String] {
        let run = try Self.check(["--base", "main", "--json"], in: repository.folder)
        let report = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
        let all = try #require(report?["ways"] as? [[String: Any]])
        return all.map { way in
            func list(_ key: String) -> String { (way[key] as? [String] ?? []).joined(separator: ",") }
            return "\(list("from")) \(way["means"] as? String ?? "") \(list("through"))"
        }
    }

    @Test("Each shipped version has its way: in place, through another version, in a copy, or none")
    func ways() throws {
        let (isbn, title, stock) = (ModelHistory.isbn, ModelHistory.title, "stock")
        try withTemporaryFolder { folder in
            let repository = try ModelRepository(at: folder)
            try repository.write(version: "Library", ModelHistory.library([isbn, title]))
            let zero = ModelHistory.attribute(stock, "Integer 32", "defaultValueString=\"0\"")
            try repository.write(version: "Library 2", ModelHistory.library([isbn, zero, title]))
            try repository.choose("Library 2")
            try repository.commit()
            let bare = ModelHistory.attribute(stock, "Integer 32", "versionHashModifier=\"2\"")
            try repository.write(version: "Library 3", ModelHistory.library([isbn, bare, title]))
            try repository.choose("Library 3")
            #expect(try shownWays(of: repository) == ["Library inPlace Library 2", "Library 2 inPlace "])
            #expect(try Self.check(["--base", "main"], in: folder).status == .done)
            try repository.write(
                version: "Library 3", ModelHistory.library([isbn, ModelHistory.attribute(stock), title]))
            #expect(try shownWays(of: repository) == ["Library inPlace ", "Library 2 impossible "])
        }
        let mapped = try #require(ModelHistory.harmless.first { $0.name.contains("mapping models") })
        try withTemporaryFolder { folder in
            let repository = try mapped.play(in: folder)
            #expect(try shownWays(of: repository) == ["Library copy ", "Library 2 copy "])
        }
    }

    @Test("Arguments that contradict each other are refused")
    func misuse() throws {
        let cases: [(arguments: [String], text: String)] = [
            ([], "'--base' is missing"), (["--base", "main", "--dump", "A.mom"], "compares with no '--base'"),
            (["--dump"], "'--dump' needs one MODEL"), (["--base", "a", "--json", "--github"], "exclude each other"),
            (["--base", "a", "--allow", "los:Book"], "there is no rule 'los'; is 'loss' meant?"),
        ]
        for (arguments, text) in cases {
            let error = #expect(throws: ToolError.self) {
                _ = try ModelCheckCommand(Arguments(arguments, of: ModelCheckCommand.page))
            }
            #expect(error?.status == .usage)
            #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
        }
    }

    // MARK: Models in code

    @Test("A description of a model in code is compared, and the tool writes one of a store")
    func descriptions() throws {
        try withTemporaryFolder { folder in
            let repository = try ModelRepository(at: folder.appendingPathComponent("repository"))
            let file = repository.folder.appendingPathComponent("Library.modeldescription")
            let older = ModelText.model(ModelFolder.library[0].text)
            try older.writeDescription(to: file)
            try repository.commit()
            let store = folder.appendingPathComponent("l.sqlite")
            try withStore(store, older) { _ in }
            let dump = try ToolRun(["model", "check", "--dump", store.path])
            #expect(dump.output == (try repository.text(at: "Library.modeldescription")))
            try ModelText.model("entity Author\n  name string!").writeDescription(to: file)
            let changed = try Self.check(["--base", "main"], in: repository.folder)
            #expect(changed.output.hasPrefix("Library.modeldescription:3: unversioned\n"), "\(changed.output)")
            #expect(changed.output.contains("restore this one: declare it in the code as it was"))
            try ModelText.model("entity Author\n  name string!").writeDescription(to: file, after: [older])
            let new = try Self.check(["--base", "main"], in: repository.folder)
            #expect(new.output.contains("Stores of '1' lose all objects of 'Volume'"), "\(new.output)")
            #expect(new.output.contains("'1' → '2': in place"))
        }
    }
}
